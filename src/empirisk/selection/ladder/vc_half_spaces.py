"""Rung: the VC bound of half-spaces."""

from __future__ import annotations

from empirisk.bounds import ghost_uniform, vc_uniform
from empirisk.results import Assumption, RiskCertificate
from empirisk.selection.ladder.base import Problem, refuse, rows_of_fit
from empirisk.selection.ladder.class_bound import why_no_class

__all__ = ["vc_half_spaces"]

NAME = "VC dimension of half-spaces"


def vc_half_spaces(problem: Problem) -> RiskCertificate:
    """Uniform over every linear classifier of these columns, however it was found.

    Of two theorems the smaller; which one depends on n, the dimension and delta, not on the rows.
    """
    why = why_no_class(problem)
    form = problem.linear
    if why or isinstance(form, str) or problem.losses is None:
        return refuse(problem, NAME, why)
    if not problem.two_classes:
        return refuse(problem, NAME, "the theorem is about two classes")
    delta = problem.delta / problem.tuning.class_candidates
    excess = min(
        theorem(n=problem.n, delta=delta, vc=form.dimension, sides=1).epsilon
        for theorem in (ghost_uniform, vc_uniform)
    )
    value = float(problem.losses.mean()) + excess
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
