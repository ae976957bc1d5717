"""Regularisation paths: one problem at many strengths, each warm-started from the one before."""

from __future__ import annotations

from collections.abc import Iterable

from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.solvers.base import solve

__all__ = ["solve_path"]


def solve_path(problem: LinearProblem, alphas: Iterable[float], *, tol: float = 1e-6) -> list[Solution]:
    """Solve at each strength in turn.

    Parameters
    ----------
    problem : LinearProblem
        At any strength.
    alphas : iterable of float
        Strengths, best in decreasing order.
    tol : float
        As in :func:`empirisk.solvers.solve`.
    """
    solutions: list[Solution] = []
    for alpha in alphas:
        start = solutions[-1].w if solutions else None
        solutions.append(solve(problem.with_strength(float(alpha)), w0=start, tol=tol))
    return solutions
