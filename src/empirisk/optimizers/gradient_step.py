"""Gradient descent: a step along minus the gradient; it is stochastic when the gradient is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from empirisk.optimizers.base import Parameters, Schedule, each

__all__ = ["GradientStep"]

# Steps taken.
State: TypeAlias = int


@dataclass(frozen=True)
class GradientStep:
    """``w <- w - g_t grad``.

    Parameters
    ----------
    schedule : Schedule
        Step sizes g_t.

    Examples
    --------
    >>> from empirisk.optimizers import Constant
    >>> rule, w, g = GradientStep(Constant(0.5)), np.array([1.0]), np.array([2.0])
    >>> rule.update(rule.init(w), g, w)[1].round(6)
    array([-1.])
    """

    schedule: Schedule

    name = "gradient_step"
    usual_size = 0.1

    def init(self, w: Parameters) -> State:
        """Return the state before the first step: the number of steps taken, 0."""
        return 0

    def update(self, state: State, grad: Parameters, w: Parameters) -> tuple[State, Parameters]:
        """Return the next state and the step."""
        t = state + 1
        return t, each(lambda g: -self.schedule.at(t) * g, grad)
