"""Problems with several targets and a penalty that separates over them: one target at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.row_blocks import ArrayBlocks
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution, Status
from empirisk.solvers.base import solve

__all__ = ["solve_by_target"]


def solve_by_target(
    problem: LinearProblem, solver: Any = "auto", *, tol: float, max_steps: int
) -> Solution:
    """Solve each column of y by itself and certify the whole.

    Parameters
    ----------
    problem : LinearProblem
        Half-squared loss with ``n_outputs >= 1``.
    solver, tol, max_steps
        As in :func:`empirisk.solvers.solve`; `tol` then bounds each target's relative certificate, and the
        certificate of the whole is computed afresh.
    """
    data = problem.data
    parts = [
        solve(
            LinearProblem(
                problem.loss,
                problem.penalty,
                ArrayBlocks(data.design, np.ascontiguousarray(column), data.weight),
                problem.intercept,
            ),
            solver,
            tol=tol,
            max_steps=max_steps,
        )
        for column in data.y.T
    ]
    w = np.stack([part.w for part in parts], axis=1)
    worst = next((p.status for p in parts if not p.status.ok), Status.CERTIFIED)
    return Solution(
        w=w,
        status=worst,
        certificate=problem.certify(w),
        n_steps=max(p.n_steps for p in parts),
        n_passes=sum(p.n_passes for p in parts),
        note="; ".join(sorted({p.note for p in parts if p.note})),
        solver=parts[0].solver,
    )
