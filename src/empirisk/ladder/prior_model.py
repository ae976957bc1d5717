"""A prior from a linear model that was fitted to other rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.ladder.base import Problem
from empirisk.ladder.features import feature_map
from empirisk.ladder.linear import LinearForm, linear_form

__all__ = ["prior_form"]


def prior_form(problem: Problem, form: LinearForm) -> LinearForm | str | None:
    """Return the declared model in the columns of the fitted one, or why it is no prior; None without one."""
    prior: Any = problem.declared.prior
    if prior is None:
        return None
    classes = getattr(prior, "classes_", None)
    if classes is None or not np.array_equal(np.asarray(classes), np.asarray(problem.classes)):
        return "the prior model does not know the same classes"
    features = feature_map(prior, problem.X)
    codes = np.searchsorted(np.asarray(classes), np.asarray(prior.predict(problem.X)))
    steps = getattr(prior, "steps", None)
    found = linear_form(steps[-1][1] if steps else prior, features, codes, classes)
    if isinstance(found, str):
        return f"the prior model: {found}"
    if not _same(found.Z, form.Z):
        return "the prior model is linear in other features"
    if np.allclose(_direction(found), _direction(form), rtol=1e-9, atol=1e-12):
        return "the prior model has the weights of the fitted one: it was fitted to the same rows"
    return found


def _direction(form: LinearForm) -> Floats:
    w = np.append(form.coef[0], form.intercept)
    return np.asarray(w / max(float(np.linalg.norm(w)), 1e-300), dtype=np.float64)


def _same(a: Any, b: Any) -> bool:
    if a.shape != b.shape:
        return False
    return (a != b).nnz == 0 if hasattr(a, "tocsr") and hasattr(b, "tocsr") else bool(np.array_equal(a, b))
