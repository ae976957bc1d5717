"""How much worse a forest predicts the rows that it did not see when a column is shuffled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.trees.importances import Floats, Importances
from empirisk.trees.out_of_bag_tally import RowLosses
from empirisk.trees.shuffled_leaves import shuffled_leaves
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
    """Mean rise of the loss of out-of-bag predictions when columns are dealt to other rows.

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
        When `of` is unknown, fewer than two rows are out-of-bag for some tree, or repeats < 1.

    Notes
    -----
    For a column that is independent of y and of the other columns the expected rise is 0 (for "trees" donors
    are out-of-bag as well, for "forest" they are any rows). The rise is a U-statistic over pairs (receiver,
    donor); its variance is that of the mean over rows of ``rise as receiver + rise caused as donor``
    (Hoeffding's projection), for "trees" plus that of the mean over trees. Cost: a shuffle walks down each
    tree once for each out-of-bag row and each group on its path. Memory: O(n g k).

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
    columns = [np.atleast_1d(g) for g in (range(X.shape[1]) if groups is None else groups)]
    use = unseen.any(axis=1)
    if weight is not None:
        use &= weight > 0
    rows = np.flatnonzero(use)
    if rows.size < 2:
        raise ValueError("fewer than two rows are out-of-bag for some tree: grow more trees")
    w = np.ones(rows.size) if weight is None else weight[rows]
    w = w * (rows.size / w.sum())
    deal = _Deal(np.random.default_rng(seed), len(columns), cells)
    task = _Task(trees, X, leaves, unseen, loss, rows, columns, deal)
    if of == "forest":
        received, caused = _forest(task, repeats, w[:, None])
        over_trees = np.zeros(len(columns))
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
        """Shape (rows, groups)."""
        if self.cells is None:
            return np.repeat(self.rng.permutation(rows)[:, None], self.groups, axis=1)
        out = np.empty((rows.size, self.groups), dtype=rows.dtype)
        for g in range(self.groups):
            mixed, stays = self.rng.permutation(rows), np.argsort(self.cells[rows, g], kind="stable")
            out[stays, g] = mixed[np.argsort(self.cells[mixed, g], kind="stable")]
        return out


@dataclass(frozen=True)
class _Task:
    """What both versions look at; `rows` are those that count."""

    trees: Trees
    X: NDArray
    leaves: NDArray
    unseen: NDArray
    loss: RowLosses
    rows: NDArray
    columns: list[NDArray]
    deal: _Deal

    def moved(self, t: int, at: NDArray, donors: NDArray) -> tuple[Floats, Floats]:
        """Predictions of tree t for `rows[at]`, (m, k), and with each group exchanged, (m, groups, k)."""
        value = self.trees.value[self.trees.start[t] : self.trees.start[t + 1]]
        rows = self.rows[at]
        ends = shuffled_leaves(self.trees[t], self.X, rows, donors, self.columns)
        return np.asarray(value[self.leaves[rows, t]]), np.asarray(value[ends])


def _forest(task: _Task, repeats: int, w: Floats) -> tuple[Floats, Floats]:
    """Rise of each row's loss, and the rise that it causes as a donor, means over the shuffles."""
    n, groups, T = task.rows.size, len(task.columns), len(task.trees)
    position = np.empty(len(task.X), dtype=np.intp)
    position[task.rows] = np.arange(n)
    received, caused = np.zeros((n, groups)), np.zeros((n, groups))
    for _ in range(repeats):
        donors = task.deal.donors(task.rows)
        total = np.zeros((n, task.trees.n_outputs))
        shift = np.zeros((n, groups, task.trees.n_outputs))
        for t in range(T):
            at = np.flatnonzero(task.unseen[task.rows, t])
            own, other = task.moved(t, at, donors[at])
            total[at] += own
            shift[at] += other - own[:, None]
        count = task.unseen[task.rows].sum(axis=1)[:, None]
        before = task.loss(total / count, task.rows)
        for g in range(groups):
            rise = w[:, 0] * (task.loss((total + shift[:, g]) / count, task.rows) - before) / repeats
            received[:, g] += rise
            caused[position[donors[:, g]], g] += rise
    return received, caused


def _trees(task: _Task, w: Floats) -> tuple[Floats, Floats, Floats]:
    """The same for the loss of single trees, and the variance of the mean over trees."""
    n, groups, T = task.rows.size, len(task.columns), len(task.trees)
    position = np.empty(len(task.X), dtype=np.intp)
    position[task.rows] = np.arange(n)
    received, caused, by_tree = np.zeros((n, groups)), np.zeros((n, groups)), []
    for t in range(T):
        at = np.flatnonzero(task.unseen[task.rows, t])
        if at.size < 2:
            continue
        rows = task.rows[at]
        donors = task.deal.donors(rows)
        own, other = task.moved(t, at, donors)
        before = task.loss(own, rows)
        rise = np.column_stack([task.loss(other[:, g], rows) - before for g in range(groups)]) * w[at]
        received[at] += rise
        for g in range(groups):
            caused[position[donors[:, g]], g] += rise[:, g]
        by_tree.append(rise.mean(axis=0))
    count = task.unseen[task.rows].sum(axis=1)[:, None]
    spread = np.var(by_tree, axis=0, ddof=1) / len(by_tree) if len(by_tree) > 1 else np.zeros(groups)
    return received / count, caused / count, spread
