"""Losses: pointwise functions of the score.  Adding one is a file and a row of REGISTRY.

A loss of your own needs no file: :func:`user_loss` makes one from functions and checks them.
"""

from empirisk.losses.absolute import Absolute
from empirisk.losses.base import Loss, check_targets
from empirisk.losses.bernoulli import Bernoulli
from empirisk.losses.cloglog import CLogLog
from empirisk.losses.cost_sensitive import CostSensitive, cost_weights
from empirisk.losses.epsilon_insensitive import EpsilonInsensitive
from empirisk.losses.exponential import Exponential
from empirisk.losses.gamma import Gamma
from empirisk.losses.half_squared import HalfSquared
from empirisk.losses.hinge import Hinge
from empirisk.losses.huber import Huber
from empirisk.losses.inverse_gaussian import InverseGaussian
from empirisk.losses.linked import Linked
from empirisk.losses.logistic import Logistic
from empirisk.losses.modified_huber import ModifiedHuber
from empirisk.losses.negative_binomial import NegativeBinomial
from empirisk.losses.offset import Offset, with_extra_dispersion, with_offset, without_offset
from empirisk.losses.one_versus_rest import OneVersusRest
from empirisk.losses.perceptron import Perceptron
from empirisk.losses.poisson import Poisson
from empirisk.losses.probit import Probit
from empirisk.losses.quantile import Quantile
from empirisk.losses.softmax import Softmax
from empirisk.losses.squared_epsilon_insensitive import SquaredEpsilonInsensitive
from empirisk.losses.squared_hinge import SquaredHinge
from empirisk.losses.tweedie import Tweedie
from empirisk.losses.tweedie_stable import StableTweedie
from empirisk.losses.user import user_loss
from empirisk.losses.zero_one import ZeroOne

REGISTRY: dict[str, type] = {
    "absolute": Absolute,
    "bernoulli": Bernoulli,
    "cloglog": CLogLog,
    "cost_sensitive": CostSensitive,
    "epsilon_insensitive": EpsilonInsensitive,
    "exponential": Exponential,
    "gamma": Gamma,
    "half_squared": HalfSquared,
    "hinge": Hinge,
    "huber": Huber,
    "inverse_gaussian": InverseGaussian,
    "logistic": Logistic,
    "modified_huber": ModifiedHuber,
    "negative_binomial": NegativeBinomial,
    "one_versus_rest": OneVersusRest,
    "perceptron": Perceptron,
    "poisson": Poisson,
    "probit": Probit,
    "quantile": Quantile,
    "softmax": Softmax,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "squared_hinge": SquaredHinge,
    "tweedie": Tweedie,
    "tweedie_stable": StableTweedie,
    "zero_one": ZeroOne,
}

__all__ = [
    "REGISTRY",
    "Absolute",
    "Bernoulli",
    "CLogLog",
    "CostSensitive",
    "EpsilonInsensitive",
    "Exponential",
    "Gamma",
    "HalfSquared",
    "Hinge",
    "Huber",
    "InverseGaussian",
    "Linked",
    "Logistic",
    "Loss",
    "ModifiedHuber",
    "NegativeBinomial",
    "Offset",
    "OneVersusRest",
    "Perceptron",
    "Poisson",
    "Probit",
    "Quantile",
    "Softmax",
    "SquaredEpsilonInsensitive",
    "SquaredHinge",
    "StableTweedie",
    "Tweedie",
    "ZeroOne",
    "check_targets",
    "cost_weights",
    "user_loss",
    "with_extra_dispersion",
    "with_offset",
    "without_offset",
]


def __dir__() -> list[str]:
    return sorted(__all__)
