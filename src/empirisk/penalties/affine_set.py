"""The affine set ``{w : A w = b}``: coefficients that satisfy linear equations exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import qr, solve_triangular

from empirisk.penalties.base import ConstraintSet
from empirisk.penalties.inequalities import Inequalities
from empirisk.penalties.numbers import as_numbers, check_size, long_norm
from empirisk.typing import Array

__all__ = ["AffineSet"]


@dataclass(frozen=True)
class AffineSet(ConstraintSet):
    """``A w = b``; support function ``u.w0`` for u in the row space of A, else +inf, w0 any solution.

    With an orthonormal basis Q of the row space (QR with pivots of A', once, O(m^2 p)) and the shortest
    solution w0 the projection is ``w0 + v - Q Q'v``, O(r p).

    Parameters
    ----------
    matrix : sequence of sequences of float
        A, one row an equation; rows may depend on each other.
    values : sequence of float
        b.

    Raises
    ------
    ValueError
        When the equations contradict each other; the message names one that does not hold.

    Examples
    --------
    >>> AffineSet([[1.0, 1.0]], [2.0]).project(np.array([3.0, 1.0])).round(12)
    array([ 2., -0.])
    """

    matrix: Sequence[Sequence[float]]
    values: Sequence[float]

    name = "affine_set"

    def __post_init__(self) -> None:
        rows = tuple(as_numbers(f"matrix, equation {i}", row) for i, row in enumerate(self.matrix))
        object.__setattr__(self, "matrix", rows)
        object.__setattr__(self, "values", as_numbers("values", self.values))
        if len({len(row) for row in rows}) != 1:
            raise ValueError("matrix must have rows of one length: one entry for each coefficient")
        if len(rows) != len(self.values):
            raise ValueError(f"matrix has {len(rows)} equations but values has {len(self.values)} entries")
        _ = self._factor

    @cached_property
    def _factor(self) -> tuple[Array, Array]:
        """The basis Q, shape (p, r), and the shortest solution w0."""
        A, b = np.asarray(self.matrix), np.asarray(self.values)
        size = np.sqrt(np.square(A).sum(axis=1))
        size = np.where(size > 0.0, size, 1.0)  # rows of one length: their units do not decide the rank
        A, b = A / size[:, None], b / size
        Q, R, order = qr(A.T, mode="economic", pivoting=True)
        diagonal = np.abs(np.diag(R))
        tolerance = max(A.shape) * float(np.finfo(float).eps)
        rank = int((diagonal > tolerance * max(diagonal[0], 1e-300)).sum())
        Q = Q[:, :rank]
        w0 = (
            Q @ solve_triangular(R[:rank, :rank], b[order[:rank]], trans="T")
            if rank
            else np.zeros(A.shape[1])
        )
        off = np.abs(A @ w0 - b)
        # What rounding of the triangle can do to an equation that depends on the others.
        limit = (
            64.0
            * tolerance
            * (np.abs(b).max() + long_norm(w0))
            / max(min(diagonal[:rank], default=1.0), 1e-8)
        )
        if off.max() > limit:
            i = int(off.argmax())
            raise ValueError(
                f"the equations contradict each other: equation {i} of matrix cannot hold together with "
                f"the others (it is off by {off[i] * size[i]:.3g} where they hold); drop it, or correct "
                f"values[{i}]"
            )
        return Q, w0

    def inequalities(self, p: int) -> Inequalities:
        A, b = np.asarray(self.matrix), np.asarray(self.values)
        check_size("a row of matrix", A.shape[1], np.zeros(p))
        return Inequalities.of(p, equations=(A, b))

    def project(self, v: Array) -> Array:
        Q, w0 = self._factor
        check_size("a row of matrix", len(w0), v)
        w = v.ravel().astype(np.float64)
        for _ in range(2):  # the second time removes what rounding left of a far v
            w = w - Q @ (Q.T @ (w - w0))
        return np.asarray(w.reshape(v.shape), dtype=v.dtype)

    def gap(self, w: Array) -> float:
        Q, w0 = self._factor
        check_size("a row of matrix", len(w0), w)
        scale = max(long_norm(w), long_norm(w0), np.finfo(float).tiny)
        return long_norm(Q.T @ (w.ravel() - w0)) / scale

    def support(self, u: Array) -> float:
        Q, w0 = self._factor
        check_size("a row of matrix", len(w0), u)
        flat = u.ravel().astype(np.float64)
        off = long_norm(flat - Q @ (Q.T @ flat))
        return (
            float(flat @ w0)
            if off <= self.ulps * float(np.finfo(u.dtype).eps) * long_norm(flat)
            else math.inf
        )

    def tangent(self, w: Array, d: Array, near: float = 0.0) -> Array:
        Q, _ = self._factor
        flat = d.ravel()
        return np.asarray((flat - Q @ (Q.T @ flat)).reshape(d.shape), dtype=d.dtype)
