"""Indicators of all levels: a column of zeros and ones for each.

Suits, Journal of the American Statistical Association 52 (1957).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from empirisk.codings.base import Coding
from empirisk.typing import Array

__all__ = ["Indicators"]


@dataclass(frozen=True)
class Indicators(Coding):
    """``C[j] = e_j``: every level has a column of its own, and none is the reference.

    For penalised models, in which no level should be special.  Beside an intercept the columns are collinear,
    so that without a penalty the coefficients have no standard errors.  Their names are ``sex[male]``.

    Examples
    --------
    >>> import numpy as np
    >>> Indicators().contrasts(["a", "b"], np.ones(2))
    (array([[1., 0.],
           [0., 1.]]), ['a', 'b'])
    """

    name: ClassVar[str] = "indicators"

    def contrasts(self, levels: Sequence[Any], frequency: Array) -> tuple[Array, list[str]]:
        """Return the identity matrix, and the names of all levels in their order."""
        return np.eye(len(levels)), [str(level) for level in levels]
