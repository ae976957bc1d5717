"""Minimisation by looking: the objective on a grid of the weights that zooms in on its best point."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.standardise import Standardisation, standardise
from empirisk.typing import Array, Capability

__all__ = ["GridSearch"]

# Numbers of a block of scores (rows x grid points) that are held at once.
BLOCK = 4_000_000


@dataclass(frozen=True)
class GridState(State):
    """The change of variables, half the width of the grid, and the objective at its best point."""

    standard: Standardisation | None = None
    half: float = 1.0
    objective: float = np.inf


@dataclass(frozen=True)
class GridSearch:
    """``w = argmin of F over k^d points``, d the number of weights; then a grid of half the width around it.

    A best point on the border moves the grid without making it finer, so that a start far away is no loss.
    The weights are those of standardised columns.  For teaching: it shows what an objective looks like, and
    what `k^d` means.  The certificate is the problem's own and knows nothing of the grid.  For a Lipschitz
    loss the solution's note tells what the grid alone proves: F(w) is at most ``rho r`` above its minimum
    over the box of the last grid, r half the diagonal of a cell; to halve it takes ``2^d`` times the points.

    Parameters
    ----------
    points : int, default 9
        k, odd, >= 3: points a side.

    Notes
    -----
    ``n k^d`` a step, some three steps a digit of the weights.  Refused beyond three weights.

    Examples
    --------
    >>> import empirisk as er
    >>> problem = er.Ridge(alpha=0.5, fit_intercept=False).problem(np.eye(2), [1.0, -2.0])
    >>> er.solve(problem, "grid_search", tol=1e-12).w.round(6)
    array([ 0.5, -1. ])
    """

    points: int = 9

    name = "grid_search"
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.FEW_WEIGHTS,
            Capability.CONVEX,
            Capability.GRAD,
            Capability.SEPARABLE_PENALTY,
        }
    )

    def __post_init__(self) -> None:
        if self.points < 3 or self.points % 2 == 0:
            raise ValueError(f"points must be an odd number >= 3, got {self.points!r}")

    def init(self, problem: LinearProblem, w0: Array | None = None) -> GridState:
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        curvature = float(np.mean(problem.facts.null_curvature)) or 1.0
        standard = standardise(problem, curvature)
        half = 2.0 * max(problem.facts.null_slope / np.sqrt(curvature), np.sqrt(np.finfo(float).tiny))
        return GridState(w, problem.evaluate(w), standard=standard, half=half, objective=problem.value(w))

    def step(self, problem: LinearProblem, state: Any) -> GridState:
        side = np.linspace(-state.half, state.half, self.points)
        offsets = np.array(list(product(side, repeat=problem.n_params)))
        centre = state.standard.to_u(state.w)
        grid = np.stack([state.standard.to_w(centre + offset) for offset in offsets], axis=1)
        if problem.penalty.positive:
            grid[: problem.data.n_cols] = np.maximum(grid[: problem.data.n_cols], 0.0)
        values = objectives(problem, grid)
        best = int(np.argmin(values)) if np.isfinite(values).any() else len(values) // 2
        passes = state.n_passes + float(len(values)) + 2.0
        border = np.any(np.abs(offsets[best]) == state.half)
        better = values[best] < state.objective
        w = grid[:, best] if better else state.w
        half = state.half if border and better else 0.5 * state.half
        size = float(np.max(np.abs(centre), initial=0.0)) + state.half
        done = not np.isfinite(values).any() or (not better and half < 1e-17 * size)
        objective = min(float(values[best]), state.objective)
        note = _by_the_grid(problem, state, self.points)
        return GridState(w, problem.evaluate(w), True, done, passes, note, state.standard, half, objective)


def _by_the_grid(problem: LinearProblem, state: Any, points: int) -> str:
    """Return what the values on the grid around `state.w` prove about its box, in words; nothing without a
    slope.
    """
    centre, d = state.standard.to_u(state.w), problem.n_params
    corners = np.array(list(product((-1.0, 1.0), repeat=d)))
    moves = np.array([state.standard.to_w(centre + state.half * c) - state.w for c in corners])
    box = float(np.max(np.linalg.norm(moves, axis=1)))  # half the diagonal of the box; the map is affine
    cell = box / (points - 1)
    p, penalty = problem.data.n_cols, problem.penalty
    farthest = float(np.linalg.norm(state.w[:p])) + box
    slope = problem.constants.rho.value + penalty.l1 * np.sqrt(p) + penalty.l2 * farthest
    if not np.isfinite(slope):
        return ""
    return (
        f"By the grid alone: F(w) is at most {slope * cell:.2g} above its minimum over the box of the last "
        f"grid (slope {slope:.3g}, half the diagonal of a cell {cell:.2g})"
    )


def objectives(problem: LinearProblem, grid: Array) -> Array:
    """F at each column of `grid`, shape (d, m): blocks of scores that fit into memory."""
    data, p = problem.data, problem.data.n_cols
    out = np.empty(grid.shape[1])
    share = data.weight / data.total_weight if data.total_weight > 0.0 else data.weight
    width = max(1, BLOCK // max(len(data.y), 1))
    for start in range(0, grid.shape[1], width):
        part = grid[:, start : start + width]
        coef = np.ascontiguousarray(part[:p]).astype(problem.design.dtype, copy=False)
        z = np.asarray(problem.design.matvec(coef), dtype=np.float64)
        z += part[p] if problem.intercept else 0.0
        losses = problem.loss.value(np.repeat(data.y, z.shape[1]), z.ravel())
        out[start : start + width] = share @ losses.reshape(z.shape)
        out[start : start + width] += [problem.penalty.value(w) for w in part[:p].T]
    return np.where(np.isnan(out), np.inf, out)
