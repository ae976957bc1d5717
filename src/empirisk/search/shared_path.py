"""Candidates that differ in the strength of a penalty only: one warm-started path in place of many fits.

The steps of a pipeline before the model are fitted once, the model's problem is set up once, and each
strength starts from the one before. Every strength is solved to the same certificate as a fit of its own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone

from empirisk.estimators.linear.base import LinearEstimator
from empirisk.search.points import Params
from empirisk.solvers.by_target import path_by_target
from empirisk.solvers.path import solve_path


@dataclass(frozen=True)
class Bundle:
    """Candidates that are fitted together on each split.

    Parameters
    ----------
    members : tuple of int
        Positions of the candidates; along a path by falling strength.
    strength : str
        Name of the parameter that varies; empty for a candidate by itself.
    """

    members: tuple[int, ...]
    strength: str = ""


def bundles(est: Any, points: Sequence[Params], members: Sequence[int]) -> list[Bundle]:
    """Group candidates by everything but the strength of an L1 or L2 penalty."""
    groups: dict[str, list[int]] = {}
    names: dict[str, str] = {}
    for i in members:
        name = _strength_name(est, points[i])
        key = f"alone {i}"
        if name:
            rest = {k: v for k, v in points[i].items() if k != name}
            try:
                key = f"{name} {joblib.hash(rest)}"
            except Exception:  # what cannot be hashed is fitted by itself
                name = ""
        groups.setdefault(key, []).append(i)
        names[key] = name
    out = []
    for key, group in groups.items():
        if len(group) == 1:
            out.append(Bundle((group[0],)))
        else:
            order = sorted(group, key=lambda i: -float(points[i][names[key]]))
            out.append(Bundle(tuple(order), names[key]))
    return out


def _strength_name(est: Any, point: Params) -> str:
    """Return the parameter that is the penalty strength of a linear model of ours at its end; "" for none."""
    alphas = [name for name in point if name == "alpha" or name.endswith("__alpha")]
    if len(alphas) != 1 or not _positive(point[alphas[0]]):
        return ""
    try:
        model, prefix = clone(est).set_params(**clone(point, safe=False)), ""
    except Exception:  # the fit itself will say what is wrong with these parameters
        return ""
    while hasattr(model, "steps") and model.steps:
        step, model = model.steps[-1]
        prefix += f"{step}__"
    return alphas[0] if isinstance(model, LinearEstimator) and alphas[0] == f"{prefix}alpha" else ""


def _positive(value: Any) -> bool:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return bool(number and 0.0 < value < np.inf)


def fit_path(
    configured: Any, X: Any, y: Any, X_new: Any, alphas: Sequence[float]
) -> tuple[list[Any], Any, float]:
    """Models at falling strengths, the new rows as those models want them, and the seconds it took.

    Parameters
    ----------
    configured : estimator or pipeline
        Unfitted; ends in a linear model of ours, whose own strength is ignored.
    X, y, X_new
        Training rows, their targets, and the rows that will be predicted.
    alphas : sequence of float
        Strengths > 0, falling.
    """
    start = time.perf_counter()
    while hasattr(configured, "steps"):
        before, model = configured[:-1], configured.steps[-1][1]
        if len(before):
            X = before.fit_transform(X, y)
            X_new = before.transform(X_new)
        configured = model
    models = _path_of(configured, X, y, alphas)
    return models, X_new, time.perf_counter() - start


def _path_of(est: Any, X: Any, y: Any, alphas: Sequence[float]) -> list[Any]:
    first = clone(est).set_params(alpha=alphas[0])
    problem = first._prepare(X, y, None, fitting=True)
    steps = first.max_iter

    def walk(part: Any, strengths: Any, tol: float) -> Any:
        return solve_path(part, strengths, tol=tol, solver=first.solver, max_steps=steps)

    solutions = path_by_target(problem, np.asarray(alphas, dtype=np.float64), walk, tol=first._tolerance())
    learned = {k: v for k, v in vars(first).items() if k not in first.get_params(deep=False)}
    models = []
    for alpha, solution in zip(alphas, solutions, strict=True):
        model = clone(est).set_params(alpha=alpha)
        vars(model).update(learned)
        model._finish(problem.with_strength(float(alpha)), solution)
        models.append(model)
    return models
