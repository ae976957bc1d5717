"""A constant step size: the same for every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from empirisk.optimizers.base import check_size

__all__ = ["Constant"]


@dataclass(frozen=True)
class Constant:
    """``g_t = size``.

    Parameters
    ----------
    size : float
        Step size, > 0.

    Examples
    --------
    >>> Constant(0.1).at(7)
    0.1
    """

    size: float

    name = "constant"
    sizes = "one"
    needs_horizon = False

    def __post_init__(self) -> None:
        check_size("size", self.size)

    @classmethod
    def of_run(cls, size: float, steps: int, mu: float) -> Self:
        """Return the schedule of a run: its first step, all its steps, the modulus of its objective."""
        return cls(size)

    def at(self, t: int) -> float:
        """Return the size of step t, where the first step is t = 1."""
        return self.size
