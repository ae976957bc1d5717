"""The risk of every subtree of a pruning sequence by cross-validation.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 3.4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from empirisk.trees.criteria import Criterion
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
    criterion: Criterion,
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
    criterion : Criterion
        Whose losses are weighed.  Where they are infinite for a class that a leaf has not seen, one row's
        weight of the root's value is mixed into the leaves; where targets are >= 0, means are those of
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
    rate = float(np.average(y, weights=weight)) if criterion.non_negative else 0.0
    sums, total, square, n_folds = np.zeros((len(at), 3)), 0.0, 0.0, 0
    for kept, held in folds:
        tree = grow(kept)
        if criterion.non_negative:
            tree = positive_rates(tree, float(np.average(y[kept], weights=weight[kept])) or rate)
        fold = weakest_link(tree, criterion.node_loss(tree.value, tree.weight, tree.heterogeneity))
        rows = np.flatnonzero(held)
        sums += fold.total_over_leaves(
            _node_sums(tree, X[rows], y[rows], weight[rows], together[rows], criterion, unit), at
        )
        total += float(weight[rows].sum())
        square += float(weight[rows] @ together[rows])
        n_folds += 1
    risk = sums[:, 0] / total
    spread = sums[:, 2] - 2.0 * risk * sums[:, 1] + risk**2 * square
    return unit * risk, unit * np.sqrt(np.maximum(spread, 0.0)) / total, n_folds


def _node_sums(
    tree: Trees, X: Array, y: Array, weight: Array, together: Array, criterion: Criterion, unit: float
) -> Array:
    """Return the sums of ``w l``, ``w u l`` and ``w u l^2``, l in units, over the rows that pass each node,
    (N, 3).
    """
    value = _smoothed(tree) if criterion.unseen_is_infinite else tree.value
    parent = node_parents(tree)
    sums = np.zeros((len(tree.feature), 3))
    node: IndexArray = tree.apply(X)[:, 0].astype(np.int64)
    rows = np.arange(len(y))
    while len(rows):
        lost = criterion.row_loss(y[rows], value[node]) / unit
        once = weight[rows] * lost
        twice = together[rows] * once
        for column, terms in enumerate((once, twice, twice * lost)):
            sums[:, column] += np.bincount(node, weights=terms, minlength=len(sums))
        node = parent[node]
        rows, node = rows[node >= 0], node[node >= 0]
    return sums


def _smoothed(tree: Trees) -> Array:
    """Values of the nodes with one row's weight of the root's value mixed in: no share or rate is 0.

    A held-out row of a class that a leaf has not seen would make the log loss infinite.
    """
    unit = tree.weight[0] / max(float(tree.count[0]), 1.0)
    mass = tree.weight[:, None]
    return np.asarray((mass * tree.value + unit * tree.value[0]) / (mass + unit))
