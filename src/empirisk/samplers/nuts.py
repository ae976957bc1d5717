"""The no-U-turn sampler: paths whose length is found anew for each draw."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.samplers.base import Sampler
from empirisk.samplers.words import check_chance, check_steps

__all__ = ["NUTS"]


@dataclass(frozen=True)
class NUTS(Sampler):
    """Doubles a Hamiltonian path until it turns back, and draws one of its points.

    Hoffman and Gelman, Journal of Machine Learning Research 15, 2014; multinomial draws as in Betancourt, A
    conceptual introduction to Hamiltonian Monte Carlo, 2017.

    Parameters
    ----------
    target_acceptance : float in (0, 1), default 0.8
        Nearer to 1 means shorter steps, which divergences ask for.
    max_depth : int, default 10
        Most doublings of a path: at most ``2^max_depth - 1`` gradients for a draw.

    Examples
    --------
    >>> NUTS(target_acceptance=0.9).limits
    (10, 0.0)
    """

    target_acceptance: float = 0.8
    max_depth: int = 10

    name = "nuts"

    def __post_init__(self) -> None:
        check_chance("target_acceptance", self.target_acceptance)
        check_steps("max_depth", self.max_depth, 20)

    @property
    def wanted(self) -> float:
        """The given target acceptance that the warm-up aims at."""
        return self.target_acceptance

    @property
    def limits(self) -> tuple[int, float]:
        """The largest depth; the length of a path has no meaning here."""
        return self.max_depth, 0.0
