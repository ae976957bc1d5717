"""Complete linkage: the farthest two rows decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from empirisk.linkage.base import Coefficients
from empirisk.typing import Array

__all__ = ["Complete"]


@dataclass(frozen=True)
class Complete:
    """``D(A, B) = max d(x, y)`` over x in A and y in B: no two rows of a cluster are
    farther apart than its height.

    Examples
    --------
    >>> import numpy as np
    >>> Complete().coefficients(2.0, 1.0, np.ones(1))
    (0.5, 0.5, 0.0, 0.5)
    """

    name: ClassVar[str] = "complete"
    reducible: ClassVar[bool] = True
    squared: ClassVar[bool] = False
    vector: ClassVar[bool] = False
    centroids: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    one_pair: ClassVar[bool] = True
    counts: ClassVar[bool] = False

    def coefficients(self, a: float, b: float, c: Array) -> Coefficients:
        return 0.5, 0.5, 0.0, 0.5
