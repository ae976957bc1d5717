"""Nesterov's momentum: the gradient is taken where the momentum alone would lead.

Sutskever, Martens, Dahl and Hinton, International Conference on Machine Learning (2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from empirisk.optimizers.base import Parameters, Schedule, check_share, each

__all__ = ["Nesterov"]

# Steps taken, one array of memory.
State: TypeAlias = tuple[int, Parameters]


@dataclass(frozen=True)
class Nesterov:
    """``v <- m v + g_t grad;  w <- w - (m v + g_t grad)``.

    The parameters are the look-ahead point, so that the gradient is asked for where they are (Sutskever,
    Martens, Dahl and Hinton, ICML 2013, in the form of Bengio, Boulanger-Lewandowski and Pascanu, 2012).

    Parameters
    ----------
    schedule : Schedule
        Step sizes g_t.
    m : float
        Share of the last step that is kept, in [0, 1).

    Examples
    --------
    >>> from empirisk.optimizers import Constant
    >>> rule, w, g = Nesterov(Constant(0.5)), np.array([1.0]), np.array([2.0])
    >>> rule.update(rule.init(w), g, w)[1].round(6)
    array([-1.9])
    """

    schedule: Schedule
    m: float = 0.9

    name = "nesterov"
    usual_size = 1e-2

    def __post_init__(self) -> None:
        check_share("m", self.m)

    def init(self, w: Parameters) -> State:
        """Return the state before the first step: no steps taken, no velocity."""
        return 0, each(np.zeros_like, w)

    def update(self, state: State, grad: Parameters, w: Parameters) -> tuple[State, Parameters]:
        """Return the next state and the step."""
        t = state[0] + 1
        size = self.schedule.at(t)
        v = each(lambda g, v: self.m * v + size * g, grad, state[1])
        return (t, v), each(lambda g, v: -(self.m * v + size * g), grad, v)
