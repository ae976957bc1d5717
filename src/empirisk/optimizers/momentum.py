"""Momentum, or the heavy ball: a step keeps a share of the one before it.

Polyak, USSR Computational Mathematics and Mathematical Physics 4 (1964).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from empirisk.optimizers.base import Parameters, Schedule, check_share, each

__all__ = ["Momentum"]

# Steps taken, one array of memory.
State: TypeAlias = tuple[int, Parameters]


@dataclass(frozen=True)
class Momentum:
    """``v <- m v + g_t grad;  w <- w - v`` (Polyak, 1964).

    Parameters
    ----------
    schedule : Schedule
        Step sizes g_t.
    m : float
        Share of the last step that is kept, in [0, 1).

    Examples
    --------
    >>> from empirisk.optimizers import Constant
    >>> rule, w, g = Momentum(Constant(0.5)), np.array([1.0]), np.array([2.0])
    >>> rule.update(rule.init(w), g, w)[1].round(6)
    array([-1.])
    """

    schedule: Schedule
    m: float = 0.9

    name = "momentum"
    usual_size = 1e-2

    def __post_init__(self) -> None:
        check_share("m", self.m)

    def init(self, w: Parameters) -> State:
        """Return the state before the first step: no steps taken, no velocity."""
        return 0, each(np.zeros_like, w)

    def update(self, state: State, grad: Parameters, w: Parameters) -> tuple[State, Parameters]:
        """Return the next state and the step."""
        t = state[0] + 1
        v = each(lambda g, v: self.m * v + self.schedule.at(t) * g, grad, state[1])
        return (t, v), each(np.negative, v)
