"""A mixture as a problem: the mean negative log-likelihood of rows that come from one of K hidden parts.

``F(w) = -(1/S) sum_i s_i log sum_k pi_k f(x_i; theta_k)`` (plus the penalty of the family, where it has one)
has many local minima.  One pass gives its value and the expected sums of the parts; their derivatives are
those of F (Fisher's identity), and the parameters that fit the sums best are the step of EM.  With Q the
expected log-likelihood given the current parameters (Dempster, Laird and Rubin 1977)

    F(w) - F(w+) >= (Q(w+) - Q(w)) / S = gain >= 0,

and the gain is 0 exactly where the gradient is: near such a point it is half the squared norm of the gradient
in the metric of the complete data.  ``sqrt(2 gain)`` is therefore free of units and of coordinates, and is
what the certificate states.  It proves a stationary point of the likelihood and nothing about other ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.data.row_blocks import Block, RowBlocks
from empirisk.mixtures.base import Family, Parts, Sums, TableFacts, refuse_empty
from empirisk.problems.base import Layout, Part, Problem
from empirisk.results import Certificate, Kind, Solution
from empirisk.typing import Array, Capability

__all__ = ["Expected", "LatentProblem", "facts_of", "latent_certificate"]


@dataclass(frozen=True, eq=False)
class Expected:
    """What one pass at w has found: the value, expected sums, and what follows from them.

    Parameters
    ----------
    problem : LatentProblem
    w : array
    loss : float
        F(w), penalty included.
    log_likelihood : float
        ``sum_i s_i log f(x_i)``.
    sums : tuple of array
        Expected rows of each part first.
    """

    problem: LatentProblem
    w: Array
    loss: float
    log_likelihood: float
    sums: Sums

    @cached_property
    def grad(self) -> Array:
        """The gradient of F in the parameters as they are laid out."""
        return self.problem.gradient(self)

    @cached_property
    def improved(self) -> tuple[Array, float]:
        """The parameters that fit the sums best, and how far the bound of EM rises there, over S."""
        return self.problem.improve(self)


@dataclass(frozen=True, eq=False, repr=False)
class LatentProblem(Problem, Brief):
    """``F(w) = -(1/S) sum_i s_i log sum_k pi_k f(x_i; theta_k)`` over row blocks.

    Parameters
    ----------
    family : Family
        Densities of the parts, a row of :data:`empirisk.mixtures.REGISTRY` or an object like them.
    data : RowBlocks
        Rows in memory or in blocks; targets are read by families of pairs (x, y) alone.
    n_parts : int
        K >= 1.
    ridge : float, default 0.0
        Share of all rows as which the variances of the columns count in each Gaussian part; 0 is the
        likelihood alone.
    given_facts : TableFacts, optional
        Moments of the columns; computed in a pass where they are not given.

    Examples
    --------
    >>> import numpy as np
    >>> from empirisk.data import ArrayBlocks, Design
    >>> from empirisk.mixtures import Full
    >>> X = np.array([[0.0], [1.0], [10.0], [12.0]])
    >>> problem = LatentProblem(Full(), ArrayBlocks(Design(X), np.zeros(4), np.ones(4)), 1)
    >>> w = problem.from_chances(lambda block: np.ones((4, 1)))
    >>> problem.parts(w)["means"].tolist(), problem.certify(w).within(1e-6)
    ([[5.75]], True)
    """

    family: Family
    data: RowBlocks
    n_parts: int
    ridge: float = 0.0
    given_facts: TableFacts | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.n_parts < 1:
            raise ValueError(f"n_parts must be at least 1, got {self.n_parts!r}")

    @cached_property
    def facts(self) -> TableFacts:
        """The moments of the columns, with the ridge."""
        if self.given_facts is not None:
            return self.given_facts
        return facts_of(self.data, self.ridge, missing=self.family.missing)

    @property
    def title(self) -> str:
        """The family and the number of parts."""
        return f"mixture of {self.n_parts} parts, family {self.family.name!r}"

    @cached_property
    def layout(self) -> Layout:
        """Logarithms of the weights, up to a common constant, then the blocks of the family."""
        blocks = [Part("log weights", self.n_parts, penalised=False)]
        for name, shape in self.family.shapes(self.n_parts, self.data.n_cols).items():
            blocks.append(Part(name, math.prod(shape), penalised=False))
        return Layout((sum(part.rows for part in blocks),), tuple(blocks))

    @property
    def capabilities(self) -> frozenset[Capability]:
        """A gradient, expected sums and their best parameters."""
        return frozenset({Capability.GRAD, Capability.LATENT})

    def parts(self, w: Array) -> Parts:
        """Return the blocks of the family as views of w."""
        shapes = self.family.shapes(self.n_parts, self.data.n_cols)
        return {name: self.layout.part(w, name).reshape(shape) for name, shape in shapes.items()}

    def log_weights(self, w: Array) -> Array:
        """Return the logarithms of the weights, whose sum is 1."""
        logs = self.layout.part(w, "log weights")
        top = logs.max()
        return np.asarray(logs - (top + math.log(np.exp(logs - top).sum())))

    @cached_property
    def units(self) -> Array:
        """What changes of the parameters are measured in, laid out like them."""
        unit = self.family.units(self.facts)
        shapes = self.family.shapes(self.n_parts, self.data.n_cols)
        spread = {name: np.broadcast_to(unit[name], shape) for name, shape in shapes.items()}
        return self.pack(np.ones(self.n_parts), spread)

    def pack(self, log_weights: Array, parts: Parts) -> Array:
        """Return one array of all parameters."""
        shapes = self.family.shapes(self.n_parts, self.data.n_cols)
        return np.concatenate([np.ravel(log_weights), *(np.ravel(parts[name]) for name in shapes)])

    def from_chances(self, chances: Callable[[Block], Array], centres: Array | None = None) -> Array:
        """Return the parameters that fit given chances (n, K) of a block's rows best.

        Sums are taken about `centres` (K, p), the means of the columns where they are not given.
        """
        shape = (self.n_parts, self.data.n_cols)
        about = self.family.about(
            np.broadcast_to(self.facts.mean, shape) if centres is None else centres, self.facts
        )
        zero = np.zeros(self.n_parts)
        sums = self.data.map_sum(lambda b: self.family.expect(about, zero, b, chances(b))[1])
        refuse_empty(sums[0], self.facts)
        return self.pack(np.log(sums[0] / sums[0].sum()), self.family.maximise(about, sums, self.facts))

    def start(self) -> Array:
        """Return the parameters that fit chances drawn at random, always the same ones."""
        rng = np.random.default_rng(0)
        return self.from_chances(lambda b: rng.dirichlet(np.ones(self.n_parts), len(b.weight)))

    def evaluate(self, w: Array, want: Collection[str] = (), /) -> Expected:
        """Return the value and the expected sums, in one pass over the rows."""
        parts, logs = self.parts(w), self.log_weights(w)
        value, sums = self.data.map_sum(lambda block: self.family.expect(parts, logs, block))
        penalty = self.family.penalty(parts, self.facts)
        return Expected(self, w, (penalty - float(value)) / self.facts.total, float(value), sums)

    def objective(self, w: Array, evaluation: Expected, /) -> float:
        """The mean negative log-likelihood, with the penalty of the family."""
        return evaluation.loss

    def gradient(self, e: Expected) -> Array:
        """Return the gradient of F in w, by Fisher's identity."""
        total = self.facts.total
        weights = np.exp(self.log_weights(e.w)) - e.sums[0] / total
        slope = self.family.gradient(self.parts(e.w), e.sums, self.facts)
        return self.pack(weights, {name: -block / total for name, block in slope.items()})

    def improve(self, e: Expected) -> tuple[Array, float]:
        """Return the step of EM, and the rise of the expected log-likelihood per unit of weight."""
        parts, logs, total = self.parts(e.w), self.log_weights(e.w), self.facts.total
        refuse_empty(e.sums[0], self.facts)
        better = self.family.maximise(parts, e.sums, self.facts)
        weights = np.log(e.sums[0] / e.sums[0].sum())
        gain = float((e.sums[0] * (weights - logs)).sum())
        gain += self.family.expected(better, parts, e.sums, self.facts)
        gain -= self.family.expected(parts, parts, e.sums, self.facts)
        return self.pack(weights, better), gain / total

    def certify(
        self, w: Array, evaluation: Expected | None = None, target: float = 0.0, hint: Any = None, /
    ) -> Certificate:
        """The norm of the gradient, from the gain of one more step."""
        e = self.evaluate(w) if evaluation is None else evaluation
        return latent_certificate(e.improved[1], e.loss, self.data.n_cols, self.facts.eps)

    def finish(self, solution: Solution, tol: float, /) -> Solution:
        """Return the last point: each step raised the likelihood, whatever the gradient did on the way."""
        state = solution.state
        if state is None or state.evaluation is None or not np.isfinite(state.w).all():
            return solution
        certificate = self.certify(state.w, state.evaluation)
        return replace(solution, w=state.w, certificate=certificate)

    def scale(self) -> float:
        """The unit of the certificate, which has none."""
        return 1.0


