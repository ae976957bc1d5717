"""What the rungs on regularised loss minimisation share: the constants of the theorem."""

from __future__ import annotations

import math
from dataclasses import dataclass

from empirisk.results import Assumption
from empirisk.selection.ladder.base import Problem, rows_of_fit
from empirisk.selection.ladder.radius import why_no_radius

__all__ = ["Constants", "constants"]


@dataclass(frozen=True)
class Constants:
    """``rho``, ``alpha`` and the certified gap of a fit, its training loss, and the loss at w = 0."""

    rho: float
    alpha: float
    gap: float
    mean_loss: float
    at_zero: float
    words: tuple[Assumption, ...]


def constants(problem: Problem) -> Constants | str:
    """The constants of the fitted model, or why the theorem is not about it.

    The 0-1 loss is at most ``log(1 + exp(-y z))/log 2``: a bound on the logistic risk is one on the rate of
    errors.
    """
    model = problem.model
    if not hasattr(model, "certificate_") or type(model).__name__ != "LogisticRegression":
        return "the model is not a certified minimiser of a Lipschitz loss (er.LogisticRegression is one)"
    if not problem.two_classes:
        return "the theorem is about two classes"
    if model.fit_intercept:
        return "the intercept is free: the theorem is about penalised weights; fit with fit_intercept=False"
    if model.class_weight is not None:
        return "class weights depend on all rows: fit with class_weight=None"
    strength = float(model.alpha_) * (1.0 - float(model.l1_ratio))
    if not strength > 0.0:
        return "there is no L2 penalty: the objective is not strongly convex"
    why = problem.features.fixed or why_no_radius(problem)
    gap = model.certificate_.suboptimality()
    if why or problem.declared.radius is None:
        return why
    if gap is None:
        return "the fit carries no bound on its distance from the optimum"
    lp = model.problem(
        problem.features.Z, problem.classes[problem.y] if problem.classes is not None else problem.y
    )
    mean_loss = float(lp.value(model._pack(lp)) - lp.penalty.value(model._pack(lp)))
    radius = problem.declared.radius
    words = (
        Assumption("the rows are drawn independently"),
        Assumption(f"||x|| <= {radius:g} for every row that can occur", "declared"),
        Assumption(f"alpha = {strength:.4g}, duality gap {gap:.2g}", "computed"),
        *rows_of_fit(problem),
    )
    return Constants(radius, strength, max(0.0, gap), mean_loss, math.log(2.0), words)
