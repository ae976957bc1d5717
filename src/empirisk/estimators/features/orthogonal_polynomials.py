"""Polynomials of the columns that are orthonormal on the rows: any degree without loss of digits."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from empirisk.estimators.checks import check_count, check_flag
from empirisk.estimators.features.base import ColumnMap
from empirisk.typing import Array

__all__ = ["OrthogonalPolynomials", "Recurrence"]

# Root mean square error of a polynomial (whose own is 1) at the points themselves when x is off by rounding.
MOST_LOST = 1e-8


class Recurrence(NamedTuple):
    """``q_{k+1}(x) = (t q_k - sum_{j<=k} H[j,k] q_j) / H[k+1,k]``, ``q_0 = 1``, ``t = (x - centre)/half``:
    the coefficients from which new rows get their polynomials.
    """

    H: Array
    centre: float
    half: float


class OrthogonalPolynomials(ColumnMap):
    r"""Polynomials of each column that are orthonormal on the rows seen in ``fit``.

    Column ``x`` becomes ``q_1(x) ... q_d(x)``, ``q_k`` of degree exactly k, with
    ``(1/S) sum_i s_i q_j(x_i) q_k(x_i) = 1[j = k]`` and ``q_0 = 1`` (left to the intercept of the model).
    The same space as ``x, x^2 ... x^d``, with a condition number of 1 instead of one that grows like
    ``(1 + sqrt 2)^d``. Several columns are expanded one by one (an additive model, no products).

    Parameters
    ----------
    degree : int or sequence of int, default 3
        d, at least 1; one for all columns or one for each. A column of m different values gets at most
        ``m - 1`` polynomials, which are all functions of it (a 0/1 column gets one, a constant none).
    smooth : bool, default False
        Make ``q_k`` Legendre's polynomials on the range of the column instead, divided by
        ``sqrt(k (k+1))``. A ridge penalty on their coefficients then is one on the slope: with
        ``t = 2 (x - min)/(max - min) - 1``, ``sum_k w_k^2`` is the mean of ``(1 - t^2) f'(t)^2`` over the
        range, so that any degree stays tame between the points. (In the basis of the rows ridge would shrink
        all degrees alike.)

    Attributes
    ----------
    degree_ : int array, shape (p,)
        Degree of each column: that asked for, or one less than its different values.
    recurrence_ : list of Recurrence
        One for each column; enough to evaluate the polynomials anywhere.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    ValueError
        All columns are constant, a degree whose polynomials are so steep on a column that rounding hides them
        (few values far out), NaN or infinity (named by column and row).

    Notes
    -----
    The three-term recurrence of Forsythe, run as an Arnoldi iteration: each new direction ``t q_k`` is
    orthogonalised twice against all before it, so that orthonormality holds to rounding error at any degree;
    new rows go through the stored coefficients H. O(n d^2) for each column.

    Between n evenly spread points a polynomial of degree above about ``2 sqrt n`` may swing wildly, and
    beyond the range of the data any high degree does: a property of polynomials, not of the basis.

    References
    ----------
    Forsythe 1957 (J. SIAM 5); Brubeck, Nakatsukasa & Trefethen 2021, Vandermonde with Arnoldi (SIAM Review
    63); Giraud, Langou & Rozloznik 2005 (twice is enough).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> basis = er.OrthogonalPolynomials(degree=2).fit(x)
    >>> Q = basis.transform(x)
    >>> np.allclose(Q.T @ Q / 3, np.eye(2))
    True
    >>> basis.expand([1.0, 0.0])[0].round(6) + 0.0  # the first of them in 1, x, x^2
    array([-1.224745,  1.224745,  0.      ])
    """

    recurrence_: list[Recurrence]
    degree_: Array

    def __init__(self, degree: Any = 3, *, smooth: bool = False) -> None:
        self.degree = degree
        self.smooth = smooth

    def _learn(self, X: Array, weight: Array) -> None:
        check_flag("smooth", self.smooth)
        degrees = [check_count("degree", d, 1) for d in self._each("degree", self.degree)]
        rows, weight, names = X[weight > 0.0].astype(np.float64), weight[weight > 0.0], self._names()
        self.recurrence_ = [
            _recurrence(x, weight, d, self.smooth, name)
            for x, d, name in zip(rows.T, degrees, names, strict=True)
        ]
        self.degree_ = np.array([r.H.shape[1] for r in self.recurrence_])
        if not self.degree_.any():
            raise ValueError(
                f"no column has two different values in n_samples = {len(rows)}: there is nothing to expand"
            )

    def _expand(self, X: Array) -> Array:
        parts = [
            _evaluate(r, x.astype(np.float64))[:, 1:] / self._divisors(r)
            for x, r in zip(X.T, self.recurrence_, strict=True)
        ]
        return np.concatenate(parts, axis=1).astype(X.dtype, copy=False)

    def _suffixes(self, column: int) -> list[str]:
        return [f"p{k}" for k in range(1, int(self.degree_[column]) + 1)]

    def _divisors(self, recurrence: Recurrence) -> Array:
        k = np.arange(1.0, recurrence.H.shape[1] + 1)
        return np.sqrt(k * (k + 1.0)) if self.smooth else np.ones_like(k)

    def expand(self, coef: Any, intercept: float = 0.0) -> list[Array]:
        """Return the polynomial ``intercept + sum_k coef_k q_k`` in powers of each column.

        Parameters
        ----------
        coef : array, shape (sum of the degrees,)
            Coefficients of the transformed columns.
        intercept : float, default 0.0
            Added to the constant of the first column's polynomial.

        Returns
        -------
        list of arrays, shapes (degree + 1,)
            Coefficients of ``1, x, x^2 ...``, one array a column; the model is the sum of the polynomials.
            Computed in rational arithmetic and rounded once. To predict, use the basis: a sum of powers
            loses the digits that cancel.
        """
        wanted = int(self.degree_.sum())
        values = np.asarray(coef, dtype=np.float64)
        if values.shape != (wanted,):
            raise ValueError(f"coef must have shape ({wanted},), one for each polynomial, got {values.shape}")
        out: list[Array] = []
        at = 0
        for r in self.recurrence_:
            d = r.H.shape[1]
            scaled = [Fraction(0 if out else float(intercept))]
            scaled += [Fraction(float(v)) for v in values[at : at + d] / self._divisors(r)]
            total = [sum(c * q[j] for c, q in zip(scaled, _powers(r), strict=True)) for j in range(d + 1)]
            out.append(np.array([float(v) for v in total]))
            at += d
        return out


def _recurrence(x: Array, weight: Array, degree: int, smooth: bool, name: str) -> Recurrence:
    """Return the recurrence of one column; the degree is at most what its different values determine."""
    distinct = np.unique(x)
    degree = min(degree, distinct.size - 1)
    centre = float(0.5 * distinct[0] + 0.5 * distinct[-1])
    half = float(0.5 * distinct[-1] - 0.5 * distinct[0]) or 1.0
    if smooth:
        return Recurrence(_legendre(degree), centre, half)
    share = weight / weight.sum()
    H, Q = _arnoldi((x - centre) / half, share, degree)
    found = Recurrence(H, centre, half)
    _check_values(found, x, share, Q, name)
    return found


def _legendre(degree: int) -> Array:
    """Return the coefficients for the uniform measure on [-1, 1]: ``k/sqrt(4 k^2 - 1)`` beside the
    diagonal.
    """
    H, k = np.zeros((degree + 1, degree)), np.arange(1, degree + 1)
    beside = k / np.sqrt(4.0 * k * k - 1.0)
    H[k, k - 1] = beside
    H[k[:-1] - 1, k[:-1]] = beside[:-1]
    return H


def _arnoldi(t: Array, share: Array, degree: int) -> tuple[Array, Array]:
    """Return the coefficients whose polynomials are orthonormal under the shares, and their values at t."""
    Q, H = np.ones((t.size, degree + 1)), np.zeros((degree + 1, degree))
    for k in range(degree):
        new = t * Q[:, k]
        for _ in range(2):
            part = Q[:, : k + 1].T @ (share * new)
            new -= Q[:, : k + 1] @ part
            H[: k + 1, k] += part
        H[k + 1, k] = np.sqrt(share @ (new * new))
        Q[:, k + 1] = new / H[k + 1, k]
    return H, Q


def _check_values(found: Recurrence, x: Array, share: Array, Q: Array, name: str) -> None:
    """Refuse a degree whose polynomial is so steep at the points that its values are rounding.

    The evaluation is backward stable: where it loses digits, every other would.
    """
    with np.errstate(all="ignore"):
        lost = np.sqrt(share @ (_evaluate(found, x) - Q) ** 2)
    steep = np.flatnonzero(~(lost <= MOST_LOST))
    if steep.size:
        raise ValueError(
            f"polynomials of degree {steep[0]} and more cannot be computed on column {name!r}: a rounding "
            f"error in it changes them by {lost[steep[0]]:.1g} of their size; lower the degree to "
            f"{steep[0] - 1}, or transform the column (a logarithm or ranks, where few values lie far out)"
        )


def _evaluate(recurrence: Recurrence, x: Array) -> Array:
    """``q_0 ... q_d`` at x, shape (n, d + 1)."""
    H, centre, half = recurrence
    t, Q = (x - centre) / half, np.ones((x.size, H.shape[0]))
    for k in range(H.shape[1]):
        Q[:, k + 1] = (t * Q[:, k] - Q[:, : k + 1] @ H[: k + 1, k]) / H[k + 1, k]
    return Q


def _powers(recurrence: Recurrence) -> list[list[Fraction]]:
    """Return the coefficients of ``1, x ... x^d`` of each polynomial, exactly."""
    d = recurrence.H.shape[1]
    H = [[Fraction(float(v)) for v in row] for row in recurrence.H]
    centre, half = Fraction(recurrence.centre), Fraction(recurrence.half)
    rows = [[Fraction(1)] + [Fraction(0)] * d]
    for k in range(d):
        q = rows[k]
        shifted = [Fraction(0), *q[:-1]]
        new = [(up - centre * same) / half for up, same in zip(shifted, q, strict=True)]
        for j in range(k + 1):
            new = [a - H[j][k] * b for a, b in zip(new, rows[j], strict=True)]
        rows.append([v / H[k + 1][k] for v in new])
    return rows
