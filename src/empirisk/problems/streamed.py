"""A linear problem whose rows are read block by block, and never all at once.

Everything that is computed is a sum over the blocks, :meth:`RowBlocks.map_sum`: no array has a number for
each row.  The order of the blocks is fixed, so that a fit has the same bits each time.

The duality gap of :mod:`problems.certify` needs dual values with ``sum_i s_i theta_i = 0`` where there is an
intercept.  At ``theta = -loss'(z)`` one pass finds the sums P and N of its positive and of its negative side;
a second pass shrinks the heavier side by their ratio, which stays in the conjugate's domain, and finds

    D(theta) = -(1/S) sum_i s_i loss*(y_i, -theta_i) - penalty*(v),    v = (1/S) sum_i s_i theta_i x_i

Without an intercept theta is feasible as it is, and Fenchel's equality gives D from the sums of one pass.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from empirisk import _loops
from empirisk.data.row_blocks import Block, RowBlocks
from empirisk.data.sums import inner, weighted_sum
from empirisk.losses.base import Loss, check_targets
from empirisk.penalties.base import Penalty
from empirisk.problems.base import Layout, Part, SummedProblem, Want
from empirisk.problems.proofs import gap_certificate, standardised_residual
from empirisk.problems.streamed_facts import StreamedFacts, wide
from empirisk.results import Certificate, Kind, Solution
from empirisk.typing import Array, Capability

__all__ = ["StreamedEvaluation", "StreamedProblem"]

_NEEDED = frozenset({Capability.GRAD, Capability.HESS, Capability.CONJUGATE})


@dataclass(frozen=True)
class StreamedEvaluation:
    """What one pass over the blocks tells about a point: sums, and nothing of single rows.

    Parameters
    ----------
    loss : float
        Weighted mean loss, without the penalty.
    grad : array
        Its gradient.
    linear : float
        Weighted mean of ``z loss'(z)``.
    sides : (float, float)
        Weighted means of the positive part and of the negative part of ``loss'(z)``, both >= 0.
    hessian : array or None
        The Hessian of the mean loss, when it was asked for.
    """

    loss: float
    grad: Array
    linear: float
    sides: tuple[float, float]
    hessian: Array | None = None


@dataclass(frozen=True, eq=False)
class StreamedProblem(SummedProblem):
    """``F(w) = (1/S) sum_i s_i loss(y_i, x_i.w + b) + penalty(w)`` over row blocks.

    Parameters
    ----------
    loss : Loss
        A convex loss of one score a row with a second derivative and a conjugate: half squared, logistic,
        Poisson, gamma ...
    penalty : Penalty
        None or L2.
    data : RowBlocks
        Rows in blocks, such as :class:`empirisk.data.BlockList`.
    intercept : bool
        Whether there is a free constant b, which is never penalised.

    Notes
    -----
    Whether classes without a penalty are separable is not asked of streamed rows, and columns far from 0 are
    measured from where they are: what that costs in digits is part of the certificate.

    Examples
    --------
    >>> from empirisk.data import BlockList
    >>> from empirisk.losses import HalfSquared
    >>> from empirisk.penalties import L2
    >>> rows = BlockList.cut(np.eye(4), np.arange(4.0), rows=2)
    >>> import empirisk as er
    >>> solution = er.solve(StreamedProblem(HalfSquared(), L2(0.1), rows), tol=1e-10)
    >>> solution.status.name, solution.certificate.kind.name
    ('CERTIFIED', 'DUALITY_GAP')
    """

    loss: Loss
    penalty: Penalty
    data: RowBlocks
    intercept: bool = True
    facts: StreamedFacts = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.loss.vector or not self.loss.convex or not self.loss.offers >= _NEEDED:
            raise ValueError(
                f"loss {self.loss.name!r} cannot be streamed: it must be convex, have one score a row, a "
                "second derivative and a conjugate (half_squared, logistic, poisson ...)"
            )
        if not math.isfinite(self.penalty.smoothness):
            raise ValueError(
                f"penalty {self.penalty.name!r} cannot be streamed: it must be differentiable (none or L2)"
            )
        object.__setattr__(self, "facts", StreamedFacts(self.loss, self.data, self.intercept))

    # -- layout ---------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """What errors call the problem: streamed rows, its loss and its penalty."""
        return f"streamed rows, loss {self.loss.name!r}, penalty {self.penalty.name!r}"

    @property
    def layout(self) -> Layout:
        """Coefficients first, then the intercept, which is never penalised."""
        p = self.data.n_cols
        last = (Part("intercept", 1, penalised=False),) if self.intercept else ()
        return Layout((p + len(last),), (Part("coefficients", p), *last))

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What solvers may use: sums of a pass, and no design matrix."""
        out = {
            *self.loss.offers,
            Capability.SUMMED_HESSIAN,
            Capability.SMOOTH_PENALTY,
            Capability.SCALAR_SCORE,
        }
        return frozenset(out | {Capability.CONVEX})

    def split(self, w: Array) -> tuple[Array, Array]:
        """Return coefficients and intercept (0 without one)."""
        p = self.data.n_cols
        return (w[:p], w[p]) if self.intercept else (w, np.zeros(()))

    # -- the contract ---------------------------------------------------------------------------

    def start(self) -> Array:
        """Return the parameters of the null model."""
        return self.facts.null.copy()

    def preflight(self) -> Solution | None:
        """Refuse targets that the loss is not defined for, and tables without rows or without weight."""
        if self.data.n_cols + int(self.intercept) == 0 or not self.data.total_weight > 0.0:
            raise ValueError("streamed rows need at least one parameter and one row with weight")
        for block in self.data:
            try:
                check_targets(self.loss, block.y)
            except ValueError as error:
                raise ValueError(f"in the block that starts at row {block.start}: {error}") from None
        return None

    def evaluate(self, w: Array, want: Collection[str] = ()) -> StreamedEvaluation:
        """Return mean loss, gradient and sums; with ``Want.HESSIAN`` in `want` the Hessian too; one pass."""
        hessian = Want.HESSIAN in want
        total = self.data.total_weight
        loss, grad, linear, above, below, *more = self.data.map_sum(
            lambda block: self._sums(block, w, hessian)
        )
        sides = float(above) / total, float(below) / total
        return StreamedEvaluation(
            float(loss) / total, grad / total, float(linear) / total, sides, more[0] / total if more else None
        )

    def _scores(self, block: Block, X: Any, w: Array) -> Array:
        coef, b = self.split(w)
        z = np.asarray(X @ coef + b, dtype=np.float64)
        z[block.weight == 0.0] = 0.0  # what absent rows would cost may be infinite
        return z

    def _sums(self, block: Block, w: Array, hessian: bool) -> tuple[Any, ...]:
        X, s, y = wide(block), block.weight, block.y
        z = self._scores(block, X, w)
        slope = s * self.loss.grad(y, z)
        grad = self._with_constant(X, slope)
        out = (
            weighted_sum(s, self.loss.value(y, z)), grad, inner(slope, z),
            np.maximum(slope, 0.0).sum(), np.maximum(-slope, 0.0).sum(),
        )  # fmt: skip
        return (*out, self._products(X, block.design.sparse, s * self.loss.hess(y, z))) if hessian else out

    def _with_constant(self, X: Any, u: Array) -> Array:
        """``[X 1]' u`` over the rows of a block, in float64."""
        v = np.asarray(X.T @ u, dtype=np.float64)
        return np.append(v, u.sum()) if self.intercept else v

    def _products(self, X: Any, sparse: bool, d: Array) -> Array:
        """``[X 1]' diag(d) [X 1]`` over the rows of a block."""
        p = self.data.n_cols
        m = p + int(self.intercept)
        H = np.empty((m, m))
        H[:p, :p] = (X.T @ X.multiply(d[:, None]).tocsr()).todense() if sparse else _loops.gram(X, d, None)
        if self.intercept:
            H[p, :p] = H[:p, p] = np.asarray(X.T @ d, dtype=np.float64)
            H[p, p] = d.sum()
        return H

    def objective(self, w: Array, evaluation: StreamedEvaluation) -> float:
        """``F(w)`` from the evaluation of w."""
        return evaluation.loss + self.penalty.value(self.split(w)[0])

    def gradient(self, w: Array, evaluation: StreamedEvaluation) -> Array:
        """Return the gradient of F, penalty included."""
        out = evaluation.grad.copy()
        out[: self.data.n_cols] += self.penalty.l2 * self.split(w)[0]
        return out

    def hessian(self, evaluation: StreamedEvaluation) -> Array:
        """Return the Hessian of F, penalty included, from an evaluation that was asked for it."""
        assert evaluation.hessian is not None
        out = evaluation.hessian.copy()
        at = np.arange(self.data.n_cols)
        out[at, at] += self.penalty.l2
        return out

    def scale(self) -> float:
        """Return the null model's loss above that of a perfect fit; the size of the targets where it is 0."""
        null, size = self.facts.null_excess, self.facts.target_square
        # Targets that are constant up to 1e-14 of their size leave only rounding as the null model's loss.
        if self.loss.quadratic and null <= 1e-28 * size:
            null = 0.0
        return null or 0.5 * size or 1.0

    def with_strength(self, alpha: float) -> Self:
        """Return the same problem with another penalty strength; the facts of the rows are shared."""
        other = replace(self, penalty=self.penalty.with_strength(alpha))
        object.__setattr__(other, "facts", self.facts)
        return other

    # -- certificate ----------------------------------------------------------------------------

    def certify(
        self,
        w: Array,
        evaluation: StreamedEvaluation | None = None,
        target: float = 0.0,
        hint: object = None,
    ) -> Certificate:
        """Duality gap with L2, else the KKT residual; the sums of all passes are made in float64."""
        w = np.asarray(w, dtype=np.float64)
        e = self.evaluate(w) if evaluation is None else evaluation
        if not math.isfinite(e.loss):
            return Certificate(Kind.NONE, math.inf, 1.0, "none: the objective is not finite at this point")
        if self.penalty.l2 > 0.0:
            return self._gap(w, e)
        grad = e.grad[: self.data.n_cols], e.grad[-1] if self.intercept else np.zeros(())
        return standardised_residual(
            self.split(w), grad, self.penalty, self.intercept, self.facts, np.dtype(np.float64), True,
            "without a penalty there is no finite duality gap",
        )  # fmt: skip

    def _gap(self, w: Array, e: StreamedEvaluation) -> Certificate:
        coef, b = self.split(w)
        primal = self.objective(w, e)
        if self.intercept:
            conjugate, v = self._balanced(w, e)
        else:
            conjugate, v = e.linear - e.loss, -e.grad
        of_penalty = self.penalty.conjugate(v)
        gap = primal + conjugate + of_penalty
        gap = max(gap, 0.0) if math.isfinite(gap) else math.inf
        # What rounding acts on; see `problems.certify`.  A sum of many blocks adds an eps for each of them.
        mean, variance = self.facts.moments
        squares = variance + mean**2
        slope = self.loss.lipschitz if math.isfinite(self.loss.lipschitz) else self.facts.null_slope
        terms = float(weighted_sum(np.sqrt(squares), np.abs(coef))) + abs(float(b))
        least = abs(self.facts.saturated) if math.isfinite(self.facts.saturated) else 0.0
        eps = float(np.finfo(np.float64).eps)
        size = abs(primal) + abs(conjugate) + abs(of_penalty) + least + terms * slope
        size += eps * slope**2 * float(squares.sum()) / (16.0 * self.penalty.l2)
        size *= 1.0 + self.facts.n_blocks / 8.0
        scale = self.scale()
        null = scale == self.facts.null_excess
        return gap_certificate(gap, size, scale, null, self.penalty.strong_convexity)

    def _balanced(self, w: Array, e: StreamedEvaluation) -> tuple[float, Array]:
        """Return the mean conjugate and v at the slopes whose heavier side is shrunk; one pass."""
        above, below = e.sides
        up = min(1.0, below / above) if above > 0.0 else 1.0
        down = min(1.0, above / below) if below > 0.0 else 1.0

        def sums(block: Block) -> tuple[Any, ...]:
            X = wide(block)
            slope = self.loss.grad(block.y, self._scores(block, X, w))
            slope = np.where(slope > 0.0, up * slope, down * slope)
            out = self.loss.conjugate(block.y, slope)
            if not np.isfinite(out).all():  # rounding beyond the end of the domain is forgiven
                inwards = 1.0 - 8.0 * float(np.finfo(np.float64).eps)
                out = np.where(np.isfinite(out), out, self.loss.conjugate(block.y, slope * inwards))
            return weighted_sum(block.weight, out), np.asarray(X.T @ (block.weight * slope), dtype=np.float64)

        conjugate, v = self.data.map_sum(sums)
        return float(conjugate) / self.data.total_weight, -v / self.data.total_weight
