"""Helmert coding: each level against the mean of the levels before it.

Chambers and Hastie, Statistical Models in S (1992), chapter 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from empirisk.codings.base import Coding
from empirisk.typing import Array

__all__ = ["Helmert"]


@dataclass(frozen=True)
class Helmert(Coding):
    """Column j = 1, ..., k - 1 is ``-1`` for the levels before level j, j for level j, and 0 behind it.

    Coefficient j is ``(score of level j - mean score of the j levels before it) / (j + 1)``, counted from 0:
    for levels in an order.  Their names are ``dose[H.high]``.

    Examples
    --------
    >>> import numpy as np
    >>> Helmert().contrasts(["low", "mid", "high"], np.ones(3))
    (array([[-1., -1.],
           [ 1., -1.],
           [ 0.,  2.]]), ['H.mid', 'H.high'])
    """

    name: ClassVar[str] = "helmert"

    def contrasts(self, levels: Sequence[Any], frequency: Array) -> tuple[Array, list[str]]:
        """Return the comparisons with the levels before, and the names of all levels but the first."""
        k = len(levels)
        C = np.diag(np.arange(k, dtype=np.float64)) - np.triu(np.ones((k, k)), 1)
        return C[:, 1:], [f"H.{level}" for level in levels[1:]]
