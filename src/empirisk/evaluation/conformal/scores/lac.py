"""One minus the probability of a class: the least ambiguous sets.

Sadinle, Lei and Wasserman, Journal of the American Statistical Association 114 (2019).
"""

from __future__ import annotations

from typing import Any, ClassVar

from empirisk.evaluation.conformal.fitted import Fitted
from empirisk.evaluation.conformal.scores.base import ClassTable
from empirisk.evaluation.metrics.predictions import CLASSIFICATION
from empirisk.typing import Array

__all__ = ["LeastAmbiguous"]


class LeastAmbiguous:
    """``1 - p_y(x)``: every class whose probability passes one limit; the smallest sets on average.

    Where no class passes it the set is empty.
    """

    name: ClassVar[str] = "lac"
    task: ClassVar[str] = CLASSIFICATION
    meaning: ClassVar[str] = "one minus the probability of the class"

    def read(self, fitted: Fitted, X: Any, share: Array | None, **rows: Any) -> ClassTable:
        """Return one minus the probability of each class."""
        return ClassTable(1.0 - fitted.probabilities(X, **rows))
