"""Rung: the leave-one-out error of nearest neighbours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.bounds import neighbors_leave_one_out
from empirisk.evaluation.intervals.base import Floats
from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.results import RiskCertificate

__all__ = ["neighbors_left_out", "why_no_neighbors"]

NAME = "leave-one-out of nearest neighbours"


def why_no_neighbors(problem: Problem) -> str:
    """Return why this is no nearest-neighbour classifier with a fixed distance; empty when it is."""
    if type(problem.model).__name__ != "KNeighborsClassifier":
        return "the model is not a nearest-neighbour classifier"
    if problem.model.n_samples_fit_ != problem.n:
        return f"X has {problem.n:,} rows, the model was fitted on {problem.model.n_samples_fit_:,}"
    if getattr(getattr(problem.model, "_row_weights", None), "multiple", None) is not None:
        return "the rows have weights, and the theorems are about rows that vote alike"
    if isinstance(problem.model.n_neighbors, str):
        return "the number of neighbours was chosen on these rows: give one that was fixed before"
    return problem.features.fixed


def neighbors_left_out(problem: Problem) -> RiskCertificate:
    """Return the bound from the leave-one-out error, for any distribution, metric and number of classes."""
    why = why_no_neighbors(problem) or problem.tuning.reason
    if not why and problem.model.weights not in ("uniform", "distance"):
        why = "the weights of the neighbours are a function of the user's"
    if not why and problem.n <= problem.model.n_neighbors:
        why = f"{problem.n} rows are too few to leave one out of {problem.model.n_neighbors} neighbours"
    if why:
        return refuse(problem, NAME, why)
    k = int(problem.model.n_neighbors)
    made = neighbors_leave_one_out(
        _left_out(problem), k, problem.delta, candidates=problem.tuning.candidates or 1
    )
    value = min(1.0, made.value)
    return replace(
        made,
        bound=NAME,
        value=value,
        assumptions=(*made.assumptions, *rows_of_fit(problem)),
        risk=problem.risk,
    )


def _left_out(problem: Problem) -> Floats:
    """Return 1 where the nearest other rows vote for another class (without X the search leaves out the
    row).
    """
    model: Any = problem.model
    distance, index = model.kneighbors()
    n_classes = 0 if problem.classes is None else int(problem.classes.size)
    if model.weights == "uniform":
        weight = np.ones_like(distance)
    else:
        touching = distance == 0.0
        with np.errstate(divide="ignore"):
            weight = np.where(touching.any(axis=1, keepdims=True), touching, 1.0 / distance)
    votes = np.stack([(weight * (problem.y[index] == c)).sum(axis=1) for c in range(n_classes)], axis=1)
    return np.asarray(votes.argmax(axis=1) != problem.y, dtype=np.float64)
