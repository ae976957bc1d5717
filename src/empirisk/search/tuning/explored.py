"""What a search within a budget tried on the rows of a sample, before any model is fitted on all rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats
from empirisk.search.points import Params, same

__all__ = ["Explored", "alike"]


@dataclass(frozen=True)
class Explored:
    """What was tried on the rows of a sample, and what it scored; no model of it is fitted on all rows.

    Parameters
    ----------
    points : tuple of dict
        Settings of every candidate, in the names of the whole pipeline.
    settings : tuple of dict
        The same in the names of the model, without the value on the path.
    values : tuple
        The value on the path, None where there is none.
    ranked : int array of shape (r,)
        Positions of those that were fitted on every split.
    losses : array of shape (repeats, n, r)
        Their losses of rows.
    best : int
        Position of the smallest mean loss.
    fits : int
        Fits on a fold; values that are fitted together count once.
    said : tuple of str
        Why the rounds of boosting ended where they did, and what the time cut.
    """

    points: tuple[Params, ...]
    settings: tuple[dict[str, Any], ...]
    values: tuple[Any, ...]
    ranked: NDArray[np.intp]
    losses: Floats
    best: int
    fits: int
    said: tuple[str, ...]

    @property
    def trials(self) -> int:
        """How many different settings were tried, each along its path."""
        seen: list[dict[str, Any]] = []
        for one in self.settings:
            seen += [] if any(alike(one, other) for other in seen) else [one]
        return len(seen)

    def along(self, position: int) -> list[Any]:
        """Return the values on the path that were fitted with the settings of a candidate, in order."""
        own = self.settings[position]
        ranked = set(self.ranked.tolist())
        found = [v for i, v in enumerate(self.values) if i in ranked and alike(self.settings[i], own)]
        return sorted(found) if self.values[position] is not None else []


def alike(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Return whether two settings are the same, name by name."""
    return a.keys() == b.keys() and all(same(v, b[k]) for k, v in a.items())
