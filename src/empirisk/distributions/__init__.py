"""Distributions: laws of rows, with their likelihood.  Adding one is a file and a row of REGISTRY."""

from __future__ import annotations

from typing import Any

from empirisk.distributions.base import Distribution, Fitted
from empirisk.distributions.bernoulli import Bernoulli
from empirisk.distributions.beta import Beta
from empirisk.distributions.binomial import Binomial
from empirisk.distributions.exponential import Exponential
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.distributions.fit import DistributionFit, fit_mle
from empirisk.distributions.gamma import Gamma
from empirisk.distributions.gaussian import Gaussian
from empirisk.distributions.geometric import Geometric
from empirisk.distributions.laplace import Laplace
from empirisk.distributions.negative_binomial import NegativeBinomial
from empirisk.distributions.poisson import Poisson
from empirisk.distributions.uniform import Uniform

_ROWS: tuple[Any, ...] = (
    Bernoulli,
    Beta,
    Binomial,
    Exponential,
    Gamma,
    Gaussian,
    Geometric,
    Laplace,
    NegativeBinomial,
    Poisson,
    Uniform,
)
REGISTRY: dict[str, Any] = {row.name: row for row in _ROWS}

__all__ = [
    "REGISTRY",
    "Bernoulli",
    "Beta",
    "Binomial",
    "Distribution",
    "DistributionFit",
    "Exponential",
    "ExponentialMember",
    "Fitted",
    "Gamma",
    "Gaussian",
    "Geometric",
    "Laplace",
    "NegativeBinomial",
    "Poisson",
    "Uniform",
    "fit_mle",
]


def __dir__() -> list[str]:
    return sorted(__all__)
