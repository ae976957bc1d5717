"""Losses: pointwise functions of the score.  Adding one is a file and a row of REGISTRY."""

from empirisk.losses.base import Loss
from empirisk.losses.half_squared import HalfSquared
from empirisk.losses.logistic import Logistic
from empirisk.losses.softmax import Softmax

REGISTRY: dict[str, type] = {
    "half_squared": HalfSquared,
    "logistic": Logistic,
    "softmax": Softmax,
}

__all__ = ["REGISTRY", "HalfSquared", "Logistic", "Loss", "Softmax"]
