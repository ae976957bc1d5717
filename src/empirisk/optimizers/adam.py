"""Adam: running means of the gradient and of its square, corrected for their start at 0.

Kingma and Ba, International Conference on Learning Representations (2015), algorithm 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from empirisk.optimizers.base import Parameters, Schedule, check_share, check_size, each

__all__ = ["Adam"]

# Steps taken, two arrays of memory.
State: TypeAlias = tuple[int, Parameters, Parameters]


@dataclass(frozen=True)
class Adam:
    """``m <- b1 m + (1-b1) grad;  s <- b2 s + (1-b2) grad^2;  w <- w - g_t m^ / (sqrt(s^) + eps)``.

    The hats undo the start at zero: ``m^ = m / (1 - b1^t)``, ``s^ = s / (1 - b2^t)`` (Kingma and Ba, ICLR
    2015, algorithm 1).

    Parameters
    ----------
    schedule : Schedule
        Step sizes g_t.
    beta1, beta2 : float
        Shares of the means that are kept, in [0, 1).
    eps : float
        Keeps steps finite, > 0.

    Examples
    --------
    >>> from empirisk.optimizers import Constant
    >>> rule, w, g = Adam(Constant(0.5)), np.array([1.0]), np.array([2.0])
    >>> rule.update(rule.init(w), g, w)[1].round(6)
    array([-0.5])
    """

    schedule: Schedule
    beta1: float = 0.9
    beta2: float = 0.999
    eps: float = 1e-8

    name = "adam"
    usual_size = 1e-3

    def __post_init__(self) -> None:
        check_share("beta1", self.beta1)
        check_share("beta2", self.beta2)
        check_size("eps", self.eps)

    def init(self, w: Parameters) -> State:
        """Return the state before the first step: no steps taken, both running means 0."""
        return 0, each(np.zeros_like, w), each(np.zeros_like, w)

    def update(self, state: State, grad: Parameters, w: Parameters) -> tuple[State, Parameters]:
        """Return the next state and the step."""
        t, b1, b2 = state[0] + 1, self.beta1, self.beta2
        m = each(lambda g, m: b1 * m + (1.0 - b1) * g, grad, state[1])
        s = each(lambda g, s: b2 * s + (1.0 - b2) * g * g, grad, state[2])
        size, rest = self.schedule.at(t) / (1.0 - b1**t), 1.0 - b2**t
        return (t, m, s), each(lambda m, s: -size * m / (np.sqrt(s / rest) + self.eps), m, s)
