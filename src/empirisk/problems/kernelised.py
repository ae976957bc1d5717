"""Problems over the functions of a kernel: scores that are weighted sums of similarities to the rows.

``F(a, b) = (1/S) sum_i s_i loss(y_i, z_i) + alpha/2 a'K a`` with ``z = K a + b``, K the matrix of the kernel
on the rows.  By the representer theorem (Kimeldorf and Wahba 1971, Journal of Mathematical Analysis and
Applications 33) no function of the kernel's space, of squared norm ``a'K a``, does better.

For any theta with ``sum_i s_i theta_i = 0`` (b free)

    D(theta) = -(1/S) sum_i s_i loss*(y_i, -theta_i) - u'K u / (2 alpha),    u_i = s_i theta_i / S

is a lower bound of F, and ``a = u / alpha`` is where both meet.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.data.sums import weighted_sum
from empirisk.kernels.base import Kernel
from empirisk.kernels.gram import Gram
from empirisk.kernels.tiles import Tiles
from empirisk.losses.base import Loss, check_targets
from empirisk.problems.base import Layout, Part, Rewriting
from empirisk.problems.facts import Facts
from empirisk.problems.proofs import gap_certificate
from empirisk.results import Certificate, Kind, Solution
from empirisk.typing import Array, Capability

__all__ = ["KernelEvaluation", "KernelFacts", "KernelProblem"]


@dataclass(frozen=True, repr=False)
class KernelEvaluation(Brief):
    """What one product with K tells about a point.

    Parameters
    ----------
    loss : float
        Weighted mean loss.
    grad : array
        Its gradient in the parameters, ``(K g, sum g)`` with g the weighted slopes.
    scores : array, shape (n,)
        ``K a + b``.
    """

    loss: float
    grad: Array
    scores: Array


@dataclass(eq=False)
class KernelFacts(Facts):
    """Facts of the rows and of the kernel, whatever the strength.

    Parameters
    ----------
    gram : Gram or None
        K in float64, where somebody has asked for it.
    rows : object or None
        What a solver reads rows of K from; it keeps those that were used last.
    tiles : Tiles or None
        What a solver takes products with K from, in the format that it chose.
    definite : array of bool or None
        Rows on which K was seen to have no negative eigenvalue.
    """

    gram: Gram | None = field(default=None, kw_only=True)
    rows: Any = field(default=None, kw_only=True)
    tiles: Tiles | None = field(default=None, kw_only=True)
    definite: Any = field(default=None, kw_only=True)

    def share(self, other: KernelFacts) -> None:
        """Read the kernel where `other` does, whose rows and kernel are the same; weights may differ."""
        self.gram, self.rows, self.tiles = other.gram, other.rows, other.tiles
        self.definite = other.definite


@dataclass(frozen=True, eq=False, repr=False)
class KernelProblem(Brief):
    """``(1/S) sum_i s_i loss(y_i, (K a)_i + b) + alpha/2 a'K a``.

    Parameters
    ----------
    loss : Loss
        With one score a row.
    kernel : Kernel
        Without words: its numbers are known.
    alpha : float
        Strength, > 0.
    data : ArrayBlocks
        Rows, targets, weights; with a precomputed kernel the rows are those of K.
    intercept : bool
        Whether there is a free constant b.

    Notes
    -----
    Parameters are one array: a (n numbers), then b.
    """

    loss: Loss
    kernel: Kernel
    alpha: float
    data: ArrayBlocks
    intercept: bool = True

    def __post_init__(self) -> None:
        if not (self.alpha > 0.0 and math.isfinite(self.alpha)):
            raise ValueError(f"alpha must be a finite number > 0, got {self.alpha!r}")
        if self.loss.vector:
            raise ValueError(
                f"a kernel problem has one score a row, and the loss {self.loss.name!r} a vector"
            )

    # -- parameters -----------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """What errors call the problem: its loss and its kernel."""
        return f"loss {self.loss.name!r}, kernel {self.kernel.title}"

    @property
    def n(self) -> int:
        """The number of rows, and of their weights a."""
        return len(self.data.y)

    @property
    def layout(self) -> Layout:
        """The weights of the rows, and the intercept, which is not penalised."""
        parts = (Part("weights of rows", self.n), Part("intercept", 1, penalised=False))
        return Layout((self.n + int(self.intercept),), parts if self.intercept else parts[:1])

    @property
    def capabilities(self) -> frozenset[Capability]:
        """What the loss offers, and products with the kernel matrix."""
        quadratic = {Capability.QUADRATIC} if self.loss.quadratic else set()
        return frozenset({Capability.KERNEL, *quadratic, *self.loss.offers})

    @cached_property
    def facts(self) -> KernelFacts:
        """Facts that do not depend on the strength, which hands them on."""
        return KernelFacts(self.loss, self.data, self.intercept, 0)

    @cached_property
    def rows(self) -> Any:
        """The rows in float64: the kernel of what the user gave is certified, not that of a rounding."""
        X = self.data.design.X
        return X if X.dtype == np.float64 else X.astype(np.float64)

    def split(self, w: Array) -> tuple[Array, float]:
        """Return a and b (0 without an intercept)."""
        return (w[:-1], float(w[-1])) if self.intercept else (w, 0.0)

    def join(self, a: Array, b: float) -> Array:
        """Return the parameters as one array: the weights of the rows, then the intercept."""
        return np.append(a, b) if self.intercept else np.asarray(a)

    def dual_of(self, a: Array) -> Array:
        """Return the dual values that belong to weights of the rows: ``theta_i = S alpha a_i / s_i``."""
        theta, s = np.zeros(self.n), self.data.weight
        live = s > 0.0
        theta[live] = a[live] * (self.alpha * self.data.total_weight) / s[live]
        return theta

    def times_kernel(self, a: Array) -> Array:
        """``K a`` in float64, by the rows that a weighs; K is not stored for it."""
        stored = None if self.facts.gram is None else self.facts.gram.whole
        if stored is not None:
            return np.asarray(stored @ a)
        live = np.flatnonzero(a)
        if not len(live):
            return np.zeros(self.n)
        return self.kernel.product(self.rows, self.kernel.centres(self.rows, live), a[live])

    @property
    def gram(self) -> Gram:
        """The kernel matrix in float64, made when it is asked for and kept for problems on the same rows."""
        if self.facts.gram is None:
            self.facts.gram = Gram(self.kernel, self.rows)
        return self.facts.gram

    @cached_property
    def diagonal(self) -> Array:
        """The values ``k(x_i, x_i)`` of every row, in float64."""
        return np.asarray(self.kernel.diagonal(self.rows), dtype=np.float64)

    # -- the contract ---------------------------------------------------------------------------

    def start(self) -> Array:
        """Return the null model: no row has a weight, and b is the best constant."""
        b = self.facts.null[-1] if self.intercept else 0.0
        return self.join(np.zeros(self.n), float(b) if np.isfinite(b) else 0.0)

    def preflight(self) -> Solution | None:
        """Refuse targets that the loss is not made for, weights that are all 0, and rows without a kernel."""
        check_targets(self.loss, self.data.y)
        if not self.data.total_weight > 0.0:
            raise ValueError("weight is 0 for every row; a problem needs one row with weight at least")
        self.kernel.check(self.rows)
        return None

    def rewritten(self) -> Rewriting | None:
        """Return None: the problem is solved as it stands."""
        return None

    def evaluate(self, w: Array, want: Collection[str] = (), /) -> KernelEvaluation:
        """Return mean loss, gradient and scores, from two products with K."""
        a, b = self.split(w)
        return self.evaluated(self.times_kernel(a) + b)

    def evaluated(self, scores: Array, *, gradient: bool = True) -> KernelEvaluation:
        """Return what the scores tell; without a gradient one product with K is saved."""
        s = self.data.weight / self.data.total_weight
        loss = float(weighted_sum(s, self.loss.value(self.data.y, scores)))
        if not gradient:
            return KernelEvaluation(loss, np.zeros(0), scores)
        slope = s * self.loss.grad(self.data.y, scores)
        return KernelEvaluation(loss, self.join(self.times_kernel(slope), float(slope.sum())), scores)

    def objective(self, w: Array, evaluation: KernelEvaluation, /) -> float:
        """``F(w)``: the mean loss and the penalty, from the evaluation of w."""
        a, b = self.split(w)
        return evaluation.loss + 0.5 * self.alpha * float(a @ (evaluation.scores - b))

    def certify(
        self,
        w: Array,
        evaluation: KernelEvaluation | None = None,
        target: float = 0.0,
        hint: Array | None = None,
        /,
    ) -> Certificate:
        """Return the duality gap at theta (`hint`), or at minus the slopes of the losses.

        Where the weights of the rows are ``u / alpha`` themselves it takes one product with K, else two.
        """
        a, b = self.split(np.asarray(w, dtype=np.float64))
        y, s, total = self.data.y, self.data.weight, self.data.total_weight
        scores = self.times_kernel(a) + b if evaluation is None else evaluation.scores
        f = scores - b
        square = float(a @ f)
        loss = float(weighted_sum(s, self.loss.value(y, scores))) / total
        if not (math.isfinite(loss) and math.isfinite(square)):
            return Certificate(Kind.NONE, math.inf, 1.0, "none: the objective is not finite at this point")
        size = float(np.abs(a) @ np.sqrt(np.maximum(self.diagonal, 0.0)))
        reach = size * float(np.sqrt(self.diagonal.max(initial=0.0)))
        if square < -1e-9 * max(size * size, reach):
            claim = (
                f"none: the kernel {self.kernel.title} is not positive semi-definite on these rows; the "
                f"weights a of the fit are a witness: a'K a = {square:.3g} < 0"
            )
            return Certificate(Kind.NONE, math.inf, 1.0, claim)
        theta = -self.loss.grad(y, scores) if hint is None else np.asarray(hint, dtype=np.float64)
        if self.intercept:
            theta = self.loss.balance(y, theta, s)
        u = s * theta / total
        dual_square = self._dual_square(u, a, f)
        live = s > 0.0  # what a row without weight would cost may be infinite
        conjugate = float(weighted_sum(s[live], self._conjugates(theta)[live])) / total
        if hint is not None and not math.isfinite(conjugate):
            return self.certify(w, evaluation, target)
        gap = loss + 0.5 * self.alpha * square + conjugate + dual_square / (2.0 * self.alpha)
        slope = self.loss.lipschitz if math.isfinite(self.loss.lipschitz) else self.facts.null_slope
        terms = (
            loss
            + abs(conjugate)
            + self.alpha * abs(square)
            + dual_square / self.alpha
            + slope * (reach + abs(b))
        )
        scale = self.scale()
        excess = scale == self.facts.null_excess
        gap = max(gap, 0.0) if math.isfinite(gap) else math.inf
        found = gap_certificate(gap, terms, scale, excess, 0.0)
        if self.kernel.proved:
            return found
        unless = (
            f"{found.claim}, given that the kernel is positive semi-definite (er.kernels.check_psd tells)"
        )
        return replace(found, claim=unless)

    def _dual_square(self, u: Array, a: Array, f: Array) -> float:
        """``u'K u``: from f = K a and u - alpha a, whose product with K is left out where it is 0."""
        rest = u - self.alpha * a
        if float(np.abs(rest).max(initial=0.0)) <= 1e-15 * float(np.abs(u).max(initial=0.0)):
            rest = np.zeros(0)
        if not len(rest):
            return float((self.alpha * a) @ (self.alpha * f))  # alpha^2 may leave the range of numbers
        return max(0.0, float(u @ (self.alpha * f + self.times_kernel(rest))))

    def _conjugates(self, theta: Array) -> Array:
        """``loss*(-theta)`` of each row; rounding beyond the end of the domain is forgiven."""
        out = self.loss.conjugate(self.data.y, -theta)
        if np.isfinite(out).all():
            return out
        inwards = 1.0 - 8.0 * float(np.finfo(np.float64).eps)
        return np.where(np.isfinite(out), out, self.loss.conjugate(self.data.y, -theta * inwards))

    def sharpen(
        self, w: Array, certificate: Certificate, hint: Any, tol: float, /
    ) -> tuple[Array, Certificate, Any]:
        """Return what is known already: there is no second look at a kernel problem."""
        return w, certificate, hint

    def finish(self, solution: Solution, tol: float, /) -> Solution:
        """Return the solution as it is."""
        return solution

    def scale(self) -> float:
        """Return the null model's loss above that of a perfect fit; the size of the targets where that is
        0.
        """
        return self.facts.null_excess or 0.5 * self.facts.target_square or 1.0

    def with_strength(self, alpha: float, /) -> Self:
        """Return the same problem with another strength; facts of the rows are handed on."""
        other = replace(self, alpha=alpha)
        object.__setattr__(other, "facts", self.facts.handed_on())
        return other

    def potential(self, temperature: float = 1.0, /) -> Any:
        """Refuse: a Gaussian process is sampled exactly, by its own estimator."""
        raise ValueError(
            f"this problem ({self.title}) is not sampled: a Gaussian process has its law in closed form"
        )
