"""The Cholesky factor of a covariance matrix, and what rounding makes add to its diagonal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, eigh, solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri

from empirisk.typing import Array

__all__ = ["Factor", "NotDefiniteError", "check_definite"]

# Multiples of the mean of the diagonal that are tried in turn, beginning with none.
JITTER = (0.0, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8)


class NotDefiniteError(ValueError):
    """A covariance matrix has an eigenvalue that is negative beyond rounding."""


@dataclass(frozen=True, eq=False)
class Factor:
    """``L L' = A + jitter I`` for a symmetric matrix A.

    Parameters
    ----------
    lower : array, shape (n, n)
        L; what stands above its diagonal is zero.
    jitter : float
        What had to be added to the diagonal, 0 for nearly all matrices.
    """

    lower: Array
    jitter: float

    @classmethod
    def of(cls, matrix: Array) -> Self:
        """Return the factor with the least jitter of a short list.

        Raises
        ------
        NotDefiniteError
            Names the smallest eigenvalue.
        """
        size = float(np.mean(np.diagonal(matrix))) if len(matrix) else 1.0
        if not np.isfinite(size):
            raise NotDefiniteError("the kernel matrix holds infinite numbers; rescale the columns of X")
        for share in JITTER:
            shifted = matrix if share == 0.0 else matrix + share * size * np.eye(len(matrix))
            try:
                return cls(cholesky(shifted, lower=True, check_finite=False), share * size)
            except LinAlgError:
                continue
        raise NotDefiniteError(_witness(matrix))

    @classmethod
    def over(cls, matrix: Array) -> Self | None:
        """Return the factor, written over a matrix in C order; None, and a spoilt matrix, where it is none.

        A second matrix of fresh memory costs a tenth of the factorisation for a thousand rows.
        """
        lower, info = dpotrf(matrix.T, lower=1, overwrite_a=1, clean=1)
        return cls(lower, 0.0) if info == 0 and np.isfinite(np.diagonal(lower)).all() else None

    @property
    def half_log_det(self) -> float:
        """Half the logarithm of the determinant."""
        return float(np.log(np.diagonal(self.lower)).sum())

    def solve(self, b: Array) -> Array:
        """Return ``A^-1 b`` for a vector or a matrix of columns."""
        return np.asarray(cho_solve((self.lower, True), b, check_finite=False))

    def half_solve(self, b: Array) -> Array:
        """Return ``L^-1 b``, whose squared norm is ``b' A^-1 b``."""
        return np.asarray(solve_triangular(self.lower, b, lower=True, check_finite=False))

    def half_solve_transposed(self, b: Array) -> Array:
        """Return ``L'^-1 b``, the other half of a solve."""
        return np.asarray(solve_triangular(self.lower, b, lower=True, trans="T", check_finite=False))

    def between(self, middle: Array) -> Array:
        """Return ``L'^-1 middle L^-1``, symmetric for a symmetric matrix in the middle."""
        half = self.half_solve_transposed(middle)
        out = self.half_solve_transposed(half.T)
        return np.asarray(0.5 * (out + out.T))

    def inverse(self) -> Array:
        """Return ``A^-1``, symmetric, at twice the flops of the factor."""
        half = self.half_inverse()
        out: Array = np.tril(half)
        out += np.tril(half, -1).T
        return out

    def half_inverse(self, *, instead: bool = False) -> Array:
        """Return the lower triangle of ``A^-1`` in Fortran order, with zeros above.

        Parameters
        ----------
        instead : bool, default False
            Whether to write it over L: the factor is of no use afterwards, and one matrix is saved.
        """
        # In Fortran order nothing is copied; what stands above the diagonal is not looked at.
        half, info = dpotri(np.asfortranarray(self.lower), lower=1, overwrite_c=instead)
        if info:
            raise NotDefiniteError("the kernel matrix is singular in double precision")
        return np.asarray(half)


def check_definite(matrix: Array, what: str) -> None:
    """Refuse a matrix of given numbers that is no covariance, with the eigenvalue that shows it."""
    low = float(eigh(matrix, eigvals_only=True, subset_by_index=[0, 0])[0])
    if low < -1e-8 * float(np.abs(matrix).max()):
        raise NotDefiniteError(f"{what}: {_witness(matrix)}")


def _witness(matrix: Array) -> str:
    values, vectors = eigh(matrix, subset_by_index=[0, 0])
    row = int(np.abs(vectors[:, 0]).argmax())
    return (
        f"the kernel matrix is not positive semi-definite: its smallest eigenvalue is {values[0]:.3g} "
        f"against a largest entry of {np.abs(matrix).max():.3g}, with row {row} the heaviest of its "
        "eigenvector; use a kernel of er.kernels, or repair the matrix (clip its negative eigenvalues)"
    )
