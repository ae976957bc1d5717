"""Numbers of neighbours that are compared, and the one that a rule chooses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.data.choice_table import ChoiceTable
from empirisk.typing import Array, IndexArray

__all__ = ["NeighborSelection"]

# Losses that differ by less are equal: sums of weights differ by rounding alone.
TIED = 1e-9


@dataclass(frozen=True, repr=False)
class NeighborSelection(ChoiceTable):
    """Leave-one-out losses of every number of neighbours, and those that two rules choose.

    Parameters
    ----------
    n_neighbors : int array, shape (a,)
        1, 2, ..., a.
    loss, se : arrays, shape (a,)
        Weighted mean loss of training rows that are predicted by the others, and its standard error.
    rule : str
        ``"min"`` or ``"one_se"``.
    """

    n_neighbors: IndexArray
    loss: Array
    se: Array
    rule: str
    parameter = "n_neighbors"

    def _tried(self) -> Array:
        return np.asarray(self.n_neighbors, dtype=np.float64)

    @property
    def index(self) -> int:
        """Position of the number that the rule chooses."""
        return self.index_one_se if self.rule == "one_se" else self.index_min

    @property
    def index_min(self) -> int:
        """Position of the smallest loss; of equal ones the most neighbours."""
        least = float(self.loss.min())
        return int(np.flatnonzero(self.loss <= least + TIED * abs(least))[-1])

    @property
    def index_one_se(self) -> int:
        """Position of the most neighbours within one standard error of the smallest loss."""
        best = self.index_min
        return int(np.flatnonzero(self.loss <= self.loss[best] + self.se[best])[-1])

    @property
    def best(self) -> int:
        """The number of neighbours that the rule chooses."""
        return int(self.n_neighbors[self.index])
