"""Metropolis's random walk, which needs no gradient."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.samplers.base import Sampler
from empirisk.samplers.words import check_chance

__all__ = ["RandomWalk"]


@dataclass(frozen=True)
class RandomWalk(Sampler):
    """``w' = w + h L z``, accepted with chance ``min(1, exp(U(w) - U(w')))``.

    Metropolis, Rosenbluth, Rosenbluth, Teller and Teller, Journal of Chemical Physics 21, 1953; the
    acceptance of 0.234 is the best one for many independent parameters (Roberts, Gelman and Gilks, Annals of
    Applied Probability 7, 1997).

    Parameters
    ----------
    target_acceptance : float in (0, 1), default 0.234

    Examples
    --------
    >>> RandomWalk().wanted
    0.234
    """

    target_acceptance: float = 0.234

    name = "random_walk"
    gradient = False
    proximal = True

    def __post_init__(self) -> None:
        check_chance("target_acceptance", self.target_acceptance)

    @property
    def wanted(self) -> float:
        """The given target acceptance that the warm-up aims at."""
        return self.target_acceptance

    def default_thin(self, d: int) -> int:
        """Return 2 d, at most 100: the worth of a step falls like 1 / d (Roberts, Gelman and Gilks)."""
        return min(2 * d, 100)
