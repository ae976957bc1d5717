"""Rung: the VC bound of half-spaces that make no error on the rows."""

from __future__ import annotations

from empirisk.bounds import ghost_realizable
from empirisk.results import Assumption, RiskCertificate
from empirisk.selection.ladder.base import Problem, refuse, rows_of_fit
from empirisk.selection.ladder.class_bound import why_no_class

__all__ = ["vc_no_errors"]

NAME = "VC dimension without training errors"


def vc_no_errors(problem: Problem) -> RiskCertificate:
    """Falls like 1/n instead of 1/sqrt(n), for every linear classifier that separates the rows."""
    why = why_no_class(problem)
    form = problem.linear
    if why or isinstance(form, str) or problem.losses is None:
        return refuse(problem, NAME, why)
    if not problem.two_classes:
        return refuse(problem, NAME, "the theorem is about two classes")
    errors = int(problem.losses.sum())
    if errors:
        return refuse(problem, NAME, "the model makes errors on the training rows")
    delta = problem.delta / problem.tuning.class_candidates
    value = ghost_realizable(n=problem.n, delta=delta, vc=form.dimension).epsilon
    words = f"no error on the rows; VC dimension {form.dimension:,}"
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
