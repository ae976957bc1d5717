"""Where a stochastic descent stands, and how it goes on: for epochs over data in memory and for streams."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.optimizers import Schedule
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.step_sizes import STAIRS, sizes_of
from empirisk.solvers.stochastic_rows import StochasticRows
from empirisk.typing import Array, IndexArray

__all__ = ["Walk", "advance", "start"]

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Walk:
    """A point, and the sum of the points before it that an average takes in.

    Parameters
    ----------
    v : array
        The iterate, in the coordinates of the steps.
    total : array
        Sum of `counted` iterates, each as it was when its gradient was taken.
    velocity : array or None
        Memory of the momentum.
    counted, taken : int
        Iterates in the sum, steps in all.
    """

    v: Vector
    total: Vector
    velocity: Vector | None = None
    counted: int = 0
    taken: int = 0

    @property
    def finite(self) -> bool:
        """Whether no coordinate has overflowed, which a step that is too long causes."""
        return bool(np.isfinite(self.v).all())

    @property
    def output(self) -> Vector:
        """The mean of what was counted, or the iterate when nothing was."""
        return self.total / self.counted if self.counted else self.v


def start(v: Vector, momentum: float = 0.0) -> Walk:
    """Return the walk before its first step: at v, with no average and no velocity."""
    return Walk(v, np.zeros_like(v), np.zeros_like(v) if momentum > 0.0 else None)


def advance(
    walk: Walk,
    rows: StochasticRows,
    problem: LinearProblem,
    order: IndexArray,
    schedule: Schedule,
    *,
    begin: float,
    batch: int = 1,
    momentum: float = 0.0,
    stairs: int = STAIRS,
) -> Walk:
    """Take steps over the rows `order`; iterates count from step `begin` (0 is the first) on.

    Up to `stairs` steps each have a size of their own.
    """
    steps = -(-len(order) // batch)
    before = int(min(max(begin - walk.taken, 0), steps))
    v, total = walk.v.copy(), walk.total.copy()
    velocity = None if walk.velocity is None else walk.velocity.copy()
    options: dict[str, Any] = {"velocity": velocity, "batch": batch, "momentum": momentum}
    options.update(rows.penalty(problem))
    plain = rows.scale is None and options["l1"] is None and options["low"] is None
    if plain and getattr(schedule, "whole", False):
        options["whole"] = True
    spans: tuple[tuple[int, int, Array | None], ...] = ((0, before, None), (before, steps, total))
    for first, last, into in spans:
        if last > first:
            sizes, every = sizes_of(schedule, walk.taken + first + 1, last - first, stairs)
            rows.steps(v, order[first * batch : last * batch], sizes, every=every, sum=into, **options)
    return replace(
        walk,
        v=v,
        total=total,
        velocity=velocity,
        counted=walk.counted + steps - before,
        taken=walk.taken + steps,
    )
