"""All ways in which ``1[w . v > 0]`` labels given vectors, and the way that gains most; both exact."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.exact import Integers, any_null_vector, column_basis, null_vector, signs, solve
from empirisk.hypotheses.rays import Rays, rays
from empirisk.typing import Array

__all__ = ["heaviest", "labellings"]


def labellings(V: Integers, *, zero: bool = False) -> NDArray[np.bool_]:
    """Return the distinct labellings ``1[w . v_i > 0]`` over all nonzero w (all w, with `zero`).

    Every cell of the arrangement of the hyperplanes ``{w : w . v_i = 0}`` touches a ray in which some of them
    meet: near it, the other vectors keep their side, and those that meet are labelled as by themselves.

    Parameters
    ----------
    V : array of integers, shape (n, p)
        The vectors.
    zero : bool
        Whether w = 0 is allowed.

    Returns
    -------
    array of bool, shape (number of labellings, n)
        Lexicographic order.
    """
    n, p = V.shape
    basis = column_basis(V)
    moving = np.flatnonzero((V != 0).any(axis=1))
    out = _unique(_spanning(V[np.ix_(moving, np.array(basis, dtype=np.intp))]))
    if zero or len(basis) < p:
        out = _unique(np.vstack([out, np.zeros((1, len(moving)), dtype=bool)]))
    full = np.zeros((len(out), n), dtype=bool)
    full[:, moving] = out
    return full


def _spanning(V: Integers) -> NDArray[np.bool_]:
    """Return the labellings by nonzero w when the vectors span the space and none is zero."""
    n, r = V.shape
    if n == r:
        return _all_patterns(n)[: 2**n if n else 0]
    blocks = []
    for block in rays(V):
        simple = (block.signs == 0).sum(axis=1) == r - 1
        blocks.append(_unique(_around(block, simple, _all_patterns(r - 1))))
        for side in block.signs[~simple]:
            flat = np.flatnonzero(side == 0)
            inner = labellings(V[flat], zero=True)
            for turned in (side > 0, side < 0):
                rows = np.repeat(turned[None], len(inner), axis=0)
                rows[:, flat] = inner
                blocks.append(rows)
    return np.vstack(blocks)


def _around(block: Rays, simple: NDArray[np.bool_], patterns: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the labellings near both ends of rays in which independent hyperplanes meet."""
    side, subsets = block.signs[simple], block.subsets[simple]
    ends = np.concatenate([side > 0, side < 0])
    rows = np.repeat(ends, len(patterns), axis=0)
    if subsets.shape[1]:
        where = np.repeat(np.concatenate([subsets, subsets]), len(patterns), axis=0)
        np.put_along_axis(rows, where, np.tile(patterns, (len(ends), 1)), axis=1)
    return rows


def heaviest(
    V: Integers, gain: Array, *, zero: bool = False, deadline: float = math.inf
) -> tuple[float, Integers]:
    """Return the largest ``sum_i gain_i 1[w . v_i > 0]`` over nonzero w (all w, with `zero`), and such a
    w.

    Parameters
    ----------
    V : array of integers, shape (n, p)
        The vectors.
    gain : array, shape (n,)
        What it is worth to label each of them True.
    zero : bool
        Whether w = 0 is allowed.
    deadline : float
        When to give up, on the clock of ``time.monotonic``.

    Returns
    -------
    value : float
    w : array of integers, shape (p,)

    Raises
    ------
    TimeoutError
        At the deadline.
    """
    p = V.shape[1]
    basis = column_basis(V)
    moving = np.flatnonzero((V != 0).any(axis=1))
    best, w = -np.inf, np.array([0] * p, dtype=object)
    if len(moving):
        best, w[basis] = _heaviest_spanning(
            V[np.ix_(moving, np.array(basis, dtype=np.intp))], gain[moving], deadline
        )
    if best < 0.0 and (zero or len(basis) < p):
        null = None if zero else any_null_vector(V)
        return 0.0, np.array([0] * p, dtype=object) if null is None else null
    return best, w


def _heaviest_spanning(V: Integers, gain: Array, deadline: float) -> tuple[float, Integers]:
    """Return the largest gain and its weights when the vectors span the space and none of them is zero."""
    n, r = V.shape
    if n == r:
        wanted = gain > 0.0
        return float(gain[wanted].sum()), solve(V, [1 if v else -1 for v in wanted])
    best, chosen = -np.inf, None
    for block in rays(V, deadline):
        if not len(block.signs):
            continue
        free = np.maximum(gain[block.subsets], 0.0).sum(axis=1)
        for turn in (1, -1):
            values = (block.signs * turn > 0) @ gain + free
            for b in np.flatnonzero((block.signs == 0).sum(axis=1) > r - 1):
                flat = block.signs[b] == 0
                values[b] += heaviest(V[flat], gain[flat], zero=True, deadline=deadline)[0] - free[b]
            top = int(np.argmax(values))
            if values[top] > best:
                best, chosen = float(values[top]), block.signs[top] * turn
    return best, _near(V, gain, np.asarray(chosen))


def _near(V: Integers, gain: Array, side: NDArray[np.int8]) -> Integers:
    """Return a w beside the ray with these signs that labels the vectors on the ray's flat in the best
    way.
    """
    flat = np.flatnonzero(side == 0)
    off = np.flatnonzero(side)
    normal = np.asarray(null_vector(V[flat]))
    if signs(V[off[:1]], normal)[0] != side[off[0]]:
        normal = -normal
    inner = heaviest(V[flat], gain[flat], zero=True)[1]
    steps = [abs(a) // abs(b) + 1 for a, b in zip(V[off] @ inner, V[off] @ normal, strict=True)]
    return np.asarray(normal * max(steps) + inner)


def _all_patterns(n: int) -> NDArray[np.bool_]:
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)


def _unique(rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the distinct rows in lexicographic order; packed into bytes they are compared eight at a
    time.
    """
    n = rows.shape[1]
    if n == 0:
        return rows[:1]
    packed = np.unique(np.packbits(rows, axis=1), axis=0)
    return np.unpackbits(packed, axis=1, count=n).astype(bool)
