"""Kernel problems whose kernel has few features are linear problems: they are solved as such."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.penalties import L2
from empirisk.problems.base import judged
from empirisk.problems.kernelised import KernelProblem
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.solvers.solve import solve
from empirisk.typing import Capability

__all__ = ["by_features"]


def by_features(problem: KernelProblem, tol: float, max_steps: int) -> Solution | None:
    """Return the solution by way of ``w = phi' a`` where the kernel tells its features phi, else None.

    Losses with kinks alone: of smooth ones the slopes, and with them the weights, are rougher than w.

    The multipliers of the rows give the weights back: ``a_i = s_i theta_i / (S alpha)``.
    """
    kinked = Capability.PIECEWISE_LINEAR in problem.loss.offers
    features = problem.kernel.explicit(problem.rows) if kinked else None
    if features is None:
        return None
    ended = problem.preflight()
    if ended is not None:
        return ended
    data = problem.data
    rows = ArrayBlocks(Design(features), data.y, data.weight)
    flat = LinearProblem(problem.loss, L2(problem.alpha), rows, problem.intercept)
    found = solve(flat, tol=tol, max_steps=max_steps)
    _, b = flat.split(found.w)
    theta = found.dual
    if theta is None:
        theta = -problem.loss.grad(data.y, np.asarray(flat.scores(found.w), dtype=np.float64))
    if problem.intercept:
        theta = problem.loss.balance(data.y, np.asarray(theta, dtype=np.float64), data.weight)
    a = data.weight * theta / (data.total_weight * problem.alpha)
    w = problem.join(a, float(b))
    certificate = problem.certify(w, None, 0.0, theta)
    if not certificate.within(tol):
        return None  # the multipliers are rougher than the coefficients: the rows are moved themselves
    return judged(replace(found, w=w, certificate=certificate, dual=theta, state=None), certificate, tol)
