"""Rung: sample compression, a support vector machine as its support vectors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from empirisk.bounds import compression
from empirisk.evaluation.rows import take_rows
from empirisk.ladder.base import Problem, refuse, rows_of_fit
from empirisk.ladder.kernel_machine import learned_kernel
from empirisk.results import Assumption, RiskCertificate

__all__ = ["support_of", "support_vectors", "why_no_support"]

NAME = "compression to support vectors"
MACHINES = ("SVC", "LinearSVC")


def support_vectors(problem: Problem) -> RiskCertificate:
    """Return a compression bound: fitted to its support vectors alone the machine is the same, and the other
    rows test it.
    """
    why = problem.tuning.reason or why_no_support(problem)
    if why:
        return refuse(problem, NAME, why)
    kept = support_of(problem)
    if kept.size == problem.n:
        return refuse(problem, NAME, "every row is a support vector: no row is left to test on")
    if problem.classes is None or np.unique(problem.y[kept]).size < problem.classes.size:
        return refuse(problem, NAME, "the support vectors lack a class")
    twin = _twin(problem, kept.size)
    labels = problem.classes[problem.y]
    twin.fit(take_rows(problem.features.table, kept), labels[kept])
    again = twin.predict(problem.features.table)
    rest = np.ones(problem.n, dtype=bool)
    rest[kept] = False
    wrong = int(np.count_nonzero((again != labels) & rest))
    moved = int(np.count_nonzero(again != problem.est.predict(problem.X)))
    made = compression(wrong, problem.n, kept.size, problem.delta, candidates=problem.tuning.candidates or 1)
    same = "the same prediction on every row" if not moved else f"other predictions on {moved} rows"
    words = f"fitted to its {kept.size:,} support vectors alone it gives {same}"
    return replace(
        made,
        bound=NAME,
        kind="the fitted model" if not moved else "the model refitted to its support vectors",
        assumptions=(made.assumptions[0], Assumption(words, "computed"), *rows_of_fit(problem)),
        risk=problem.risk,
    )


def why_no_support(problem: Problem) -> str:
    """Return why the support vectors alone do not determine the model; empty when they do."""
    model, end = problem.model, "the support vectors alone do not determine the model"
    asked = hasattr(model, "kernel_") and hasattr(model, "margin_")
    if not asked and type(model).__name__ not in MACHINES:
        return "the model is not a support vector machine: no few of the rows determine it"
    if problem.features.fixed:
        return f"{problem.features.fixed}: {end}"
    if isinstance(model.class_weight, str):
        return f"balanced class weights depend on all rows: {end}"
    if asked and (why := learned_kernel(model)):
        return f"{why}: {end}"
    if getattr(model, "kernel", "") in ("rbf", "poly", "sigmoid") and model.gamma == "scale":
        return 'gamma="scale" is computed from all rows: pass a number (or "auto")'
    return "" if problem.features.Z is not None else "the columns are not all finite numbers"


def _twin(problem: Problem, kept: int) -> Any:
    """Return the machine that is to be fitted to so many of the rows, each at the price that it has now.

    A strength on the scale of the mean loss has to rise when there are fewer rows.
    """
    model = problem.model
    if not hasattr(model, "kernel_"):
        return clone(model)
    alpha = 0.0 if model.alpha == 0.0 else model.alpha_ * problem.n / kept
    return clone(model).set_params(alpha=alpha, probability=False)


def support_of(problem: Problem) -> NDArray[np.intp]:
    """Return the rows on or inside the margin (LinearSVC does not list them: with its solver's tolerance)."""
    model: Any = problem.model
    if hasattr(model, "support_"):
        return np.sort(np.asarray(model.support_, dtype=np.intp))
    scores = np.asarray(model.decision_function(problem.features.table), dtype=np.float64)
    if scores.ndim == 1:
        active = np.asarray(problem.signs * scores <= 1.0 + 1e-3)
    else:
        signs = np.where(np.arange(scores.shape[1]) == problem.y[:, None], 1.0, -1.0)
        active = np.asarray((signs * scores <= 1.0 + 1e-3).any(axis=1))
    return np.flatnonzero(active)
