"""Langevin steps that are accepted or refused."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.samplers.base import Sampler
from empirisk.samplers.words import check_chance

__all__ = ["MALA"]


@dataclass(frozen=True)
class MALA(Sampler):
    """``w' = w - h C grad U(w) + sqrt(2 h) L z``, accepted by the ratio of Metropolis and Hastings; ``C = L
    L'``.

    Roberts and Tweedie, Bernoulli 2, 1996; the acceptance of 0.574 is the best one for many independent
    parameters (Roberts and Rosenthal, Journal of the Royal Statistical Society B 60, 1998).

    Parameters
    ----------
    target_acceptance : float in (0, 1), default 0.574

    Examples
    --------
    >>> MALA().exact
    True
    """

    target_acceptance: float = 0.574

    name = "mala"

    def __post_init__(self) -> None:
        check_chance("target_acceptance", self.target_acceptance)

    @property
    def wanted(self) -> float:
        """The given target acceptance that the warm-up aims at."""
        return self.target_acceptance
