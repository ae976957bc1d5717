"""Step sizes of an epoch as an array, from a schedule of :mod:`empirisk.optimizers`."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.optimizers import SCHEDULES, Schedule
from empirisk.typing import Array

__all__ = ["STAIRS", "make_schedule", "named_schedule", "sizes_of"]

# Schedules that are not formulas of arrays are evaluated at most this often per call, and held between.
STAIRS = 2_000


def make_schedule(schedule: Any, size: float, horizon: int, mu: float) -> Schedule:
    """Return a schedule from its name: `size` its first step, `horizon` all steps of the run, `mu` the L2
    strength.

    Examples
    --------
    >>> make_schedule("cosine", 0.1, 100, 0.0)
    Cosine(size=0.1, steps=100, last=0.0)
    """
    if isinstance(schedule, str) and schedule in SCHEDULES:
        made: Schedule = SCHEDULES[schedule].of_run(size, horizon, mu)
        return made
    known = ", ".join(SCHEDULES)
    if isinstance(schedule, str):
        raise ValueError(f"schedule must be one of {known} or a schedule object, got {schedule!r}")
    if not isinstance(schedule, Schedule):
        raise TypeError(f"schedule must be one of {known} or a schedule of er.optimizers, got {schedule!r}")
    return schedule


def named_schedule(schedule: Any) -> Any:
    """Return the class that a name stands for, and anything else as it is: both say what they ask of a run.

    Examples
    --------
    >>> named_schedule("pegasos").run["output"]
    'average'
    """
    return SCHEDULES.get(schedule) if isinstance(schedule, str) else schedule


def sizes_of(schedule: Schedule, first: int, count: int, most: int = STAIRS) -> tuple[Array, int]:
    """Return the sizes of the steps first, first + 1, ..., and how many steps each of them is for.

    Up to `most` steps each have a size of their own.

    Examples
    --------
    >>> from empirisk.optimizers import InverseTime
    >>> sizes_of(InverseTime(1.0), 2, 3)
    (array([0.5       , 0.33333333, 0.25      ]), 1)
    """
    given: Any = schedule
    kind = getattr(schedule, "sizes", "")
    if kind == "one":
        return np.array([given.at(first)]), max(count, 1)
    if kind == "formula":
        return np.asarray(given.at(np.arange(first, first + count)), dtype=np.float64), 1
    every = max(-(-count // most), 1)
    steps = np.arange(first, first + count, every)
    if kind == "stairs":
        return np.asarray(given.at(steps)), every
    return np.array([schedule.at(int(t)) for t in steps], dtype=np.float64), every
