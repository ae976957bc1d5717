"""Boosting along its rounds: models of the first rounds of one fit, which ask each tree once about the rows.

The models of one fit come one after the other, with more rounds each.  While one is the last that came, its
scores of rows go on from those of the model before; later it counts all of its trees, as every model does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from empirisk.data.columns import Table
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["ALONG", "Along", "sums_of"]

MOST = 2  # sets of rows that are remembered: those of a test and those of the fit


def sums_of(outputs: tuple[Trees, ...], X: Any) -> Array:
    """Return the sums of the leaves' values, shape (n, k)."""
    if len(outputs) == 1 and outputs[0].n_outputs == 1:  # as it is: stacking would copy it
        return outputs[0].predict(X)
    return np.column_stack([trees.predict(X)[:, 0] for trees in outputs])


class Along:
    """The scores of the rows that the models of one fit were asked about, and after how many rounds.

    Parameters
    ----------
    trees : tuple of Trees
        Of the most rounds, one sequence for each output.
    """

    def __init__(self, trees: tuple[Trees, ...]) -> None:
        self.trees = trees
        self._tables: list[tuple[Any, Table]] = []
        self._sums: dict[int, tuple[Table, int, Array]] = {}

    def table(self, X: Any, make: Callable[[], Table]) -> Table:
        """Return rows as the trees read them; the same object for the same rows."""
        for known, table in self._tables:
            if known is X:
                return table
        table = make()
        self._tables = [*self._tables, (X, table)][-MOST:]
        kept = {id(one) for _, one in self._tables}
        self._sums = {key: value for key, value in self._sums.items() if key in kept}
        return table

    def sums(self, table: Table, X: Any, rounds: int) -> Array:
        """Return the sums of the leaves' values of the first rounds, shape (n, k)."""
        _, done, sums = self._sums.get(id(table), (table, 0, np.zeros((X.shape[0], len(self.trees)))))
        if done > rounds:
            done, sums = 0, np.zeros_like(sums)
        if rounds > done:
            sums = sums + sums_of(tuple(trees[done:rounds] for trees in self.trees), X)
        self._sums[id(table)] = (table, rounds, sums)
        return sums


# The model that came last of each fit whose models are being asked for.
ALONG: WeakKeyDictionary[Any, Along] = WeakKeyDictionary()
