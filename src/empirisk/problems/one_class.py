"""The half-space of a kernel's space that holds most rows and lies as far from the origin as can be.

    F(f, r) = ||f||^2 / 2 - r + (1/(nu S)) sum_i s_i max(0, r - f(x_i))

over functions f of the kernel's space and numbers r (Scholkopf, Platt, Shawe-Taylor, Smola and Williamson,
Neural Computation 13, 2001).  For weights a of the rows, ``0 <= a_i <= s_i / (nu S)`` with ``sum_i a_i = 1``,

    D(a) = -a'K a / 2

is a lower bound of F, and ``f = sum_i a_i k(x_i, .)`` is where both meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import weighted_sum
from empirisk.kernels.base import Kernel
from empirisk.losses.hinge import Hinge
from empirisk.problems.kernelised import KernelProblem
from empirisk.problems.proofs import gap_certificate
from empirisk.results import Certificate, Kind
from empirisk.typing import Array

__all__ = ["OneClassProblem"]

# The least scale of certificates, as a share of the mean of k(x, x) / 2.
LEAST = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class OneClassProblem(Brief):
    """``||f||^2 / 2 - r + (1/(nu S)) sum_i s_i max(0, r - f(x_i))`` with ``f = sum_j a_j k(x_j, .)``.

    Parameters
    ----------
    kernel : Kernel
        Without words: its numbers are known.
    nu : float
        In (0, 1]: the weight of the rows with ``f(x_i) < r`` is nu S at most.
    data : ArrayBlocks
        Rows and weights; the targets are not looked at.
    """

    kernel: Kernel
    nu: float
    data: ArrayBlocks

    @cached_property
    def space(self) -> KernelProblem:
        """The functions of the kernel on the rows: products with K, and where rows of it are kept."""
        return KernelProblem(Hinge(), self.kernel, 1.0, self.data, intercept=False)

    @property
    def n(self) -> int:
        """The number of rows, and of their weights a."""
        return self.space.n

    @cached_property
    def high(self) -> Array:
        """The largest weight that each row can have; together they have ``1 / nu``."""
        return np.asarray(self.data.weight / (self.nu * self.data.total_weight), dtype=np.float64)

    def start(self) -> Array:
        """Return feasible weights of few rows: the first ones have the largest weights that they can."""
        before = np.minimum(np.cumsum(self.high), 1.0)
        return self.feasible(np.diff(before, prepend=0.0))

    def feasible(self, a: Array) -> Array:
        """Return weights in their boxes whose sum is 1, and which are the given ones where these are.

        What is too much is taken from all by one factor; what is missing comes from the room that is left,
        of rows with a weight first, so that no other rows become support vectors by rounding.
        """
        a = np.clip(a, 0.0, self.high)
        total = float(a.sum())
        if total > 1.0:
            return np.asarray(a / total)
        for among, enough in ((a > 0.0, 0.0), (np.ones(len(a), dtype=bool), 1e-12)):
            missing = 1.0 - float(a.sum())
            room = np.where(among, self.high - a, 0.0)
            if missing > enough and room.any():
                a = np.minimum(a + room * min(missing / float(room.sum()), 1.0), self.high)
        return np.asarray(a)

    def offset(self, f: Array) -> float:
        """Return the best r for the values f of the rows: a row's value, below which lies less than nu S.

        Where the share nu ends between two rows all numbers between their values are as good.
        """
        live = np.flatnonzero(self.data.weight > 0.0)
        order = live[np.argsort(f[live], kind="stable")]
        # The rounding of a sum of n shares must not move the end of the share by a row.
        reach = 1.0 - 4.0 * len(order) * float(np.finfo(np.float64).eps)
        place = int(np.searchsorted(np.cumsum(self.high[order]), reach))
        return float(f[order[min(place, len(order) - 1)]])

    def certify(self, a: Array, f: Array | None = None, offset: float | None = None) -> Certificate:
        """Return the duality gap of weights of the rows: true whatever they are, and whatever r is.

        Parameters
        ----------
        a : array, shape (n,)
            The dual point is their nearest feasible relative of :meth:`feasible`.
        f : array, shape (n,), optional
            ``K a``.
        offset : float, optional
            r; by default the best one.
        """
        f = self.space.times_kernel(a) if f is None else f
        r = self.offset(f) if offset is None else offset
        square = float(a @ f)
        dual = self.feasible(a)
        moved = float(np.abs(dual - a).max(initial=0.0)) > 1e-15 * float(np.abs(a).max(initial=0.0))
        dual_square = float(dual @ self.space.times_kernel(dual)) if moved else square
        reach = float(np.sqrt(self.space.diagonal.max(initial=0.0)))
        if not np.isfinite([square, dual_square, r]).all():
            return Certificate(Kind.NONE, np.inf, 1.0, "none: the objective is not finite at this point")
        if min(square, dual_square) < -1e-9 * reach**2:
            claim = (
                f"none: the kernel {self.kernel.title} is not positive semi-definite on these rows; the "
                f"weights a of the fit are a witness: a'K a = {min(square, dual_square):.3g} < 0"
            )
            return Certificate(Kind.NONE, np.inf, 1.0, claim)
        short = float(weighted_sum(self.high, np.maximum(r - f, 0.0)))
        gap = 0.5 * square - r + short + 0.5 * dual_square
        size = square + abs(r) + short + dual_square + float(np.abs(a).sum()) * reach**2
        # -D is at least what the null model f = 0, whose objective is 0, lies above the minimum: 0 where the
        # origin lies among the rows, and then the size of the rows is what there is to compare with.
        share = self.data.weight / self.data.total_weight
        least = 0.5 * LEAST * float(weighted_sum(share, self.space.diagonal))
        null = 0.5 * dual_square >= least
        scale = max(0.5 * dual_square, least) or 1.0
        return gap_certificate(max(gap, 0.0), size, scale, null, 0.0)
