"""What the rungs on regularised loss minimisation share: the constants of the theorem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.estimators import LogisticRegression
from empirisk.ladder.base import Problem, rows_of_fit
from empirisk.ladder.radius import why_no_radius
from empirisk.problems.linear import LinearProblem
from empirisk.results import Assumption
from empirisk.typing import Array

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


def constants(problem: Problem, *, expectation: bool = False) -> Constants | str:
    """Return the constants of the fitted model, or why the theorem is not about it.

    The 0-1 loss is at most ``log(1 + exp(-y z))/log 2``: a bound on the logistic risk is one on the rate of
    errors. A theorem about an expectation allows for no choice of settings on the rows.
    """
    model, tuning = problem.model, problem.tuning
    why = _why_not(problem) or (tuning.expectation_reason if expectation else tuning.reason)
    strength = 0.0 if why else _strength(model, problem.n)
    if not why and not strength > 0.0:
        why = "there is no L2 penalty: the objective is not strongly convex"
    why = why or problem.features.fixed or why_no_radius(problem)
    radius = problem.declared.radius
    if why or radius is None or problem.classes is None:
        return why
    lp, w = _problem(problem, strength)
    gap = lp.certify(w).suboptimality()
    if gap is None:
        return "the fit carries no bound on its distance from the optimum"
    words = (
        Assumption("the rows are drawn independently"),
        Assumption(f"||x|| <= {radius:g} for every row that can occur", "declared"),
        Assumption(f"alpha = {strength:.4g}, duality gap {gap:.2g}", "computed"),
        Assumption("the model was fitted without sample weights"),
        *rows_of_fit(problem),
    )
    mean_loss = float(lp.value(w) - lp.penalty.value(w))
    return Constants(radius, strength, max(0.0, gap), mean_loss, math.log(2.0), words)


def _why_not(problem: Problem) -> str:
    model = problem.model
    if problem.classes is None:
        return "the model is not a minimiser of a Lipschitz loss: the squared error grows without limit"
    if type(model).__name__ != "LogisticRegression":
        return "the model is not a certified minimiser of a Lipschitz loss (er.LogisticRegression is one)"
    if not problem.two_classes:
        return "the theorem is about two classes"
    if model.fit_intercept:
        return "the intercept is free: the theorem is about penalised weights; fit with fit_intercept=False"
    if model.class_weight is not None:
        return "class weights depend on all rows: fit with class_weight=None"
    return ""


def _strength(model: Any, n: int) -> float:
    """Return the modulus of strong convexity on our scale; scikit-learn's C is 1/(n alpha)."""
    l1_ratio = float(model.l1_ratio or 0.0)
    if hasattr(model, "alpha_"):
        return float(model.alpha_) * (1.0 - l1_ratio)
    plain = getattr(model, "penalty", "l2") in ("l2", "deprecated") and l1_ratio == 0.0
    return 1.0 / (n * float(model.C)) if plain and math.inf > model.C else 0.0


def _problem(problem: Problem, strength: float) -> tuple[LinearProblem, Array]:
    """Return the optimisation problem and the point that the model returned, certified by our own dual
    point.
    """
    model = problem.model
    labels = np.asarray(problem.classes)[problem.y]
    ours = model if hasattr(model, "problem") else LogisticRegression(strength, fit_intercept=False)
    lp = ours.problem(problem.features.table, labels)
    return lp, np.asarray(model.coef_, dtype=lp.design.dtype).ravel()
