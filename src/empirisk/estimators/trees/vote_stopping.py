"""When boosting by votes stops before its last round."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from empirisk.inference.early_stop import EarlyStop
from empirisk.trees.vote_rounds import RoundRecord
from empirisk.typing import Array, IndexArray

__all__ = ["MarginStop", "NeverStop", "Stop", "ValidationStop"]

# Rises of the smallest margin below this are none.
LEAST_RISE = 1e-3


class Stop(Protocol):
    """The rule that says after each round whether boosting ends, and how many of the rounds are kept."""

    def look(self, record: RoundRecord, members: Any) -> bool:
        """Return whether to stop after this round."""
        ...

    def rounds(self, grown: int) -> int:
        """Return how many of the rounds to keep."""
        ...


class NeverStop:
    """The rule that grows all rounds and keeps them all."""

    def look(self, record: RoundRecord, members: Any) -> bool:
        return False

    def rounds(self, grown: int) -> int:
        return grown


class MarginStop:
    """Until the smallest margin of the training rows has not risen for `patience` rounds."""

    def __init__(self, patience: int) -> None:
        self.patience, self.best, self.seen, self.largest = patience, 0, 0, -np.inf

    def look(self, record: RoundRecord, members: Any) -> bool:
        self.seen += 1
        if record.least_margin > self.largest + LEAST_RISE:
            self.largest, self.best = record.least_margin, self.seen
        return self.seen - self.best >= self.patience

    def rounds(self, grown: int) -> int:
        return min(self.best, grown)


class ValidationStop:
    """Until the error on held-out rows has not fallen for `patience` rounds.

    The 0-1 loss decides, not the likelihood: votes grow over-confident while their errors still fall.
    """

    def __init__(
        self, X: Any, y: IndexArray, weight: Array, n_classes: int, start: int, patience: int
    ) -> None:
        self.X, self.y = X, y
        self.score = np.zeros((len(y), 1 if n_classes == 2 else n_classes))
        self.watch = EarlyStop(weight, (y != start).astype(np.float64), patience)

    def look(self, record: RoundRecord, members: Any) -> bool:
        self.score += members.say(self.X)
        return self.watch.look((named(self.score) != self.y).astype(np.float64))

    def rounds(self, grown: int) -> int:
        return max(1, self.watch.best)


def named(score: Array) -> IndexArray:
    """Return the class that each row's scores name, ties the first."""
    return (score[:, 0] > 0.0).astype(np.intp) if score.shape[1] == 1 else score.argmax(axis=1)
