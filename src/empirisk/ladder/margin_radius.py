"""Rung: the margin bound of linear classifiers."""

from __future__ import annotations

import math

import numpy as np

from empirisk.bounds import margin
from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.ladder.class_bound import why_no_class
from empirisk.ladder.radius import row_norms, why_no_radius
from empirisk.results import Assumption, RiskCertificate

__all__ = ["margin_radius"]

NAME = "margin"


def margin_radius(problem: Problem) -> RiskCertificate:
    """Return the share of rows inside a margin and a term free of the number of columns; the best of 60
    margins.
    """
    why = why_no_class(problem)
    form = problem.linear
    if not why and not problem.two_classes:
        why = "the theorem is about two classes"
    why = why or why_no_radius(problem)
    if why or isinstance(form, str) or problem.declared.radius is None:
        return refuse(problem, NAME, why)
    extra = 1.0 if form.free_intercept else 0.0
    length = math.sqrt(float(np.square(form.coef).sum()) + extra * float(form.intercept[0]) ** 2)
    if length == 0.0:
        return refuse(problem, NAME, "all coefficients are zero: there is no margin")
    radius = math.hypot(problem.declared.radius, extra)
    distance = problem.signs * form.scores()[:, 0] / length
    delta = problem.delta / problem.tuning.class_candidates

    def at(gap: float) -> float:
        inside = float(np.mean(distance < gap))
        made = margin(n=problem.n, delta=delta, margin=gap, row_norm=radius, any_margin=True)
        return inside + made.epsilon

    gaps = radius * np.geomspace(1.0, 1e-4, 60)
    values = [at(float(gap)) for gap in gaps]
    best = int(np.argmin(values))
    words = f"||x|| <= {problem.declared.radius:g} for every row that can occur"
    return RiskCertificate(
        NAME,
        min(1.0, values[best]),
        None,
        problem.delta,
        problem.n,
        (
            Assumption("the rows are drawn independently"),
            Assumption(words, "declared"),
            Assumption(f"largest norm among the rows {row_norms(problem).max():.4g}", "computed"),
            *rows_of_fit(problem),
        ),
        values[best] >= 1.0,
        kind="every model of the class",
        risk=problem.risk,
    )
