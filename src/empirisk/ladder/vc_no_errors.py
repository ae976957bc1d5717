"""Rung: the VC bound of a classifier that makes no error on the rows."""

from __future__ import annotations

from empirisk.bounds import ghost_realizable
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.known_class import certify, known_class
from empirisk.results import RiskCertificate

__all__ = ["vc_no_errors"]

NAME = "VC dimension without training errors"


def vc_no_errors(problem: Problem) -> RiskCertificate:
    """Return a bound like 1/n instead of 1/sqrt(n), for every member of the class that makes no error on the
    rows.
    """
    known = known_class(problem)
    if isinstance(known, str) or problem.losses is None:
        return refuse(problem, NAME, str(known))
    if problem.losses.any():
        return refuse(problem, NAME, "the model makes errors on the training rows")
    delta = problem.delta / problem.tuning.class_candidates
    return certify(problem, NAME, known, ghost_realizable(n=problem.n, delta=delta, hypotheses=known).epsilon)
