"""Recompute the certificate of an optimal tree with plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.estimators.checks import check_weights
from empirisk.estimators.trees.tree_base import dense
from empirisk.results import Certificate, Kind, unconfirmed
from empirisk.trees.optimal import cut_groups
from empirisk.trees.plain_optimum import PlainOptimum
from empirisk.trees.plain_walk import plain_leaves
from empirisk.typing import Array

__all__ = ["verify_tree"]

# Numbers that the enumeration may read: some seconds.
BUDGET = 4e7


def verify_tree(est: Any, X: Any, y: Any, sample_weight: Any) -> Certificate:
    """Return what the tree costs on the rows, and a lower bound on every tree of its depth by enumeration.

    The enumeration reads `BUDGET` numbers at most; the bound that it has by then is a bound, and the value of
    the certificate the difference.
    """
    table = dense(est._table(X))
    targets = est._targets(y, fitting=False)
    weight = est._weights(check_weights(sample_weight, table.n_rows), targets)
    live = weight > 0.0
    rows, y, weight = np.asarray(table.X[live], dtype=np.float64), targets[live], weight[live]
    tree, total, alpha = est.tree_, float(weight.sum()), est.alpha_ or 0.0
    if int(tree.depth[0]) > est.optimal:
        return unconfirmed(f"the tree has depth {int(tree.depth[0])}, more than {est.optimal}")
    k = len(est.classes_) if hasattr(est, "classes_") else 0
    leaf = plain_leaves(tree, rows)[:, 0]
    if (why := _wrong_leaf(tree.value, leaf, y, weight, k)) is not None:
        return unconfirmed(why)
    said = tree.value[leaf].argmax(axis=1) if k else tree.value[leaf, 0]
    lost = weight * (said != y) if k else weight * (said - y) ** 2
    penalty = alpha * total
    cost = float(lost.sum()) + penalty * int(tree.n_leaves[0])
    cuts = None if est.max_bins is None else max(1, est.max_bins - 1)
    rank = np.stack([cut_groups(x, weight, cuts)[0] for x in rows.T], axis=1)
    centred = y - np.average(y, weights=weight)
    sums = (
        weight[:, None] * np.eye(k)[y.astype(np.intp)]
        if k
        else np.stack([weight, weight * centred, weight * centred**2], axis=1)
    )
    search = PlainOptimum(rank, sums, bool(k), penalty, BUDGET)
    bound = search.least(np.arange(len(rows)), int(est.optimal), cost)
    floor = 1e-12 * cost / total
    gap = max(0.0, cost - bound) / total
    if gap <= floor:
        gap = 0.0
    what = "error rate" if k else "mean squared error"
    what += f" + {alpha:g} x leaves" if alpha else ""
    among = f"all trees of depth {est.optimal}" + (f" with cuts between {est.max_bins} bins" if cuts else "")
    how = "enumeration"
    if search.spent and gap:
        how += f", which was stopped after {BUDGET:.0e} numbers"
    claim = (
        f"{what} = {cost / total:.4g} is at most {gap:.3g} above the least of {among}, by {how}"
        if gap
        else f"{what} = {cost / total:.4g} is the least of {among}, by {how}"
    )
    return Certificate(Kind.EXACT, gap, max(cost / total, 1e-300), claim, floor=floor)


def _wrong_leaf(value: Array, leaf: Any, y: Array, weight: Array, k: int) -> str | None:
    """Return the first leaf that does not hold the shares, or the mean, of its rows; None when all do."""
    mass = np.bincount(leaf, weight, len(value))
    at = np.flatnonzero(mass)
    size = float(np.abs(y).max(initial=0.0))
    for c in range(k or 1):
        said = np.bincount(leaf, weight * ((y == c) if k else y), len(value))[at] / mass[at]
        off = np.abs(said - value[at, c]) > 1e-9 * (1.0 if k else size)
        if off.any():
            i = int(np.flatnonzero(off)[0])
            what = f"a share {value[at[i], c]:.6g} of class number {c}" if k else f"{value[at[i], 0]:.6g}"
            return f"leaf {at[i]} says {what}, its rows {said[i]:.6g}"
    return None
