"""Centroid linkage (UPGMC): the distance of the means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from empirisk.linkage.base import Coefficients
from empirisk.typing import Array

__all__ = ["Centroid"]


@dataclass(frozen=True)
class Centroid:
    """``D(A, B) = ||m_A - m_B||``; a merge may be lower than one before it (an inversion).

    Examples
    --------
    >>> import numpy as np
    >>> Centroid().coefficients(2.0, 1.0, np.ones(1))
    (0.6666666666666666, 0.3333333333333333, -0.2222222222222222, 0.0)
    """

    name: ClassVar[str] = "centroid"
    reducible: ClassVar[bool] = False
    squared: ClassVar[bool] = True
    vector: ClassVar[bool] = True
    centroids: ClassVar[bool] = True
    convex: ClassVar[bool] = False
    one_pair: ClassVar[bool] = False
    counts: ClassVar[bool] = True

    def coefficients(self, a: float, b: float, c: Array) -> Coefficients:
        total = a + b
        return a / total, b / total, -a * b / total**2, 0.0
