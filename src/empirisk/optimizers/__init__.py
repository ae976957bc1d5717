"""Update rules and step sizes: pure functions that compose.

Adding one is a file and a row of REGISTRY (rules) or SCHEDULES (step sizes).
"""

from typing import Any

from empirisk.optimizers.adadelta import Adadelta
from empirisk.optimizers.adagrad import Adagrad
from empirisk.optimizers.adam import Adam
from empirisk.optimizers.adamw import AdamW
from empirisk.optimizers.base import Chain, Parameters, Schedule, UpdateRule, apply, run
from empirisk.optimizers.constant import Constant
from empirisk.optimizers.cosine import Cosine
from empirisk.optimizers.gradient_step import GradientStep
from empirisk.optimizers.inverse_time import InverseTime
from empirisk.optimizers.langevin import Langevin
from empirisk.optimizers.momentum import Momentum
from empirisk.optimizers.nesterov import Nesterov
from empirisk.optimizers.pegasos import Pegasos
from empirisk.optimizers.rmsprop import RMSprop
from empirisk.optimizers.step_decay import StepDecay
from empirisk.optimizers.strongly_convex import StronglyConvex

REGISTRY: dict[str, type] = {
    "adadelta": Adadelta,
    "adagrad": Adagrad,
    "adam": Adam,
    "adamw": AdamW,
    "gradient_step": GradientStep,
    "langevin": Langevin,
    "momentum": Momentum,
    "nesterov": Nesterov,
    "rmsprop": RMSprop,
}

# Classes of schedules that stochastic solvers take by name.
SCHEDULES: dict[str, Any] = {
    "constant": Constant,
    "cosine": Cosine,
    "inverse_time": InverseTime,
    "pegasos": Pegasos,
    "step_decay": StepDecay,
    "strongly_convex": StronglyConvex,
}

__all__ = [
    "REGISTRY",
    "SCHEDULES",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Chain",
    "Constant",
    "Cosine",
    "GradientStep",
    "InverseTime",
    "Langevin",
    "Momentum",
    "Nesterov",
    "Parameters",
    "Pegasos",
    "RMSprop",
    "Schedule",
    "StepDecay",
    "StronglyConvex",
    "UpdateRule",
    "apply",
    "run",
]


def __dir__() -> list[str]:
    return sorted(__all__)
