"""All of a covariance at once: from its own matrix, from that of inner products of rows, or by QR and SVD."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy import linalg

from empirisk import _loops
from empirisk.data.memory import refuse_memory
from empirisk.data.row_blocks import Block
from empirisk.data.threads import for_rows
from empirisk.reduction.centred import CentredRows
from empirisk.reduction.spectrum import Spectrum, signed
from empirisk.typing import Array

__all__ = ["by_covariance", "by_gram", "by_svd", "covariance", "from_covariance"]

EPS = float(np.finfo(float).eps)
DEPTH = 256.0  # products that the loops sum in the format of the rows before they go on in float64
NEAR = 100.0  # times the deviations of a row that the means may have before rows are centred first
FAR = 1e5  # standard deviations from the origin beyond which the rounding of the means is put right


def covariance(data: CentredRows, wide: bool = False) -> Array:
    """Return C over the squared unit, shape (p, p), summed over the row blocks.

    Parameters
    ----------
    data : CentredRows
    wide : bool
        Whether float32 rows are summed in float64.

    Notes
    -----
    O(n p^2); dense rows are centred while they are packed, sparse ones by subtracting ``m m'`` afterwards,
    which costs ``(m_j / sd_j)^2`` roundings in column j.
    """
    p = data.shape[1]
    refuse_memory(f"the covariance of {p:,} columns", 24.0 * p * p, 'use method="lanczos"')
    over = 1.0 / data.unit**2
    mass = 2.0 ** min(math.frexp(data.weight)[1], 1023)  # so that weights over squared units do not overflow

    def part(block: Block) -> Array:
        X, s = block.design.X, np.ascontiguousarray(block.weight / mass * over)
        if not block.design.sparse:
            return _loops.gram(X, s, data.mean, wide)
        scaled = sp.diags_array(s) @ X
        return np.asarray((X.T @ scaled).toarray(), dtype=np.float64)

    C = np.asarray(data.rows.map_sum(part)) / (data.weight / mass)
    if data.sparse:
        return np.asarray(C - np.outer(data.mean / data.unit, data.mean / data.unit))
    spread = np.sqrt(np.maximum(data.variances, 0.0)) * data.unit
    if np.any(np.abs(data.mean) > FAR * spread):
        # A mean far from the origin is itself rounded; the rest of it is small enough to be exact.
        off = np.asarray(data.rows.map_sum(lambda block: _left(data, block))) / data.weight
        C -= np.outer(off, off)
    return C


def _left(data: CentredRows, block: Block) -> Array:
    out = np.zeros(data.shape[1])
    for X, s in data.chunks(block):
        out += s @ X
    return out


def by_covariance(data: CentredRows, k: int, every: bool = False, wide: bool = False) -> Spectrum:
    """Return the leading eigenpairs of the covariance matrix; O(n p^2 + p^3), p^2 numbers of memory."""
    C = covariance(data, wide)
    return from_covariance(C, k, data.total * _rounding(data, wide), "the covariance", every)


def _rounding(data: CentredRows, wide: bool = False) -> float:
    """Return the rounding of the matrix over its trace, with that of what sparse products subtract."""
    size = EPS * (DEPTH + 8.0 + data.shape[0] / DEPTH) if wide else data.rounding
    if data.sparse and data.total > 0.0:
        size *= 1.0 + float(np.square(data.mean / data.unit).sum()) / data.total
    return size


def from_covariance(C: Array, k: int, floor: float, route: str, every: bool = False) -> Spectrum:
    """Return the leading eigenpairs of a matrix that is given, and the next eigenvalue."""
    p = C.shape[0]
    values, vectors = _eigh(C, p if every else min(k + 1, p))
    kept = min(k, _rank(values, p, floor))
    axes = signed(vectors[:, :kept].T)
    residual = float(np.linalg.norm(C @ axes.T - axes.T * values[:kept]))
    rest = float(values[kept]) if kept < len(values) else 0.0
    return Spectrum(values[:kept], axes, max(rest, 0.0), residual, floor, route, values if every else None)


def _eigh(A: Array, count: int) -> tuple[Array, Array]:
    n = A.shape[0]
    with for_rows(n):
        values, vectors = linalg.eigh(A, subset_by_index=(n - count, n - 1))
    return values[::-1], vectors[:, ::-1]


def _rank(values: Array, size: int, floor: float) -> int:
    """Return how many eigenvalues are above the rounding that is seen in practice."""
    if not len(values) or values[0] <= 0.0:
        return 0
    return int((values > max(EPS * size * float(values[0]), 0.01 * floor)).sum())


def by_gram(data: CentredRows, k: int, every: bool = False, wide: bool = False) -> Spectrum:
    """Return the same from the inner products of the centred rows; O(n^2 p + n^3), n^2 numbers of memory."""
    n, p = data.shape
    refuse_memory(f"the inner products of {n:,} rows", 24.0 * n * n, 'use method="lanczos"')
    block = next(iter(data.rows)) if n <= _first(data) else _joined(data)
    X, s = block.design.X, np.asarray(block.weight, dtype=np.float64) / data.weight / data.unit**2
    root = np.sqrt(s)
    mean = data.mean
    G: Array
    if block.design.sparse:
        scaled = sp.diags_array(root) @ X
        side = np.asarray(scaled @ mean)
        G = np.asarray((scaled @ scaled.T).toarray(), dtype=np.float64)
        off = np.multiply.outer(side, root)
        G += (mean @ mean) * np.multiply.outer(root, root) - off - off.T
    else:
        G = _loops.gram_rows(X, s, mean, wide)
    eps = EPS if wide else float(np.finfo(data.dtype).eps)
    lost = float(np.square(mean / data.unit).sum()) / data.total if data.sparse else 0.0
    floor = data.total * (eps * (DEPTH + 2.0) + EPS * (p / DEPTH + 8.0)) * (1.0 + lost)
    values, U = _eigh(G, n if every else min(k + 1, n))
    kept = min(k, _rank(values, n, floor), p)
    U, leading = U[:, :kept], values[:kept]
    slack = float(np.linalg.norm(G @ U - U * leading))
    del G  # the directions take memory of their own
    # In Fortran's order the factorisation needs no copy.
    back = np.asfortranarray(_back(X, root, mean, U, float(np.sqrt(data.variances.mean())) * data.unit))
    back /= np.sqrt(leading)
    # Rounding leaves directions of small variance less than orthogonal; the triangular factor is near 1.
    Q: Array = back
    R: Array = np.eye(kept)
    if kept:
        Q, R = linalg.qr(back, mode="economic", overwrite_a=True, check_finite=False)
    Q *= np.where(np.diagonal(R) < 0.0, -1.0, 1.0)
    axes: Array = signed(Q.T)
    # C v - v l = A'(G u - u l) / sqrt(l) for v = A'u / sqrt(l), and the norm of A is sqrt(l_1).
    residual = slack * float(np.sqrt(leading[0] / leading[-1])) if kept else 0.0
    rest = float(values[kept]) if kept < len(values) else 0.0
    return Spectrum(
        leading,
        axes,
        max(rest, 0.0),
        residual,
        floor,
        "the inner products of rows",
        values if every else None,
    )


def _first(data: CentredRows) -> int:
    return next(iter(data.rows)).design.shape[0]


def _joined(data: CentredRows) -> Block:
    """Return all rows as one block: the inner products of rows need every pair of blocks."""
    return data.rows.draw(np.random.default_rng(0), data.shape[0])[0]


def _back(X: Any, root: Array, mean: Array, U: Array, spread: float) -> Array:
    """``(X - 1 m')' diag(root) U``, shape (p, k), a group of columns at a time."""
    W = root[:, None] * U
    # Columns of W sum to about 0, so that nothing cancels unless rows are far from the origin.
    near = float(np.abs(mean).max()) <= NEAR * spread
    if not isinstance(X, np.ndarray) or near:
        moved = _loops.rmatvec(X, W)
        for j, total in enumerate(W.sum(axis=0)):
            moved[:, j] -= mean * total
        return moved
    out = np.empty((X.shape[1], U.shape[1]))
    step = max(1, (1 << 19) // X.shape[0])
    for a in range(0, X.shape[1], step):
        out[a : a + step] = (X[:, a : a + step] - mean[a : a + step]).T @ W
    return out


def by_svd(data: CentredRows, k: int) -> Spectrum:
    """Return the eigenpairs from singular values, which squaring has not halved the digits of.

    The triangular factor of the rows is found block after block (of the transposed rows where n < p), then
    its singular value decomposition: O(n p min(n, p)), ``min(n, p)^2`` numbers beside a block.
    """
    n, p = data.shape
    if n < p:
        return _by_wide_svd(data, k)
    R = np.zeros((0, p))
    for block in data.rows:
        for X, s in data.chunks(block):
            R = linalg.qr(
                np.vstack([R, np.sqrt(s / data.weight)[:, None] * X]),
                mode="r",
                overwrite_a=True,
                check_finite=False,
            )[0][:p]
    _, size, axes = linalg.svd(R, full_matrices=False)
    return _of_singular(size, axes, k, data)


def _by_wide_svd(data: CentredRows, k: int) -> Spectrum:
    n, p = data.shape
    refuse_memory(f"the centred copy of {n:,} x {p:,} numbers", 24.0 * n * p, 'use method="gram"')
    parts = [np.sqrt(s / data.weight)[:, None] * X for block in data.rows for X, s in data.chunks(block)]
    _, size, axes = linalg.svd(np.vstack(parts), full_matrices=False, check_finite=False)
    return _of_singular(size, axes, k, data)


def _of_singular(size: Array, axes: Array, k: int, data: CentredRows) -> Spectrum:
    """Return the spectrum of singular values, each of which is off by rounding of the largest at most."""
    slack = EPS * max(data.shape) * float(size[0]) if len(size) else 0.0
    kept = min(k, int((size > slack).sum()))
    values = np.square(size)
    # Moving s_1 by the slack moves its square by twice the product and the slack squared; smaller ones less.
    floor = slack * (2.0 * float(size[0]) + slack) if kept else 0.0
    rest = float(values[kept]) if kept < len(values) else 0.0
    return Spectrum(values[:kept], signed(axes[:kept]), rest, 0.0, floor, "singular values", values)
