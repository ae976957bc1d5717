"""RMSprop: each coordinate is divided by the root of a running mean of its squared gradients.

Tieleman and Hinton, lecture 6.5 of Neural Networks for Machine Learning (2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from empirisk.optimizers.base import Parameters, Schedule, check_share, check_size, each

__all__ = ["RMSprop"]

# Steps taken, one array of memory.
State: TypeAlias = tuple[int, Parameters]


@dataclass(frozen=True)
class RMSprop:
    """``s <- rho s + (1 - rho) grad^2;  w <- w - g_t grad / (sqrt(s) + eps)`` (Tieleman and Hinton, 2012).

    Parameters
    ----------
    schedule : Schedule
        Step sizes g_t.
    rho : float
        Share of the mean square that is kept, in [0, 1).
    eps : float
        Keeps steps finite, > 0.

    Examples
    --------
    >>> from empirisk.optimizers import Constant
    >>> rule, w, g = RMSprop(Constant(0.5)), np.array([1.0]), np.array([2.0])
    >>> rule.update(rule.init(w), g, w)[1].round(6)
    array([-1.581139])
    """

    schedule: Schedule
    rho: float = 0.9
    eps: float = 1e-8

    name = "rmsprop"
    usual_size = 1e-3

    def __post_init__(self) -> None:
        check_share("rho", self.rho)
        check_size("eps", self.eps)

    def init(self, w: Parameters) -> State:
        """Return the state before the first step: no steps taken, the mean of squares 0."""
        return 0, each(np.zeros_like, w)

    def update(self, state: State, grad: Parameters, w: Parameters) -> tuple[State, Parameters]:
        """Return the next state and the step."""
        t = state[0] + 1
        s = each(lambda g, s: self.rho * s + (1.0 - self.rho) * g * g, grad, state[1])
        return (t, s), each(lambda g, s: -self.schedule.at(t) * g / (np.sqrt(s) + self.eps), grad, s)
