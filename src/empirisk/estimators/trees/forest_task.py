"""One forest to be grown: rows, limits, bags and seed, with the number of trees still open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from empirisk.data.memory import available_memory, refuse_memory
from empirisk.data.progress import Steps, teller, watched
from empirisk.trees.auto_size import ForestSize, auto_size
from empirisk.trees.bins import Binned
from empirisk.trees.forest import Bag, ForestGrowth, GrownTrees, grow_forest
from empirisk.trees.forest_memory import BYTES_PER_NODE, forest_memory
from empirisk.trees.out_of_bag_tally import OutOfBagTally, RowLosses
from empirisk.trees.structure import Trees
from empirisk.trees.varying_columns import VaryingColumns
from empirisk.typing import Array

__all__ = ["ForestTask"]

Floats = NDArray[np.float64]

FEWEST = 4  # trees a thread in one call: with fewer, threads wait for each other
GROUPS = 10  # of trees, behind the Monte-Carlo error
GROUP_NUMBERS = 10**8  # out-of-bag sums that are told apart by group


def _in_parts(trees: int, tell: Steps) -> Iterator[int]:
    """Yield numbers of trees that are grown in one call: all, or as few as keep the threads busy if watched.

    The trees do not depend on the parts, nor do the sums of the groups.
    """
    most = FEWEST * (os.cpu_count() or 1) if watched(tell) else trees
    for at in range(0, trees, max(1, most)):
        yield min(most, trees - at)


def _added(grown: GrownTrees, more: GrownTrees) -> GrownTrees:
    """Return the sums of both by group, beside the trees of the second."""
    return GrownTrees(
        more.trees,
        grown.oob_sums + more.oob_sums,
        grown.oob_trees + more.oob_trees,
        grown.groups + more.groups,
    )


@dataclass(frozen=True, eq=False)
class ForestTask:
    """What :func:`grow_forest` needs.

    Parameters
    ----------
    binned : Binned
    y : array of shape (n,)
        Class codes or numbers.
    n_classes : int
        0 for numbers.
    growth : ForestGrowth
    bag : Bag
    weight : array of shape (n,) or None
        Factors of the rows where they are not drawn.
    seed : int
    columns : VaryingColumns
        Which columns of X `binned` holds.
    parts : tuple of int, optional
        Columns of each target, where several share their splits; y has shape (n, D) then.
    """

    binned: Binned
    y: Array
    n_classes: int
    growth: ForestGrowth
    bag: Bag
    weight: Array | None
    seed: int
    columns: VaryingColumns
    parts: tuple[int, ...] | None = None

    @property
    def outputs(self) -> int:
        """Numbers that a tree says about a row."""
        return sum(self.parts) if self.parts else max(1, self.n_classes)

    def grow(self, trees: int, first: int = 0, groups: int = 1) -> GrownTrees:
        """Return the trees numbered ``first, ..., first + trees - 1``, of the forest."""
        grown = grow_forest(
            self.binned,
            self.y,
            self.growth,
            self.bag,
            n_classes=self.n_classes,
            parts=self.parts,
            weight=self.weight,
            n_trees=trees,
            first=first,
            seed=self.seed,
            groups=groups,
        )
        return replace(grown, trees=self.columns.restore(grown.trees))

    def given_number(self, trees: int, before: GrownTrees | None = None) -> GrownTrees:
        """Return that many trees with their out-of-bag sums by group; those there are come first."""
        self.refuse_large(trees)
        room = GROUP_NUMBERS // (len(self.y) * (self.outputs + 1))
        groups = max(1, min(GROUPS, room)) if self.bag.draws else 1
        tell, parts = teller(None), [] if before is None else [before.trees]
        first = at = sum(map(len, parts))
        grown = before
        for part in _in_parts(trees - first, tell):
            more = self.grow(part, at, groups)
            parts.append(more.trees)
            grown = more if grown is None else _added(grown, more)
            at += part
            tell(at - first, trees - first)
        assert grown is not None  # there is a tree at least
        return grown if len(parts) == 1 else replace(grown, trees=Trees.concatenate(parts))

    def until_settled(self, loss: RowLosses, weight: Floats) -> tuple[Trees, OutOfBagTally, ForestSize]:
        """Return the trees until the Monte-Carlo error of the out-of-bag risk is small."""
        parts: list[Trees] = []

        def more(trees: int) -> tuple[Floats, NDArray[np.int32]]:
            grown = self.grow(trees, sum(map(len, parts)))
            parts.append(grown.trees)
            return grown.oob_sums[0], grown.oob_trees[0]

        size, tally = auto_size(more, loss, weight=weight)
        return Trees.concatenate(parts), tally, size

    def refuse_large(self, trees: int) -> None:
        """Refuse a forest that does not fit: by an upper bound, and where that is too much, by a tree."""
        outputs, growth = self.outputs, self.growth
        n, p = self.binned.shape
        most = forest_memory(
            n,
            p,
            trees,
            outputs=outputs,
            min_rows_leaf=growth.min_rows_leaf,
            max_depth=growth.max_depth,
            max_leaves=growth.max_leaves,
            sample=min(1.0, self.bag.draws / n or 1.0),
            keep_counts=False,
        )["total"]
        free = available_memory()
        if free is None or most < free * 1e9:
            return
        nodes = len(self.grow(1).trees.feature)
        refuse_memory(
            f"a forest of {trees} trees of {nodes} nodes each",
            1.1 * trees * nodes * (BYTES_PER_NODE + 8.0 * outputs),
            "grow fewer trees, or smaller ones (min_samples_leaf, max_leaf_nodes)",
        )
