"""The hard margin in the space of a kernel: a strength so small that no row keeps a loss, or a proof of
none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.estimators.linear.witness import find_witness
from empirisk.penalties import L2
from empirisk.problems.kernelised import KernelProblem
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["hard_strength"]

# Strengths that are tried, as shares of the mean of k(x, x) over S, and the largest slack that counts as
# none.
SHARES = tuple(10.0**-k for k in range(2, 10, 2))
NONE = 1e-4
TAIL = "give alpha > 0, which lets rows lie on the wrong side at a price"


def hard_strength(model: Any, rows: ArrayBlocks) -> tuple[float, KernelProblem]:
    """Return the largest strength tried at which no row is left within the margin, and its first problem.

    Below it all machines are the same: no weight of a row is at its limit.

    Raises
    ------
    ValueError
        When rows of different classes are equal; when the classes have a point in common in the space of
        the features, where these are few; or when every function that separates them has a norm above what
        the smallest strength allows, by weak duality.
    """
    starts: list[Array | None] | None = None
    shared: KernelProblem | None = None
    norm = 0.0
    _refuse_overlap(model._problems(rows, 1.0))
    for share in SHARES:
        first = model._problems(rows, 1.0)[0]
        alpha = share * (float(first.diagonal.mean()) or 1.0) / rows.total_weight
        problems = model._problems(rows, alpha)
        if shared is not None:
            problems[0].facts.share(shared.facts)
        shared = problems[0]
        solutions = model._all_solved(problems, starts or [None] * len(problems))
        starts = [s.w for s in solutions]
        slack = 0.0
        for problem, solution in zip(problems, solutions, strict=True):
            a, b = problem.split(solution.w)
            f = problem.times_kernel(a)
            live = problem.data.weight > 0.0
            slack = max(slack, float(problem.loss.value(problem.data.y[live], f[live] + b).max()))
            norm = max(norm, float(np.sqrt(max(0.0, float(a @ f)))))
        if slack <= NONE:
            return float(alpha), shared
    raise ValueError(_why(rows, norm))


def _refuse_overlap(problems: list[KernelProblem]) -> None:
    """Refuse classes with a point in common, where the kernel has few features: a linear programme knows."""
    for problem in problems:
        features = problem.kernel.explicit(problem.rows)
        if features is None:
            return
        live = np.flatnonzero(problem.data.weight > 0.0)
        rows = ArrayBlocks(Design(features[live]), problem.data.y[live], problem.data.weight[live])
        flat = LinearProblem(problem.loss, L2(problem.alpha), rows, problem.intercept)
        witness = find_witness(flat, np.ones(len(live)))
        if witness is not None:
            named = ", ".join(str(live[row]) for row in witness.rows)
            raise ValueError(
                "alpha=0 asks for a hard margin, and the classes have a point in common: a mean of rows of "
                f"one class is a mean of rows of the other (rows {named}); {TAIL}"
            )


def _why(rows: ArrayBlocks, norm: float) -> str:
    """Return the pair of equal rows of two classes, or the norm that a separating function would need."""
    X = rows.design.X
    dense = X.toarray() if rows.design.sparse else np.asarray(X)
    live = np.flatnonzero(rows.weight > 0.0)
    order = live[np.lexsort(dense[live].T)]
    same = (dense[order[1:]] == dense[order[:-1]]).all(axis=1) & (rows.y[order[1:]] != rows.y[order[:-1]])
    asked = "alpha=0 asks for a hard margin"
    if same.any():
        at = int(np.flatnonzero(same)[0])
        i, j = sorted((int(order[at]), int(order[at + 1])))
        return f"{asked}, and rows {i} and {j} are equal but of different classes: {TAIL}"
    return (
        f"{asked}, and the classes were not separated: a separating function of this kernel has a norm "
        f"above {norm:.3g}, or there is none; {TAIL}"
    )
