"""The rays of an arrangement of hyperplanes: on which side of each, decided without rounding."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.exact import Integers, null_vector, scaled, signs
from empirisk.typing import Array, IndexArray

__all__ = ["LAPLACE", "Rays", "rays"]

_CELLS = 2_000_000  # numbers that are held at once: 16 MB
# Up to this dimension signs come from cofactors in floating point first.
LAPLACE = 5


@dataclass(frozen=True, eq=False)
class Rays:
    """Lines through 0, each the meeting of hyperplanes ``{w : v_i . w = 0}``.

    Parameters
    ----------
    subsets : array of int, shape (B, r - 1)
        Vectors whose hyperplanes meet in the line.
    signs : array of int8, shape (B, n)
        Side on which one end of the line lies, 0 for the vectors whose hyperplanes hold the line.
    """

    subsets: IndexArray
    signs: NDArray[np.int8]


def rays(V: Integers, deadline: float = math.inf) -> Iterator[Rays]:
    """Return all rays, in blocks; a ray in which more than r - 1 hyperplanes meet comes once.

    Signs are computed in floating point with a bound on the rounding error, and in integers where the bound
    does not decide.

    Parameters
    ----------
    V : array of integers, shape (n, r)
        Vectors that span R^r, none of them zero.
    deadline : float
        When to give up, on the clock of ``time.monotonic``.

    Yields
    ------
    Rays

    Raises
    ------
    TimeoutError
        At the deadline.
    """
    n, r = V.shape
    A = scaled(V)[0]
    seen: set[bytes] = set()
    sets = itertools.combinations(range(n), r - 1)
    size = max(1, _CELLS // (n * (r + 1))) if r <= LAPLACE else 100
    while chunk := list(itertools.islice(sets, size)):
        if time.monotonic() > deadline:
            raise TimeoutError("the cells are too many to compare in time")
        subsets = np.array(chunk, dtype=np.intp).reshape(len(chunk), r - 1)
        side = _sides(V, A, subsets) if r <= LAPLACE else _exact_sides(V, subsets)
        flat = side == 0
        kept = flat.sum(axis=1) < n
        for b in np.flatnonzero(kept & (flat.sum(axis=1) > r - 1)):
            key = np.packbits(flat[b]).tobytes()
            kept[b] = key not in seen
            seen.add(key)
        yield Rays(subsets[kept], side[kept])


def _exact_sides(V: Integers, subsets: IndexArray) -> NDArray[np.int8]:
    """Return the signs from the integer normal of each subset; zeros when the subset is dependent."""
    out = np.zeros((len(subsets), len(V)), dtype=np.int8)
    for b, subset in enumerate(subsets):
        normal = null_vector(V[subset])
        if normal is not None:
            out[b] = signs(V, normal)
    return out


def _sides(V: Integers, A: Array, subsets: IndexArray) -> NDArray[np.int8]:
    """Return the signs of the determinants of each subset with each vector."""
    r = A.shape[1]
    values = _normals(A[subsets]) @ A.T
    # Each determinant is a sum of r! products of r rounded entries; r^2 + 3 r roundings hit each at most.
    weights = _normals(np.abs(A[subsets]), permanent=True) @ np.abs(A.T)
    error = (r * r + 3 * r) * math.ulp(1.0) * weights + 1e-290
    if _whole(A):
        error[:] = 0.0
    out = np.where(values > error, 1, np.where(values < -error, -1, 0)).astype(np.int8)
    unsure = (np.abs(values) <= error) & (error > 0.0)
    np.put_along_axis(out, subsets, 0, axis=1)
    np.put_along_axis(unsure, subsets, False, axis=1)
    for b in np.flatnonzero(unsure.any(axis=1)):
        normal = null_vector(V[subsets[b]])
        if normal is None:
            out[b] = 0
            continue
        exact = signs(V, normal)
        sure = np.flatnonzero(~unsure[b] & (out[b] != 0))
        turn = 1 if len(sure) == 0 else int(exact[sure[0]] * out[b, sure[0]])
        out[b] = turn * exact
    return out


def _whole(A: Array) -> bool:
    """Return whether the determinants are computed without any rounding: entries with few binary digits."""
    r = A.shape[1]
    # A product of r entries of so many bits, and a sum of r! < 2^(r^2) of them, fits the 53 bits of a double.
    bits = 52 // r - r
    return bits > 0 and bool(np.all(A * 2.0**bits == np.rint(A * 2.0**bits)))


def _normals(S: Array, *, permanent: bool = False) -> Array:
    """Cofactors: the vectors whose product with v is the determinant of each subset with v below it.

    With `permanent` all signs are plus.
    """
    b, k, r = S.shape
    out = np.empty((b, r))
    for j in range(r):
        minor = _determinant(np.delete(S, j, axis=2), permanent)
        out[:, j] = minor if permanent or (k + j) % 2 == 0 else -minor
    return out


def _determinant(M: Array, permanent: bool) -> Array:
    """Return the determinants (or permanents) of a stack of small matrices, by expansion along the first
    row.
    """
    b, k, _ = M.shape
    if k == 0:
        return np.ones(b)
    total = np.zeros(b)
    for j in range(k):
        term = M[:, 0, j] * _determinant(np.delete(M[:, 1:], j, axis=2), permanent)
        total += term if permanent or j % 2 == 0 else -term
    return total
