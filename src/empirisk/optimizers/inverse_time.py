"""Step sizes that fall like 1/t, as Robbins and Monro (Annals of Mathematical Statistics 22, 1951) ask
for.
"""

from __future__ import annotations

from dataclasses import dataclass

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

    def __post_init__(self) -> None:
        check_size("size", self.size)

    def at(self, t: int) -> float:
        """Return the size of step t, where the first step is t = 1."""
        return self.size / t
