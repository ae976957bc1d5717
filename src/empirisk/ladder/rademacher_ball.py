"""Rung: the Rademacher complexity of linear regressions in a ball."""

from __future__ import annotations

import math

from empirisk.bounds import rademacher
from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.ladder.class_bound import why_no_class
from empirisk.ladder.radius import why_no_radius
from empirisk.results import Assumption, RiskCertificate

__all__ = ["rademacher_ball"]

NAME = "Rademacher complexity of a ball"


def rademacher_ball(problem: Problem) -> RiskCertificate:
    """Return a bound free of the number of columns; the ball of radius ``2^k`` gets ``2/(3 (|k|+1)(|k|+2))``
    of delta.
    """
    kind = "every model of the class"
    if problem.classes is not None:
        return refuse(
            problem, NAME, "the model is not a regression: for two classes see the margin bound", kind
        )
    why = why_no_class(problem) or why_no_radius(problem)
    form = problem.linear
    if why or isinstance(form, str) or problem.losses is None or problem.declared.radius is None:
        return refuse(problem, NAME, why, kind)
    extra = 1.0 if form.free_intercept else 0.0
    norm = math.hypot(math.sqrt(float((form.coef**2).sum())), extra * float(form.intercept[0]))
    k = 0 if norm == 0.0 else math.ceil(math.log2(norm))
    span = problem.high - problem.low
    # A clipped loss moves with the score only while it is inside its range.
    slope = 1.0 if problem.risk.startswith("absolute") else 2.0 * math.sqrt(max(problem.high, 0.0))
    share = 2.0 / (3.0 * (abs(k) + 1.0) * (abs(k) + 2.0))
    excess = rademacher(
        n=problem.n,
        delta=problem.delta / problem.tuning.class_candidates * share,
        radius=2.0**k * math.hypot(problem.declared.radius, extra),
        lipschitz=slope,
        loss_range=span,
    ).epsilon
    value = float(problem.losses.mean()) + excess
    words = (
        Assumption("the rows are drawn independently"),
        Assumption(f"||x|| <= {problem.declared.radius:g} for every row that can occur", "declared"),
        Assumption(f"losses clipped to [{problem.low:g}, {problem.high:g}]", "declared"),
        Assumption(f"weights of norm {norm:.4g}, in the ball of radius {2.0**k:g}", "computed"),
        *rows_of_fit(problem),
    )
    return RiskCertificate(
        NAME,
        min(value, problem.high),
        None,
        problem.delta,
        problem.n,
        words,
        value >= problem.high,
        kind=kind,
        risk=problem.risk,
    )
