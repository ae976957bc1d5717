"""Sum coding: the deviation of each level from the mean of all levels.

Chambers and Hastie, Statistical Models in S (1992), chapter 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from empirisk.codings.base import Coding
from empirisk.typing import Array

__all__ = ["Sum"]


@dataclass(frozen=True)
class Sum(Coding):
    """``C[j] = e_j`` for the first k - 1 levels, and ``-1`` in every column for the last.

    A coefficient is the score of its level less the plain mean of the scores of all levels; that of the last
    level is minus the sum of the others.  Their names are ``sex[S.male]``.

    Examples
    --------
    >>> import numpy as np
    >>> Sum().contrasts(["a", "b", "c"], np.ones(3))
    (array([[ 1.,  0.],
           [ 0.,  1.],
           [-1., -1.]]), ['S.a', 'S.b'])
    """

    name: ClassVar[str] = "sum"

    def contrasts(self, levels: Sequence[Any], frequency: Array) -> tuple[Array, list[str]]:
        """Return the unit vectors with -1 for the last level, and the names of all levels but the last."""
        k = len(levels)
        C = np.eye(k)[:, : k - 1]
        C[k - 1] = -1.0
        return C, [f"S.{level}" for level in levels[: k - 1]]
