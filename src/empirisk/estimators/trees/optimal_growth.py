"""Optimal trees as an estimator grows them, with the certificate of the search."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.estimators.checks import check_count, check_number
from empirisk.estimators.trees.tree_base import dense
from empirisk.estimators.trees.tree_growth import TreeTask
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.trees.optimal import optimal_tree
from empirisk.trees.structure import Trees

__all__ = ["grow_optimal"]

# These would change which trees compete, and with that the bounds of the search.
GREEDY_ONLY: dict[str, Any] = {
    "max_depth": None,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_fraction_leaf": 0.0,
    "max_features": None,
    "max_leaf_nodes": None,
    "min_impurity_decrease": 0.0,
    "monotonic_cst": None,
}


def grow_optimal(est: Any, task: TreeTask, alpha: float) -> tuple[Trees, Solution]:
    """Return the best tree of depth `est.optimal`, and a solution that says how it is known to be that."""
    depth = check_count("optimal", est.optimal, 1)
    if depth > 3:
        raise ValueError(f"optimal must be 1, 2, 3 or None, got {depth}: deeper searches do not end")
    for name, default in GREEDY_ONLY.items():
        given = getattr(est, name)
        if given is not default and given != default:
            raise ValueError(
                f"{name} bounds greedy growth; with optimal={depth} leave it at {default!r}, and price "
                "leaves by alpha"
            )
    k = int(getattr(task.criterion, "n_classes", 0))
    if not k and not task.criterion.is_variance:
        raise ValueError(
            f'optimal minimises squared errors: criterion must be "squared_error", got {est.criterion!r}'
        )
    table = dense(task.table)
    categorical = np.flatnonzero(table.n_categories)
    if len(categorical):
        raise ValueError(
            f"optimal takes numbers only, but column {table.label(int(categorical[0]))} is categorical: "
            "encode it"
        )
    X = np.asarray(table.X, dtype=np.float64)
    if (gaps := np.isnan(X)).any():
        row, column = np.argwhere(gaps)[0]
        raise ValueError(
            f"optimal takes no missing values, but X contains NaN in column {table.label(int(column))}, row "
            f"{row}: impute it"
        )
    total = float(task.weight.sum())
    found = optimal_tree(
        X,
        task.y,
        task.weight,
        depth,
        n_classes=k,
        leaf_penalty=alpha * total,
        max_cuts=None if est.max_bins is None else max(1, est.max_bins - 1),
        seconds=check_number("time_limit", est.time_limit, 0.0),
    )
    gap, cost = max(0.0, found.cost - found.bound) / total, found.cost / total
    what = "error rate" if k else "mean squared error"
    among = f"all trees of depth {depth}" + (
        f" with cuts between {est.max_bins} bins" if found.binned else ""
    )
    penalty = f" + {alpha:g} x leaves" if alpha else ""
    if gap == 0.0:
        claim = f"{what}{penalty} = {cost:.4g} is the least of {among}, by exhaustive search"
        certificate = Certificate(Kind.EXACT, 0.0, max(cost, 1e-300), claim, floor=1e-12 * cost)
        return found.tree, Solution(np.zeros(0), Status.CERTIFIED, certificate, solver="optimal_tree")
    claim = (
        f"{what}{penalty} = {cost:.4g} is at most {gap:.3g} above the least of {among}: the search was "
        f"stopped after {est.time_limit:g} seconds"
    )
    certificate = Certificate(Kind.EXACT, gap, max(cost, 1e-300), claim, floor=1e-12 * cost)
    return found.tree, Solution(np.zeros(0), Status.MAX_STEPS, certificate, solver="optimal_tree")
