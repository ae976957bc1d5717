"""Sines and cosines of the columns: a linear model on them is periodic and smooth."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.estimators.checks import check_count, check_flag, check_number
from empirisk.estimators.features.base import ColumnMap
from empirisk.typing import Array

__all__ = ["FourierFeatures"]


class FourierFeatures(ColumnMap):
    r"""Sine and cosine basis of each column.

    Column ``x`` with period ``P`` becomes ``sin(2 pi k x/P)`` and ``cos(2 pi k x/P)``, ``k = 1 ... K``: the
    functions of period P without frequencies above ``K/P``, up to a constant, which the intercept of the
    model is for. Several columns are expanded one by one (an additive model, no products).

    Parameters
    ----------
    n_harmonics : int or sequence of int, default 3
        K, at least 1; one for all columns or one for each.
    period : float, sequence of float or "range", default "range"
        P > 0 in the units of the column, one for all columns or one for each. ``"range"`` learns
        ``max - min`` of each column, which makes the function equal at both ends. Give the period where it is
        known: hours from 0 to 23 have the period 24, not 23.
    orthonormal : bool, default False
        Multiply by ``sqrt(2)``: with the constant, the functions are then orthonormal in the mean over a
        period, ``(1/P) int f g dx``, and exactly so on any ``n > 2K`` evenly spaced points of a period. A
        ridge penalty on the coefficients is then one on the variance of the function.

    Attributes
    ----------
    period_ : array, shape (p,)
        Period of each column.
    n_harmonics_ : int array, shape (p,)
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    ValueError
        A period that is not positive, a column of one value with ``period="range"``, a list whose length is
        not that of the columns, NaN or infinity (named by column and row).

    Notes
    -----
    O(n p K). The argument is reduced to one period before the sine is taken, so that large numbers (seconds
    since 1970) lose no digits of the phase that they have. float32 stays float32.

    References
    ----------
    Rivlin 1974, The Chebyshev Polynomials, section 3 (discrete orthogonality); Harvey 1989, Forecasting,
    Structural Time Series Models, section 2.3.4 (seasons).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> hours = np.array([[0.0], [6.0], [12.0], [18.0]])
    >>> er.FourierFeatures(n_harmonics=1, period=24.0).fit_transform(hours).round(12) + 0.0
    array([[ 0.,  1.],
           [ 1.,  0.],
           [ 0., -1.],
           [-1.,  0.]])
    """

    period_: Array
    n_harmonics_: Array

    def __init__(self, n_harmonics: Any = 3, *, period: Any = "range", orthonormal: bool = False) -> None:
        self._set(locals())

    def _learn(self, X: Array, weight: Array) -> None:
        check_flag("orthonormal", self.orthonormal)
        harmonics = [check_count("n_harmonics", v, 1) for v in self._each("n_harmonics", self.n_harmonics)]
        self.n_harmonics_ = np.array(harmonics)
        self.period_ = self._ranges(X, weight) if isinstance(self.period, str) else self._given()

    def _expand(self, X: Array) -> Array:
        out = np.empty((X.shape[0], 2 * int(self.n_harmonics_.sum())), dtype=X.dtype)
        size = np.sqrt(2.0) if self.orthonormal else 1.0
        at = 0
        for x, period, n_harmonics in zip(X.T, self.period_, self.n_harmonics_, strict=True):
            turns = np.fmod(x.astype(np.float64), period) / period  # fmod is exact
            for k in range(1, n_harmonics + 1):
                angle = 2.0 * np.pi * np.fmod(k * turns, 1.0)
                out[:, at], out[:, at + 1] = size * np.sin(angle), size * np.cos(angle)
                at += 2
        return out

    def _suffixes(self, column: int) -> list[str]:
        return [f"{f}{k}" for k in range(1, int(self.n_harmonics_[column]) + 1) for f in ("sin", "cos")]

    def _given(self) -> Array:
        each = self._each("period", self.period)
        return np.array([check_number("period", v, 0.0, closed=False) for v in each])

    def _ranges(self, X: Array, weight: Array) -> Array:
        if self.period != "range":
            raise ValueError(
                f'period must be a number > 0, one for each column, or "range", got {self.period!r}'
            )
        rows = X[weight > 0.0].astype(np.float64)
        found = rows.max(axis=0) - rows.min(axis=0)
        unfit = np.flatnonzero(~((found > 0.0) & np.isfinite(found)))
        if unfit.size:
            j = int(unfit[0])
            spread = (
                f"has one value only ({rows[0, j]:g})" if found[j] == 0.0 else "spans more than any number"
            )
            raise ValueError(
                f"column {self._names()[j]!r} {spread} in n_samples = {len(rows)}, so its range gives no "
                "period: give period= or drop the column"
            )
        return np.asarray(found)
