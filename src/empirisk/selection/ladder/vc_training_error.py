"""Rung: the VC bound of half-spaces that make few errors on the rows."""

from __future__ import annotations

from empirisk.bounds import ghost_training_error
from empirisk.results import Assumption, RiskCertificate
from empirisk.selection.ladder.base import Problem, refuse, rows_of_fit
from empirisk.selection.ladder.class_bound import why_no_class

__all__ = ["vc_training_error"]

NAME = "VC dimension and training error"


def vc_training_error(problem: Problem) -> RiskCertificate:
    """Shorter than the uniform bound where the training error is small."""
    why = why_no_class(problem)
    form = problem.linear
    if why or isinstance(form, str) or problem.losses is None:
        return refuse(problem, NAME, why)
    if not problem.two_classes:
        return refuse(problem, NAME, "the theorem is about two classes")
    rate = float(problem.losses.mean())
    if rate >= 1.0:
        return refuse(problem, NAME, "the model errs on every training row")
    delta = problem.delta / problem.tuning.class_candidates
    value = rate + ghost_training_error(n=problem.n, delta=delta, vc=form.dimension, rate=rate).epsilon
    words = f"linear classifiers of {form.coef.shape[1]:,} columns: VC dimension {form.dimension:,}"
    return RiskCertificate(
        NAME,
        min(value, 1.0),
        None,
        problem.delta,
        problem.n,
        (
            Assumption("the rows are drawn independently"),
            Assumption(words, "computed"),
            *rows_of_fit(problem),
        ),
        value >= 1.0,
        kind="every model of the class",
        risk=problem.risk,
    )
