"""Empirical Rademacher averages: how well a class fits random signs on given rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from empirisk.bounds.base import check_count, check_real
from empirisk.data.brief import Brief
from empirisk.data.seeds import Seed, generator_of
from empirisk.typing import Array

__all__ = [
    "Complexity",
    "complexity_finite",
    "complexity_kernel",
    "complexity_l1",
    "complexity_l2",
    "complexity_simulated",
]


@dataclass(frozen=True, repr=False)
class Complexity(Brief):
    """A Rademacher average ``E sup_h (1/n) sum_i sign_i h(x_i)`` of a class on n rows.

    Parameters
    ----------
    value : float
        The average, an upper bound on it, or a simulated mean (then with an `error`).
    n : int
        Number of rows.
    method : str
        How it was found.
    error : float, default 0
        Monte-Carlo standard error of a simulated value.
    draws : int, default 0
        Number of sign vectors behind a simulated value.
    span : float, default 1
        Bound on the absolute value of the predictions.

    Examples
    --------
    >>> print(complexity_l2(np.eye(4), radius=2.0))
    Rademacher average 1 on 4 rows (closed form, L2 ball of radius 2)
    """

    value: float
    n: int
    method: str
    error: float = 0.0
    draws: int = 0
    span: float = 1.0

    @property
    def radius(self) -> float:
        """``value sqrt(n)``: what `rademacher` calls the radius of the class."""
        return self.value * math.sqrt(self.n)

    def upper(self, delta: float) -> float:
        """A limit that a simulated average exceeds with probability at most `delta` (McDiarmid).

        The mean of K draws is a function of ``n K`` signs, each of which moves it by at most
        ``2 span / (n K)``.
        """
        if self.draws == 0:
            return self.value
        risk = check_real(delta, "delta", 0.0, 1.0)
        return self.value + self.span * math.sqrt(-2.0 * math.log(risk) / (self.n * self.draws))

    def __str__(self) -> str:
        error = f" +- {self.error:.2g}" if self.draws else ""
        return f"Rademacher average {self.value:.4g}{error} on {self.n:,} rows ({self.method})"


def complexity_l2(X: ArrayLike, radius: float = 1.0) -> Complexity:
    """``radius sqrt(sum_i ||x_i||^2) / n`` for the linear functions with ``||w||_2 <= radius``.

    Parameters
    ----------
    X : array, shape (n, p)
        The rows.
    radius : float, default 1
        Largest norm of the weights.

    Returns
    -------
    Complexity

    Notes
    -----
    Exact up to a factor sqrt 2. Cost O(n p). Source: Shalev-Shwartz and Ben-David (2014), lemma 26.10.

    Examples
    --------
    >>> complexity_l2(np.ones((100, 4))).value
    0.2
    """
    rows, r = _rows(X), check_real(radius, "radius")
    value = r * math.sqrt(float(np.square(rows).sum())) / len(rows)
    return Complexity(value, len(rows), f"closed form, L2 ball of radius {r:g}")


def complexity_l1(X: ArrayLike, radius: float = 1.0) -> Complexity:
    """``radius max_j ||X_j||_2 sqrt(2 log(2 p)) / n`` for the linear functions with ``||w||_1 <= radius``.

    Parameters
    ----------
    X : array, shape (n, p)
        The rows.
    radius : float, default 1
        Largest norm of the weights.

    Returns
    -------
    Complexity

    Notes
    -----
    Massart's lemma on the 2 p columns and their negatives. Cost O(n p). Source: Shalev-Shwartz and Ben-David
    (2014), lemma 26.11.

    Examples
    --------
    >>> round(complexity_l1(np.ones((100, 4))).value, 4)
    0.2039
    """
    rows, r = _rows(X), check_real(radius, "radius")
    longest = math.sqrt(float(np.square(rows).sum(axis=0).max()))
    value = r * longest * math.sqrt(2.0 * math.log(2.0 * rows.shape[1])) / len(rows)
    return Complexity(value, len(rows), f"closed form, L1 ball of radius {r:g}")


def complexity_kernel(K: ArrayLike, radius: float = 1.0) -> Complexity:
    """``radius sqrt(trace K) / n`` for the functions of norm at most `radius` in the space of the kernel.

    Parameters
    ----------
    K : array, shape (n, n) or (n,)
        The kernel matrix of the rows, or its diagonal.
    radius : float, default 1
        Largest norm of the function.

    Returns
    -------
    Complexity

    Notes
    -----
    Cost O(n). Source: Bartlett and Mendelson, Journal of Machine Learning Research 3 (2002), lemma 22.

    Examples
    --------
    >>> complexity_kernel(np.eye(100)).value
    0.1
    """
    matrix, r = np.asarray(K, dtype=np.float64), check_real(radius, "radius")
    if matrix.ndim not in (1, 2) or (matrix.ndim == 2 and matrix.shape[0] != matrix.shape[1]):
        raise ValueError(f"K must be a square matrix or its diagonal, got shape {matrix.shape}.")
    diagonal = np.diagonal(matrix) if matrix.ndim == 2 else matrix
    if diagonal.size == 0 or not np.isfinite(diagonal).all() or (diagonal < 0.0).any():
        raise ValueError(
            "K must have a finite diagonal >= 0 with at least one entry: it is no kernel matrix."
        )
    value = r * math.sqrt(float(diagonal.sum())) / len(diagonal)
    return Complexity(value, len(diagonal), f"closed form, kernel ball of radius {r:g}")


def complexity_finite(predictions: ArrayLike) -> Complexity:
    """``max_h ||h - mean of h||_2 sqrt(2 log |H|) / n`` for a finite class (Massart).

    Parameters
    ----------
    predictions : array, shape (hypotheses, n)
        What each hypothesis predicts on the rows (or its losses there).

    Returns
    -------
    Complexity

    Notes
    -----
    Repeated hypotheses count once. Cost O(hypotheses n log hypotheses). Source: Massart (2000);
    Shalev-Shwartz and Ben-David (2014), lemma 26.8.

    Examples
    --------
    >>> round(complexity_finite([[1.0, 1.0], [-1.0, -1.0]]).value, 4)
    0.8326
    """
    table = np.unique(_rows(predictions, "predictions"), axis=0)
    count, n = table.shape
    longest = float(np.linalg.norm(table - table.mean(axis=0), axis=1).max())
    value = longest * math.sqrt(2.0 * math.log(count)) / n
    return Complexity(value, n, f"Massart, {count:,} hypotheses", span=float(np.abs(table).max()))


def complexity_simulated(
    erm: Callable[[Array, Array], ArrayLike],
    X: ArrayLike,
    draws: int = 100,
    random_state: Seed = 0,
    span: float = 1.0,
) -> Complexity:
    """The mean over random signs of ``(1/n) sum_i sign_i h(x_i)`` with h fitted to the signs.

    Parameters
    ----------
    erm : callable
        ``erm(X, signs)`` returns the predictions on X, between ``-span`` and span, of a hypothesis that
        maximises the correlation with the signs (for labels -1 and +1: minimises the training error). A
        hypothesis that falls short makes the value too small.
    X : array, shape (n, p)
        The rows.
    draws : int, default 100
        Number of sign vectors.
    random_state : int, Generator, RandomState or None, default 0
        Of the signs.
    span : float, default 1
        Bound on the absolute value of the predictions.

    Returns
    -------
    Complexity
        With the Monte-Carlo standard error; ``upper(delta)`` is a limit that accounts for it.

    Raises
    ------
    ValueError
        When the predictions have another shape or exceed span.

    Notes
    -----
    Cost: `draws` fits. Source: Bartlett and Mendelson, Journal of Machine Learning Research 3 (2002).

    Examples
    --------
    One hypothesis and its negative:

    >>> c = complexity_simulated(lambda X, s: np.full(len(s), np.sign(s.sum())), np.zeros((100, 1)))
    >>> bool(abs(c.value - np.sqrt(2 / np.pi / 100)) < 4 * c.error)
    True
    """
    rows, k = _rows(X), check_count(draws, "draws")
    bound = check_real(span, "span")
    rng = generator_of(random_state)
    values = np.empty(k)
    for i in range(k):
        signs = rng.choice([-1.0, 1.0], size=len(rows))
        h = np.asarray(erm(rows, signs), dtype=np.float64)
        if h.shape != signs.shape or not (np.abs(h) <= bound * (1.0 + 1e-12)).all():
            raise ValueError(f"erm must return {len(rows)} predictions between {-bound:g} and {bound:g}.")
        values[i] = signs @ h / len(rows)
    # The mean of the draws is estimated from them: k - 1 degrees of freedom are left for their spread.
    error = float(values.std(ddof=1) / math.sqrt(k)) if k > 1 else math.nan
    return Complexity(float(values.mean()), len(rows), f"{k:,} sign vectors", error, k, bound)


def _rows(X: ArrayLike, name: str = "X") -> Array:
    """Return X as a matrix of floats that is finite and not empty, or say where it is not."""
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(
            f"{name} must be a table with at least one row and one column, got shape {rows.shape}."
        )
    if not np.isfinite(rows).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(rows))[0])
        raise ValueError(f"{name} must be finite, got {rows[row, column]} in row {row}, column {column}.")
    return rows
