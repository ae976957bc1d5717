"""Racing: drop candidates between folds, and drop the best one with probability at most delta.

After each look the mean paired difference to the best so far, on the ``m`` rows tested so far, is compared
with

    t_{m-1, 1 - delta/((C-1) L)} * s sqrt(1/m + 1/n_train)

for C candidates and L looks. The truly best candidate is dropped only if, for one of the C-1 others at one
of the L looks, a difference of the wrong sign passes a one-sided test of level delta/((C-1) L): by the union
bound that has probability at most delta, whatever "best so far" happens to be. The term 1/n_train stands for
the training rows that the folds share (Nadeau & Bengio 2003).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.evaluation.folds import Plan
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.standing import weighted_rows

MIN_ROWS = 30  # with fewer nobody is dropped
MIN_DISCORDANT = 10  # rows that tell two candidates apart


@dataclass(frozen=True)
class Race:
    """When to look, and how sure to be.

    Parameters
    ----------
    plan : Plan
        Repeats of K folds.
    n_candidates : int
        C, at the start.
    delta : float
        Probability with which the best candidate may be dropped, in (0, 1).
    """

    plan: Plan
    n_candidates: int
    delta: float

    def __post_init__(self) -> None:
        if not 0.0 < self.delta < 1.0:
            raise ValueError(f"racing must be None or a probability in (0, 1), got {self.delta!r}.")
        if self.plan.folds is None:
            raise ValueError(
                f"racing needs repeats of K folds, and cv gives other splits ({self.plan.note})."
            )

    @property
    def looks(self) -> tuple[int, ...]:
        """Numbers of finished splits after which candidates may be dropped: each fold of the first repeat,
        then each whole repeat but the last."""
        folds = int(self.plan.folds or 0)
        ends = [folds * r for r in range(2, self.plan.repeats)]
        last = folds if self.plan.repeats > 1 else folds - 1
        return (*range(1, last + 1), *ends)

    def dropped(
        self, losses: Floats, units: NDArray[np.intp] | None = None, weights: Floats | None = None
    ) -> NDArray[np.intp]:
        """Positions of the candidates that are worse than the best, beyond doubt.

        Parameters
        ----------
        losses : array of shape (candidates, repeats, m)
            Losses on the rows tested so far.
        units : int array of shape (m,), optional
            Groups of these rows.
        weights : array of shape (repeats, m), optional
            What these rows count.
        """
        counted = None if weights is None else np.broadcast_to(weights, losses.shape)
        means = np.average(losses, axis=2, weights=counted).mean(axis=1)
        best = int(np.argmin(means))
        out = []
        level = self.delta / max(1, (self.n_candidates - 1) * len(self.looks))
        for i in range(len(losses)):
            if i != best and self._worse(losses[i] - losses[best], level, units, weights):
                out.append(i)
        return np.array(out, dtype=np.intp)

    def _worse(
        self, delta: Floats, level: float, units: NDArray[np.intp] | None, weights: Floats | None
    ) -> bool:
        told = np.count_nonzero(delta[0] if weights is None else delta[0] * weights[0])
        if weights is not None:
            delta = np.stack([weighted_rows(d, w) for d, w in zip(delta, weights, strict=True)])
        if units is not None:
            codes, count = np.unique(units, return_inverse=True)[1], int(np.unique(units).size)
            size = np.bincount(codes, minlength=count)
            sums = np.stack([np.bincount(codes, weights=d, minlength=count) for d in delta])
            mean = float(delta.mean())
            spread = float(np.mean(np.sum((sums - mean * size) ** 2, axis=1))) / (count - 1.0 or 1.0)
            spread *= (count / delta.shape[1]) ** 2
        else:
            count, mean = delta.shape[1], float(delta.mean())
            spread = float(delta.var(axis=1, ddof=1).mean()) if count > 1 else math.inf
        if count < MIN_ROWS or told < MIN_DISCORDANT or not spread > 0.0:
            return False
        share = count / delta.shape[1]
        error = math.sqrt(spread * (1.0 / count + 1.0 / max(1.0, self.plan.n_train * share)))
        return mean > float(special.stdtrit(count - 1, 1.0 - level)) * error
