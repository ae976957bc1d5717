"""Problems with several targets and a penalty that separates over them: one target at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution, Status
from empirisk.solvers.one_by_one import single_problems, together
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["path_by_target", "single_starts", "single_targets", "solve_by_target"]

PathSolver = Callable[..., Iterable[Solution]]


def single_targets(problem: LinearProblem) -> list[LinearProblem]:
    """Return one problem for each column of y, or for each class versus the rest; else the problem itself."""
    if problem.loss.by_class is not None:
        return single_problems(problem)
    if not problem.n_outputs or not problem.loss.quadratic or np.isfinite(problem.penalty.smoothness):
        return [problem]
    data = problem.data
    return [
        replace(problem, data=ArrayBlocks(data.design, np.ascontiguousarray(y), data.weight), n_outputs=0)
        for y in data.y.T
    ]


def solve_by_target(
    problem: LinearProblem, solver: Any = "auto", *, w0: Array | None = None, tol: float, max_steps: int
) -> Solution:
    """Solve each target by itself (each to relative `tol`) and certify the whole afresh.

    Parameters
    ----------
    problem : LinearProblem
        Any linear problem; one that need not be split is solved as it is.
    solver, w0, tol, max_steps
        As in :func:`empirisk.solvers.solve`; each target begins at its own column of w0.
    """
    if problem.moved is not None:
        near = None if w0 is None else problem.moved[0].to_near(w0)
        found = solve_by_target(problem.moved[1], solver, w0=near, tol=tol, max_steps=max_steps)
        return problem.from_near(found, tol)
    parts = single_targets(problem)
    starts = single_starts(w0, parts, problem)
    solved = [
        solve(p, solver, w0=start, tol=tol, max_steps=max_steps)
        for p, start in zip(parts, starts, strict=True)
    ]
    return _joined(problem, solved)


def path_by_target(
    problem: LinearProblem, alphas: Array, path: PathSolver, *, tol: float
) -> Iterator[Solution]:
    """Yield the same for a whole path: ``path(problem, alphas, tol=tol)`` on each target.

    Strengths are solved one by one where `path` is lazy, as :func:`empirisk.solvers.path.walk_path` is.
    """
    if problem.moved is not None:
        found = path_by_target(problem.moved[1], alphas, path, tol=tol)
        for alpha, solution in zip(alphas, found, strict=True):
            yield problem.with_strength(float(alpha)).from_near(solution, tol)
        return
    paths = [path(p, alphas, tol=tol) for p in single_targets(problem)]
    for alpha, parts in zip(alphas, zip(*paths, strict=True), strict=True):
        alone = parts[0].w.shape == problem.shape
        yield parts[0] if alone else _joined(problem.with_strength(float(alpha)), list(parts))


def single_starts(
    w0: Array | None, parts: Sequence[LinearProblem], problem: LinearProblem
) -> list[Array | None]:
    """Return where each of the parts of a problem begins, its own column of the start of the whole."""
    if w0 is None:
        return [None] * len(parts)
    if len(parts) == 1 and parts[0].shape == problem.shape:
        return [w0]
    return [np.ascontiguousarray(column) for column in w0.T]


def _joined(problem: LinearProblem, parts: list[Solution]) -> Solution:
    if parts[0].w.shape == problem.shape:
        return parts[0]
    if problem.loss.by_class is not None:
        return together(problem, parts)
    w = np.stack([part.w for part in parts], axis=1)
    return Solution(
        w=w,
        status=next((p.status for p in parts if not p.status.ok), Status.CERTIFIED),
        certificate=problem.certify(w),
        n_steps=max(p.n_steps for p in parts),
        n_passes=sum(p.n_passes for p in parts),
        note="; ".join(sorted({p.note for p in parts if p.note})),
        solver=parts[0].solver,
    )
