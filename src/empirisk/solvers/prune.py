"""Coefficients that only rounding keeps from zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.solvers.standardise import column_scales

__all__ = ["prune"]

# Per standard deviation of its column, relative to the largest coefficient.
NEGLIGIBLE = 1e-9


def prune(problem: LinearProblem, solution: Solution) -> Solution:
    """Set coefficients of an L1 fit to zero that are below a billionth of the largest, and certify again.

    Redundant columns (both indicators of two classes, say) leave such traces.  The solution stays as it is
    when its certificate would be lost.

    Parameters
    ----------
    problem : LinearProblem
        What was solved; without an L1 part nothing is done.
    solution : Solution
        What a solver returned.
    """
    coef, b = problem.split(solution.w)
    if problem.penalty.l1 == 0.0 or not np.any(coef):
        return solution
    _, sd = column_scales(problem)
    size = (np.abs(coef).T * sd).T
    tiny = (coef != 0.0) & (size < NEGLIGIBLE * size.max())
    if not tiny.any():
        return solution
    w = problem.join(np.where(tiny, 0.0, coef), b)
    certificate = problem.certify(w, theta=solution.dual)
    kept = certificate.value <= max(2.0 * solution.certificate.value, certificate.floor)
    return replace(solution, w=w, certificate=certificate) if kept else solution
