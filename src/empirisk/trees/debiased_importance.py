"""The decrease of heterogeneity by each column, judged on rows that the tree did not see.

Li, Wang, Basu, Kumbier and Yu, Advances in Neural Information Processing Systems 32 (2019).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.data.memory import refuse_memory
from empirisk.trees.importances import Floats, Importances
from empirisk.trees.structure import Trees

__all__ = ["debiased_importance", "impurity_importance"]

TARGET = "decrease of the heterogeneity of y that the splits on the column explain on new rows"


def impurity_importance(trees: Trees) -> Floats:
    """Return the mean over trees of the decrease of heterogeneity by each column, per unit of weight, shape
    (p,).

    Biased upward for columns that offer many splits (numbers, many categories), whether they matter or not:
    the decrease is judged on the rows that chose the split.

    Parameters
    ----------
    trees : Trees

    Examples
    --------
    >>> impurity_importance(Trees.stump(feature=0, threshold=0.0, values=[[1.0], [5.0]], n_features=2))
    array([0., 0.])
    """
    inner = np.flatnonzero(trees.feature >= 0)
    total = np.repeat(trees.weight[trees.start[:-1]], np.diff(trees.start))
    share = trees.gain[inner] / total[inner]
    return np.bincount(trees.feature[inner], share, minlength=trees.n_features) / len(trees)


def debiased_importance(trees: Trees, leaves: NDArray, Y: NDArray, counts: NDArray) -> Importances:
    """Each split judged by how far the means of *its own* rows apart agree with those of unseen rows.

    Let the rows that grew a split have mean targets ``m_L, m_R`` in its children, and the unseen rows,
    ``u_L`` and ``u_R`` of them, u together, ``o_L, o_R``. The split counts ``u_L u_R/(u - 1) (m_L - m_R)'(o_L
    - o_R)``; the impurity importance has ``m`` in both places. This is divided by the number of unseen rows,
    summed by column and averaged over trees.

    Parameters
    ----------
    trees : Trees
    leaves : array of shape (n, T)
        ``trees.apply(X)`` of the training rows.
    Y : array of shape (n,) or (n, k)
        Targets; ones and zeros of the classes (then the unit is that of Gini's heterogeneity).
    counts : array of shape (n, T)
        How often each tree drew each row.

    Returns
    -------
    Importances
        May be negative by noise.

    Raises
    ------
    ValueError
        When no tree left rows out.
    MemoryError
        When n p numbers would not fit into the free memory.

    Notes
    -----
    For a column that is independent of y and of the other columns the expectation is exactly 0: given the
    tree and all else, the unseen rows of a node are dealt to its children at random. Nodes with fewer than
    two unseen rows say nothing. The number is a mean over rows of ``(m_child - their mean)(y - mean)`` along
    the row's path; the standard error is that of this mean, and of the mean over trees. Cost O(n T depth).

    References
    ----------
    X. Li, Y. Wang, S. Basu, K. Kumbier, B. Yu, "A debiased MDI feature importance measure for random
    forests", NeurIPS 32 (2019). Z. Zhou, G. Hooker, "Unbiased measurement of feature importance in tree-based
    methods", ACM TKDD 15 (2021).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 1))
    >>> y = np.where(X[:, 0] <= 0.0, 1.0, 5.0) + rng.normal(size=400)
    >>> stump = Trees.stump(feature=0, threshold=0.0, values=[[1.0], [5.0]], n_features=1)
    >>> found = debiased_importance(stump, stump.apply(X), y, rng.integers(2, size=(400, 1)))
    >>> found.value.round()  # two halves, 4 apart: 2 * 2
    array([4.])
    """
    Y = np.asarray(Y, dtype=np.float64).reshape(len(Y), -1)
    n, p = len(Y), trees.n_features
    refuse_memory("the debiased importance", 16.0 * n * p, "fit on fewer rows or columns")
    rows = np.zeros((n, p))
    by_tree, times = [], np.zeros(n)
    for t in range(len(trees)):
        unseen = np.flatnonzero(counts[:, t] == 0)
        if unseen.size < 2:
            continue
        part = _by_row(trees[t], leaves[:, t], Y, counts[:, t], unseen)
        rows[unseen] += part
        times[unseen] += 1.0
        by_tree.append(part.mean(axis=0))
    used = np.flatnonzero(times)
    if used.size < 2:
        raise ValueError("no tree left rows out: this importance needs out-of-bag rows.")
    rows = rows[used] / times[used, None]
    # Two sources of error are added: which rows were drawn, and which trees were grown.
    variance = rows.var(axis=0, ddof=1) / used.size
    if len(by_tree) > 1:
        variance = variance + np.var(by_tree, axis=0, ddof=1) / len(by_tree)
    method = "splits judged on out-of-bag rows, t on rows"
    return Importances(np.mean(by_tree, axis=0), np.sqrt(variance), int(used.size), method, TARGET)


def _by_row(tree: Trees, leaf: NDArray, Y: Floats, count: NDArray, unseen: NDArray) -> Floats:
    """Return what each unseen row adds to each column in one tree, (unseen, p)."""
    seen_sum, seen = _node_sums(tree, leaf, Y, count.astype(np.float64))
    new_sum, new = _node_sums(tree, leaf[unseen], Y[unseen], np.ones(unseen.size))
    mean, new_mean = (total / np.maximum(w, 1.0)[:, None] for total, w in ((seen_sum, seen), (new_sum, new)))
    inner = np.flatnonzero(tree.feature >= 0)
    a = tree.left[inner]
    both = (seen[a] > 0) & (seen[a + 1] > 0)
    parent = np.full(len(tree.feature), -1)
    gap, factor = np.zeros_like(mean), np.zeros(len(mean))
    parent[a] = parent[a + 1] = inner
    gap[inner] = (mean[a] - mean[a + 1]) * both[:, None]
    factor[inner] = np.where(new[inner] > 1.0, 1.0, 0.0) / np.maximum(new[inner] - 1.0, 1.0)
    out = np.zeros((unseen.size, tree.n_features))
    node, rows, y = leaf[unseen].astype(np.intp), np.arange(unseen.size), Y[unseen]
    while rows.size:
        at = parent[node[rows]]
        rows, at = rows[at >= 0], at[at >= 0]
        first = tree.left[at]
        # Centred side of the split, times the unseen rows: + u_R on the left, - u_L on the right.
        side = np.where(node[rows] == first, new[first + 1], -new[first])
        out[rows, tree.feature[at]] += factor[at] * side * (gap[at] * (y[rows] - new_mean[at])).sum(axis=1)
        node[rows] = at
    return out


def _node_sums(tree: Trees, leaf: NDArray, Y: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return the weighted sums of Y, (nodes, k), and of the weights, (nodes,), over the rows that pass each
    node.
    """
    size = len(tree.feature)
    columns = [weight, *(weight * Y[:, c] for c in range(Y.shape[1]))]
    sums: Floats = np.column_stack([np.bincount(leaf, column, minlength=size) for column in columns])
    inner = np.flatnonzero(tree.feature >= 0)
    depth = tree.node_depth[inner]
    for d in range(int(depth.max(initial=-1)), -1, -1):
        layer = inner[depth == d]
        sums[layer] = sums[tree.left[layer]] + sums[tree.left[layer] + 1]
    return sums[:, 1:], sums[:, 0]
