"""Hamiltonian Monte Carlo with paths of a given length."""

from __future__ import annotations

import math
from dataclasses import dataclass

from empirisk.samplers.base import Sampler
from empirisk.samplers.words import check_chance, check_positive, check_steps

__all__ = ["HMC"]


@dataclass(frozen=True)
class HMC(Sampler):
    """Follows Hamilton's equations for a time, and accepts the end with chance ``min(1, exp(-change of H))``.

    Duane, Kennedy, Pendleton and Roweth, Physics Letters B 195, 1987; Neal, Handbook of Markov Chain Monte
    Carlo, 2011, chapter 5.  Each path has a step within a tenth of the tuned one, so that no length falls
    into step with a period of the target.

    Parameters
    ----------
    length : float, default pi / 2
        Of a path, in standard deviations of the target: a quarter of a period of a Gaussian, after which
        place and start are independent.
    target_acceptance : float in (0, 1), default 0.8
    max_steps : int, default 1000
        Most gradients of a path.

    Examples
    --------
    >>> HMC(length=2.0).limits
    (1000, 2.0)
    """

    length: float = math.pi / 2.0
    target_acceptance: float = 0.8
    max_steps: int = 1000

    name = "hmc"

    def __post_init__(self) -> None:
        check_chance("target_acceptance", self.target_acceptance)
        check_steps("max_steps", self.max_steps, 10**6)
        check_positive("length", self.length)

    @property
    def wanted(self) -> float:
        """The given target acceptance that the warm-up aims at."""
        return self.target_acceptance

    @property
    def limits(self) -> tuple[int, float]:
        """The largest number of steps, and the length."""
        return self.max_steps, self.length
