"""Boosting on codes in plain NumPy doubles: every cut, and every subset of categories, is tried."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

Node = dict[str, Any]


def left_sides(code: Any, n_bins: int, categorical: bool) -> Iterator[tuple[Any, int | tuple[int, ...]]]:
    """(rows that go left, the cut or the set) of all splits of a column, in the order of ties."""
    missing = code == n_bins
    if not categorical:
        for with_missing in (False, True) if missing.any() else (False,):
            for cut in range(n_bins):
                yield (code <= cut) | (missing & with_missing), cut
        return
    present = np.unique(code)
    for size in range(1, len(present)):
        for chosen in combinations(present.tolist(), size):
            yield np.isin(code, chosen), chosen


def best_split(codes: Any, bins: Any, g: Any, h: Any, limits: Any) -> Node:
    """The split with the largest gain, left the smaller value for categories."""

    def score(rows: Any) -> float:
        return float(g[rows].sum() ** 2 / (h[rows].sum() + limits.l2))

    best: Node = {"gain": limits.min_gain}
    whole = score(np.ones(len(g), dtype=bool))
    for j in range(codes.shape[1]):
        categorical = bool(bins.n_categories[j])
        for left, what in left_sides(codes[:, j], int(bins.n_bins[j]), categorical):
            if min(left.sum(), (~left).sum()) < limits.min_rows_leaf:
                continue
            gain = score(left) + score(~left) - whole
            rising = -g[left].sum() / h[left].sum() <= -g[~left].sum() / h[~left].sum()
            if gain > best["gain"] + 1e-9 * abs(whole) and (rising or not categorical):
                best = {"gain": gain, "feature": j, "what": what, "left": left}
    return best


def grow(codes: Any, bins: Any, g: Any, h: Any, limits: Any) -> list[Node]:
    """The nodes of one best-first tree: rows, value, and feature and children of inner nodes."""

    def node(rows: Any, depth: int) -> Node:
        value = -g[rows].sum() / (h[rows].sum() + limits.l2)
        deep = limits.max_depth is not None and depth >= limits.max_depth
        split = {"gain": 0.0} if deep else best_split(codes[rows], bins, g[rows], h[rows], limits)
        return {"rows": rows, "depth": depth, "value": value, "split": split}

    nodes = [node(np.arange(len(g)), 0)]
    open_nodes = [0]
    while open_nodes and (limits.max_leaves is None or (len(nodes) + 1) // 2 < limits.max_leaves):
        at = max(open_nodes, key=lambda v: (nodes[v]["split"]["gain"], -v))
        open_nodes.remove(at)
        if "feature" not in nodes[at]["split"]:
            continue
        left = nodes[at]["split"]["left"]
        nodes[at]["children"] = len(nodes)
        for side in (left, ~left):
            open_nodes.append(len(nodes))
            nodes.append(node(nodes[at]["rows"][side], nodes[at]["depth"] + 1))
    return nodes


def boosted_scores(binned: Any, y: Any, w: Any, loss: Any, rounds: int, rate: float, limits: Any) -> Any:
    """(scores, nodes of each round) of a loss with a curvature."""
    z = np.full(len(y), float(loss.best_constant(y, w)))
    trees = []
    for _ in range(rounds):
        nodes = grow(binned.columns.T, binned.bins, w * loss.grad(y, z), w * loss.hess(y, z), limits)
        for v in nodes:
            if "children" not in v:
                z[v["rows"]] += rate * v["value"]
        trees.append(nodes)
    return z, trees
