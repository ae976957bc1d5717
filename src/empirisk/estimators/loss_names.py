"""Losses by name: estimators ask those of the registry what they are, so that a new row is taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from empirisk.losses import REGISTRY, Loss

__all__ = ["loss_named", "scalar_losses"]


def loss_named(name: Any) -> Loss | None:
    """The loss of one score that a name stands for, without arguments; None when there is no such loss.

    Examples
    --------
    >>> loss_named("huber"), loss_named("softmax")
    (Huber(d=1.35), None)
    """
    if not isinstance(name, str) or name not in REGISTRY:
        return None
    try:
        made = REGISTRY[name]()
    except TypeError:  # it needs arguments
        return None
    return made if made.offers and not made.vector else None


def scalar_losses(takes: Callable[[Loss], bool] = lambda loss: True) -> list[str]:
    """Return the names of the losses of one score that an estimator takes, sorted; for its messages."""
    made = ((name, loss_named(name)) for name in sorted(REGISTRY))
    return [name for name, loss in made if loss is not None and takes(loss)]
