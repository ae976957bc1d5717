"""Treatment coding: the difference of each level to a reference level.

Chambers and Hastie, Statistical Models in S (1992), chapter 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar

import numpy as np

from empirisk.codings.base import Coding
from empirisk.typing import Array

__all__ = ["Treatment", "shown"]


@dataclass(frozen=True)
class Treatment(Coding):
    """``C[j] = e_j`` without the column of the reference level, whose row is 0.

    A coefficient is the difference of the scores of its level and the reference.  Their names are
    ``sex[male]``.

    Parameters
    ----------
    reference : level, optional
        The reference; None is the level with the most rows (the first of them in a tie).

    Examples
    --------
    >>> import numpy as np
    >>> Treatment("b").contrasts(["a", "b", "c"], np.array([3.0, 1.0, 2.0]))
    (array([[1., 0.],
           [0., 0.],
           [0., 1.]]), ['a', 'c'])
    """

    reference: Any = None
    name: ClassVar[str] = "treatment"

    def contrasts(self, levels: Sequence[Any], frequency: Array) -> tuple[Array, list[str]]:
        """Return the unit vectors without that of the reference, and the names of the other levels."""
        at = int(np.argmax(frequency)) if self.reference is None else self._found(list(levels))
        kept = [j for j in range(len(levels)) if j != at]
        return np.eye(len(levels))[:, kept], [str(levels[j]) for j in kept]

    def _found(self, levels: list[Any]) -> int:
        """Return the position of the reference among the levels; a level that rows lack is refused."""
        if self.reference in levels:
            return levels.index(self.reference)
        words = {str(v).lower(): v for v in levels}
        near = get_close_matches(str(self.reference).lower(), list(words), n=1)
        meant = f"; did you mean {words[near[0]]!r}?" if near else ""
        raise ValueError(
            f"no row has the reference level {self.reference!r}; levels are {shown(levels)}{meant}"
        )


def shown(levels: Sequence[Any]) -> str:
    """Return the first eight levels in words, for messages.

    Examples
    --------
    >>> shown(["a", "b"])
    "'a', 'b'"
    """
    return ", ".join(repr(v) for v in levels[:8]) + (", ..." if len(levels) > 8 else "")
