"""Weighted linkage (WPGMA, McQuitty): both parts of a cluster count alike, however many rows they have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from empirisk.linkage.base import Coefficients
from empirisk.typing import Array

__all__ = ["Weighted"]


@dataclass(frozen=True)
class Weighted:
    """``D(A u B, C) = (D(A, C) + D(B, C)) / 2``.

    Examples
    --------
    >>> import numpy as np
    >>> Weighted().coefficients(2.0, 1.0, np.ones(1))
    (0.5, 0.5, 0.0, 0.0)
    """

    name: ClassVar[str] = "weighted"
    reducible: ClassVar[bool] = True
    squared: ClassVar[bool] = False
    vector: ClassVar[bool] = False
    centroids: ClassVar[bool] = False
    convex: ClassVar[bool] = True
    one_pair: ClassVar[bool] = False
    counts: ClassVar[bool] = False

    def coefficients(self, a: float, b: float, c: Array) -> Coefficients:
        return 0.5, 0.5, 0.0, 0.0
