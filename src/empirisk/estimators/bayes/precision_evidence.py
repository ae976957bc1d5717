"""The evidence of the precision of a prior: the density of the targets, with coefficients and noise
integrated.

MacKay, Neural Computation 4 (1992), 415-447; Bishop 2006, Pattern Recognition and Machine Learning, section
3.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg
from scipy.optimize import brentq

from empirisk.data.threads import one_thread
from empirisk.estimators.undecided import UndecidedError
from empirisk.typing import Array

__all__ = ["GRID", "PrecisionEvidence"]

REACH = 18.5  # of a logarithm beyond the eigenvalues: factors of 1e8, where slopes are below 1e-8
FLAT = 1e-9  # slopes of the evidence below which they are rounding, as a share of the shape
GRID = 240  # precisions at which the sign of the slope is seen
EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class PrecisionEvidence:
    """The log evidence as a function of the logarithm of the precision, but for a constant.

    ``l(t) = (1/2) sum_j log(e^t / (d_j + e^t)) - shape log(scale + (left + sum_j z_j e^t/(d_j + e^t)) / 2)``

    Parameters
    ----------
    values : array, shape (r,)
        Positive eigenvalues d of ``X'X``.
    explained : array, shape (r,)
        z: the squares of y that least squares explains along each eigenvector.
    left : float
        Squares that least squares leaves.
    shape, scale : float
        Posterior shape, and prior scale, of the noise variance.

    Examples
    --------
    >>> curve = PrecisionEvidence(np.array([4.0]), np.array([9.0]), 3.0, 2.0, 0.0)
    >>> log_precision, maxima, _ = curve.search()
    >>> round(float(np.exp(log_precision)), 6), maxima, abs(curve.slope(log_precision)) < 1e-12
    (0.5, 1, True)
    """

    values: Array
    explained: Array
    left: float
    shape: float
    scale: float

    @classmethod
    def of(cls, G: Array, shape: float, scale: float) -> PrecisionEvidence:
        """Return the evidence of the products ``Z'Z`` of rows (x, y)."""
        p = len(G) - 1
        if not np.isfinite(G).all():
            raise ValueError(
                "X or y holds NaN, infinity or numbers whose squares overflow; rescale the columns"
            )
        with one_thread():
            values, vectors = linalg.eigh(G[:p, :p])
        keep = values > p * EPS * float(values[-1])
        along = vectors[:, keep].T @ G[:p, p]
        explained = along**2 / values[keep]
        left = float(G[p, p] - explained.sum())
        left = left if left > 64.0 * (p + 2) * EPS * float(G[p, p]) else 0.0
        return cls(values[keep], explained, left, shape, scale)

    def __call__(self, t: float) -> float:
        """Return the log evidence at a log precision, but for a constant."""
        lam = np.exp(t)
        gain = 0.5 * float(np.log(lam / (self.values + lam)).sum())
        return gain - self.shape * float(np.log(self._scale(lam)))

    def slope(self, t: float) -> float:
        """Return the derivative by the log precision."""
        return float(self._slopes(np.array([t]))[0])

    def _slopes(self, t: Array) -> Array:
        """Return the derivatives at several log precisions: O(len(t) r) numbers are held at once."""
        lam, d = np.exp(t)[:, None], self.values
        kept, shrunk = d / (d + lam), lam / (d + lam)  # products of d and lam could overflow
        unexplained = self.explained * shrunk
        pull = 0.5 * (unexplained * kept).sum(axis=1)
        scale = self.scale + 0.5 * (self.left + unexplained.sum(axis=1))
        return np.asarray(0.5 * kept.sum(axis=1) - self.shape * pull / scale)

    def _scale(self, lam: float) -> float:
        return self.scale + 0.5 * (self.left + float((self.explained * (lam / (self.values + lam))).sum()))

    def search(self) -> tuple[float, int, bool]:
        """Return the log precision of the largest evidence, the number of maxima seen, and whether the best
        is none.

        The sign of the slope is looked at on a grid that reaches a factor of 1e8 beyond the eigenvalues;
        between a rise and a fall lies a maximum.  Where the evidence still rises at the upper end it tends to
        that of coefficients 0, and the end is returned.

        Raises
        ------
        UndecidedError
            Where the evidence grows without end as the noise falls to 0, or is the same for all precisions.
        """
        low, high = float(np.log(self.values.min())) - REACH, float(np.log(self.values.max())) + REACH
        grid = np.linspace(low, high, GRID)
        slopes = self._slopes(grid)
        if np.abs(slopes).max() < FLAT * self.shape:
            raise UndecidedError(
                "the evidence is the same for every precision, because the columns explain any y of so few "
                "rows: give prior_precision a number, noise_shape and noise_scale > 0, or more rows"
            )
        if slopes[0] < 0.0:
            raise UndecidedError(
                "the evidence has no maximum: it grows as the noise falls to 0, because the columns explain "
                "y but for rounding; give prior_precision a number, or noise_shape and noise_scale > 0"
            )
        at = np.flatnonzero((slopes[:-1] > 0.0) & (slopes[1:] <= 0.0))
        tops = [float(brentq(self.slope, grid[k], grid[k + 1], xtol=1e-14, rtol=8.9e-16)) for k in at]
        null = slopes[-1] > 0.0
        tops = [*tops, high] if null else tops
        best = max(tops, key=self)
        return best, len(tops), null and best == high
