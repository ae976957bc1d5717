"""Step sizes 1/(mu t), which a strongly convex objective of modulus mu allows."""

from __future__ import annotations

from dataclasses import dataclass

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

    def __post_init__(self) -> None:
        check_size("mu", self.mu)

    def at(self, t: int) -> float:
        """Return the size of step t, where the first step is t = 1."""
        return 1.0 / (self.mu * t)
