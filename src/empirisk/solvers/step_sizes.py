"""Step sizes of an epoch as an array, from a schedule of :mod:`empirisk.optimizers`."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.optimizers import Constant, Cosine, InverseTime, Schedule, StepDecay, StronglyConvex
from empirisk.typing import Array

__all__ = ["NAMES", "make_schedule", "sizes_of"]

NAMES = ("constant", "cosine", "inverse_time", "step_decay", "strongly_convex")
# Schedules that are not formulas of arrays are evaluated at most this often per call, and held between.
STAIRS = 2_000
# Stairs of "step_decay" over the whole run.
DECAYS = 10


def make_schedule(schedule: Any, size: float, horizon: int, mu: float) -> Schedule:
    """Return a schedule from its name: `size` its first step, `horizon` all steps of the run, `mu` the L2
    strength.

    Examples
    --------
    >>> make_schedule("cosine", 0.1, 100, 0.0)
    Cosine(size=0.1, steps=100, last=0.0)
    """
    if not isinstance(schedule, str):
        if not isinstance(schedule, Schedule):
            raise TypeError(
                f"schedule must be one of {', '.join(NAMES)} or a schedule of er.optimizers, got {schedule!r}"
            )
        return schedule
    if schedule == "constant":
        return Constant(size)
    if schedule == "cosine":
        return Cosine(size, max(horizon, 1))
    if schedule == "inverse_time":
        return InverseTime(size)
    if schedule == "step_decay":
        return StepDecay(size, 0.5, max(horizon // DECAYS, 1))
    if schedule == "strongly_convex":
        if not mu > 0.0:
            raise ValueError(
                'schedule="strongly_convex" takes steps 1/(mu t) and needs an L2 penalty (alpha > 0 and '
                'l1_ratio < 1); use "cosine" or "constant" without one'
            )
        return StronglyConvex(mu)
    raise ValueError(f"schedule must be one of {', '.join(NAMES)} or a schedule object, got {schedule!r}")


def sizes_of(schedule: Schedule, first: int, count: int) -> tuple[Array, int]:
    """Return the sizes of the steps first, first + 1, ..., and how many steps each of them is for.

    Examples
    --------
    >>> sizes_of(InverseTime(1.0), 2, 3)
    (array([0.5       , 0.33333333, 0.25      ]), 1)
    """
    if isinstance(schedule, Constant):
        return np.array([schedule.size]), max(count, 1)
    if isinstance(schedule, InverseTime | StronglyConvex | StepDecay):
        formula: Any = schedule
        return np.asarray(formula.at(np.arange(first, first + count)), dtype=np.float64), 1
    every = max(-(-count // STAIRS), 1)
    steps = np.arange(first, first + count, every)
    if isinstance(schedule, Cosine):
        return schedule.at(steps), every
    return np.array([schedule.at(int(t)) for t in steps], dtype=np.float64), every
