"""Ward's linkage: the least rise of the inertia within clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from empirisk.linkage.base import Coefficients
from empirisk.typing import Array

__all__ = ["Ward"]


@dataclass(frozen=True)
class Ward:
    """``D(A, B)^2 = 2 |A| |B| / (|A| + |B|) ||m_A - m_B||^2``, twice the rise of ``sum ||x - m||^2``.

    The factor two is SciPy's and R's (``ward.D2``): two rows merge at their distance.  Ward, Journal of the
    American Statistical Association 58 (1963); Murtagh and Legendre, Journal of Classification 31 (2014).

    Examples
    --------
    >>> import numpy as np
    >>> Ward().coefficients(2.0, 1.0, np.ones(1))
    (array([0.75]), array([0.5]), array([-0.25]), 0.0)
    """

    name: ClassVar[str] = "ward"
    reducible: ClassVar[bool] = True
    squared: ClassVar[bool] = True
    vector: ClassVar[bool] = True
    centroids: ClassVar[bool] = True
    convex: ClassVar[bool] = False
    one_pair: ClassVar[bool] = False
    counts: ClassVar[bool] = True

    def coefficients(self, a: float, b: float, c: Array) -> Coefficients:
        total = a + b + c
        return (a + c) / total, (b + c) / total, -c / total, 0.0
