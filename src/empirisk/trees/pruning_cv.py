"""The risk of every subtree of a pruning sequence by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from empirisk.trees.node_risk import ROW_LOSSES, node_risk, smoothed
from empirisk.trees.positive_rates import positive_rates
from empirisk.trees.prune import PruningSequence, node_parents, weakest_link
from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["Fold", "cross_validated_risk"]

# Which rows are trained on, and which are held out.
Fold = tuple[NDArray[np.bool_], NDArray[np.bool_]]


def cross_validated_risk(
    sequence: PruningSequence,
    folds: Iterable[Fold],
    X: NDArray[np.floating],
    y: Array,
    weight: Array,
    together: Array,
    grow: Callable[[NDArray[np.bool_]], Trees],
    kind: str,
) -> tuple[Array, Array, int]:
    """Mean held-out loss of each entry of the sequence, its standard error, and the number of folds.

    ``T_k`` is judged by the trees that the other folds grow, pruned at ``sqrt(alpha_k alpha_{k+1})``:
    ``R_k = sum w l / sum w`` over held-out rows, ``se_k^2 = sum w u (l - R_k)^2 / (sum w)^2`` with u the
    weight of a row with all its copies, which are one observation.

    Parameters
    ----------
    sequence : PruningSequence
        Of the tree grown on all rows.
    folds : iterable of pairs of arrays, shape (n,)
        Which rows are trained on and held out.
    X, y : arrays
        Rows and targets.
    weight, together : arrays, shape (n,)
        Weight of each row, and of all that is left out together because it equals the row.
    grow : callable
        The tree of given rows.
    kind : str
        See :func:`node_risk`.  For entropy, which is infinite where a leaf has not seen a class, one row's
        weight of the root's value is mixed into the leaves; Poisson's means are those of
        :func:`positive_rates`, as in the tree that is kept.

    Notes
    -----
    Cost: one growth and one pruning a fold, and O(depth) for each held-out row.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984, sections 3.4.2 and 11.5.
    """
    at = sequence.midpoints
    # Losses are squared below: in units of the root's (to a power of two) no square leaves the doubles.
    unit = float(2.0 ** np.frexp(sequence.risk[-1])[1])
    rate = float(np.average(y, weights=weight)) if kind == "poisson" else 0.0
    sums, total, square, n_folds = np.zeros((len(at), 3)), 0.0, 0.0, 0
    for kept, held in folds:
        tree = grow(kept)
        if kind == "poisson":
            tree = positive_rates(tree, float(np.average(y[kept], weights=weight[kept])) or rate)
        fold = weakest_link(tree, node_risk(tree, kind))
        rows = np.flatnonzero(held)
        sums += fold.total_over_leaves(
            _node_sums(tree, X[rows], y[rows], weight[rows], together[rows], kind, unit), at
        )
        total += float(weight[rows].sum())
        square += float(weight[rows] @ together[rows])
        n_folds += 1
    risk = sums[:, 0] / total
    spread = sums[:, 2] - 2.0 * risk * sums[:, 1] + risk**2 * square
    return unit * risk, unit * np.sqrt(np.maximum(spread, 0.0)) / total, n_folds


def _node_sums(
    tree: Trees, X: Array, y: Array, weight: Array, together: Array, kind: str, unit: float
) -> Array:
    """Sums of ``w l``, ``w u l`` and ``w u l^2``, l in units, over the rows that pass each node, (N, 3)."""
    value = smoothed(tree) if kind == "entropy" else tree.value
    parent, loss = node_parents(tree), ROW_LOSSES[kind]
    sums = np.zeros((len(tree.feature), 3))
    node: IndexArray = tree.apply(X)[:, 0].astype(np.int64)
    rows = np.arange(len(y))
    while len(rows):
        lost = loss(y[rows], value[node]) / unit
        once = weight[rows] * lost
        twice = together[rows] * once
        for column, terms in enumerate((once, twice, twice * lost)):
            sums[:, column] += np.bincount(node, weights=terms, minlength=len(sums))
        node = parent[node]
        rows, node = rows[node >= 0], node[node >= 0]
    return sums
