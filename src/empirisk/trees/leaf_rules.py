"""Leaves as if-then rules, with what the rows say about them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.results import Estimate
from empirisk.trees.conditions import Wording, number, path_to
from empirisk.trees.criteria import Criterion, SquaredError
from empirisk.trees.leaf_intervals import mean_interval, median_interval, share_interval
from empirisk.trees.prune import node_parents
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["Rule", "leaf_rules"]

CHOSEN = (
    "these rows chose the splits, so the interval is too narrow for new rows; pass rows that the tree has "
    "not seen"
)


@dataclass(frozen=True, repr=False)
class Rule(Brief):
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
        kind = "share" if self.counts is not None else e.target.split()[0]
        return f"if {said} then {what}  (n = {self.n}, {kind} {interval})"


def leaf_rules(
    words: Wording,
    labels: Any = None,
    criterion: type[Criterion] = SquaredError,
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
    criterion : class of a criterion
        Of the splits of a regression: what the leaves predict, and what the tree keeps of the rows.
    fresh : tuple (X, y, weight), optional
        Encoded rows that the tree has not seen: what they say has intervals of the stated coverage.
        Otherwise the training rows speak, whose intervals are too narrow.
    level : float, default 0.95
        Coverage.
    """
    tree, parent = words.tree, node_parents(words.tree)
    leaf_of = None if fresh is None else tree.apply(fresh[0])[:, 0]
    rules = []
    for leaf in leaves_in_order(tree):
        if fresh is None or leaf_of is None:
            n, weight = int(tree.count[leaf]), float(tree.weight[leaf])
            counts, estimate = _trained(tree, leaf, labels, criterion, level)
        else:
            y, w = fresh[1][leaf_of == leaf], fresh[2][leaf_of == leaf]
            n, weight = len(y), float(w.sum())
            counts, estimate = _seen(tree, leaf, labels, criterion, level, y, w)
        value = tree.value[leaf]
        prediction = labels[int(value.argmax())] if labels is not None else float(value[0])
        told = conditions(words, path_to(tree, parent, leaf))
        rules.append(Rule(leaf, told, n, weight, prediction, counts, estimate))
    return rules


def _trained(
    tree: Trees, leaf: int, labels: Any, criterion: type[Criterion], level: float
) -> tuple[Any, Estimate]:
    """Return what the training rows say, as far as the tree keeps it, with a warning."""
    value, n, weight = tree.value[leaf], int(tree.count[leaf]), float(tree.weight[leaf])
    if labels is not None:
        mass = weight * value
        found = share_interval(float(mass.max()), weight, weight**2 / n, n, level)
        return dict(zip(labels.tolist(), mass.tolist(), strict=True)), _warned(found)
    if criterion.is_variance:
        return None, _warned(mean_interval(float(value[0]), float(tree.heterogeneity[leaf]), n, level))
    reason = "the tree does not keep how y varies; pass rows"
    return None, Estimate(float(value[0]), None, None, level, n, "none", reason, "y in the leaf")


def _seen(
    tree: Trees, leaf: int, labels: Any, criterion: type[Criterion], level: float, y: Array, w: Array
) -> tuple[Any, Estimate]:
    """Return what fresh rows of the leaf say."""
    n, weight, squares = len(y), float(w.sum()), float((w**2).sum())
    if labels is not None:
        mass = np.bincount(y.astype(int), w, len(labels))
        own = float(mass[int(tree.value[leaf].argmax())])
        return dict(zip(labels.tolist(), mass.tolist(), strict=True)), share_interval(
            own, weight, squares, n, level
        )
    if criterion.predicts == "median":
        return None, median_interval(y, w, level)
    if not n:
        return None, mean_interval(math.nan, math.nan, 0, level)
    mean = float(np.average(y, weights=w))
    spread = float(np.average((y - mean) ** 2, weights=w))
    return None, mean_interval(mean, spread, n, level, weight**2 / squares)


def conditions(words: Wording, steps: list[tuple[int, bool]]) -> tuple[str, ...]:
    """Return the conditions of a path, one for each column that it asks."""
    tree = words.tree
    by_column: dict[int, list[tuple[int, bool]]] = {}
    for node, left in steps:
        by_column.setdefault(int(tree.feature[node]), []).append((node, left))
    return tuple(_condition(words, j, asked) for j, asked in by_column.items())


def _condition(words: Wording, column: int, asked: list[tuple[int, bool]]) -> str:
    """Return all that a path asks of one column, as one interval or set, and whether missing values pass."""
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
    """Return the numbers of the leaves as they stand from left to right."""
    found, stack = [], [0]
    while stack:
        node = stack.pop()
        if tree.feature[node] < 0:
            found.append(node)
        else:
            stack += [int(tree.left[node]) + 1, int(tree.left[node])]
    return found


def _warned(e: Estimate) -> Estimate:
    reason = f"{e.reason}; {CHOSEN}" if e.reason else CHOSEN
    return Estimate(e.value, e.low, e.high, e.level, e.n, e.method, reason, e.target)
