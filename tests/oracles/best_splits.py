"""The best split of a set of rows by trying every cut, from the definition of heterogeneity alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from empirisk.typing import Array


def sides(x: Array, n_categories: int) -> Iterator[Any]:
    """Which rows go left, for every cut of one column; missing values right, then left."""
    missing = np.isnan(x)
    known = np.unique(x[~missing])
    if n_categories:
        sets = [c for size in range(1, len(known) + 1) for c in combinations(known, size)]
        cuts = [np.isin(x, c) for c in sets]
    else:
        cuts = [x <= t for t in known]
    for gone_left in (False, True) if missing.any() else (False,):
        for cut in cuts:
            left = cut | (missing & gone_left)
            if left.any() and not left.all():
                yield left


def cost(criterion: Any, y: Array, weight: Array) -> float:
    """Return the weight of the rows times their heterogeneity."""
    return float(weight.sum() * criterion.heterogeneity(y, weight))


def all_gains(
    criterion: Any, X: Array, n_categories: Any, y: Array, weight: Array, limits: Any
) -> list[tuple[float, int, Any]]:
    """(gain, column, left) of every allowed cut, in the order in which ties are broken."""
    whole = cost(criterion, y, weight)
    found = []
    for j in range(X.shape[1]):
        for left in sides(X[:, j], int(n_categories[j])):
            if min(left.sum(), (~left).sum()) < limits.min_rows_leaf:
                continue
            if min(weight[left].sum(), weight[~left].sum()) < limits.min_weight_leaf:
                continue
            parts = cost(criterion, y[left], weight[left]) + cost(criterion, y[~left], weight[~left])
            found.append((whole - parts, j, left))
    return found


def node_rows(tree: Any, X: Array) -> dict[int, Any]:
    """The rows of each node of a single tree."""
    rows = {0: np.arange(len(X))}
    for node in range(len(tree.feature)):
        if tree.feature[node] < 0:
            continue
        here = rows[node]
        left = tree.goes_left(np.full(len(here), node), X[here, tree.feature[node]])
        rows[int(tree.left[node])], rows[int(tree.left[node]) + 1] = here[left], here[~left]
        for child in (int(tree.left[node]), int(tree.left[node]) + 1):
            assert child > node, "children come after their parent"
    return rows
