"""Median linkage (WPGMC, Gower): the centre of a cluster is the middle of the centres of its two parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from empirisk.linkage.base import Coefficients
from empirisk.typing import Array

__all__ = ["Median"]


@dataclass(frozen=True)
class Median:
    """``D(A, B) = ||c_A - c_B||`` with ``c = (c_1 + c_2) / 2``; a merge may be lower than one before it.

    Examples
    --------
    >>> import numpy as np
    >>> Median().coefficients(2.0, 1.0, np.ones(1))
    (0.5, 0.5, -0.25, 0.0)
    """

    name: ClassVar[str] = "median"
    reducible: ClassVar[bool] = False
    squared: ClassVar[bool] = True
    vector: ClassVar[bool] = True
    centroids: ClassVar[bool] = True
    convex: ClassVar[bool] = False
    one_pair: ClassVar[bool] = False
    counts: ClassVar[bool] = False

    def coefficients(self, a: float, b: float, c: Array) -> Coefficients:
        return 0.5, 0.5, -0.25, 0.0
