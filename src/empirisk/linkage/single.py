"""Single linkage: the nearest two rows decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from empirisk.linkage.base import Coefficients
from empirisk.typing import Array

__all__ = ["Single"]


@dataclass(frozen=True)
class Single:
    """``D(A, B) = min d(x, y)`` over x in A and y in B; its tree is the shortest spanning tree.

    Examples
    --------
    >>> import numpy as np
    >>> Single().coefficients(2.0, 1.0, np.ones(1))
    (0.5, 0.5, 0.0, -0.5)
    """

    name: ClassVar[str] = "single"
    reducible: ClassVar[bool] = True
    squared: ClassVar[bool] = False
    vector: ClassVar[bool] = True
    centroids: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    one_pair: ClassVar[bool] = True
    counts: ClassVar[bool] = False

    def coefficients(self, a: float, b: float, c: Array) -> Coefficients:
        return 0.5, 0.5, 0.0, -0.5
