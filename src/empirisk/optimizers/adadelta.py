"""Adadelta: steps in the units of the parameters, from two running means of squares.

Zeiler, ADADELTA: an adaptive learning rate method (arXiv 1212.5701, 2012).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from empirisk.optimizers.base import Parameters, Schedule, check_share, check_size, each
from empirisk.optimizers.constant import Constant

__all__ = ["Adadelta"]

# Steps taken, two arrays of memory.
State: TypeAlias = tuple[int, Parameters, Parameters]


@dataclass(frozen=True)
class Adadelta:
    """``s <- rho s + (1-rho) grad^2;  d = -sqrt((u + eps)/(s + eps)) grad;
    u <- rho u + (1-rho) d^2;  w <- w + g_t d``.

    Steps have the units of the parameters; ``g_t = 1`` is the rule of Zeiler (arXiv 1212.5701, 2012).

    Parameters
    ----------
    schedule : Schedule
        Step sizes g_t, 1 by default.
    rho : float
        Share of the mean squares that is kept, in [0, 1).
    eps : float
        Size of the first steps, > 0.

    Examples
    --------
    >>> from empirisk.optimizers import Constant
    >>> rule, w, g = Adadelta(Constant(1.0)), np.array([1.0]), np.array([2.0])
    >>> rule.update(rule.init(w), g, w)[1].round(6)
    array([-0.004472])
    """

    schedule: Schedule = field(default_factory=lambda: Constant(1.0))
    rho: float = 0.95
    eps: float = 1e-6

    name = "adadelta"
    usual_size = 1.0

    def __post_init__(self) -> None:
        check_share("rho", self.rho)
        check_size("eps", self.eps)

    def init(self, w: Parameters) -> State:
        """Return the state before the first step: no steps taken, both means of squares 0."""
        return 0, each(np.zeros_like, w), each(np.zeros_like, w)

    def update(self, state: State, grad: Parameters, w: Parameters) -> tuple[State, Parameters]:
        """Return the next state and the step."""
        t, rho, eps = state[0] + 1, self.rho, self.eps
        s = each(lambda g, s: rho * s + (1.0 - rho) * g * g, grad, state[1])
        d = each(lambda g, s, u: -np.sqrt((u + eps) / (s + eps)) * g, grad, s, state[2])
        u = each(lambda d, u: rho * u + (1.0 - rho) * d * d, d, state[2])
        return (t, s, u), each(lambda d: self.schedule.at(t) * d, d)
