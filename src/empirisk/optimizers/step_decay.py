"""Step sizes that fall in stairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from empirisk.optimizers.base import check_share, check_size

__all__ = ["StepDecay"]

# Stairs of a whole run.
DECAYS = 10


@dataclass(frozen=True)
class StepDecay:
    """``g_t = size * factor^floor((t-1)/every)``.

    Parameters
    ----------
    size : float
        First step size, > 0.
    factor : float
        What each stair multiplies by, in (0, 1).
    every : int
        Steps on one stair, >= 1.

    Examples
    --------
    >>> StepDecay(1.0, 0.5, every=10).at(11)
    0.5
    """

    size: float
    factor: float = 0.5
    every: int = 100

    name = "step_decay"
    sizes = "formula"
    needs_horizon = True

    def __post_init__(self) -> None:
        check_size("size", self.size)
        check_share("factor", self.factor)
        check_size("factor", self.factor)
        if self.every < 1:
            raise ValueError(f"every must be at least 1, got {self.every!r}")

    @classmethod
    def of_run(cls, size: float, steps: int, mu: float) -> Self:
        """Return the schedule of a run: its first step, all its steps, the modulus of its objective."""
        return cls(size, 0.5, max(steps // DECAYS, 1))

    def at(self, t: int) -> float:
        """Return the size of step t, where the first step is t = 1."""
        return self.size * self.factor ** ((t - 1) // self.every)
