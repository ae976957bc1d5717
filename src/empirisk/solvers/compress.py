"""A least-squares problem with many rows as the same problem with as many rows as columns.

With ``G = X~' diag(s) X~ / S = D V diag(l) V' D`` (D the standard deviations) and ``q = X~' diag(s) y~ / S``,

    (1/S) sum_i s_i (x~_i.w - y~_i)^2 / 2  =  |A w - t|^2 / 2 + constant,
    A = diag(l)^(1/2) V' D,  t = diag(l)^(-1/2) V' D^-1 q

so that a whole path costs one Gram matrix and no further pass over X.  Duality gaps carry over: the part of
the residual that A cannot see is orthogonal to every column, and a dual point may keep it as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.threads import one_thread
from empirisk.problems.linear import LinearProblem
from empirisk.results import Certificate, Kind, Solution
from empirisk.solvers.normal_equations import normal_equations
from empirisk.solvers.standardise import column_scales
from empirisk.typing import Array

__all__ = ["Compressed", "compress"]

# Rows per column, and columns, for which one Gram matrix is cheaper than the passes of a path.
ROWS_PER_COLUMN = 3
MOST_COLUMNS = 1_000  # the eigenvalues of the Gram matrix cost p^3


@dataclass(frozen=True)
class Compressed:
    """The small problem and the way back.

    Parameters
    ----------
    problem : LinearProblem
        p rows at most, unit weights, no intercept.
    mean, y_mean : array, float
        What the intercept is made from.
    original : LinearProblem
        The problem that was compressed.
    """

    problem: LinearProblem
    mean: Array
    y_mean: float
    original: LinearProblem

    def tolerance(self, tol: float) -> float:
        """Return the relative gap in the small problem that is `tol` relative to the original null model."""
        small = self.problem.null_loss
        return tol * self.original.null_loss / small if small > 0.0 else tol

    def lift(self, solution: Solution) -> Solution:
        """Return the solution of the original problem, its certificate against the original null model."""
        coef = np.asarray(solution.w, dtype=np.float64)
        w = self.original.join(coef, self.y_mean - float(self.mean @ coef))
        gap, scale = solution.certificate.value, self.original.null_loss
        floor = max(solution.certificate.floor, 8.0 * float(np.finfo(np.float64).eps) * scale)
        shown = max(gap, floor)
        claim = (
            f"F(w) - min F <= {shown:.2g} (relative {shown / scale:.1g} of the null model's {scale:.3g}), "
            f"by {Kind.DUALITY_GAP.value}"
        )
        certificate = Certificate(
            Kind.DUALITY_GAP, gap, scale, claim, solution.certificate.strong_convexity, floor
        )
        return replace(solution, w=w, certificate=certificate)


def compress(problem: LinearProblem) -> Compressed | None:
    """The small problem, or None where it would not pay or not be exact enough.

    It needs the squared loss with one target, a dense float64 design with at least three rows per column,
    at most 1000 columns, and a null model that is not already perfect.
    """
    n, p = problem.design.shape
    fits = problem.loss.quadratic and not problem.n_outputs and 0 < p <= MOST_COLUMNS
    if not fits or n < ROWS_PER_COLUMN * p or problem.design.sparse or problem.design.dtype != np.float64:
        return None
    # Targets that are constant up to 1e-10 of their size: the null model is already perfect.
    if problem.data.total_weight == 0.0 or problem.null_loss <= 1e-20 * problem.facts.target_square:
        return None
    normal = normal_equations(problem)
    mean, sd = column_scales(problem)
    scale = np.where(sd > 0.0, sd, 1.0)
    G = normal.gram / np.multiply.outer(scale, scale)
    dead = sd == 0.0
    G[dead, :] = G[:, dead] = 0.0
    if not np.isfinite(G).all():
        return None
    with one_thread():
        values, V = eigh(G, check_finite=False)
    # What is below the rounding of the Gram matrix is no information.
    kept = values > p * float(np.finfo(np.float64).eps) * max(float(values[-1]), 1e-300)
    root = np.sqrt(values[kept])
    r = int(kept.sum())
    if r == 0:
        return None
    # The mean over r rows of the small problem has to be the sum: rows are scaled by sqrt(r).
    A = (root * V[:, kept]).T * scale * np.sqrt(r)
    t = (V[:, kept].T @ np.where(dead, 0.0, normal.target / scale)) / root * np.sqrt(r)
    small = replace(problem, data=ArrayBlocks(Design(np.asfortranarray(A)), t, np.ones(r)), intercept=False)
    return Compressed(small, mean, float(normal.y_mean), problem)
