"""Is there a direction d with A d >= 0 and A d != 0?  Decided with a proof, for a dense matrix A.

Stiemke's lemma: either such a direction exists, or some ``lambda > 0`` (strictly, in every entry) has
``A' lambda = 0``.  Minimising a convex decreasing function of A d finds one or the other: its derivatives
at a minimum are such a lambda, and on separable rows its iterates run off along a separating direction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla
import scipy.sparse as sp
from scipy.optimize import linprog

from empirisk.data.threads import one_thread
from empirisk.typing import Array, IndexArray

__all__ = ["Core", "decide", "sparse_direction", "support_by_programme"]

# Newton steps; where they do not settle the question, a linear programme does.
_STEPS = 60
_LP_SECONDS = 60.0  # after which the answer is "in doubt"


@dataclass(frozen=True, eq=False)
class Core:
    """The answer for one dense matrix.

    Parameters
    ----------
    overlap : bool
        Proved: no direction separates.
    direction : array or None
        A candidate direction (to be checked on the rows).
    strict : boolean array or None
        Rows that some separating direction puts strictly on their own side.
    null_space : array, shape (q, q - rank)
        Directions along which A does not move at all.
    """

    overlap: bool
    direction: Array | None
    strict: np.ndarray | None
    null_space: Array


def decide(A: Array, *, programme: bool = True) -> Core:
    """Overlap proved, or a candidate direction with its strict rows, or neither (undecided).

    Without `programme` the linear programme is left out and quasi-complete separation stays undecided.
    """
    with one_thread():
        return _decide(A, programme)


def _decide(A: Array, programme: bool) -> Core:
    Q, V, inverse, null = _orthonormal(A)
    if Q.shape[1] == 0:
        return Core(True, None, None, null)
    z, answer = _minimise(Q)
    if answer == "overlap":
        return Core(True, None, None, null)
    if answer == "complete":
        return Core(False, V @ (inverse * z), np.ones(len(A), dtype=bool), null)
    direction, strict = support_by_programme(A) if programme else (None, None)
    return Core(False, direction, strict, null)


def _orthonormal(A: Array) -> tuple[Array, Array, Array, Array]:
    """``A V diag(inverse) = Q`` with orthonormal columns times sqrt(m), and the null space of A."""
    m, q = A.shape
    if m > q:
        _, singular, Vt = np.linalg.svd(sla.qr(A, mode="r", check_finite=False)[0][:q])
    else:
        _, singular, Vt = np.linalg.svd(A)
        singular = np.append(singular, np.zeros(q - m))
    top = float(np.max(singular, initial=0.0))
    rank = int(np.sum(singular > top * 1e-13 * max(m, q) ** 0.5)) if top > 0.0 else 0
    V, inverse = Vt[:rank].T, np.sqrt(m) / singular[:rank]
    return (A @ V) * inverse, V, inverse, Vt[rank:].T


def _minimise(Q: Array) -> tuple[Array, str]:
    """Newton on ``sum (sqrt(1 + t^2) - t) / 2``, ``t = Q z``.

    Its slope decays like ``1/t^2``, not exponentially, so that far rows keep a multiplier above rounding.
    """
    m, r = Q.shape
    z, t = np.zeros(r), np.zeros(m)
    value = _value(t)
    for _ in range(_STEPS):
        if t.min() > 1e-9 * np.abs(t).max():
            return z, "complete"
        root = np.sqrt(1.0 + t * t)
        multiplier = np.where(t > 0.0, 0.5 / (root * (root + np.abs(t))), 0.5 * (1.0 - t / root))
        g = Q.T @ multiplier
        if _proves_overlap(Q, multiplier, g):
            return z, "overlap"
        H = (Q.T * (0.5 / root**3)) @ Q
        H[np.diag_indices(r)] += 1e-14 * np.trace(H) / r
        try:
            step = sla.cho_solve(sla.cho_factor(H, check_finite=False), g, check_finite=False)
        except np.linalg.LinAlgError:
            return z, "undecided"
        move, slope, size = Q @ step, float(g @ step), 1.0
        while _value(t + size * move) > value - 0.25 * size * slope and size > 1e-10:
            size *= 0.5
        if size <= 1e-10:
            return z, "undecided"
        z, t = z + size * step, t + size * move
        value = _value(t)
    return z, "undecided"


def _value(t: Array) -> float:
    root = np.sqrt(1.0 + t * t)
    return float(np.where(t > 0.0, 0.5 / (root + np.abs(t)), 0.5 * (root - t)).sum())


def _proves_overlap(Q: Array, multiplier: Array, g: Array) -> bool:
    """Return whether the multipliers, moved exactly into ``Q' lambda = 0``, all stay clearly positive."""
    m = len(Q)
    moved = multiplier - Q @ (g / m)
    residual = Q.T @ moved
    moved = moved - Q @ (residual / m)
    # What rounding leaves: |Q' lambda| / sqrt(m) bounds how much a unit change of A d could still gain.
    left = float(np.linalg.norm(Q.T @ moved)) / np.sqrt(m) + 1e-14 * float(np.linalg.norm(moved))
    return bool(moved.min() > 4.0 * left)


