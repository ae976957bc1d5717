"""What one pass over all rows tells about the parameters of a network."""

from __future__ import annotations

from dataclasses import dataclass, field

from empirisk.typing import Array

__all__ = ["NetworkPass"]


@dataclass(frozen=True, eq=False)
class NetworkPass:
    """What one pass over all rows tells about a point.

    Parameters
    ----------
    loss : float
        Mean loss.
    grad : array, shape (d,)
        Its gradient.
    size : float
        Mean norm of the gradients of single rows, which the rounding of `grad` is relative to.
    silent : tuple of int
        For each layer that can die, how many of its units have slope 0 on every row; else 0.
    """

    loss: float
    grad: Array = field(repr=False)
    size: float
    silent: tuple[int, ...]
