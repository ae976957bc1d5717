"""Steps by the sign of the gradient: a copy-me file for an update rule.

Copy to src/empirisk/optimizers/<name>.py, rename, change the formulas, and add one row to REGISTRY of that
folder.  tests/conformance/test_optimizers.py then tests it: pure, deterministic, any shapes, any float type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from empirisk.optimizers.base import Parameters, Schedule, each

__all__ = ["SignStep"]

# Steps taken.  All that changes lives in the state; the rule itself is frozen.
State: TypeAlias = int


@dataclass(frozen=True)
class SignStep:
    """``w <- w - g_t sign(grad)``.

    Parameters
    ----------
    schedule : Schedule
        Step sizes g_t.

    Examples
    --------
    >>> from empirisk.optimizers import InverseTime, run
    >>> run(SignStep(InverseTime(1.0)), lambda w: w, np.array([2.5]), 2)
    array([1.])
    """

    schedule: Schedule

    name = "sign_step"

    def init(self, w: Parameters) -> State:
        """Return the state before the first step: the number of steps taken, 0."""
        return 0

    def update(self, state: State, grad: Parameters, w: Parameters) -> tuple[State, Parameters]:
        """The next state and the step."""
        t = state + 1
        return t, each(lambda g: -self.schedule.at(t) * np.sign(g), grad)
