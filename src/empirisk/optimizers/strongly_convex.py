"""Step sizes 1/(mu t), which a strongly convex objective of modulus mu allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from empirisk.optimizers.base import check_size

__all__ = ["StronglyConvex"]


@dataclass(frozen=True)
class StronglyConvex:
    """``g_t = 1 / (mu t)``: with gradients bounded by G, ``E J(avg) - J* <= G^2 (1 + log T) / (2 mu T)``.

    Parameters
    ----------
    mu : float
        Modulus of strong convexity of the objective, > 0 (the L2 strength of a problem).

    Examples
    --------
    >>> StronglyConvex(0.5).at(4)
    0.5
    """

    mu: float

    name = "strongly_convex"
    sizes = "formula"
    needs_horizon = False
    of_modulus = True

    def __post_init__(self) -> None:
        check_size("mu", self.mu)

    @classmethod
    def of_run(cls, size: float, steps: int, mu: float) -> Self:
        """Return the schedule of a run: its first step, all its steps, the modulus of its objective."""
        if not mu > 0.0:
            raise ValueError(
                f'schedule="{cls.name}" takes steps 1/(mu t) and needs an L2 penalty (alpha > 0 and '
                'l1_ratio < 1); use "cosine" or "constant" without one'
            )
        return cls(mu)

    def at(self, t: int) -> float:
        """Return the size of step t, where the first step is t = 1."""
        return 1.0 / (self.mu * t)
