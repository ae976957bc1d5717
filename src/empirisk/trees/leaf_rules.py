"""Leaves as if-then rules, with what the rows say about them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from empirisk.results import Estimate
from empirisk.trees.conditions import Wording, number, path_to
from empirisk.trees.prune import node_parents
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["Rule", "leaf_rules", "mean_interval", "share_interval"]

CHOSEN = (
    "these rows chose the splits, so the interval is too narrow for new rows; pass rows that the tree has "
    "not seen"
)


@dataclass(frozen=True)
class Rule:
    """One leaf.

    Parameters
    ----------
    leaf : int
        Number of the node.
    conditions : tuple of str
        All of them hold for the rows of the leaf; one for each column that is asked.
    n : int
        Rows behind `estimate` and `counts`.
    weight : float
        Their total weight.
    prediction : object
        Label or number.
    counts : dict or None
        Weight of each class; None for a regression.
    estimate : Estimate
        Share of the predicted class, or mean, with an interval; its `reason` warns when the rows chose the
        splits.
    """

    leaf: int
    conditions: tuple[str, ...]
    n: int
    weight: float
    prediction: Any
    counts: dict[Any, float] | None
    estimate: Estimate

    def __str__(self) -> str:
        said = " and ".join(self.conditions) or "always"
        what = f"{self.prediction}" if self.counts is not None else number(float(self.prediction))
        e = self.estimate
        if e.low is None or e.high is None:
            interval = f"{e.value:.4g}"
        else:
            interval = str(e)
        kind = "share" if self.counts is not None else "mean"
        return f"if {said} then {what}  (n = {self.n}, {kind} {interval})"


def leaf_rules(
    words: Wording,
    labels: Any = None,
    fresh: tuple[Any, Array, Array] | None = None,
    level: float = 0.95,
) -> list[Rule]:
    """One rule for each leaf, in the order from left to right; they partition the space of the rows.

    Parameters
    ----------
    words : Wording
        Names, and the tree.
    labels : array, optional
        Of the classes; None for a regression.
    fresh : tuple (X, y, weight), optional
        Encoded rows that the tree has not seen: what they say has intervals of the stated coverage.
        Otherwise the training rows speak, whose intervals are too narrow.
    level : float, default 0.95
        Coverage.
    """
    tree, parent = words.tree, node_parents(words.tree)
    found = None if fresh is None else (tree.apply(fresh[0])[:, 0], fresh[1], fresh[2])
    rules = []
    for leaf in leaves_in_order(tree):
        told = conditions(words, path_to(tree, parent, leaf))
        value = tree.value[leaf]
        prediction = labels[int(value.argmax())] if labels is not None else float(value[0])
        n, weight = int(tree.count[leaf]), float(tree.weight[leaf])
        counts = None
        if found is not None:
            here = found[0] == leaf
            y, w = found[1][here], found[2][here]
            n, weight = int(here.sum()), float(w.sum())
        if labels is not None:
            mass = weight * value if found is None else np.bincount(y.astype(int), w, len(labels))
            counts = dict(zip(labels.tolist(), mass.tolist(), strict=True))
            own = float(mass[int(value.argmax())])
            squares = weight**2 / max(n, 1) if found is None else float((w**2).sum())
            estimate = share_interval(own, weight, squares, n, level)
        elif found is None:
            estimate = mean_interval(float(value[0]), float(tree.heterogeneity[leaf]), n, level)
        else:
            mean = float(np.average(y, weights=w)) if n else math.nan
            spread = float(np.average((y - mean) ** 2, weights=w)) if n else math.nan
            size = weight**2 / float((w**2).sum()) if n else 0.0
            estimate = mean_interval(mean, spread, n, level, size)
        if found is None:
            estimate = _warned(estimate)
        rules.append(Rule(leaf, told, n, weight, prediction, counts, estimate))
    return rules


def conditions(words: Wording, steps: list[tuple[int, bool]]) -> tuple[str, ...]:
    """The conditions of a path, one for each column that it asks."""
    tree = words.tree
    by_column: dict[int, list[tuple[int, bool]]] = {}
    for node, left in steps:
        by_column.setdefault(int(tree.feature[node]), []).append((node, left))
    return tuple(_condition(words, j, asked) for j, asked in by_column.items())


def _condition(words: Wording, column: int, asked: list[tuple[int, bool]]) -> str:
    """All that a path asks of one column, as one interval or set, and whether missing values pass."""
    tree = words.tree
    missing = column in words.gaps and all(bool(tree.missing_left[t]) == left for t, left in asked)
    more = " or missing" if missing else ""
    name = words.names[column]
    if tree.n_categories[column]:
        codes = set.intersection(*(set(words.members(t, left).tolist()) for t, left in asked))
        return f"{name} in {{{words.listed(column, sorted(codes))}}}{more}"
    if any(not left and math.isinf(tree.threshold[t]) for t, left in asked):
        return f"{name} is missing"
    low = max((tree.threshold[t] for t, left in asked if not left), default=-math.inf)
    high = min((tree.threshold[t] for t, left in asked if left), default=math.inf)
    if math.isinf(low) and math.isinf(high):
        return f"{name} is not missing"
    if math.isinf(low):
        return f"{name} <= {number(high)}{more}"
    if math.isinf(high):
        return f"{name} > {number(low)}{more}"
    return f"{number(low)} < {name} <= {number(high)}{more}"


def leaves_in_order(tree: Trees) -> list[int]:
    """Leaves from left to right."""
    found, stack = [], [0]
    while stack:
        node = stack.pop()
        if tree.feature[node] < 0:
            found.append(node)
        else:
            stack += [int(tree.left[node]) + 1, int(tree.left[node])]
    return found


def share_interval(own: float, weight: float, squares: float, n: int, level: float) -> Estimate:
    """The share ``own / weight`` with the exact limits of Clopper and Pearson.

    Unequal weights count as ``weight^2 / sum of squares`` rows.
    """
    target, method = "share of the predicted class in the leaf", "Clopper-Pearson"
    if n == 0:
        return Estimate(math.nan, None, None, level, 0, method, "no row falls into this leaf", target)
    size = weight**2 / squares
    if not math.isclose(size, n, rel_tol=1e-9):
        method += f", {size:.4g} effective rows"
    share = own / weight
    k, tail = share * size, 0.5 * (1.0 - level)
    low = 0.0 if k <= 0.0 else float(special.betaincinv(k, size - k + 1.0, tail))
    high = 1.0 if k >= size else float(special.betainccinv(k + 1.0, size - k, tail))
    return Estimate(share, low, high, level, n, method, "", target)


def mean_interval(mean: float, spread: float, n: int, level: float, size: float | None = None) -> Estimate:
    """``mean -+ t s / sqrt(n)`` with ``s^2 = spread n / (n - 1)``."""
    target, method = "mean of y in the leaf", "Student t"
    size = float(n) if size is None else size
    if n < 2 or size <= 1.0:
        reason = "no row falls into this leaf" if n == 0 else "one row has no spread"
        return Estimate(mean, None, None, level, n, method, reason, target)
    half = float(special.stdtrit(size - 1.0, 0.5 + 0.5 * level)) * math.sqrt(spread / (size - 1.0))
    if half == 0.0:
        return Estimate(mean, None, None, level, n, method, "all rows have the same value", target)
    return Estimate(mean, mean - half, mean + half, level, n, method, "", target)


def _warned(e: Estimate) -> Estimate:
    reason = f"{e.reason}; {CHOSEN}" if e.reason else CHOSEN
    return Estimate(e.value, e.low, e.high, e.level, e.n, e.method, reason, e.target)
