"""Rung: the margin bound of linear classifiers, and of machines that are linear in the space of a kernel."""

from __future__ import annotations

import math

import numpy as np

from empirisk.bounds import margin
from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.ladder.class_bound import why_no_class
from empirisk.ladder.kernel_machine import KernelMachine, kernel_machine
from empirisk.ladder.radius import row_norms, why_no_radius
from empirisk.results import Assumption, RiskCertificate

__all__ = ["margin_radius"]

NAME = "margin"


def margin_radius(problem: Problem) -> RiskCertificate:
    """Return the share of rows inside a margin and a term free of the number of columns; the best of 60
    margins.
    """
    found = _linear(problem)
    if isinstance(found, str):
        return refuse(problem, NAME, found)
    length = math.hypot(found.norm, found.intercept)
    if length == 0.0:
        return refuse(problem, NAME, "all coefficients are zero: there is no margin")
    radius = math.hypot(found.radius, 1.0 if found.free else 0.0)
    distance = problem.signs * found.scores / length
    delta = problem.delta / problem.tuning.class_candidates

    def at(gap: float) -> float:
        inside = float(np.mean(distance < gap))
        made = margin(n=problem.n, delta=delta, margin=gap, row_norm=radius, any_margin=True)
        return inside + made.epsilon

    gaps = radius * np.geomspace(1.0, 1e-4, 60)
    values = [at(float(gap)) for gap in gaps]
    best = int(np.argmin(values))
    return RiskCertificate(
        NAME,
        min(1.0, values[best]),
        None,
        problem.delta,
        problem.n,
        (
            Assumption("the rows are drawn independently"),
            Assumption(found.words, found.basis),
            Assumption(f"largest norm among the rows {found.longest:.4g}", "computed"),
            *rows_of_fit(problem),
        ),
        values[best] >= 1.0,
        kind="every model of the class",
        risk=problem.risk,
    )


def _linear(problem: Problem) -> KernelMachine | str:
    """Return the model as a vector in the space of its features, or why its margin says nothing."""
    form = problem.linear
    if isinstance(form, str) and hasattr(problem.model, "kernel_"):
        return kernel_machine(problem)
    why = why_no_class(problem)
    if not why and not problem.two_classes:
        why = "the theorem is about two classes"
    why = why or why_no_radius(problem)
    radius = problem.declared.radius
    if why or isinstance(form, str) or radius is None:
        return why
    b = float(form.intercept[0]) if form.free_intercept else 0.0
    norm = math.sqrt(float(np.square(form.coef).sum()))
    words = f"||x|| <= {radius:g} for every row that can occur"
    longest = float(row_norms(problem).max())
    return KernelMachine(
        norm, b, form.free_intercept, form.scores()[:, 0], radius, words, "declared", longest
    )
