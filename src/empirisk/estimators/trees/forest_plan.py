"""From the parameters of a forest to what the loops need: limits of growth and bags of rows."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from empirisk.data.columns import Table
from empirisk.estimators.checks import check_choice, check_count, check_flag, check_number, is_flag
from empirisk.estimators.trees.boosting_constraints import check_monotone
from empirisk.trees.forest import Bag, ForestGrowth

__all__ = ["balances_bags", "count_of_features", "plan_bag", "plan_growth", "share_or_count"]

# The loops count draws in 32 bits.
MOST_DRAWS = 2**31 - 1


def share_or_count(name: str, value: Any, total: int, low: int) -> int:
    """Return an integer >= low, or a float in (0, 1], the share of `total` (rounded up, at least low)."""
    if not is_flag(value) and isinstance(value, Integral):
        return check_count(name, value, low)
    if isinstance(value, Real) and not is_flag(value) and 0.0 < float(value) <= 1.0:
        return max(low, math.ceil(float(value) * total))
    raise ValueError(f"{name} must be an integer >= {low}, or a share in (0, 1], got {value!r}")


def count_of_features(max_features: Any, p: int) -> int:
    """Return how many columns a node looks at."""
    if max_features is None:
        return p
    if isinstance(max_features, str):
        root = {"sqrt": math.sqrt, "log2": math.log2}
        return max(1, int(check_choice("max_features", max_features, root)(p)))
    if isinstance(max_features, Real) and not isinstance(max_features, Integral):
        return max(1, int(check_number("max_features", max_features, 0.0, 1.0, closed=False) * p))
    return min(p, check_count("max_features", max_features, 1))


def plan_bag(forest: Any, weight: Any) -> Bag:
    """Return the rows of each tree: as many draws as there are rows, or `max_samples` of them."""
    n = len(weight)
    if not check_flag("bootstrap", forest.bootstrap):
        if forest.max_samples is not None:
            raise ValueError("max_samples says how many rows to draw: set bootstrap=True, or leave it out")
        return Bag(n, 0)
    most = forest.max_samples
    draws = n if most is None else share_or_count("max_samples", most, n, 1)
    if draws > MOST_DRAWS:
        raise ValueError(f"max_samples must be at most {MOST_DRAWS}, got {most!r}")
    balanced = balances_bags(getattr(forest, "class_weight", None))
    return Bag(n, draws, weight if np.ptp(weight) > 0.0 else None, balanced)


def balances_bags(class_weight: Any) -> bool:
    """Return whether classes are weighed tree by tree, by what each one drew."""
    return isinstance(class_weight, str) and class_weight == "balanced_subsample"


def plan_growth(forest: Any, table: Table, rows: int, criterion: str, random_cuts: bool) -> ForestGrowth:
    """Return the limits of growth; `rows` are those of the root of a tree, which weigh 1 on average."""
    depth, leaves = forest.max_depth, forest.max_leaf_nodes
    decrease = check_number("min_impurity_decrease", forest.min_impurity_decrease, 0.0)
    share = check_number("min_weight_fraction_leaf", forest.min_weight_fraction_leaf, 0.0, 0.5)
    return ForestGrowth(
        criterion=criterion,
        max_features=count_of_features(forest.max_features, table.n_cols),
        max_depth=None if depth is None else check_count("max_depth", depth, 0),
        max_leaves=None if leaves is None else check_count("max_leaf_nodes", leaves, 1),
        min_rows_split=share_or_count("min_samples_split", forest.min_samples_split, rows, 2),
        min_rows_leaf=share_or_count("min_samples_leaf", forest.min_samples_leaf, rows, 1),
        min_weight_leaf=share * rows,
        min_gain=decrease * rows,
        random_cuts=random_cuts,
        monotonic=check_monotone(forest.monotonic_cst, table),
    )
