"""Total probability of the classes that are as probable or more: randomised adaptive sets.

Romano, Sesia and Candes, Advances in Neural Information Processing Systems 33 (2020).
"""

from __future__ import annotations

from typing import Any, ClassVar

from empirisk.evaluation.conformal.fitted import Fitted
from empirisk.evaluation.conformal.scores.base import ClassTable
from empirisk.evaluation.metrics.predictions import CLASSIFICATION
from empirisk.inference.conformal import cumulative_scores
from empirisk.typing import Array

__all__ = ["Adaptive"]


class Adaptive:
    """Probability of the more probable classes and a uniform share of its own: sets that grow where it is
    hard.

    The share of a row is drawn by a hash of its content and the seed, so that a row has the same set in any
    company; equal rows share it.
    """

    name: ClassVar[str] = "aps"
    task: ClassVar[str] = CLASSIFICATION
    meaning: ClassVar[str] = "probability of the more probable classes, and a drawn share of its own"

    def read(self, fitted: Fitted, X: Any, share: Array | None, **rows: Any) -> ClassTable:
        """Return the cumulative probabilities with the drawn shares."""
        return ClassTable(cumulative_scores(fitted.probabilities(X, **rows), 1.0 if share is None else share))