def latent_certificate(gain: float, loss: float, p: int, eps: float) -> Certificate:
    """Return what a step of EM proves that would raise the mean log-likelihood's bound by `gain`.

    Parameters
    ----------
    gain : float
        Nats of a row.
    loss : float
        F(w).
    p : int
        Columns.
    eps : float
        Spacing of the numbers of the rows.
    """
    norm = math.sqrt(2.0 * max(gain, 0.0)) if math.isfinite(gain) else math.inf
    # The gain is a difference of numbers of this size in double precision; the sums are in that of the rows.
    double = 2.0**-52
    floor = math.sqrt(16.0 * double * (p + abs(loss)))
    if eps > double:
        floor += 16.0 * eps * math.sqrt(p)
    claim = (
        f"one more step of EM raises its bound by at most {0.5 * max(norm, floor) ** 2:.1g} nats a row "
        f"(gradient norm {max(norm, floor):.1g}, of complete data), by {Kind.MONOTONE.value}: a stationary "
        "point, which other starts may surpass"
    )
    return Certificate(Kind.MONOTONE, norm, 1.0, claim, 0.0, floor)


def facts_of(data: RowBlocks, ridge: float = 0.0, names: Any = None, *, missing: bool = False) -> TableFacts:
    """Return the moments of the columns, in a pass over the rows.

    Parameters
    ----------
    data : RowBlocks
    ridge : float
    names : sequence of str, optional
        Of the columns.
    missing : bool
        Whether NaN stands for a missing cell, which then has no part in its column.
    """
    if missing:
        return _observed(data, ridge, names)
    origin: list[Array] = []

    def moments(block: Block) -> tuple[Any, ...]:
        mean, square = _loops.col_moments(block.design.X, block.weight)
        weight = float(block.weight.sum(dtype=np.float64))
        if not origin:
            origin.append(mean)  # about which the means of all blocks are summed
        shift = mean - origin[0]
        return np.asarray(weight), weight * shift, square + weight * shift**2

    total, first, second = data.map_sum(moments)
    shift = first / total
    dtype = next(iter(data)).design.dtype
    eps = float(np.finfo(dtype).eps)
    variance = np.maximum(second / total - shift**2, 0.0)
    return TableFacts(float(total), origin[0] + shift, variance, eps, ridge, names)


def _observed(data: RowBlocks, ridge: float, names: Any) -> TableFacts:
    """Return the moments of the cells that are there, in two passes."""

    def sums(center: Any, power: int) -> Any:
        def of(block: Block) -> Any:
            X = np.asarray(block.design.X, dtype=np.float64)
            weight = np.where(np.isnan(X), 0.0, np.asarray(block.weight)[:, None])
            return weight.sum(axis=0), (weight * np.nan_to_num(X - center) ** power).sum(axis=0)

        return data.map_sum(of)

    count, first = sums(0.0, 1)
    if not count.all():
        where = int(np.flatnonzero(count == 0.0)[0])
        told = where if names is None else repr(str(names[where]))
        raise ValueError(f"column {told} of X has no cell that is there: drop it")
    mean = first / count
    _, second = sums(mean, 2)
    eps = float(np.finfo(next(iter(data)).design.dtype).eps)
    return TableFacts(data.total_weight, mean, second / count, eps, ridge, names)
