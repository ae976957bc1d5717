"""Steps along the central path of a piecewise linear problem.

With kinks ``max(low_i r_i, high_i r_i)``, ``r = A w - at``, multipliers ``low <= u <= high`` and
``r = up - down``, the optimality conditions are

    A' u + ridge w + offset = 0,    up (high - u) = 0,    down (u - low) = 0,    up, down >= 0

The last two are relaxed to mu > 0, and a step of Newton's method for all of them needs one matrix
``A' D A + ridge`` of the size of the parameters: the Frisch-Newton method of Portnoy & Koenker 1997
(Statistical Science 12), with the predictor and corrector of Mehrotra 1992 and an L2 part in addition.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh, lapack

from empirisk.data.sums import inner
from empirisk.solvers.kinked_rows import Kinks
from empirisk.typing import Array

__all__ = ["Point", "advance", "relative_gap", "start"]

BACK = 0.9995  # share of the way to the boundary


@dataclass(frozen=True)
class Point:
    """An iterate inside: parameters, multipliers, and the two parts of the residuals.

    Parameters
    ----------
    w : array, shape (parameters,)
        Standardised.
    u, up, down : arrays, shape (kinks,)
        Multipliers and parts, strictly inside.
    z : array, shape (kinks,)
        ``A w``.
    """

    w: Array
    u: Array
    up: Array
    down: Array
    z: Array


def _complement(rows: Kinks, x: Point) -> float:
    return inner(x.up, rows.high - x.u) + inner(x.down, x.u - rows.low)


def relative_gap(rows: Kinks, x: Point) -> float:
    """Return the sum of the products above as a share of the size of the kinks."""
    return _complement(rows, x) / max(inner(np.abs(x.z - rows.at), rows.high - rows.low), 1e-300)


# -- start ---------------------------------------------------------------------------------------


def start(rows: Kinks, w0: Array | None) -> tuple[Array | None, Point]:
    """Return a basis of the parameters (None when all of them move scores) and the first point.

    A least-squares fit (or w0, standardised) with multipliers that are central for its residuals.
    """
    width = rows.high - rows.low
    H = rows.gram(width)
    basis = _basis(rows, H)
    if w0 is not None:
        w = w0.copy()
    else:
        middle = rows.adjoint(width * rows.at)
        w = _solver(H, basis)(middle)
    z = rows.scores(w)
    r = z - rows.at
    mu = inner(np.abs(r), width) / len(r)
    if not mu > 0.0:
        mu = inner(np.abs(rows.at) + 1.0, width) / len(r)
    down_slack = _central(r, width, mu)
    u = rows.low + down_slack
    return basis, Point(w, u, mu / (width - down_slack), mu / down_slack, z)


def _central(r: Array, width: Array, mu: float) -> Array:
    """``b`` in (0, width) with ``mu / (width - b) - mu / b = r``: the point of the central path of each
    row.
    """
    # r b^2 + (2 mu - r width) b - mu width = 0, solved without cancellation.
    half = 0.5 * (2.0 * mu - r * width)
    root = np.sqrt(half**2 + r * mu * width)
    with np.errstate(divide="ignore", invalid="ignore"):
        b = np.where(half >= 0.0, mu * width / (half + root), (root - half) / r)
    return np.clip(b, 1e-12 * width, (1.0 - 1e-12) * width)


def _basis(rows: Kinks, H: Array) -> Array | None:
    """Return orthonormal directions that move some score, when not all do."""
    diagonal = np.sqrt(np.where(np.diag(H) > 0.0, np.diag(H), 1.0))
    scaled = H / diagonal / diagonal[:, None]
    values, V = eigh(scaled, check_finite=False)
    # On the unit diagonal an eigenvalue this small is rounding: its direction moves no score.
    kept = values > 1e-12 * values[-1]
    if kept.all():
        return None
    Q, _ = np.linalg.qr((V[:, kept].T * diagonal).T)
    return np.asarray(Q)


# -- a step --------------------------------------------------------------------------------------


def _solver(H: Array, basis: Array | None) -> Any:
    """``g -> H^-1 g`` on the basis, H scaled to a unit diagonal."""
    if basis is not None:
        H = basis.T @ H @ basis
    diagonal = np.sqrt(np.maximum(np.diag(H), 1e-300))
    scaled = H / diagonal / diagonal[:, None]
    inverse = _inverse(scaled)

    def solve(g: Array) -> Array:
        if basis is not None:
            g = basis.T @ g
        out = inverse(g / diagonal) / diagonal
        return np.asarray(out if basis is None else basis @ out)

    return solve


def _inverse(H: Array) -> Callable[[Array], Array]:
    """``g -> H^-1 g`` by Cholesky, lifted off singularity as little as will do, else by eigenvalues.

    Where H is not finite the answer is NaN: the iterate is then none, and the solve says that it diverged.
    """
    if not H.size:  # no direction moves a score
        return np.copy
    for lift in (0.0, 1e-14, 1e-11, 1e-8):
        np.fill_diagonal(H, 1.0 + lift)
        # LAPACK itself: what SciPy asks of the arrays first takes longer than the algebra of some columns.
        factor, failed = lapack.dpotrf(H, clean=0)
        if not failed:
            return lambda g: np.asarray(lapack.dpotrs(factor, g)[0])
    if not np.isfinite(H).all():
        return lambda g: np.full_like(g, np.nan)
    values, V = eigh(H, check_finite=False)
    values = np.maximum(values, 1e-8 * float(values[-1]))
    return lambda g: np.asarray(V @ ((V.T @ g) / values))


def advance(rows: Kinks, x: Point, basis: Array | None) -> Point:
    """Return the point after one step of a predictor and a corrector along the central path."""
    least = 1e-17 * (rows.high - rows.low)  # where rounding leaves no room
    above, below = np.maximum(rows.high - x.u, least), np.maximum(x.u - rows.low, least)
    d = 1.0 / (x.up / above + x.down / below)
    invert = _solver(rows.gram(d), basis)
    dual = rows.adjoint(x.u) + rows.ridge * x.w + rows.offset
    primal = x.z - rows.at - x.up + x.down

    def direction(mu: float, extra_up: Any, extra_down: Any) -> tuple[Array, ...]:
        g = (mu - extra_up) / above - x.up - (mu - extra_down) / below + x.down - primal
        dw = invert(rows.adjoint(d * g) - dual)
        dz = rows.scores(dw)
        du = d * (dz - g)
        dup = (mu - extra_up + x.up * du) / above - x.up
        ddown = (mu - extra_down - x.down * du) / below - x.down
        return dw, dz, du, dup, ddown

    n = 2.0 * len(x.u)
    mu = _complement(rows, x) / n
    dw, dz, du, dup, ddown = direction(0.0, 0.0, 0.0)
    t, s = _lengths(x, above, below, du, dup, ddown)
    ahead = (inner(x.up + t * dup, above - s * du) + inner(x.down + t * ddown, below + s * du)) / n
    centre = mu * (max(ahead, 0.0) / mu) ** 3
    dw, dz, du, dup, ddown = direction(centre, -dup * du, ddown * du)
    t, s = _lengths(x, above, below, du, dup, ddown)
    if np.any(rows.ridge):
        t = s = min(t, s)
    return Point(x.w + t * dw, x.u + s * du, x.up + t * dup, x.down + t * ddown, x.z + t * dz)


def _lengths(
    x: Point, above: Array, below: Array, du: Array, dup: Array, ddown: Array
) -> tuple[float, float]:
    """Return how far the parts and the multipliers can go."""
    primal = -min(float((dup / x.up).min()), float((ddown / x.down).min()))
    dual = max(float((du / above).max()), -float((du / below).min()))
    return _length(primal), _length(dual)


def _length(rate: float) -> float:
    return 1.0 if rate <= BACK else BACK / rate
