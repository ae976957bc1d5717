"""Exact leave-one-out errors of kernel ridge regression, for all strengths from one eigendecomposition.

With ``M = K + alpha S diag(1/s)`` and G the upper left block of the inverse of M bordered by ones (M's own
inverse without an intercept), the residual of a row that is left out is ``a_i / G_ii`` (Rifkin and Lippert
2007).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.linalg import eigh

from empirisk.data.design import Design
from empirisk.data.memory import refuse_memory
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.threads import for_rows
from empirisk.estimators.folds import copies
from empirisk.estimators.kernel.strength import strengths
from empirisk.estimators.linear.tune import StrengthSelection, in_own_unit
from empirisk.problems.kernelised import KernelProblem
from empirisk.problems.mercer import refuse_no_kernel
from empirisk.typing import Array

__all__ = ["left_out_residuals", "select_by_left_out"]


def select_by_left_out(problem: KernelProblem, alphas: Any, rule: str) -> StrengthSelection:
    """Return the strengths with their leave-one-out losses, half the mean square of the residuals.

    Parameters
    ----------
    problem : KernelProblem
        With the squared loss, at any strength; it has the kernel matrix afterwards, unless rows have copies.
    alphas : int or list of floats
        As :func:`empirisk.estimators.kernel.strength.strengths` takes them.
    rule : str
        ``"min"`` or ``"one_se"``.
    """
    unit = replace(problem, data=in_own_unit(problem.data))
    refuse_no_kernel(unit)
    given, problem = problem, distinct(unit)
    s = problem.data.weight
    live = int(np.count_nonzero(s))
    if live < 2:
        raise ValueError(
            f'alpha="cv" needs at least 2 distinct rows for leave-one-out, got n_samples = {live}'
        )
    grid = strengths(problem, alphas, 6.0)
    lost = 0.5 * left_out_residuals(problem, grid)[:, s > 0.0] ** 2
    if problem is unit:
        given.facts.share(unit.facts)
    share = s[s > 0.0] / problem.data.total_weight
    mean = lost @ share
    spread = np.sqrt(np.square(lost - mean[:, None]) @ share)
    se = spread * np.sqrt(np.square(share).sum())
    return StrengthSelection(grid, mean, se, np.empty((0, len(grid))), rule, "exact leave-one-out")


def distinct(problem: KernelProblem) -> KernelProblem:
    """Return the problem with copies of a row as one row of their weight: they are left out together."""
    data = problem.data
    first, group = copies(data.design, data.y)
    if len(first) == len(data.y):
        return problem
    weight: Array = np.bincount(group, data.weight, len(first)).astype(np.float64)
    X = data.design.X
    rows = X[first][:, first] if problem.kernel.precomputed else X[first]
    return replace(problem, data=ArrayBlocks(Design(rows), data.y[first], weight))


def left_out_residuals(problem: KernelProblem, alphas: Array) -> Array:
    """Return ``y_i - prediction of row i by the fit without it``, shape (number of strengths, n).

    Rows of weight 0 take no part: their residuals are those of the fit.

    Notes
    -----
    About ``9 n^3`` flops for the eigenvalues of ``diag(sqrt s) K diag(sqrt s)``, and ``2 n^2`` a strength.
    """
    n = problem.n
    refuse_memory(
        f"the eigenvectors of the kernel matrix of {n} rows",
        32.0 * float(n) ** 2,
        "give alpha as a number, or choose it by folds (cv=5)",
    )
    y, s = problem.data.y, problem.data.weight
    live = np.flatnonzero(s > 0.0)
    root = np.sqrt(s[live])
    K = problem.gram.matrix()
    A = K.copy() if len(live) == n else K[np.ix_(live, live)]
    A *= root
    A *= root[:, None]
    with for_rows(len(live)):
        value, vector = eigh(A, overwrite_a=True, check_finite=False, driver="evd")
    value = np.maximum(value, 0.0)
    squared = np.square(vector)
    ones, target = vector.T @ root, vector.T @ (root * y[live])
    out = np.zeros((len(alphas), n))
    for k, alpha in enumerate(alphas):
        inverse = 1.0 / (value + alpha * problem.data.total_weight)
        diagonal = s[live] * (squared @ inverse)
        a = target * inverse
        if problem.intercept:
            u, mass = ones * inverse, float(ones @ (ones * inverse))
            a = a - u * (float(ones @ a) / mass)
            diagonal = diagonal - np.square(root * (vector @ u)) / mass
        out[k, live] = root * (vector @ a) / diagonal
    return out
