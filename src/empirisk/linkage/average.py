"""Average linkage (UPGMA): the mean over all pairs of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from empirisk.linkage.base import Coefficients
from empirisk.typing import Array

__all__ = ["Average"]


@dataclass(frozen=True)
class Average:
    """``D(A, B) = sum d(x, y) / (|A| |B|)`` over x in A and y in B.

    Examples
    --------
    >>> import numpy as np
    >>> Average().coefficients(2.0, 1.0, np.ones(1))
    (0.6666666666666666, 0.3333333333333333, 0.0, 0.0)
    """

    name: ClassVar[str] = "average"
    reducible: ClassVar[bool] = True
    squared: ClassVar[bool] = False
    vector: ClassVar[bool] = False
    centroids: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    one_pair: ClassVar[bool] = False
    counts: ClassVar[bool] = True

    def coefficients(self, a: float, b: float, c: Array) -> Coefficients:
        return a / (a + b), b / (a + b), 0.0, 0.0
