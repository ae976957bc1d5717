"""Rung: the VC bound of a classifier that makes few errors on the rows."""

from __future__ import annotations

from empirisk.bounds import ghost_training_error
from empirisk.ladder.base import Problem, refuse
from empirisk.ladder.known_class import certify, known_class
from empirisk.results import RiskCertificate

__all__ = ["vc_training_error"]

NAME = "VC dimension and training error"


def vc_training_error(problem: Problem) -> RiskCertificate:
    """Return a bound that is shorter than the uniform one where the training error is small; it holds for all
    at once.
    """
    known = known_class(problem)
    if isinstance(known, str) or problem.losses is None:
        return refuse(problem, NAME, str(known))
    rate = float(problem.losses.mean())
    if rate >= 1.0:
        return refuse(problem, NAME, "the model errs on every training row")
    delta = problem.delta / problem.tuning.class_candidates
    excess = ghost_training_error(n=problem.n, delta=delta, hypotheses=known, rate=rate).epsilon
    return certify(problem, NAME, known, rate + excess)
