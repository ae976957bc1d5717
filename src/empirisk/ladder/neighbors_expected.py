"""Rung: the expected risk of nearest neighbours for a smooth regression function."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.bounds import nearest_neighbors
from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.ladder.neighbors_left_out import why_no_neighbors
from empirisk.results import Assumption, RiskCertificate

__all__ = ["neighbors_expected"]

NAME = "smooth nearest neighbours"
KIND = "the algorithm, in expectation"


def neighbors_expected(problem: Problem) -> RiskCertificate:
    """Return the expected risk from what no rows can tell: how smooth the class probability is, and the Bayes
    risk.
    """
    why = why_no_neighbors(problem) or _why_not(problem)
    known = problem.declared
    if why or known.lipschitz is None or known.bayes_risk is None:
        return refuse(problem, NAME, why, KIND)
    d = int(problem.features.Z.shape[1])
    k = int(problem.model.n_neighbors)
    value = nearest_neighbors(
        n=problem.n, k=k, dimension=d, lipschitz=known.lipschitz, bayes_risk=known.bayes_risk
    ).epsilon
    words = (
        Assumption("the rows are drawn independently"),
        Assumption(f"the class probability is {known.lipschitz:g}-Lipschitz", "declared"),
        Assumption(f"the Bayes risk is at most {known.bayes_risk:g}", "declared"),
        Assumption(f"the features lie in [0, 1]^{d}"),
        *rows_of_fit(problem),
    )
    return RiskCertificate(
        NAME, min(1.0, value), None, None, problem.n, words, value >= 1.0, kind=KIND, risk=problem.risk
    )


def _why_not(problem: Problem) -> str:
    model, Z = problem.model, problem.features.Z
    if not problem.two_classes:
        return "the theorem is about two classes"
    if problem.tuning.expectation_reason:
        return problem.tuning.expectation_reason
    if 1 < model.n_neighbors < 10:
        return "the theorem covers 1 neighbour, or 10 and more"
    if model.weights != "uniform" or not _straight(model):
        return "the theorem is about plain votes and Euclidean distance"
    values: Any = Z.data if hasattr(Z, "tocsr") else Z
    if np.size(values) and (values.min() < 0.0 or values.max() > 1.0):
        return "the features do not lie in [0, 1]: scale them by limits known before the rows are seen"
    if problem.declared.lipschitz is None or problem.declared.bayes_risk is None:
        return "declare lipschitz= (of the class probability) and bayes_risk=: no rows can tell them"
    return ""


def _straight(model: Any) -> bool:
    """Return whether the distance is the Euclidean one: ours says so, scikit-learn's by its parameters."""
    own = getattr(model, "metric_", None)
    if own is not None:
        return bool(own.power == 2.0)
    return model.metric in ("minkowski", "euclidean") and getattr(model, "p", 2) == 2
