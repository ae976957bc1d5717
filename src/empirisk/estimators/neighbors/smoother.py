"""Regression by local means and local lines.

Nadaraya, Theory of Probability and its Applications 9 (1964); Watson, Sankhya A 26 (1964); Fan, Journal of
the American Statistical Association 87 (1992), on what slopes are good for at the edge of the rows.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.sparse_cells import canonical
from empirisk.data.validated import validated
from empirisk.data.weight_unit import WeightUnit
from empirisk.estimators.checks import (
    check_choice,
    check_finite,
    check_flag,
    check_number,
    check_numeric_targets,
    check_rule,
    check_weights,
    naming_lone_weight,
)
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.folds import copies, equal_rows_are_cases
from empirisk.neighbors import BandwidthSelection, RowScale, RowsInWindows, bandwidth_grid, window_of
from empirisk.neighbors.bandwidths import refuse_extremes, weighted_mean_and_se
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.typing import Array, IndexArray

__all__ = ["KernelSmoother"]


class KernelSmoother(RegressorMixin, Estimator):
    """A mean, or a line, of the training rows in a window around each new row.

    ``f(x) = a`` with ``(a, b) = argmin sum_i s_i k(||x_i - x|| / h) (y_i - a - b.(x_i - x))^2``; with degree
    0 (Nadaraya and Watson) without b: the weighted mean of the targets.

    Parameters
    ----------
    bandwidth : "cv" or float > 0, default "cv"
        h, in standard deviations of a column (in the unit of X with ``standardise=False``).  ``"cv"`` takes
        the one of least exact leave-one-out squared error.
    degree : {0, 1}, default 1
        0 for local means, 1 for local lines, which have no bias of first order at the edge of the rows.
    window : {"gaussian", "epanechnikov", "tricube", "boxcar"}, default "gaussian"
        k(u): ``exp(-u^2/2)``, ``1 - u^2``, ``(1 - u^3)^3`` or 1; all but the first are 0 for u > 1.
    standardise : bool, default True
        Whether columns are divided by their standard deviations, else compared as they are.
    empty : {"nearest", "error"}, default "nearest"
        Where no row is within the window, the mean of the nearest rows stands for it, or the row is refused
        by its number (``"cv"`` then takes no bandwidth that leaves a training row without others).  Windows
        of Gaussian shape are never empty: far away they tend to the nearest row.
    bandwidths : int or array, default 30
        With ``"cv"``: how many are compared (2 at least), on a grid that the rows span, or which.
    rule : {"min", "one_se"}, default "min"
        With ``"cv"``: the least error, or the largest bandwidth within one standard error of it.

    Attributes
    ----------
    bandwidth_ : float
        h that is used, in the unit of the parameter.
    scale_ : array, shape (p,)
        What the columns were divided by: their standard deviations (for constant ones the size of their
        number), or ones.
    selection_ : BandwidthSelection
        With ``"cv"``: the leave-one-out half squared error of every bandwidth, with its standard error.
    n_samples_fit_ : int
        Rows of positive weight.
    certificate_ : Certificate
        Of kind NONE, with the reason.

    Raises
    ------
    ValueError
        For parameters out of range, a single row with ``"cv"``, rows too far away for a distance, and with
        ``empty="error"`` for rows whose window is empty.
    MemoryError
        For sparse rows (which are made dense) that do not fit, with the forecast.

    Notes
    -----
    O(n p) a row for the distances and O(n) for the window, with slopes O(n p^2); ``"cv"`` is as much for
    every training row and bandwidth; on all threads, with the same bits for any number of them.  Slopes are
    fitted in the directions in which the rows of a window differ (with a standard deviation of more than
    1e-5 bandwidths, and 3e-4 of the largest one); in others the fit is constant.  A row is left
    out with all its weight and its copies (equal features and target), which count as one row of their
    weight; only where few different rows are possible are equal rows, and weights that are small multiples
    of one number, different cases that are left out one by one.  With more than a few columns the nearest
    rows are far: compare with a model that says less.

    References
    ----------
    Hastie, Tibshirani & Friedman 2009, The Elements of Statistical Learning, sections 6.1 to 6.3.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x = np.linspace(0.0, 1.0, 50)[:, None]
    >>> er.KernelSmoother(0.3).fit(x, 2.0 * x[:, 0] + 1.0).predict([[0.25], [1.5]]).round(6)
    array([1.5, 4. ])
    >>> er.KernelSmoother(0.3, degree=0, window="boxcar").fit(x, x[:, 0]).predict([[0.0]]).round(2)
    array([0.04])
    """

    bandwidth_: float
    scale_: Array
    selection_: BandwidthSelection
    n_samples_fit_: int
    n_features_in_: int
    solution_: Solution
    _scale: RowScale
    _rows: RowsInWindows
    _level: float
    _seen: tuple[Array, IndexArray, Array]

    def __init__(
        self,
        bandwidth: Any = "cv",
        *,
        degree: int = 1,
        window: str = "gaussian",
        standardise: bool = True,
        empty: str = "nearest",
        bandwidths: Any = 30,
        rule: str = "min",
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Keep the rows, and choose the bandwidth where it is to be chosen.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features.
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0; their scale changes nothing.

        Returns
        -------
        self
        """
        with as_before(self), naming_lone_weight(sample_weight):
            self._learn(X, y, sample_weight)
            self.bandwidth_ = self._chosen()
            self.solution_ = Solution(np.zeros(0), Status.COMPLETED, self._reason(), 0)
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Keep the checked rows on the scale of distances, without those of weight 0."""
        check_numeric_targets(y)
        with numbers_only(X, y):
            X, y = validated(
                self, canonical(X), y, reset=True, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False, y_numeric=True,
            )  # fmt: skip
            check_finite(Design(X), getattr(self, "feature_names_in_", None))
            target = np.asarray(y, dtype=np.float64)
        weight = check_weights(sample_weight, X.shape[0])
        window = window_of(self.window)
        slopes = self.degree == 1 and not isinstance(self.degree, bool)
        if not slopes and (self.degree != 0 or isinstance(self.degree, bool)):
            raise ValueError(f"degree must be 0 or 1, got {self.degree!r}")
        fall_back = bool(check_choice("empty", self.empty, {"nearest": True, "error": False}))
        unit = WeightUnit.of(weight)
        weight = np.ones(len(weight)) if unit.multiple is None else unit.multiple
        live = np.flatnonzero(weight > 0.0)
        standardise = check_flag("standardise", self.standardise)
        self._scale = RowScale.of(X[live], weight[live], standardise)
        self.scale_ = self._scale.scale if standardise else np.ones(X.shape[1])
        place = np.full(len(weight), -1)
        rows, stays = self._scale.apply(X), np.zeros(len(weight))
        place[live], stays[live] = self._left_out(Design(X[live]), target[live], weight[live], unit.whole)
        first = live[np.unique(place[live], return_index=True)[1]]
        self._seen = rows, place, stays
        together: Array = np.zeros(len(first))
        np.add.at(together, place[live], weight[live])
        weight, target = together, target[first]
        self._level = float((weight * target).sum() / weight.sum())
        kept = rows if len(first) == len(rows) else rows[first]
        self._rows = RowsInWindows(kept, weight, target - self._level, window, slopes, fall_back)
        self.n_samples_fit_ = len(live)

    @staticmethod
    def _left_out(design: Design, y: Array, weight: Array, whole: bool) -> tuple[IndexArray, Array]:
        """Return which row of the windows each row is, and the weight that stays there when it is left out.

        Copies are one row of their weight, and nothing of it stays.  Where equal rows are different cases, a
        row of weight 3 among rows of weight 1 is three of them: two stay.
        """
        times = weight if whole else np.ones(len(weight))
        if equal_rows_are_cases(design, y, times):
            return np.arange(len(y)), np.maximum(times - 1.0, 0.0)
        return copies(design, y)[1], np.zeros(len(y))

    def _chosen(self) -> float:
        """Return the bandwidth: given, or that of the least leave-one-out error."""
        if not isinstance(self.bandwidth, str):
            width = check_number("bandwidth", self.bandwidth, 0.0, closed=False)
            refuse_extremes(self._scale.inner(width), "bandwidth")
            return width
        if self.bandwidth != "cv":
            raise ValueError(f'bandwidth must be a number > 0 or "cv", got {self.bandwidth!r}')
        rule, rows = check_rule(self.rule), self._rows
        if len(rows.rows) < 2:
            raise ValueError('bandwidth="cv" needs at least 2 rows for leave-one-out, got n_samples = 1')
        grid, given = bandwidth_grid(self.bandwidths, rows.rows, rows.weight, rows.window)
        grid = refuse_extremes(self._scale.inner(grid) if given else grid, "bandwidths")
        _, place, stays = self._seen
        left = np.zeros(len(rows.rows))
        left[place[place >= 0]] = stays[place >= 0]
        fits = rows.fits(rows.rows, grid, np.arange(len(left)), left)
        lost = 0.5 * np.square(rows.target - fits.value)
        if not rows.fall_back:
            lost[fits.empty] = np.inf
        loss, se = weighted_mean_and_se(lost, rows.weight)
        if not np.isfinite(loss).any():
            raise ValueError(
                "every one of the bandwidths leaves a training row without others in its window; give larger "
                'ones, or empty="nearest"'
            )
        method = f"exact leave-one-out of {len(rows.rows):,} rows, half squared error"
        self.selection_ = BandwidthSelection(self._scale.outer(grid), loss, se, rule, method)
        return self.selection_.best

    def _reason(self) -> Certificate:
        """Return why there is no optimum to be far from."""
        what = "line" if self._rows.slopes else "mean"
        how = (
            f", the best of {len(self.selection_.bandwidths)} by exact leave-one-out"
            if isinstance(self.bandwidth, str)
            else ""
        )
        claim = (
            f"none: nothing is minimised over the rows together: a prediction is a weighted {what} of the "
            f"{self.n_samples_fit_:,} rows in closed form, with bandwidth {self.bandwidth_:.3g}{how}"
        )
        return Certificate(Kind.NONE, math.inf, 1.0, claim)

    @property
    def certificate_(self) -> Certificate:
        """Why nothing is claimed about an optimum."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def _fits(self, X: Any) -> Any:
        """Return the fits around new rows, or around the training rows without themselves."""
        check_is_fitted(self)
        place: Any = None
        stays: Any = None
        if X is None:
            queries, place, stays = self._seen
            if len(self._rows.rows) < 2:
                raise ValueError("predict(None) leaves each row out, and needs at least 2 rows of weight > 0")
        else:
            with numbers_only(X):
                X = validated(
                    self, canonical(X), reset=False, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                    order="C", ensure_all_finite=False,
                )  # fmt: skip
            check_finite(Design(X), getattr(self, "feature_names_in_", None))
            queries = self._scale.apply(X)
        fits = self._rows.fits(queries, self._scale.inner(self.bandwidth_), place, stays)
        if fits.empty.any() and not self._rows.fall_back:
            row, count = int(np.flatnonzero(fits.empty[0])[0]), int(fits.empty.sum())
            raise ValueError(
                f"no training row is within the bandwidth {self.bandwidth_:.3g} of row {row} of X ({count} "
                'such rows in all); take a larger bandwidth, a Gaussian window, or empty="nearest"'
            )
        return fits

    def predict(self, X: Any) -> Array:
        """Return the fit in the window around each row, shape (m,).

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p), or None
            New rows; None is the training rows, each without itself and its copies.
        """
        return np.asarray(self._fits(X).value[0] + self._level)

    def effective_rows(self, X: Any) -> Array:
        """Return ``(sum w)^2 / sum w^2`` of the weights in each window, shape (m,).

        So many rows of equal weight say as much: a prediction from few is uncertain, one from 1 (or from an
        empty window, whose nearest rows count) is the target of a row.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p), or None
            As in :meth:`predict`.
        """
        return np.asarray(self._fits(X).effective[0])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
