"""Regularisation paths: one problem at many strengths, each warm-started from the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.solvers.auto import choose
from empirisk.solvers.base import Solver
from empirisk.solvers.block_coordinate import BlockCoordinate
from empirisk.solvers.compress import compress
from empirisk.solvers.coordinate import Coordinate, CoordinateState
from empirisk.solvers.kept_newton import KeptNewton, KeptState
from empirisk.solvers.newton import Newton, NewtonState
from empirisk.solvers.normal_equations import keep_products
from empirisk.solvers.prox_newton import ProxNewton, ProxNewtonState
from empirisk.solvers.solve import solve

__all__ = ["solve_path", "walk_path"]

SHARE = 0.2  # of the tolerance goes to a working set, the rest to the columns outside it


def solve_path(
    problem: LinearProblem,
    alphas: Iterable[float],
    *,
    tol: float = 1e-6,
    solver: str | Solver = "auto",
    max_steps: int = 10_000,
) -> list[Solution]:
    """Return the solutions of :func:`walk_path` at all strengths.

    Examples
    --------
    >>> import numpy as np
    >>> from empirisk.data import ArrayBlocks, Design
    >>> from empirisk.losses import HalfSquared
    >>> from empirisk.penalties import L1
    >>> data = ArrayBlocks(Design(np.eye(2) * 2.0), np.array([3.0, 1.0]), np.ones(2))
    >>> path = solve_path(LinearProblem(HalfSquared(), L1(1.0), data, intercept=False), [2.0, 0.5])
    >>> [s.w.round(6).tolist() for s in path]
    [[0.5, 0.0], [1.25, 0.25]]
    """
    return list(walk_path(problem, alphas, tol=tol, solver=solver, max_steps=max_steps))


def walk_path(
    problem: LinearProblem,
    alphas: Iterable[float],
    *,
    tol: float = 1e-6,
    solver: str | Solver = "auto",
    max_steps: int = 10_000,
) -> Iterator[Solution]:
    """Solve at each strength in turn, each when it is asked for.

    With an L1 part the working set, its Gram matrix and the ranking of the columns are handed on, so that a
    strength usually costs one pass over X: the pass that certifies it.  Other penalties start from the
    parameters of the strength before, Newton's method also from its Hessian; least squares without an L1 part
    forms its products of columns (or rows) once.  Dense least squares with an L1 part and many more rows than
    columns is compressed to as many rows as columns first.

    Parameters
    ----------
    problem : LinearProblem
        At any strength.
    alphas : iterable of float
        Strengths, best in decreasing order.
    tol, solver, max_steps
        As in :func:`empirisk.solvers.solve`, at each strength.

    Yields
    ------
    Solution
        One for each strength, each with its own certificate.
    """
    alphas = [float(alpha) for alpha in alphas]
    if problem.moved is not None:
        found = walk_path(problem.moved[1], alphas, tol=tol, solver=solver, max_steps=max_steps)
        for alpha, solution in zip(alphas, found, strict=True):
            yield problem.with_strength(alpha).from_near(solution, tol)
        return
    small = compress(problem) if solver == "auto" and len(alphas) > 1 and problem.penalty.l1 > 0.0 else None
    if small is None:
        yield from _walk(problem, alphas, tol, solver, max_steps)
    else:
        yield from map(small.lift, _walk(small.problem, alphas, small.tolerance(tol), solver, max_steps))


def _walk(
    problem: LinearProblem, alphas: list[float], tol: float, solver: str | Solver, max_steps: int
) -> Iterator[Solution]:
    last: Solution | None = None
    if len(alphas) > 1 and _name(solver, problem.with_strength(alphas[0])) == "least_squares":
        keep_products(problem)
    for alpha in alphas:
        here = problem.with_strength(alpha)
        chosen = _warm(_name(solver, here), last, tol)
        start = None if last is None or _is_warm(chosen) else last.w
        last = solve(here, chosen, w0=start, tol=tol, max_steps=max_steps)
        yield last


def _name(solver: str | Solver, problem: LinearProblem) -> str | Solver:
    return choose(problem) if solver == "auto" else solver


def _warm(solver: str | Solver, last: Solution | None, tol: float) -> str | Solver:
    """Return the solver, with what the solve before knows about the columns."""
    state: Any = None if last is None else last.state
    if solver == "coordinate":
        return Coordinate(SHARE * tol, state if isinstance(state, CoordinateState) else None)
    if solver == "newton":
        return Newton(reuse=True, warm=state if isinstance(state, NewtonState) else None)
    if solver == "block_coordinate":
        return BlockCoordinate(SHARE * tol, state if isinstance(state, ProxNewtonState) else None)
    if solver == "kept_newton":
        return KeptNewton(state if isinstance(state, KeptState) else None)
    if solver == "prox_newton":
        return ProxNewton(SHARE * tol, state if isinstance(state, ProxNewtonState) else None)
    return solver


def _is_warm(solver: str | Solver) -> bool:
    return isinstance(solver, Coordinate | ProxNewton | KeptNewton) and solver.warm is not None
