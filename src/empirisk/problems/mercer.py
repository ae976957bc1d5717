"""Refuse problems whose kernel is none on their rows: ``a'K a`` has no lower bound there, and F no minimum.

Kernels that are proved by their formula are not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from empirisk.kernels.definite import refuse_indefinite, refuse_negative_diagonal
from empirisk.typing import Array

if TYPE_CHECKING:
    from empirisk.problems.kernelised import KernelProblem

__all__ = ["refuse_curved", "refuse_no_kernel"]

# Rows up to which the matrix is made for this question alone: its factor takes half a second.
FEW = 4_000


def refuse_no_kernel(problem: KernelProblem) -> None:
    """Refuse a kernel that is not proved and whose matrix on the rows with weight has a negative eigenvalue.

    Where the matrix is neither in memory nor small, the diagonal alone is looked at.

    Parameters
    ----------
    problem : KernelProblem
        It remembers which rows were looked at, for all problems that share its facts.

    Raises
    ------
    ValueError
        With rows that show it.
    """
    if problem.kernel.proved:
        return
    live = problem.data.weight > 0.0
    seen = problem.facts.definite
    if seen is not None and not (live & ~seen).any():
        return
    rows = np.flatnonzero(live)
    refuse_negative_diagonal(problem.kernel, problem.diagonal[rows], rows)
    K = None if problem.facts.gram is None else problem.facts.gram.whole
    if K is None:
        if problem.n > FEW:
            return
        K = problem.kernel.block(problem.rows)  # not kept: whether a solver has the matrix is its own choice
    K = K if len(rows) == problem.n else K[np.ix_(rows, rows)]
    refuse_indefinite(problem.kernel, K, rows, float(np.finfo(problem.data.design.X.dtype).eps))
    problem.facts.definite = live


def refuse_curved(problem: KernelProblem, a: Array, f: Array) -> None:
    """Refuse a kernel for which ``a'K a < 0`` beyond rounding.

    Parameters
    ----------
    problem : KernelProblem
    a : array, shape (n,)
        Weights of the rows.
    f : array, shape (n,)
        ``K a``.

    Raises
    ------
    ValueError
        With the largest of the weights.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows shows nothing
        square = float(a @ f)
        size = float(np.abs(a) @ np.sqrt(np.abs(problem.diagonal)))
    if square < -1e-9 * size * size:
        rows = np.argsort(-np.abs(a), kind="stable")[:3]
        named = ", ".join(f"{a[i]:.3g} at row {i}" for i in rows)
        raise ValueError(
            f"the kernel {problem.kernel.title} is not positive semi-definite on these rows: "
            f"a'K a = {square:.3g} for the weights a that the steps came to ({named}, ...); use a Mercer "
            "kernel"
        )
