"""Which losses the fused loops know, and how they are called there."""

from __future__ import annotations

from empirisk.losses import (
    Bernoulli,
    Exponential,
    Gamma,
    HalfSquared,
    Huber,
    InverseGaussian,
    Logistic,
    Loss,
    NegativeBinomial,
    Offset,
    Poisson,
    SquaredHinge,
    Tweedie,
)
from empirisk.typing import Array

__all__ = ["fused_call"]

# Class: the attribute that the loop takes as its parameter.  Tests hold each loop equal to its Python class.
FUSED: dict[type, str] = {
    Bernoulli: "",
    Exponential: "",
    Gamma: "",
    HalfSquared: "",
    Huber: "d",
    InverseGaussian: "",
    Logistic: "",
    NegativeBinomial: "a",
    Poisson: "",
    SquaredHinge: "",
    Tweedie: "power",
}


def fused_call(loss: Loss, y: Array) -> tuple[str, float, Array, Array | None] | None:
    """(name, parameter, targets, offsets) of a scalar loss for the loops, or None where there is none.

    Examples
    --------
    >>> import numpy as np
    >>> fused_call(Huber(2.0), np.array([1.0]))
    ('huber', 2.0, array([1.]), None)
    """
    offset = None
    if isinstance(loss, Offset):
        loss, y, offset = loss.base, y[:, 0], y[:, 1]
    attribute = FUSED.get(type(loss))
    if attribute is None or (isinstance(loss, Bernoulli) and not loss.logit):
        return None
    return loss.name, float(getattr(loss, attribute)) if attribute else 0.0, y, offset
