"""Adagrad: each coordinate is divided by the root of the sum of its squared gradients.

Duchi, Hazan and Singer, Journal of Machine Learning Research 12 (2011).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from empirisk.optimizers.base import Parameters, Schedule, check_size, each

__all__ = ["Adagrad"]

# Steps taken, one array of memory.
State: TypeAlias = tuple[int, Parameters]


@dataclass(frozen=True)
class Adagrad:
    """``s <- s + grad^2;  w <- w - g_t grad / (sqrt(s) + eps)`` (Duchi, Hazan and Singer, JMLR 12, 2011).

    Parameters
    ----------
    schedule : Schedule
        Step sizes g_t.
    eps : float
        Keeps the first steps finite, > 0.

    Examples
    --------
    >>> from empirisk.optimizers import Constant
    >>> rule, w, g = Adagrad(Constant(0.5)), np.array([1.0]), np.array([2.0])
    >>> rule.update(rule.init(w), g, w)[1].round(6)
    array([-0.5])
    """

    schedule: Schedule
    eps: float = 1e-8

    name = "adagrad"
    usual_size = 1e-2

    def __post_init__(self) -> None:
        check_size("eps", self.eps)

    def init(self, w: Parameters) -> State:
        """Return the state before the first step: no steps taken, the sum of squares 0."""
        return 0, each(np.zeros_like, w)

    def update(self, state: State, grad: Parameters, w: Parameters) -> tuple[State, Parameters]:
        """Return the next state and the step."""
        t = state[0] + 1
        s = each(lambda g, s: s + g * g, grad, state[1])
        return (t, s), each(lambda g, s: -self.schedule.at(t) * g / (np.sqrt(s) + self.eps), grad, s)
