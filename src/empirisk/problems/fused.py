"""How a loss is called in the fused loops."""

from __future__ import annotations

from empirisk.losses import Loss
from empirisk.typing import Array

__all__ = ["fused_call"]


def fused_call(loss: Loss, y: Array) -> tuple[str, float, Array, Array | None] | None:
    """(name, parameter, targets, offsets) of a scalar loss for the loops, or None where there is none.

    Tests hold each loop equal to the Python class of its loss.

    Examples
    --------
    >>> import numpy as np
    >>> from empirisk.losses import Huber
    >>> fused_call(Huber(2.0), np.array([1.0]))
    ('huber', 2.0, array([1.]), None)
    """
    base, targets = loss.plain(y)
    return (base.name, base.parameter, targets, loss.offset(y)) if base.fused else None
