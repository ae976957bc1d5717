"""Step sizes that fall along half a cosine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from empirisk.optimizers.base import check_size

__all__ = ["Cosine"]


@dataclass(frozen=True)
class Cosine:
    """``g_t = last + (size - last)(1 + cos(pi (t-1)/steps))/2``, then `last`.

    Loshchilov and Hutter, ICLR 2017, without restarts.

    Parameters
    ----------
    size : float
        First step size, > 0.
    steps : int
        Steps until `last` is reached, >= 1.
    last : float
        Final step size, >= 0.

    Examples
    --------
    >>> Cosine(1.0, steps=10).at(6)
    0.5
    """

    size: float
    steps: int
    last: float = 0.0

    name = "cosine"
    sizes = "stairs"
    needs_horizon = True

    def __post_init__(self) -> None:
        check_size("size", self.size)
        check_size("last", self.last, zero=True)
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, got {self.steps!r}")

    @classmethod
    def of_run(cls, size: float, steps: int, mu: float) -> Self:
        """Return the schedule of a run: its first step, all its steps, the modulus of its objective."""
        return cls(size, max(steps, 1))

    def at(self, t: Any) -> Any:
        """Return the size of step t, where the first step is t = 1; for an array of steps, all of their
        sizes.
        """
        share = np.minimum(np.asarray(t) - 1, self.steps) / self.steps
        sizes = self.last + 0.5 * (self.size - self.last) * (1.0 + np.cos(math.pi * share))
        return sizes if isinstance(t, np.ndarray) else float(sizes)
