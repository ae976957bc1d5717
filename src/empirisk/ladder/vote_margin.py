"""Rung: the margin bound of boosted votes."""

from __future__ import annotations

import numpy as np

from empirisk.bounds import vote_margin as bound
from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.ladder.boosted_class import boosted_class
from empirisk.results import Assumption, RiskCertificate

__all__ = ["vote_margin"]

NAME = "margins of a vote"


def vote_margin(problem: Problem) -> RiskCertificate:
    """Return the share of rows with a small margin and a term free of the number of rounds; the best of
    60.
    """
    members = boosted_class(problem)
    if isinstance(members, str):
        return refuse(problem, NAME, members)
    reach = problem.model.reach_
    if reach == 0.0:
        return refuse(problem, NAME, "the vote has no members: there are no margins")
    margins = problem.signs * np.asarray(problem.est.decision_function(problem.X)) / reach
    delta = problem.delta / problem.tuning.class_candidates

    def at(gap: float) -> float:
        inside = float(np.mean(margins < gap))
        return (
            inside + bound(n=problem.n, delta=delta, margin=gap, hypotheses=members, any_margin=True).epsilon
        )

    values = [at(float(gap)) for gap in np.geomspace(1.0, 1e-3, 60)]
    best = min(values)
    return RiskCertificate(
        NAME,
        min(1.0, best),
        None,
        problem.delta,
        problem.n,
        (
            Assumption("the rows are drawn independently"),
            Assumption(f"members are {members.words} over {len(members.categories):,} columns", "computed"),
            Assumption("the categories of each column were known before the rows were seen"),
            *rows_of_fit(problem),
        ),
        best >= 1.0,
        kind="every model of the class",
        risk=problem.risk,
    )
