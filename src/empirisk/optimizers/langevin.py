"""Langevin noise: with it gradient descent samples from a distribution instead of minimising."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from empirisk.data.seeds import Seed, check_seed
from empirisk.optimizers.base import Parameters, Schedule, check_size, each

__all__ = ["Langevin"]

# Steps taken.
State: TypeAlias = int


@dataclass(frozen=True)
class Langevin:
    """``step <- step + sqrt(2 g_t temperature) Z``, Z standard normal.

    After :class:`GradientStep` with the same steps this is the unadjusted Langevin algorithm for
    ``exp(-U / temperature)``, U the function of the gradient.

    The noise of step t is a function of the seed and t alone, so that a resumed run repeats it.

    Parameters
    ----------
    schedule : Schedule
        Step sizes g_t.
    seed : int, Generator, RandomState or None, default 0
        Of the noise.  A generator is drawn from once, when the rule is made.
    temperature : float
        Scale of the variance, >= 0.

    Examples
    --------
    >>> from empirisk.optimizers import Chain, Constant, GradientStep
    >>> ula = Chain((GradientStep(Constant(0.1)), Langevin(Constant(0.1), seed=3)))
    >>> w = np.zeros(2)
    >>> ula.update(ula.init(w), w, w)[1].shape
    (2,)
    """

    schedule: Schedule
    seed: Seed = 0
    temperature: float = 1.0

    name = "langevin"

    def __post_init__(self) -> None:
        check_size("temperature", self.temperature, zero=True)
        object.__setattr__(self, "seed", check_seed(self.seed, "seed"))

    def init(self, w: Parameters) -> State:
        """Return the state before the first step: the number of steps taken, 0."""
        return 0

    def update(self, state: State, grad: Parameters, w: Parameters) -> tuple[State, Parameters]:
        """Return the next state and the step."""
        t = state + 1
        # A generator of its own for each step: a run that is stopped and resumed draws the same noise.
        rng = np.random.default_rng([check_seed(self.seed), t])
        size = np.sqrt(2.0 * self.schedule.at(t) * self.temperature)
        return t, each(lambda g: g + size * rng.standard_normal(g.shape), grad)
