"""Activations of network layers: adding one is a file, a row of REGISTRY and a functor of ``cpp/network``."""

from empirisk.problems.activations.base import Activation
from empirisk.problems.activations.gelu import GELU
from empirisk.problems.activations.identity import Identity
from empirisk.problems.activations.leaky_relu import LeakyReLU
from empirisk.problems.activations.relu import ReLU
from empirisk.problems.activations.sigmoid import Sigmoid
from empirisk.problems.activations.softplus import Softplus
from empirisk.problems.activations.step import Step
from empirisk.problems.activations.tanh import Tanh

REGISTRY: dict[str, type] = {
    "gelu": GELU,
    "identity": Identity,
    "leaky_relu": LeakyReLU,
    "relu": ReLU,
    "sigmoid": Sigmoid,
    "softplus": Softplus,
    "step": Step,
    "tanh": Tanh,
}

__all__ = [
    "GELU",
    "REGISTRY",
    "Activation",
    "Identity",
    "LeakyReLU",
    "ReLU",
    "Sigmoid",
    "Softplus",
    "Step",
    "Tanh",
]


def __dir__() -> list[str]:
    return sorted(__all__)
