"""A normal law of coefficients and an intercept, kept about a point near the rows to save digits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from empirisk.data.threads import one_thread
from empirisk.estimators.undecided import UndecidedError
from empirisk.typing import Array

__all__ = ["GaussianCoefficients", "inverted"]

SINGULAR = 1e-12  # smallest eigenvalue of the scaled matrix: below, rounding of the sums decides


@dataclass(frozen=True, eq=False)
class GaussianCoefficients:
    """``w ~ N(mean, H H')`` and ``w.m + b`` independent of it with variance ``1/intercept_weight``.

    Parameters
    ----------
    mean : array, shape (p,)
        Means of the coefficients.
    root : array, shape (p, p)
        H.
    center, offset : array, shape (p,)
        A point, and how far the means m of the columns are from it (0 without an intercept).
    level : float
        Mean of ``w.center + b``, where an intercept far from the rows would have lost digits.
    intercept_weight : float
        Sum of the weights with an intercept, else infinity.
    """

    mean: Array
    root: Array
    center: Array
    offset: Array
    level: float
    intercept_weight: float

    @property
    def intercept(self) -> float:
        """The mean of b, at the origin of the columns."""
        return float(self.level - self.center @ self.mean)

    def scores(self, rows: Array) -> Array:
        """Return the mean of ``x.w + b`` for each row, shape (n,)."""
        return np.asarray((rows - self.center) @ self.mean + self.level)

    def spread(self, rows: Array) -> Array:
        """Return the variance of ``x.w + b`` for each row, ``1/S + (x - m)' H H' (x - m)``."""
        far = np.square((rows - self.center - self.offset) @ self.root).sum(axis=1)
        return np.asarray(far + 1.0 / self.intercept_weight)

    def covariance(self) -> Array:
        """Return the covariance of coefficients and, last, intercept, shape (p + 1, p + 1)."""
        half = np.vstack([self.root, -(self.center + self.offset) @ self.root])
        out = half @ half.T
        out[-1, -1] += 1.0 / self.intercept_weight
        return np.asarray(out)

    def intervals(self, half_width: float, intercept: bool) -> tuple[Array, Array, Array]:
        """Return the means of coefficients, and the ends so many standard deviations away from them."""
        count = len(self.mean) + int(intercept)
        half = half_width * np.sqrt(np.diagonal(self.covariance())[:count])
        middle = np.append(self.mean, self.intercept)[:count]
        return middle, middle - half, middle + half

    def draws(self, n: int, size: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return n draws of coefficients and intercept, with deviations times `size`, shape (n,)."""
        moved = size[:, None] * (rng.standard_normal((n, len(self.mean))) @ self.root.T)
        around = size * rng.standard_normal(n) / np.sqrt(self.intercept_weight)
        coef = self.mean + moved
        return coef, self.level - moved @ self.offset - coef @ self.center + around


def inverted(A: Array, precision: float, labels: list[str]) -> tuple[Array, float, float]:
    """Return H with ``H H' = A^-1``, the condition of A with a diagonal of ones, and its log-determinant.

    Parameters
    ----------
    A : array, shape (p, p)
        Products of columns with the precision of the prior on the diagonal.
    precision : float
        That precision, for the words of a refusal.
    labels : list of str
        Names of the columns.

    Raises
    ------
    ValueError
        For numbers that are not finite, and for singular matrices, with the columns at fault.
    """
    if not np.isfinite(A).all():
        bad = labels[int(np.argmin(np.isfinite(A).all(axis=1)))]
        raise ValueError(
            f"column {bad} of X holds NaN, infinity or numbers whose squares overflow; rescale it"
        )
    size = np.diagonal(A).copy()
    size[size <= 0.0] = 1.0
    t = 1.0 / np.sqrt(size)
    C = A * t * t[:, None]
    with one_thread():
        values, vectors = linalg.eigh(C)
        if values[0] < SINGULAR:
            _refuse_collinear(values, vectors, precision, labels)
        L = linalg.cholesky(C, lower=True)
        root = linalg.solve_triangular(L, np.eye(len(A)), lower=True).T
    log_det = 2.0 * float(np.log(np.diagonal(L)).sum() - np.log(t).sum())
    return np.asarray(root * t[:, None]), float(values[-1] / values[0]), log_det


def _refuse_collinear(values: Array, vectors: Array, precision: float, labels: list[str]) -> None:
    """Raise the error that names the columns along which the posterior has no end."""
    weight = np.abs(vectors[:, values < SINGULAR]).max(axis=1)
    tied = [labels[j] for j in np.flatnonzero(weight > 1e-4 * weight.max())]
    shown = ", ".join(tied[:8]) + (f" and {len(tied) - 8} more" if len(tied) > 8 else "")
    what = "is constant" if len(tied) == 1 else "are collinear"
    noun = "column" if len(tied) == 1 else "columns"
    prior = "a flat prior (prior_precision=0)" if precision == 0.0 else f"prior_precision={precision:.3g}"
    raise UndecidedError(
        f"{noun} {shown} of X {what}, and {prior} leaves no posterior of such coefficients: drop a column, "
        "or give a larger prior_precision"
    )
