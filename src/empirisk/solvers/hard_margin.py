"""The separating hyperplane farthest from the rows, with a proof of how far any can be."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from empirisk.losses import Hinge
from empirisk.penalties import L2
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["HardMargin", "hard_margin"]


@dataclass(frozen=True, eq=False)
class HardMargin:
    """``min ||w||`` such that ``y_i (x_i.w + b) >= 1``.

    Parameters
    ----------
    w : array
        Parameters in the problem's layout, margins at least 1.
    norm : float
        ``||w||`` of the coefficients: 1 over the distance of the nearest row.
    least_norm : float
        No separating hyperplane with margins of 1 has a smaller norm, by weak duality.
    """

    w: Array
    norm: float
    least_norm: float


def hard_margin(problem: LinearProblem, separating: Array, tol: float = 1e-10) -> HardMargin | None:
    """The widest margin of a separable problem; None when the solve misses a margin of 1.

    With l2 below ``min_i s_i / (S ||w'||^2)``, w' any hyperplane with margins of 1, the multipliers of the
    hard problem fit under the bounds of the soft one, and both have the same minimiser.

    Parameters
    ----------
    problem : LinearProblem
        Labels -1 and +1; loss and penalty are not used.
    separating : array
        Parameters with margins at least 1.
    tol : float
        Relative tolerance of the soft problem.

    Notes
    -----
    With multipliers ``lambda >= 0``, ``sum lambda_i y_i = 0`` (intercept), ``v = sum lambda_i y_i x_i``, all
    w with margins of 1 have ``||w|| ||v|| >= w.v >= sum lambda_i``: hence `least_norm`.
    """
    data = problem.data
    live = data.weight[data.weight > 0.0]
    coef, _ = problem.split(separating)
    square = float(coef @ coef)
    if square == 0.0 or not math.isfinite(square):
        return None
    strength = 0.5 * float(live.min()) / (data.total_weight * square)
    soft = replace(problem, loss=Hinge(), penalty=L2(strength))
    soft.facts.known_moments = problem.moments
    found = solve(soft, "interior_point", tol=tol)
    z = problem.scores(found.w)
    margin = float((data.y * z)[data.weight > 0.0].min())
    if not margin > 0.5 or found.dual is None:
        return None
    w = found.w / margin
    coef, _ = problem.split(w)
    norm = float(np.linalg.norm(coef))
    pull = data.weight * found.dual
    v = np.asarray(problem.design.rmatvec(pull.astype(problem.design.dtype, copy=False)), dtype=np.float64)
    total, size = float((pull * data.y).sum()), float(np.linalg.norm(v))
    return HardMargin(w, norm, min(total / size, norm) if size > 0.0 else 0.0)
