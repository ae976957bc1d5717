"""Step sizes that fall like 1/t, as Robbins and Monro (Annals of Mathematical Statistics 22, 1951) ask
for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from empirisk.optimizers.base import check_size

__all__ = ["InverseTime"]


@dataclass(frozen=True)
class InverseTime:
    """``g_t = size / t``.

    Parameters
    ----------
    size : float
        First step size, > 0.

    Examples
    --------
    >>> InverseTime(1.0).at(4)
    0.25
    """

    size: float

    name = "inverse_time"
    sizes = "formula"
    needs_horizon = False

    def __post_init__(self) -> None:
        check_size("size", self.size)

    @classmethod
    def of_run(cls, size: float, steps: int, mu: float) -> Self:
        """Return the schedule of a run: its first step, all its steps, the modulus of its objective."""
        return cls(size)

    def at(self, t: int) -> float:
        """Return the size of step t, where the first step is t = 1."""
        return self.size / t
