"""Distributions: laws of rows, with their likelihood.  Adding one is a file and a row of REGISTRY."""

from __future__ import annotations

from empirisk.distributions.base import Distribution, Fitted
from empirisk.distributions.bernoulli import Bernoulli
from empirisk.distributions.beta import Beta
from empirisk.distributions.binomial import Binomial
from empirisk.distributions.categorical import Categorical
from empirisk.distributions.dirichlet import Dirichlet
from empirisk.distributions.divergence import kl
from empirisk.distributions.exponential import Exponential
from empirisk.distributions.exponential_family import ExponentialFamily
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.distributions.fit import DistributionFit, fit_mle
from empirisk.distributions.gamma import Gamma
from empirisk.distributions.gaussian import Gaussian
from empirisk.distributions.geometric import Geometric
from empirisk.distributions.goodness import GoodnessOfFit, goodness_of_fit
from empirisk.distributions.laplace import Laplace
from empirisk.distributions.map_fit import fit_map
from empirisk.distributions.moments_fit import fit_moments
from empirisk.distributions.multinomial import Multinomial
from empirisk.distributions.multivariate_gaussian import MultivariateGaussian
from empirisk.distributions.negative_binomial import NegativeBinomial
from empirisk.distributions.normal_inverse_gamma import NormalInverseGamma
from empirisk.distributions.normal_inverse_wishart import NormalInverseWishart
from empirisk.distributions.poisson import Poisson
from empirisk.distributions.registry import REGISTRY
from empirisk.distributions.student_t import StudentT
from empirisk.distributions.uniform import Uniform

__all__ = [
    "REGISTRY",
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Dirichlet",
    "Distribution",
    "DistributionFit",
    "Exponential",
    "ExponentialFamily",
    "ExponentialMember",
    "Fitted",
    "Gamma",
    "Gaussian",
    "Geometric",
    "GoodnessOfFit",
    "Laplace",
    "Multinomial",
    "MultivariateGaussian",
    "NegativeBinomial",
    "NormalInverseGamma",
    "NormalInverseWishart",
    "Poisson",
    "StudentT",
    "Uniform",
    "fit_map",
    "fit_mle",
    "fit_moments",
    "goodness_of_fit",
    "kl",
]


def __dir__() -> list[str]:
    return sorted(__all__)
