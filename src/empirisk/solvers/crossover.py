"""From an approximate to the exact optimum of a piecewise linear problem.

The rows whose multipliers are inside their interval lie on their kinks.  Moving the parameters onto those
kinks and the multipliers into ``A' u + l2 w = 0``, both by the least change, gives the optimum itself, up to
the rounding of two least-squares problems, provided that no residual changes its sign and no multiplier
leaves its interval: both are checked on every row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import svd

from empirisk.problems.linear import LinearProblem
from empirisk.solvers.kinked_rows import Kinks, kinked_rows
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["Sides", "crossover", "from_sides", "multipliers", "sides_near"]

MOST = 20  # times as many rows as parameters that may lie on kinks
TOUCHING = 1e-9  # relative residual at which a row counts as on its kink,
NEGLIGIBLE = 1e-11  # width, as a share of the largest, of a kink that decides nothing
SINGLE = 1e-5  # and of parameters that were rounded to float32
OUTSIDE = 1e-11  # of its width that a multiplier may be outside, which is then cut off


def crossover(
    rows: Kinks, w: Array, u: Array | None, touching: float = TOUCHING
) -> tuple[Array, Array] | None:
    """Standardised parameters and multipliers of an optimum near (w, u), or None when there is none there.

    Parameters
    ----------
    rows : Kinks
        The problem.
    w : array, shape (parameters,)
        Standardised parameters near an optimum.
    u : array, shape (kinks,), or None
        Multipliers near their optimum; None when w is believed to lie on its kinks already, up to a share
        `touching` of the mean residual.
    """
    sides = sides_near(rows, w, u, touching)
    return None if sides is None else from_sides(rows, w, sides)


@dataclass(frozen=True)
class Sides:
    """Kinks that rows are taken to lie on, multipliers of the others at their ends, and residuals."""

    on: IndexArray
    u: Array
    r: Array

    def like(self, other: Sides | None) -> bool:
        """Return whether the rows lie on the same kinks, and the others on the same sides of theirs."""
        if other is None or not np.array_equal(self.on, other.on):
            return False
        turned = (self.r > 0.0) != (other.r > 0.0)
        turned[self.on] = False
        return not turned.any()


def sides_near(rows: Kinks, w: Array, u: Array | None, touching: float = TOUCHING) -> Sides | None:
    """Return the sides that an optimum near (w, u) has; None when too many rows would lie on kinks."""
    width = rows.high - rows.low
    r = rows.scores(w) - rows.at
    size = np.abs(r) * (width.sum() / max(float(np.abs(r) @ width), 1e-300))
    if u is None:
        inside, u = size <= touching, 0.5 * (rows.low + rows.high)
    else:
        inside = np.minimum(rows.high - u, u - rows.low) / width > size
    inside &= width > NEGLIGIBLE * width.max()
    on = np.flatnonzero(inside)
    if len(on) > MOST * len(w) + 100:
        return None
    return Sides(on, np.where(inside, u, np.where(r > 0.0, rows.high, rows.low)), r)


def from_sides(rows: Kinks, w: Array, sides: Sides) -> tuple[Array, Array] | None:
    """Move onto the kinks, then into the stationary multipliers; None when a check fails."""
    on, u, r = sides.on, sides.u, sides.r
    width = rows.high - rows.low
    A = rows.select(on)
    U, singular, Vt = svd(A, full_matrices=True, check_finite=False)
    rank = int((singular > 1e-11 * max(float(singular[0]), 1e-300)).sum()) if len(on) else 0
    U, singular, V, Z = U[:, :rank], singular[:rank], Vt[:rank].T, Vt[rank:].T
    w = w - V @ ((U.T @ r[on]) / singular)
    if rank == len(w):
        w = rows.constant(on, w)
    if np.any(rows.ridge) and Z.shape[1]:
        slope = Z.T @ (rows.adjoint(u) + rows.ridge * w + rows.offset)
        w = w - Z @ np.linalg.lstsq((Z.T * rows.ridge) @ Z, slope, rcond=1e-12)[0]
    w[rows.own(on)] = 0.0  # coefficients on their own kink
    slope = rows.adjoint(u) + rows.ridge * w + rows.offset
    u = u.copy()
    u[on] -= U @ ((V.T @ slope) / singular)
    after = rows.scores(w) - rows.at
    tiny = 1e-11 * float(np.abs(rows.at).max(initial=0.0) + np.abs(after).max(initial=0.0))
    off = np.ones(len(r), dtype=bool)
    off[on] = False
    crossed = off & (after * r < 0.0) & (np.abs(after) > tiny)
    outside = np.maximum(u - rows.high, rows.low - u) > OUTSIDE * width
    if crossed.any() or outside.any() or np.any(np.abs(after[on]) > tiny):
        return None
    u = np.clip(u, rows.low, rows.high)
    left = rows.adjoint(u) + rows.ridge * w + rows.offset
    return (w, u) if float(np.abs(left).max(initial=0.0)) <= 1e-9 * float(width.sum()) else None


def multipliers(problem: LinearProblem, w: Array) -> Array | None:
    """Dual values that prove w an optimum of a piecewise linear problem, or None when it is not one.

    Parameters
    ----------
    problem : LinearProblem
        Its loss is piecewise linear, its penalty none, L1, L2 or the elastic net.
    w : array
        Parameters in the problem's layout.
    """
    needed = {Capability.PIECEWISE_LINEAR, Capability.SEPARABLE_PENALTY, Capability.FREE_SIGNS}
    if not needed <= problem.capabilities or problem.data.total_weight == 0.0:
        return None
    rows = kinked_rows(problem)
    touching = TOUCHING if problem.design.dtype == np.float64 else SINGLE
    found = crossover(rows, rows.standard.to_u(np.asarray(w, dtype=np.float64)), None, touching)
    return None if found is None else rows.theta(found[1])
