"""A stochastic descent whose rows come in blocks: what is kept between two of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from empirisk.data.seeds import check_seed
from empirisk.optimizers import SCHEDULES, Schedule
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.one_by_one import single_problems
from empirisk.solvers.sgd import SGD, automatic_size
from empirisk.solvers.step_sizes import make_schedule
from empirisk.solvers.stochastic_rows import stochastic_rows
from empirisk.solvers.stochastic_walk import Walk, advance, start
from empirisk.typing import Array

__all__ = ["Stream", "continue_stream"]

# The end of a stream is not known: schedules that fall towards it become constant, this share of a step.
PATIENT = 0.25


@dataclass(frozen=True)
class Stream:
    """Coordinates and step of the first block, and one walk per score.

    Parameters
    ----------
    center, scale : array or None
        Of the coordinates of the steps.
    mean_weight : float
        Of the rows of the first block with weight: weights count relative to it.
    sizes : tuple of float
        First step of each walk.
    walks : tuple of Walk
        One for each score of a row.
    older : tuple of (array, int)
        Sum and number of the iterates of the half before the present one: the average is over both, and so
        over the last half of the stream at least.
    half : int
        Step at which the present half began.
    blocks : int
        Blocks so far.
    """

    center: Array | None
    scale: Array | None
    mean_weight: float
    sizes: tuple[float, ...]
    walks: tuple[Walk, ...]
    older: tuple[tuple[Array, int], ...]
    half: int
    averaged: bool
    blocks: int = 0

    @property
    def taken(self) -> int:
        """The number of steps that were taken so far."""
        return self.walks[0].taken

    def parameters(self, problem: LinearProblem) -> Array:
        """Return what the stream stands for now, in the layout of the problem."""
        columns = [self._outside(self._output(k), problem) for k in range(len(self.walks))]
        return np.stack(columns, axis=1) if problem.n_outputs else columns[0]

    def _output(self, k: int) -> Array:
        walk, (total, counted) = self.walks[k], self.older[k]
        if not self.averaged or walk.counted + counted == 0:
            return walk.v
        return (walk.total + total) / (walk.counted + counted)

    def _outside(self, v: Array, problem: LinearProblem) -> Array:
        w = np.array(v)
        coef, _ = problem.split(w)
        if self.scale is not None:
            coef *= self.scale
        if self.center is not None and problem.intercept:
            w[-1] -= float(self.center @ coef)
        return w


def continue_stream(problem: LinearProblem, solver: SGD, held: Stream | None, w0: Array | None) -> Stream:
    """Take in the rows of a block."""
    parts = single_problems(problem)
    stream = _first(problem, parts, solver, w0) if held is None else held
    walks = []
    for part, walk, size in zip(parts, stream.walks, stream.sizes, strict=True):
        rows = stochastic_rows(part, coordinates=(stream.center, stream.scale))
        active = rows.active
        if rows.weight is not None or stream.mean_weight != 1.0:
            rows = replace(rows, weight=part.data.weight / stream.mean_weight)
        rng = np.random.default_rng([check_seed(solver.seed), stream.blocks])
        order = active if solver.sampling == "given" else rng.permutation(active)
        if solver.sampling == "replacement":
            order = active[rng.integers(0, len(active), size=len(active))]
        walks.append(
            advance(
                walk, rows, part, order, _schedule(solver, size, part), begin=0, batch=solver.batch_size,
                momentum=solver.momentum,
            )
        )  # fmt: skip
    if not all(walk.finite for walk in walks):
        raise ValueError(
            f"the steps of partial_fit led to infinity: step {stream.sizes[0]:.3g} is too long here; "
            "start again with a shorter step (or 'auto'), and with columns like those of the first block"
        )
    return _halved(replace(stream, walks=tuple(walks), blocks=stream.blocks + 1), solver)


def _first(problem: LinearProblem, parts: list[LinearProblem], solver: SGD, w0: Array | None) -> Stream:
    weight = problem.data.weight
    starts = [None] * len(parts) if w0 is None else list(np.reshape(w0, (problem.n_params, -1)).T)
    rows = [stochastic_rows(part, precondition=bool(solver.precondition)) for part in parts]
    sizes = [
        automatic_size(part, r) if solver.step_size == "auto" else float(solver.step_size)
        for part, r in zip(parts, rows, strict=True)
    ]
    points = [part.null if w is None else w for part, w in zip(parts, starts, strict=True)]
    walks = [start(r.inside(w), solver.momentum) for r, w in zip(rows, points, strict=True)]
    return Stream(
        rows[0].center,
        rows[0].scale,
        float(weight[weight > 0.0].mean()),
        tuple(sizes),
        tuple(walks),
        tuple((np.zeros_like(walk.v), 0) for walk in walks),
        0,
        solver.output != "last",
    )


def _schedule(solver: SGD, size: float, problem: LinearProblem) -> Schedule:
    named = SCHEDULES.get(solver.schedule) if isinstance(solver.schedule, str) else None
    if named is None or not named.needs_horizon:
        return make_schedule(solver.schedule, size, 1, problem.penalty.l2)
    patient = PATIENT * size if solver.step_size == "auto" else size
    return make_schedule("constant", patient, 1, problem.penalty.l2)


def _halved(stream: Stream, solver: SGD) -> Stream:
    """With a suffix average, forget the older half whenever the stream has doubled."""
    if solver.output != "suffix" or stream.taken < 2 * max(stream.half, 1):
        return stream
    older = tuple((walk.total, walk.counted) for walk in stream.walks)
    walks = tuple(replace(w, total=np.zeros_like(w.total), counted=0) for w in stream.walks)
    return replace(stream, walks=walks, older=older, half=stream.taken)
