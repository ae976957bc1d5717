"""Where a fit begins that goes on from the one before: its coefficients, if the parameters mean the same.

A warm start moves no minimum of a convex problem; it saves the steps to its neighbourhood.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["fitted_before", "no_worse_than_null"]


def fitted_before(est: Any, problem: LinearProblem, before: Mapping[str, Any]) -> Array | None:
    """Return the parameters of the fit before, in the layout of the problem.

    Parameters
    ----------
    est : estimator
        A linear one in its fit: classes and columns are learned, coefficients are still those of the fit
        before.
    problem : LinearProblem
        That is to be solved.
    before : mapping
        The attributes of the estimator when the fit began.

    Returns
    -------
    array or None
        None where there was no fit, or one with other classes, columns, names of columns or targets.
    """
    if "coef_" not in before or "intercept_" not in before:
        return None
    if not np.array_equal(before.get("classes_", ()), getattr(est, "classes_", ())):
        return None
    if not _same_names(_names(before), _names(vars(est))):
        return None
    blank = clone(est)
    blank._unpack(problem, problem.zeros())  # in the public layout, which tells one target from a column
    if np.shape(before["coef_"]) != np.shape(blank.coef_):
        return None
    w: Array = est._pack(problem)
    return w if np.isfinite(w).all() else None


def no_worse_than_null(problem: LinearProblem, w: Array | None) -> Array | None:
    """Return w, or None where the model without columns is a better start.

    Coefficients of rows in other units may be far off, where a mean ``exp(x.w)`` overflows.
    """
    if w is None:
        return None
    near, there = problem.near(w)
    with np.errstate(over="ignore", invalid="ignore"):
        here = near.objective(there, near.evaluate(there))
    null = near.objective(near.null, near.null_evaluation)
    return w if here <= null else None


def _names(attributes: Mapping[str, Any]) -> Any:
    """Return the names of the columns of the coefficients, None where they have none."""
    factors = attributes.get("_factors")
    return attributes.get("feature_names_in_") if factors is None else factors.terms


def _same_names(one: Any, other: Any) -> bool:
    """Return whether both are without names, or have the same ones in the same order."""
    if one is None or other is None:
        return one is other
    return list(one) == list(other)
