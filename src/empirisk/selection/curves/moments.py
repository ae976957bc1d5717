"""The last step of a learning curve as two numbers with a covariance: the loss now, and its fall.

    loss = mean l_i(m rows),    fall = mean (l_i(s rows) - l_i(m rows)),    s about m/2,

with the covariance matrix of :mod:`empirisk.selection.intervals.repeated_kfold`: that of the rows within one
repeat times K/(K-1), over clusters when there are groups. Everything that is said about more rows concerns
``loss - gamma fall`` for a known gamma, so it needs these five numbers only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.selection.intervals.base import Floats, negligible, student_quantile
from empirisk.selection.intervals.grouped import cr2_variance

__all__ = ["LastStep", "from_rows", "from_splits"]


@dataclass(frozen=True)
class LastStep:
    """Loss at `size` rows, its fall from `before` rows, and their covariance.

    Parameters
    ----------
    before, size : int
        Training rows.
    loss, fall : float
        Means.
    var_loss, var_fall, cov : float
        Variances and covariance of the two means.
    df : float
        Degrees of freedom.
    """

    before: int
    size: int
    loss: float
    fall: float
    var_loss: float
    var_fall: float
    cov: float
    df: float

    def limits(self, gamma: float, level: float, *, loss: float = 1.0) -> tuple[float, float]:
        """Ends of the t interval of ``loss * self.loss - gamma * self.fall``."""
        variance = loss**2 * self.var_loss - 2.0 * loss * gamma * self.cov + gamma**2 * self.var_fall
        half = student_quantile(level, self.df) * math.sqrt(max(0.0, variance))
        middle = loss * self.loss - gamma * self.fall
        return middle - half, middle + half

    def fall_limits(self, level: float) -> tuple[float, float]:
        """Ends of the interval of the fall."""
        return self.limits(-1.0, level, loss=0.0)


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
        Clusters of rows.
    """
    n = after.shape[1]
    now, fall = after, before.mean(axis=1) - after
    scale = folds / (folds - 1.0)
    if groups is None:
        a = now - now.mean(axis=1, keepdims=True)
        d = fall - fall.mean(axis=1, keepdims=True)
        unit = scale / (n * (n - 1.0) * len(now))
        loss_var, fall_var, cov = (unit * float(np.vdot(u, v)) for u, v in ((a, a), (d, d), (a, d)))
        df = n - 1.0
    else:
        count = int(groups.max()) + 1

        def cluster(rows: Floats) -> float:
            return scale * float(np.mean([cr2_variance(v, groups, count)[0] for v in rows]))

        loss_var, fall_var = cluster(now), cluster(fall)
        cov = (cluster(now + fall) - loss_var - fall_var) / 2.0
        df = count - 1.0
    if negligible(fall_var, fall):
        fall_var = 0.0
    return LastStep(*sizes, float(now.mean()), float(fall.mean()), loss_var, fall_var, cov, df)


def from_splits(before: Floats, after: Floats, sizes: tuple[int, int], test_over_train: float) -> LastStep:
    """Moments of the mean losses of J overlapping splits, with the variance of Nadeau and Bengio (2003)."""
    fall, j = before - after, after.size
    scale = 1.0 / j + test_over_train
    table = scale * np.cov(after, fall, ddof=1)
    return LastStep(
        *sizes,
        float(after.mean()),
        float(fall.mean()),
        float(table[0, 0]),
        float(table[1, 1]),
        float(table[0, 1]),
        j - 1.0,
    )
