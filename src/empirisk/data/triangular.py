"""A triangular factor of the standardised columns, without a centred copy of the whole matrix."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg as sla

from empirisk import _loops
from empirisk.data.design import Design
from empirisk.data.threads import one_thread
from empirisk.typing import Array, IndexArray

__all__ = ["TriangularFactor", "triangular_factor"]

_BLOCK_NUMBERS = 2_000_000  # numbers in one standardised block of rows
_SAFE = 1e-6  # smallest reciprocal condition of the Gram matrix at which Cholesky keeps 10 digits


@dataclass(frozen=True, eq=False)
class TriangularFactor:
    """``R' R = Z' diag(s) Z`` with ``Z = (X - mean) / scale``, and its rank.

    Parameters
    ----------
    R : array, shape (p, p)
        Upper triangular; columns of Z that are constant up to rounding are zero.
    mean, scale : array, shape (p,)
        Weighted mean (0 without an intercept) and root mean square about it (1 for constant columns).
    total : float
        Sum of the weights.
    constant : boolean array, shape (p,)
        Columns without variation (with an intercept) or without any non-zero entry (without one).
    method : str
        ``"cholesky"`` of the Gram matrix, or ``"qr"`` of the rows.
    singular : array, shape (p,)
        Singular values of ``R / sqrt(total)``, decreasing: 1 for orthogonal columns.
    basis : array, shape (p, p)
        Right singular vectors of R as columns, in the order of `singular`.
    rank : int
        Number of singular values above `tolerance` times the largest.
    tolerance : float
        Relative size below which a singular value is rounding.
    """

    R: Array
    mean: Array
    scale: Array
    total: float
    constant: np.ndarray
    method: str
    singular: Array
    basis: Array
    rank: int
    tolerance: float

    @property
    def condition(self) -> float:
        """Condition number of the standardised columns; infinite when the rank is deficient."""
        if len(self.singular) == 0:
            return 1.0
        if self.rank < len(self.singular):
            return math.inf
        return float(self.singular[0] / self.singular[-1])

    @property
    def null_space(self) -> Array:
        """Orthonormal basis of the directions that the columns leave undetermined, shape (p, p - rank)."""
        return self.basis[:, self.rank :]

    def of(self, columns: IndexArray) -> TriangularFactor:
        """Return the factor of some of the columns, from that of all: O(p^3), without the rows."""
        R = _upper(self.R[:, columns])
        singular, basis, rank = _spectrum(R, self.total, self.tolerance)
        return replace(
            self,
            R=R, mean=self.mean[columns], scale=self.scale[columns], constant=self.constant[columns],
            singular=singular, basis=basis, rank=rank,
        )  # fmt: skip

    def half_inverse(self) -> Array:
        """``H`` with ``H H'`` the (pseudo-)inverse of ``X' diag(s) X`` (about the mean), original units."""
        r = self.rank
        if r == len(self.singular) and r > 0:
            with one_thread():
                H = sla.solve_triangular(self.R, np.eye(r))
        else:
            H = self.basis[:, :r] / (self.singular[:r] * math.sqrt(self.total))
        return np.asarray(H / self.scale[:, None])


def triangular_factor(
    design: Design, weight: Array, intercept: bool, *, exact: bool = False
) -> TriangularFactor:
    """Factor the standardised columns: Cholesky when that is safe, else QR of the rows block by block.

    Parameters
    ----------
    design : Design
        n rows, p columns.
    weight : array, shape (n,)
        Row weights, >= 0.
    intercept : bool
        Centre the columns.
    exact : bool
        Go straight to the QR factorisation, which keeps all digits.

    Notes
    -----
    O(n p^2), memory of one block of rows.  A Gram matrix squares the condition number: it is used when
    the reciprocal condition of the correlation matrix is above 1e-6, so that at least ten digits remain,
    and when the rows are so many that QR would be slow.
    """
    n, p = design.shape
    mean, variance = design.moments(weight)
    total = float(weight.sum(dtype=np.float64))
    if not intercept:
        mean, variance = np.zeros(p), variance + mean**2
    eps = float(np.finfo(np.float64).eps)
    data_eps = float(np.finfo(design.dtype).eps)
    constant = np.asarray(variance <= (4.0 * data_eps * np.abs(mean)) ** 2)
    scale = np.sqrt(np.where(constant, 1.0, variance))
    live = np.where(constant, 0.0, 1.0)
    # A column whose mean is 1e6 standard deviations away carries 1e6 times the rounding of its entries.
    offset = float(np.max(np.abs(mean) / scale * live, initial=0.0))
    tolerance = eps * (8.0 * max(p, 8) + 4.0 * offset)
    blocks = _Blocks(design, weight, mean, scale, live)
    R, method = None, "cholesky"
    if not exact and n > 20 * max(p, 50):
        R = _cholesky(blocks, p)
    with one_thread():
        if R is None:
            R, method = _qr(blocks, p), "qr"
    singular, basis, rank = _spectrum(R, total, tolerance)
    return TriangularFactor(R, mean, scale, total, constant, method, singular, basis, rank, tolerance)


def _spectrum(R: Array, total: float, tolerance: float) -> tuple[Array, Array, int]:
    """Return the singular values of ``R / sqrt(total)``, right singular vectors, and rank."""
    with one_thread():
        _, singular, Vt = np.linalg.svd(R) if R.size else (None, np.zeros(0), np.zeros((0, 0)))
    singular = singular / math.sqrt(total) if total > 0.0 else singular
    rank = int(np.sum(singular > tolerance * max(float(np.max(singular, initial=0.0)), 1e-300)))
    return singular, Vt.T, rank


def _upper(A: Array) -> Array:
    """Return the square triangular factor of a matrix that has at least as many rows as columns."""
    with one_thread():
        return np.asarray(sla.qr(A, mode="r", check_finite=False)[0][: A.shape[1]])


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Standardised rows times the roots of their weights, block by block."""

    design: Design
    weight: Array
    mean: Array
    scale: Array
    live: Array

    def __iter__(self) -> Iterator[Array]:
        n, p = self.design.shape
        step = max(_BLOCK_NUMBERS // max(p, 1), 2 * p, 1)
        X = self.design.X
        if self.design.sparse and X.format != "csr":
            X = X.tocsr()
        for start in range(0, n, step):
            s = np.asarray(self.weight[start : start + step], dtype=np.float64)
            rows = X[start : start + step]
            if not s.all():
                rows, s = rows[s > 0.0], s[s > 0.0]
            Z = np.asarray(rows.toarray() if self.design.sparse else rows, dtype=np.float64)
            Z = (Z - self.mean) * (self.live / self.scale)
            yield Z if np.all(s == 1.0) else Z * np.sqrt(s)[:, None]


def _cholesky(blocks: _Blocks, p: int) -> Array | None:
    """Return R from the Gram matrix, or None when that would lose too many digits."""
    if blocks.design.sparse:
        gram = np.zeros((p, p))
        with one_thread():
            for Z in blocks:
                gram += Z.T @ Z
    else:
        unit = blocks.live / blocks.scale
        gram = np.asarray(_loops.gram(blocks.design.X, blocks.weight, blocks.mean), dtype=np.float64)
        gram *= np.outer(unit, unit)
    with one_thread():
        try:
            R = np.asarray(sla.cholesky(gram))
        except np.linalg.LinAlgError:
            return None
        rcond, _ = sla.lapack.dpocon(R, float(np.abs(gram).sum(axis=0).max()))
    return R if rcond > _SAFE else None


def _qr(blocks: _Blocks, p: int) -> Array:
    """Return R by QR of the first block, then of R stacked on each further block."""
    R: Array = np.zeros((p, p))
    for Z in blocks:
        if p and len(Z):
            R = sla.qr(np.vstack([R, Z]), mode="r", overwrite_a=True, check_finite=False)[0][:p]
    return R
