"""Dual values for losses with kinks, from the scores alone: the slopes of a smoothed loss.

``theta = -l_m'(z)``, l_m the Moreau envelope of l of width m, lies in the domain of the conjugate whatever z
is, so the duality gap that it gives is true.  Rows near a kink get slopes between those of its two sides, as
they do at the optimum.  The gap vanishes only as fast as w nears the minimiser and m can be small: valid, not
sharp.
"""

from __future__ import annotations

import numpy as np

from empirisk.losses.dual_rows import dual_rows
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array, Capability

__all__ = ["smoothed_dual"]

# Widths to begin with, as shares of the scale of the loss, and the factor between two tries.
FIRST, FACTOR, TRIES = 0.05, 10.0, 3


def smoothed_dual(problem: LinearProblem, w: Array, e: Evaluation) -> Array | None:
    """Return the dual values of the width with the smallest gap; None where the derivatives at the scores do
    better.

    Some eight passes over X.
    """
    if Capability.GRAD in problem.loss.offers or Capability.DUAL_STEP not in problem.loss.offers:
        return None
    rows = dual_rows(problem.loss, problem.data.y)
    scale = 1.0 if problem.loss.labels else max(problem.null_loss, 1e-300)
    best = problem.certify(w, e)
    found: Array | None = None
    for k in range(TRIES):
        theta = rows.step(e.scores, FIRST * scale / FACTOR**k)
        if rows.cost is not None:
            theta = theta * rows.cost
        certificate = problem.certify(w, e, theta=theta)
        if certificate.value < best.value:
            best, found = certificate, np.asarray(theta)
    return found
