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
from functools import cached_property
from typing import Any, Self

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.row_blocks import RowBlocks
from empirisk.data.row_checks import check_features, check_rows, where
from empirisk.data.sums import weighted_sum
from empirisk.losses.base import Loss, check_targets
from empirisk.penalties.base import Penalty
from empirisk.problems.base import Layout, Part, SummedProblem, Want
from empirisk.problems.linear_scores import offered
from empirisk.problems.proofs import Constant, gap_certificate, standardised_residual, why_no_gap
from empirisk.problems.streamed_facts import StreamedFacts
from empirisk.problems.streamed_pass import Passes, StreamedEvaluation, balance
from empirisk.results import Certificate, Kind, Solution
from empirisk.typing import Array, Capability

__all__ = ["StreamedEvaluation", "StreamedProblem"]

# Parameters up to which the Gram matrix of the columns is formed.
DIRECT = 1_000
_NEEDED = frozenset({Capability.GRAD, Capability.HESS, Capability.CONJUGATE})


@dataclass(frozen=True, eq=False, repr=False)
class StreamedProblem(SummedProblem, Brief):
    """``F(w) = (1/S) sum_i s_i loss(y_i, x_i.w + b) + penalty(w)`` over row blocks.

    Parameters
    ----------
    loss : Loss
        A convex loss of one score a row with a second derivative and a conjugate: half squared, logistic,
        Poisson, gamma ...
    penalty : Penalty
        Any penalty or constraint set.  ``solver="auto"`` takes Newton's method without a penalty or with L2,
        L-BFGS where there are too many columns for a Hessian, and proximal gradients for the others.
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
        object.__setattr__(self, "facts", StreamedFacts(self.loss, self.data, self.intercept))

    @property
    def _passes(self) -> Passes:
        return Passes(self.loss, self.data, self.intercept)

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
        out = offered(self.loss, self.penalty, self.data.n_cols)
        return frozenset(out | {Capability.SUMMED_HESSIAN, Capability.SCALAR_SCORE})

    @property
    def n_params(self) -> int:
        """The number of parameters: one for each column, and one for the intercept."""
        return self.data.n_cols + int(self.intercept)

    @property
    def n_outputs(self) -> int:
        """0, because a streamed row has one score and no vector of them."""
        return 0

    @property
    def precision(self) -> np.dtype[Any]:
        """Float64: sums over the rows are made there, whatever is stored."""
        return np.dtype(np.float64)

    def split(self, w: Array) -> tuple[Array, Array]:
        """Return coefficients and intercept (0 without one)."""
        p = self.data.n_cols
        return (w[:p], w[p]) if self.intercept else (w, np.zeros(()))

    # -- the contract ---------------------------------------------------------------------------

    def start(self) -> Array:
        """Return the parameters of the null model."""
        return self.facts.null.copy()

    def preflight(self) -> Solution | None:
        """Refuse rows that are no data for the loss, by block, row and column; once for all strengths.

        Targets and weights are read in a pass of their own.  The features cost none: their moments, which
        every certificate asks for, are finite unless a number is not.
        """
        if not self.facts.checked:
            self._check()
            self.facts.checked = True
        return None

    def _check(self) -> None:
        for number, block in enumerate(self.data):
            place = where(number, block)
            check_rows(block, place)
            if self.loss.plain(block.y)[1].ndim != 1:
                raise ValueError(f"{place}y has shape {block.y.shape}; a streamed row has one target")
            try:
                check_targets(self.loss, block.y)
            except ValueError as error:
                raise ValueError(f"{place}{error}") from None
        if self.data.n_cols + int(self.intercept) == 0 or not self.data.total_weight > 0.0:
            raise ValueError("streamed rows need at least one parameter and one row with weight")
        with np.errstate(over="ignore", invalid="ignore"):
            sound = all(np.isfinite(moment).all() for moment in self.facts.moments)
        if not sound:
            for number, block in enumerate(self.data):
                check_features(block, where(number, block))

    def evaluate(self, w: Array, want: Collection[str] = ()) -> StreamedEvaluation:
        """Return mean loss, gradient and sums; with ``Want.HESSIAN`` in `want` the Hessian too; one pass."""
        return self._passes.evaluate(w, Want.HESSIAN in want)

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

    def gram_product(self, v: Array) -> Array:
        """``(X - m)' diag(s) (X - m) v / S``, with the means m of the columns; one pass."""
        return self._passes.gram_product(v, self.facts.moments[0])

    @cached_property
    def smoothness(self) -> Constant:
        """The Lipschitz constant of the gradient of the mean loss plus the L2 part; one pass.

        Up to 1000 columns it is that of the Gram matrix.  Beyond, its trace stands in for the eigenvalue.
        """
        high = self.loss.curvature[1]
        if not math.isfinite(high):
            return Constant(math.inf, True, "the second derivative of the loss has no bound")
        if self.n_params > DIRECT:
            mean, variance = self.facts.moments
            trace = float((variance + mean**2).sum()) + float(self.intercept)
            return Constant(high * trace + self.penalty.l2, True, "trace of the Gram matrix")
        G = high * self._passes.gram()
        at = np.arange(self.data.n_cols)  # the intercept is not penalised
        G[at, at] += self.penalty.l2
        top = float(np.linalg.eigvalsh(G)[-1])
        return Constant(top, True, "eigenvalues of the Gram matrix")

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
        """Duality gap where one is finite, else the KKT residual; all sums are made in float64."""
        w = np.asarray(w, dtype=np.float64)
        e = self.evaluate(w) if evaluation is None else evaluation
        if not math.isfinite(self.objective(w, e)):
            return Certificate(Kind.NONE, math.inf, 1.0, "none: the objective is not finite at this point")
        if self.penalty.coercive(self.data.n_cols):
            return self._gap(w, e)
        grad = e.grad[: self.data.n_cols], e.grad[-1] if self.intercept else np.zeros(())
        return standardised_residual(
            self.split(w), grad, self.penalty, self.intercept, self.facts, np.dtype(np.float64), True,
            why_no_gap(self.loss, self.penalty),
        )  # fmt: skip

    def _gap(self, w: Array, e: StreamedEvaluation) -> Certificate:
        coef, b = self.split(w)
        primal = self.objective(w, e)
        shares = balance(e.sides) if self.intercept else (1.0, 1.0)
        conjugate, v = self._passes.dual_sums(w, shares) if self.intercept else (e.linear - e.loss, -e.grad)
        shrink = self.penalty.feasible_scale(v)
        if shrink < 1.0:  # the conjugate's domain is convex and holds 0: a shorter theta stays in it
            conjugate, v = self._passes.dual_sums(w, (shrink * shares[0], shrink * shares[1]))[0], shrink * v
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
        if self.penalty.l2 > 0.0:
            size += eps * slope**2 * float(squares.sum()) / (16.0 * self.penalty.l2)
        size *= 1.0 + self.facts.n_blocks / 8.0
        scale = self.scale()
        null = scale == self.facts.null_excess
        return gap_certificate(gap, size, scale, null, self.penalty.strong_convexity)
