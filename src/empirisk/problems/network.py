"""A neural network as a problem: the mean loss of its scores, with a penalty on the weights of all layers.

``F(w) = (1/S) sum_i s_i l(y_i, z_i(w)) + alpha (r ||W||_1 + (1 - r) ||W||^2 / 2)``

z_i are the outputs of the last layer for row i, W the weights of all layers; biases are free.  F is not
convex: the certificate is the norm of the gradient on all rows (with L1 of the smallest subgradient), in
double precision, by plain products that know nothing of the loop that trained the network.  It proves a point
that small steps lower no further, and nothing about other ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce
from typing import Any, Self

import numpy as np

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.data.row_blocks import Block, RowBlocks, add
from empirisk.data.seeds import Seed, check_seed
from empirisk.data.some_rows import some_rows
from empirisk.data.threads import in_order, one_thread
from empirisk.losses.base import Loss
from empirisk.problems.base import Layout, Problem
from empirisk.problems.gradient_differences import gradient_differences
from empirisk.problems.network_layers import Layers
from empirisk.problems.network_moments import moments_of_layers
from empirisk.problems.network_pass import NetworkPass
from empirisk.problems.normalizations.base import Moments
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, Capability

__all__ = ["NetworkProblem"]

# Rows whose sums are held at a time, and on which the gradient at the start is taken.
CHUNK, PROBE = 2_048, 4_096
# Parameters up to which one thread passes over the rows.
ALONE = 4_096


@dataclass(frozen=True, eq=False, repr=False)
class NetworkProblem(Problem, Brief):
    """``F(w) = (1/S) sum_i s_i l(y_i, z_i(w)) + alpha (r ||W||_1 + (1 - r) ||W||^2 / 2)``.

    Parameters
    ----------
    layers : Layers
        Widths, activations and normalizations; the first width is the number of columns, the last the scores
        of a row.
    loss : Loss
        A row of :data:`empirisk.losses.REGISTRY` or an object like them.  A loss of one score is summed over
        the scores where targets have several columns.
    data : RowBlocks
        Rows, targets and weights, in memory or in blocks; sparse rows become dense chunk by chunk.
    alpha : float, default 0.0
        Strength of the penalty on weights, >= 0.
    l1_ratio : float, default 0.0
        r, in [0, 1].
    center, scaling : array, shape (p,), optional
        The network reads ``(x - center) / scaling``.
    seed : int, Generator, RandomState or None, default 0
        Of the random start.

    Notes
    -----
    A pass costs ``6 n d`` operations for d parameters, and holds the sums of 2048 rows a thread; its bits do
    not depend on the number of threads.  Means and variances over rows (batch normalization) are those of all
    rows, so that F is a function of w: an evaluation then goes ``1 + 2 H`` times over the rows, H the layers
    that need them.

    Examples
    --------
    >>> from empirisk.data import ArrayBlocks, Design
    >>> from empirisk.losses import HalfSquared
    >>> from empirisk.problems.activations import Tanh
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 0.0, 1.0])
    >>> data = ArrayBlocks(Design(X), y, np.ones(3))
    >>> problem = NetworkProblem(Layers.of((1, 2, 1), Tanh()), HalfSquared(), data)
    >>> max(problem.gradient_check().values()) < 1e-7
    True
    """

    layers: Layers
    loss: Loss
    data: RowBlocks
    alpha: float = 0.0
    l1_ratio: float = 0.0
    center: Array | None = field(default=None, repr=False)
    scaling: Array | None = field(default=None, repr=False)
    seed: Any = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", check_seed(self.seed, "seed"))
        if self.layers.widths[0] != self.data.n_cols:
            raise ValueError(
                f"the first width is {self.layers.widths[0]}, and the rows have {self.data.n_cols} columns"
            )
        if not (self.alpha >= 0.0 and 0.0 <= self.l1_ratio <= 1.0):
            raise ValueError(
                f"alpha must be >= 0 and l1_ratio in [0, 1], got {self.alpha!r} and {self.l1_ratio!r}"
            )

    @property
    def title(self) -> str:
        """The widths of the layers and the name of the loss."""
        return f"network {'-'.join(map(str, self.layers.widths))}, loss {self.loss.name!r}"

    def __repr__(self) -> str:
        size = f"{self.data.n_rows} rows x {self.data.n_cols} columns"
        return f"NetworkProblem({self.title}, alpha={self.alpha:g}, l1_ratio={self.l1_ratio:g}, {size})"

    @property
    def layout(self) -> Layout:
        """Weights, biases and gains of each layer, in one array."""
        return self.layers.layout

    @property
    def capabilities(self) -> frozenset[Capability]:
        """A gradient, where the loss and all activations have one."""
        smooth = (
            all(f.differentiable for f in self.layers.activations) and Capability.GRAD in self.loss.offers
        )
        return frozenset({Capability.GRAD}) if smooth else frozenset()

    def start(self) -> Array:
        """Return random weights of the seed, biases 0 and gains 1."""
        return self.layers.draw(self.seed)

    # -- passes over the rows ---------------------------------------------------------------------

    def inputs(self, X: Any) -> Array:
        """Return rows as the first layer reads them, dense and in double precision."""
        dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
        if self.center is not None:
            dense = dense - self.center
        return dense if self.scaling is None else np.asarray(dense / self.scaling)

    def _readers(self, block: Block) -> Iterator[Callable[[], tuple[Array, Array, Array]]]:
        """Yield calls that read inputs, targets and weights of the rows with weight, so many rows each."""
        X = block.design.X
        X = X.tocsr() if getattr(X, "format", "") == "csc" else X

        def read(rows: slice) -> tuple[Array, Array, Array]:
            x, y, s = self.inputs(X[rows]), block.y[rows], np.asarray(block.weight[rows], dtype=np.float64)
            live = s > 0.0  # what absent rows would cost may be infinite
            return (x, y, s) if live.all() else (x[live], y[live], s[live])

        return (partial(read, slice(a, a + CHUNK)) for a in range(0, max(len(block.weight), 1), CHUNK))

    def _chunks(self, block: Block) -> Iterator[tuple[Array, Array, Array]]:
        """Yield what the readers of a block read, one after the other."""
        return (read() for read in self._readers(block))

    def moments(self, w: Array) -> list[Moments | None]:
        """Return the means and variances over all rows of the sums of each layer that is normalised by them.

        They are weighted and in double precision; None for the other layers.
        """
        return moments_of_layers(self.layers, np.asarray(w, dtype=np.float64), self.data, self._chunks)

    def scores(self, w: Array, X: Any) -> Array:
        """Return the scores of rows, shape (n, scores), in double precision."""
        w = np.asarray(w, dtype=np.float64)
        X = X.tocsr() if getattr(X, "format", "") == "csc" else X
        moments = self.moments(w)
        parts = [
            self.layers.scores(w, self.inputs(X[a : a + CHUNK]), moments)
            for a in range(0, max(X.shape[0], 1), CHUNK)
        ]
        return np.concatenate(parts)

    def row_losses(self, y: Array, z: Array) -> Array:
        """Return the loss of each row, summed over its scores where the loss takes one."""
        if self.loss.vector:
            return self.loss.value(y, z)
        y = np.asarray(y, dtype=np.float64)
        return np.asarray(self.loss.value(np.ravel(y), np.ravel(z)).reshape(z.shape).sum(axis=1))

    def row_slopes(self, y: Array, z: Array) -> Array:
        """Return the derivative of each row's loss in its scores, the shape of z."""
        if self.loss.vector:
            return self.loss.grad(y, z)
        y = np.asarray(y, dtype=np.float64)
        return self.loss.grad(np.ravel(y), np.ravel(z)).reshape(z.shape)

    def _pass(
        self, w: Array, block: Block, moments: Sequence[Moments | None], totals: Sequence[Moments | None]
    ) -> tuple[Any, ...]:
        """Return sums over a block: weight, losses, norms of the rows' gradients, gradient, live units."""
        unit = 2.0 ** -math.frexp(self.data.total_weight)[1]
        bends = self.layers.activations

        def sums(read: Callable[[], tuple[Array, Array, Array]]) -> tuple[Any, ...]:
            x, y, s = read()
            share = s / self.data.total_weight
            s = s * unit  # squares of slopes are taken, which an exact unit keeps in range
            with np.errstate(over="ignore", invalid="ignore"):
                trace = self.layers.forward(w, x, moments)
                z = trace.outputs[-1]
                slope = s[:, None] * self.row_slopes(y, z)
                grad, squares = self.layers.backward(w, trace, slope, share, totals)
                loss = (s * self.row_losses(y, z)).sum()
            live = (
                (a > 0.0).any(axis=0) if f.dies else np.True_ for a, f in zip(trace.sums, bends, strict=True)
            )
            return s.sum(), loss, np.sqrt(squares).sum(), grad, *live

        threads = _loops.max_threads() if self.layers.size > ALONE else 1
        return reduce(add, in_order(sums, self._readers(block), threads))

    def evaluate(self, w: Array, want: Collection[str] = (), /) -> NetworkPass:
        """Return the mean loss and its gradient on all rows, forwards and backwards through the layers."""
        blind = [f.name for f in self.layers.activations if not f.differentiable]
        if blind:
            raise TypeError(
                f"no gradient passes through the activation {blind[0]!r}: such a network only predicts; "
                "train with 'sigmoid', its smooth form"
            )
        w = np.asarray(w, dtype=np.float64)
        if not self.data.total_weight > 0.0:
            raise ValueError("the weights are zero for every row; at least one must be positive")
        moments = self.moments(w)
        totals: list[Moments | None] = [None] * self.layers.depth
        over_rows = [
            number
            for number, norm in enumerate(self.layers.normalizations)
            if norm is not None and norm.over_rows
        ]
        with np.errstate(over="ignore", invalid="ignore"), one_thread():
            # Slopes pass a layer that is normalised over rows once their sums over all rows are known.
            for number in (*reversed(over_rows), None):
                total, loss, size, grad, *awake = self.data.map_sum(
                    lambda b: self._pass(w, b, moments, totals)
                )
                if number is not None:
                    gain = self.layers.gains(w)[number]
                    bias = list(self.layers.split(grad))[number][1]
                    totals[number] = gain * bias, gain * self.layers.gains(grad)[number]
        silent = tuple(int(np.size(seen) - np.sum(seen)) for seen in awake)
        return NetworkPass(float(loss / total), grad / total, float(size / total), silent)

    def objective(self, w: Array, evaluation: NetworkPass, /) -> float:
        """``F(w)``, the penalty on the weights included."""
        weights, r = self.layers.masked(np.asarray(w, dtype=np.float64)), self.l1_ratio
        square, size = float(weights @ weights), float(np.abs(weights).sum())
        return evaluation.loss + self.alpha * (r * size + 0.5 * (1.0 - r) * square)

    def gradient(self, w: Array, evaluation: NetworkPass, /) -> Array:
        """Return the gradient of F; with L1 the subgradient of the smallest norm."""
        weights = self.layers.masked(np.asarray(w, dtype=np.float64))
        grad = evaluation.grad + self.alpha * (1.0 - self.l1_ratio) * weights
        reach = self.alpha * self.l1_ratio
        if reach == 0.0:
            return grad
        grad += reach * np.sign(weights)
        still = self.layers.masked(np.ones_like(grad)) * (weights == 0.0) > 0.0
        grad[still] = np.sign(grad[still]) * np.maximum(np.abs(grad[still]) - reach, 0.0)
        return grad

    # -- certificates -----------------------------------------------------------------------------

    @cached_property
    def probe(self) -> NetworkProblem:
        """The same problem on 4096 of the rows, the same for every start; on all where there are fewer."""
        few = some_rows(self.data, PROBE)
        return self if few is self.data else replace(self, data=few)

    @cached_property
    def origin(self) -> tuple[float, float]:
        """The objective of the `probe` at the start, and the norm of its gradient there."""
        w = self.start()
        e = self.probe.evaluate(w)
        return self.objective(w, e), float(np.linalg.norm(self.gradient(w, e)))

    def rose(self, w: Array, e: NetworkPass) -> float | None:
        """Return F at the start where it is not larger there than at w, else None.

        All rows are asked where the `probe` does not show that F fell.
        """
        here = self.objective(w, e if self.probe is self else self.probe.evaluate(w))
        if here <= self.origin[0]:
            return None
        start = self.start()
        first = self.origin[0] if self.probe is self else self.objective(start, self.evaluate(start))
        return None if self.objective(w, e) <= first else first

    @property
    def unit(self) -> float:
        """The norm of the gradient at the start, 1 where that is 0 or no number; on at most 4096 rows."""
        norm = self.origin[1]
        return norm if 0.0 < norm < np.inf else 1.0

    def certify(
        self, w: Array, evaluation: NetworkPass | None = None, target: float = 0.0, hint: Any = None, /
    ) -> Certificate:
        """The norm of the gradient on all rows, which says nothing about other stationary points."""
        e = self.evaluate(w) if evaluation is None else evaluation
        norm = float(np.linalg.norm(self.gradient(w, e)))
        if not np.isfinite(norm):
            return Certificate(Kind.NONE, np.inf, 1.0, "none: the gradient on all rows is not finite")
        # Each row's part is a chain of products, each rounded, as many as there are layers.
        floor = 4.0 * self.layers.depth * float(np.finfo(np.float64).eps) * e.size
        relative = max(norm, floor) / self.unit
        measured = "" if self.probe is self else f" on {PROBE} of them"
        claim = (
            f"the gradient of F = {self.objective(w, e):.6g} on all rows has norm {max(norm, floor):.2g} "
            f"({relative:.1g} of that at the start{measured}), by {Kind.STATIONARITY.value}: nothing is "
            "claimed about other points, which may have a smaller F"
        )
        return Certificate(Kind.STATIONARITY, norm, self.unit, claim, 0.0, floor)

    def scale(self) -> float:
        """The norm of the gradient at the start, which certificates are compared with."""
        return self.unit

    def with_strength(self, alpha: float, /) -> Self:
        """Return the same network and rows with another strength of the penalty."""
        return replace(self, alpha=alpha)

    def gradient_check(self, w: Array | None = None, seed: Seed = 0) -> dict[str, float]:
        """Compare the gradient with differences of the objective, block by block.

        Parameters
        ----------
        w : array, shape (d,), optional
            Where; the random start, with random biases, when left out.
        seed : int, Generator, RandomState or None, default 0
            Of the random direction within each block.

        Returns
        -------
        dict
            For each block of the layout ``|slope - difference|`` over the norm of the gradient: 1e-8 is
            agreement, 1 is a wrong formula.  Where a unit's sum crosses a kink within the difference
            (rectifiers) it can be larger.

        Notes
        -----
        Four evaluations a block: differences at h and h/2 whose leading errors cancel (Richardson).
        """
        rng = np.random.default_rng(check_seed(seed, "seed"))
        if w is None:
            drawn = self.start()
            w = drawn + np.where(
                self.layers.masked(np.ones_like(drawn)) > 0.0, 0.0, rng.normal(size=len(drawn))
            )
        return gradient_differences(self, w, rng)
