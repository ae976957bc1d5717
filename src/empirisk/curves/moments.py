"""The last step of a learning curve as two means with their joint moments: the loss now, and its fall.

    loss = mean l_i(m rows),    fall = mean (l_i(s rows) - l_i(m rows)),    s about m/2,

with the covariance matrix of :mod:`empirisk.evaluation.intervals.repeated_kfold`: that of the rows within one
repeat times K/(K-1), over clusters when there are groups. Everything that is said about more rows concerns
``loss - gamma fall`` for a known gamma, so it needs their joint moments only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats, negligible, student_quantile
from empirisk.evaluation.intervals.grouped import cr2_variance, group_sums
from empirisk.inference.limits import cubic_limits

__all__ = ["LastStep", "from_rows", "from_splits"]


@dataclass(frozen=True)
class LastStep:
    """Loss at `size` rows and its fall from `before` rows, with moments over the rows (or splits).

    Parameters
    ----------
    before, size : int
        Training rows.
    loss, fall : float
        Means.
    second : tuple of float
        Second central moments of a row: loss loss, loss fall, fall fall.
    third : tuple of float
        Third central moments: lll, llf, lff, fff; zeros where the distribution is not corrected for skewness.
    per_row : float
        Variance of a mean over the second moment of a row (with clusters the moments are those of the mean).
    root : float
        Square root of the number of rows (1 with clusters).
    df : float
        Degrees of freedom.
    """

    before: int
    size: int
    loss: float
    fall: float
    second: tuple[float, float, float]
    third: tuple[float, float, float, float]
    per_row: float
    root: float
    df: float

    def loss_limits(self, gamma: float, level: float) -> tuple[float, float]:
        """Return the ends of the interval of ``loss - gamma fall``: Hall's, because losses are skewed."""
        (ll, lf, ff), (lll, llf, lff, fff) = self.second, self.third
        second = max(0.0, ll - 2.0 * gamma * lf + gamma**2 * ff)
        third = lll - 3.0 * gamma * llf + 3.0 * gamma**2 * lff - gamma**3 * fff
        skew = third / second**1.5 / self.root if second > 0.0 else 0.0
        se, t = math.sqrt(self.per_row * second), student_quantile(level, self.df)
        return cubic_limits(self.loss - gamma * self.fall, se, skew, t)

    def fall_limits(self, level: float) -> tuple[float, float]:
        """Return the ends of the t interval of the fall; a correction for skewness harms differences."""
        half = student_quantile(level, self.df) * math.sqrt(self.per_row * self.second[2])
        return self.fall - half, self.fall + half


def from_rows(
    before: Floats, after: Floats, sizes: tuple[int, int], folds: int, groups: NDArray[np.intp] | None
) -> LastStep:
    """Moments of out-of-fold losses.

    Parameters
    ----------
    before : array of shape (r, parts, n)
        Losses of models trained on the disjoint parts of the smaller size; they are averaged.
    after : array of shape (r, n)
        Losses at the larger size.
    sizes : (int, int)
        The two sizes.
    folds : int
        K.
    groups : int array of shape (n,) or None
        Clusters of rows; the moments are over clusters then.
    """
    n = after.shape[1]
    now, fall = after, before.mean(axis=1) - after
    means, scale = (float(now.mean()), float(fall.mean())), folds / (folds - 1.0)
    if groups is not None:
        second, third = _clusters(now, fall, groups)
        return LastStep(*sizes, *means, second, third, scale, 1.0, float(groups.max()))
    a = now - now.mean(axis=1, keepdims=True)
    d = fall - fall.mean(axis=1, keepdims=True)
    if negligible(float(np.mean(d * d)), fall):
        d[:] = 0.0
    second = (float(np.mean(a * a)), float(np.mean(a * d)), float(np.mean(d * d)))
    third = (
        float(np.mean(a**3)),
        float(np.mean(a * a * d)),
        float(np.mean(a * d * d)),
        float(np.mean(d**3)),
    )
    return LastStep(*sizes, *means, second, third, scale / (n - 1.0), math.sqrt(n), n - 1.0)


def _clusters(
    now: Floats, fall: Floats, groups: NDArray[np.intp]
) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
    """Return the second and third moments of the two means over clusters, averaged over repeats."""
    count, n = int(groups.max()) + 1, now.shape[1]

    def variance(rows: Floats) -> float:
        return float(np.mean([cr2_variance(v, groups, count)[0] for v in rows]))

    def sums(rows: Floats) -> Floats:
        return np.asarray(np.stack([group_sums(v - v.mean(), groups, count) for v in rows]) / n)

    ll, ff = variance(now), variance(fall)
    a, d = sums(now), sums(fall)
    lll, llf, lff, fff = (float((u).sum(axis=1).mean()) for u in (a**3, a * a * d, a * d * d, d**3))
    return (ll, (variance(now + fall) - ll - ff) / 2.0, ff), (lll, llf, lff, fff)


def from_splits(before: Floats, after: Floats, sizes: tuple[int, int], test_over_train: float) -> LastStep:
    """Return the moments of the mean losses of J overlapping splits, with the variance of Nadeau and Bengio
    (2003).
    """
    fall, j = before - after, after.size
    table = np.cov(after, fall, ddof=1)
    second = (float(table[0, 0]), float(table[0, 1]), float(table[1, 1]))
    means = (float(after.mean()), float(fall.mean()))
    return LastStep(*sizes, *means, second, (0.0,) * 4, 1.0 / j + test_over_train, math.inf, j - 1.0)