def support_by_programme(A: Array) -> tuple[Array | None, np.ndarray | None]:
    """Return the direction with the most strict rows: ``max sum u`` with ``A d >= u``, ``0 <= u <= 1``.

    A sum of separating directions separates, and a multiple too: at the optimum every u is 0 or 1, and
    1 exactly for the rows that some separating direction puts strictly on their own side.
    """
    m, q = A.shape
    cost = np.concatenate([np.zeros(q), -np.ones(m)])
    left = sp.hstack([sp.csr_array(-A), sp.eye_array(m)], format="csc")
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * q + [(0.0, 1.0)] * m
    out = _programme(cost, left, np.zeros(m), bounds)
    if out is None:
        return None, None
    strict = out[q:] > 0.5
    return (out[:q], strict) if strict.any() else (None, None)


def sparse_direction(A: Array, strict: np.ndarray, column: IndexArray) -> Array | None:
    """Return a separating direction with few columns: least l1 norm, then the fewest of its largest
    columns.

    Parameters
    ----------
    A : array, shape (m, q)
        Signed rows.
    strict : boolean array, shape (m,)
        Rows that must lie strictly on their own side.
    column : int array, shape (q,)
        The column that each unknown belongs to; -1 for constants, which cost nothing.
    """
    d = _least_l1(A, strict, column)
    if d is None:
        return None
    size = np.bincount(column[column >= 0], weights=np.abs(d[column >= 0]))
    order = np.argsort(-size, kind="stable")[: int(np.count_nonzero(size))]
    low, high = 0, len(order)  # the first `high` columns suffice, the first `low - 1` do not
    while low < high:
        middle = (low + high) // 2
        keep = np.flatnonzero((column < 0) | np.isin(column, order[:middle]))
        fewer = _least_l1(A[:, keep], strict, column[keep]) if len(keep) else None
        if fewer is None:
            low = middle + 1
        else:
            high, d = middle, np.zeros(len(column))
            d[keep] = fewer
    return _polish(A, d, strict)


def _least_l1(A: Array, strict: np.ndarray, column: IndexArray) -> Array | None:
    q = A.shape[1]
    price = np.where(column < 0, 1e-3, 1.0)
    left = sp.csc_array(np.hstack([-A, A]))
    out = _programme(
        np.concatenate([price, price]), left, np.where(strict, -1.0, 0.0), [(0.0, None)] * (2 * q)
    )
    if out is None:
        return None
    d = out[:q] - out[q:]
    d[np.abs(d) < 1e-9 * np.abs(d).max(initial=0.0)] = 0.0
    return d


def _polish(A: Array, d: Array, strict: np.ndarray) -> Array:
    """Move d into the null space of the rows that must lie on the boundary, exactly up to rounding."""
    used = np.flatnonzero(d)
    B = A[~strict][:, used]
    B = B[np.abs(B).sum(axis=1) > 0.0]
    if len(B) == 0 or len(used) == 0:
        return d
    _, singular, Vt = np.linalg.svd(sla.qr(B, mode="r")[0][: len(used)])
    rank = int(np.sum(singular > 1e-12 * singular[0] * len(used)))
    null = Vt[rank:]
    out = np.zeros_like(d)
    out[used] = null.T @ (null @ d[used])
    return out if np.any(out) else d


def _programme(
    cost: Array, left: sp.csc_array, right: Array, bounds: list[tuple[float | None, float | None]]
) -> Array | None:
    options: Any = {"time_limit": _LP_SECONDS, "primal_feasibility_tolerance": 1e-9}
    sparse: Any = left  # SciPy's stubs know dense matrices only
    out = linprog(cost, A_ub=sparse, b_ub=right, bounds=bounds, method="highs", options=options)
    return np.asarray(out.x) if out.status == 0 and out.x is not None else None
