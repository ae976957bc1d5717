"""How much worse a forest predicts the rows that it did not see when a column is shuffled.

Breiman, Machine Learning 45 (2001).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.data.memory import refuse_memory
from empirisk.trees.importances import Floats, Importances
from empirisk.trees.out_of_bag_tally import RowLosses
from empirisk.trees.shuffle_tree import shuffle_tree
from empirisk.trees.structure import Trees

__all__ = ["permutation_importance"]

TARGETS = {
    "forest": "rise of the loss of the forest on new rows when the columns carry no information",
    "trees": "rise of the loss of one of its trees on new rows when the columns carry no information",
}


def permutation_importance(
    trees: Trees,
    X: NDArray,
    leaves: NDArray,
    unseen: NDArray,
    loss: RowLosses,
    *,
    groups: Sequence[Sequence[int]] | None = None,
    cells: NDArray | None = None,
    of: str = "forest",
    repeats: int = 5,
    weight: Floats | None = None,
    seed: int = 0,
) -> Importances:
    """Return the mean rise of the loss of out-of-bag predictions when columns are dealt to other rows.

    Parameters
    ----------
    trees : Trees
        Their mean is the forest.
    X : array of shape (n, p)
        The encoded training rows.
    leaves : array of shape (n, T)
        ``trees.apply(X)``.
    unseen : bool array of shape (n, T)
        Whether the tree did not see the row.
    loss : callable
        ``loss(prediction (m, k), rows (m,))`` gives the losses of these rows, (m,).
    groups : sequence of sequences of int, optional
        Columns that are shuffled together; each column alone by default.
    cells : int array of shape (n, g), optional
        Rows exchange the columns of group g only within a cell, ``cells[:, g]``: rows that are alike in the
        other columns (:func:`alike_cells`). This asks what a column adds to the others, where the plain
        version credits a column with all that it shares with them.
    of : {"forest", "trees"}, default "forest"
        Loss of the out-of-bag predictions of the forest, or (Breiman) mean loss of its trees, each on its own
        out-of-bag rows.
    repeats : int, default 5
        Shuffles of each column (`of="trees"` shuffles once in each tree).
    weight : array of shape (n,), optional
        Row weights.
    seed : int, default 0

    Returns
    -------
    Importances

    Raises
    ------
    ValueError
        When `of` is unknown, groups overlap or name unknown columns, fewer than two rows are out-of-bag, or
        repeats < 1.
    MemoryError
        When n times the number of groups would not fit into the free memory.

    Notes
    -----
    For a column that is independent of y and of the other columns the expected rise is 0 (for "trees" donors
    are out-of-bag as well, for "forest" they are any rows). The rise is a U-statistic over pairs (receiver,
    donor); its variance is that of the mean over rows of ``rise as receiver + rise caused as donor``
    (Hoeffding's projection), for "trees" plus that of the mean over trees. Cost: a shuffle walks down each
    tree once for each out-of-bag row, and again for each group that leaves its path. Memory: O(n g k).

    References
    ----------
    L. Breiman, "Random forests", Machine Learning 45 (2001). C. Strobl et al., "Conditional variable
    importance for random forests", BMC Bioinformatics 9 (2008).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = np.where(X[:, 0] <= 0.0, 1.0, 5.0)
    >>> stump = Trees.stump(feature=0, threshold=0.0, values=[[1.0], [5.0]], n_features=2)
    >>> everything = np.ones((200, 1), dtype=bool)
    >>> square = lambda z, rows: (y[rows] - z[:, 0]) ** 2
    >>> found = permutation_importance(stump, X, stump.apply(X), everything, square)
    >>> found.value.round(0)  # half of the rows change sides, which costs 16 each
    array([8., 0.])
    """
    if of not in TARGETS:
        raise ValueError(f'of must be "forest" or "trees", got {of!r}.')
    if repeats < 1:
        raise ValueError(f"repeats must be at least 1, got {repeats!r}.")
    group, n_groups = _groups(groups, X.shape[1])
    use = unseen.any(axis=1)
    if weight is not None:
        use &= weight > 0
    rows = np.flatnonzero(use)
    if rows.size < 2:
        raise ValueError("fewer than two rows are out-of-bag for some tree: grow more trees")
    w = np.ones(rows.size) if weight is None else weight[rows]
    w = w * (rows.size / w.sum())
    shared = 0.0 if cells is None else 2.0
    refuse_memory(
        "the importance of these columns",
        8.0 * rows.size * n_groups * (trees.n_outputs + 3.0 + shared),
        "ask for fewer columns at a time (groups)",
    )
    deal = _Deal(np.random.default_rng(seed), n_groups, cells)
    X = np.ascontiguousarray(X, dtype=np.float64)
    task = _Task(trees, X, leaves, unseen, loss, rows, group, deal)
    if of == "forest":
        received, caused = _forest(task, repeats, w)
        over_trees = np.zeros(n_groups)
    else:
        received, caused, over_trees = _trees(task, w[:, None])
    value = received.mean(axis=0)
    influence = received - w[:, None] * value + caused - value
    variance = (influence**2).sum(axis=0) / (rows.size - 1.0) / rows.size + over_trees
    alike = "" if cells is None else " within cells of rows that are alike in the others"
    method = f"columns shuffled among out-of-bag rows{alike}, t on pairs"
    return Importances(value, np.sqrt(variance), int(rows.size), method, TARGETS[of])


@dataclass(frozen=True)
class _Deal:
    """Donors for some rows: a permutation for all groups of columns, or one within cells for each group."""

    rng: np.random.Generator
    groups: int
    cells: NDArray | None

    def donors(self, rows: NDArray) -> NDArray:
        """Return the donor of each row, shape (rows, groups), or (rows, 1) for all groups."""
        if self.cells is None:
            return self.rng.permutation(rows)[:, None]
        out = np.empty((rows.size, self.groups), dtype=rows.dtype)
        for g in range(self.groups):
            mixed, stays = self.rng.permutation(rows), np.argsort(self.cells[rows, g], kind="stable")
            out[stays, g] = mixed[np.argsort(self.cells[mixed, g], kind="stable")]
        return out


@dataclass(frozen=True)
class _Task:
    """What both versions look at; `rows` are those that count."""

    trees: Trees
    X: Floats
    leaves: NDArray
    unseen: NDArray
    loss: RowLosses
    rows: NDArray
    group: NDArray
    deal: _Deal

    def own(self, t: int, rows: NDArray) -> Floats:
        """Return the predictions of tree t, (m, k)."""
        return np.asarray(self.trees.value[self.trees.start[t] + self.leaves[rows, t]])

    def position(self) -> NDArray:
        """Return where each row of X stands among `rows`."""
        out = np.empty(len(self.X), dtype=np.intp)
        out[self.rows] = np.arange(self.rows.size)
        return out


def _forest(task: _Task, repeats: int, w: Floats) -> tuple[Floats, Floats]:
    """Return the rise of each row's loss, and the rise that it causes as a donor, means over the shuffles."""
    n, groups, k = task.rows.size, task.deal.groups, task.trees.n_outputs
    position = task.position()
    received, caused, total = np.zeros((n, groups)), np.zeros((n, groups)), np.zeros((n, k))
    speaks = [np.flatnonzero(task.unseen[task.rows, t]) for t in range(len(task.trees))]
    for t, at in enumerate(speaks):
        total[at] += task.own(t, task.rows[at])
    count = task.unseen[task.rows].sum(axis=1)[:, None]
    before = task.loss(total / count, task.rows)
    for _ in range(repeats):
        donors = task.deal.donors(task.rows)
        shift = np.zeros((n, groups, k))
        for t, at in enumerate(speaks):
            shuffle_tree(task.trees[t], task.X, task.rows[at], donors[at], task.group, at, shift)
        for g in range(groups):
            rise = w * (task.loss((total + shift[:, g]) / count, task.rows) - before) / repeats
            received[:, g] += rise
            caused[position[donors[:, g % donors.shape[1]]], g] += rise
    return received, caused


def _trees(task: _Task, w: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the same for the loss of single trees, and the variance of the mean over trees."""
    n, groups = task.rows.size, task.deal.groups
    position = task.position()
    received, caused, by_tree = np.zeros((n, groups)), np.zeros((n, groups)), []
    for t in range(len(task.trees)):
        at = np.flatnonzero(task.unseen[task.rows, t])
        if at.size < 2:
            continue
        rows = task.rows[at]
        donors, own = task.deal.donors(rows), task.own(t, rows)
        before, shift = task.loss(own, rows), np.zeros((at.size, groups, own.shape[1]))
        shuffle_tree(task.trees[t], task.X, rows, donors, task.group, np.arange(at.size), shift)
        rise = np.column_stack([task.loss(own + shift[:, g], rows) - before for g in range(groups)]) * w[at]
        received[at] += rise
        for g in range(groups):
            caused[position[donors[:, g % donors.shape[1]]], g] += rise[:, g]
        by_tree.append(rise.mean(axis=0))
    count = task.unseen[task.rows].sum(axis=1)[:, None]
    spread = np.var(by_tree, axis=0, ddof=1) / len(by_tree) if len(by_tree) > 1 else np.zeros(groups)
    return received / count, caused / count, spread


def _groups(groups: Sequence[Sequence[int]] | None, p: int) -> tuple[NDArray[np.int32], int]:
    """Return the group of each column (-1: none), and the number of groups."""
    if groups is None:
        return np.arange(p, dtype=np.int32), p
    out = np.full(p, -1, dtype=np.int32)
    for g, columns in enumerate(groups):
        for j in columns:
            if not 0 <= j < p:
                raise ValueError(f"groups[{g}] names column {j}, but there are columns 0 to {p - 1}.")
            if out[j] >= 0:
                raise ValueError(f"groups {out[j]} and {g} both hold column {j}; ask for them one at a time.")
            out[j] = g
    return out, len(groups)
