"""Langevin steps that are always taken: cheap, and biased by their length."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.samplers.base import Sampler
from empirisk.samplers.words import check_positive

__all__ = ["ULA"]


@dataclass(frozen=True)
class ULA(Sampler):
    """``w' = w - h C grad U(w) + sqrt(2 h) L z``, ``C = L L'``: the unadjusted Langevin algorithm.

    Its stationary law is not the target: for a Gaussian of covariance C the variances are ``1 / (1 - h / 2)``
    times too large, and of a short step half has half the bias.  From h = 2 on nothing is settled to.

    Parameters
    ----------
    step : float, optional
        The step h; by default the warm-up finds one at which an adjusted step would be accepted 98 times of
        100.

    Examples
    --------
    >>> ULA(0.1).exact
    False
    """

    step: float | None = None

    name = "ula"
    exact = False
    remedy = "take a smaller step"

    def __post_init__(self) -> None:
        if self.step is not None:
            check_positive("step", self.step)

    @property
    def wanted(self) -> float:
        """How often a step would be accepted if it could be refused."""
        return 0.98

    def default_thin(self, d: int) -> int:
        """Return 10: a step of about 0.1 forgets a tenth of its place, and single ones are worth little."""
        return 10

    @property
    def given_step(self) -> float | None:
        """The step, where it is given."""
        return self.step
