"""The trees of our own forests as members of a vote."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.ladder.base import Problem
from empirisk.results import Assumption
from empirisk.trees.auto_size import possible_sizes

__all__ = ["CUTS", "FEWER_ROWS", "flat_forest", "pure_forest", "read_forest", "sizes_to_choose"]

FEWER_ROWS = "X has fewer rows than the model was fitted on: pass the rows of the fit"

# The bins of the columns are quantiles over all rows, the out-of-bag ones included.
CUTS = Assumption("where columns may be cut, which all rows decide without their labels, is as good as given")


def flat_forest(model: Any) -> bool:
    """Return whether the model is a forest whose trees stand in flat arrays."""
    return hasattr(model, "trees_") and hasattr(model, "bag_counts")


def read_forest(problem: Problem) -> tuple[NDArray[np.intp], NDArray[np.float32]] | str:
    """Return the class codes that each tree predicts, and 1 where it did not see the row, both (T, n); or why
    not.
    """
    model = problem.model
    counts = model.bag_counts()
    if len(counts) < problem.n:
        return "rows of weight 0 were left out of the fit: pass the others alone"
    if len(counts) > problem.n:
        return FEWER_ROWS
    if model.weighted_bags:
        return "rows were drawn in proportion to weights, so that out-of-bag rows are no sample of all rows"
    trees = model.trees_
    code = trees.value.argmax(axis=1)
    said = code[model.apply(problem.features.table) + trees.start[:-1]].T
    return np.ascontiguousarray(said, dtype=np.intp), (counts.T == 0).astype(np.float32)


def pure_forest(model: Any) -> bool:
    """Return whether every leaf of every tree holds one class only."""
    leaf = model.trees_.feature < 0
    return bool((model.trees_.value[leaf].max(axis=1) >= 1.0 - 1e-12).all())


def sizes_to_choose(model: Any) -> int:
    """Return how many numbers of trees the out-of-bag rows chose among; 1 where it was given."""
    return possible_sizes() if getattr(model, "n_estimators", None) == "auto" and flat_forest(model) else 1
