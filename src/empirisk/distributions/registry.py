"""The laws by name: the one list that functions of the room and users look at."""

from __future__ import annotations

from typing import Any

from empirisk.distributions.bernoulli import Bernoulli
from empirisk.distributions.beta import Beta
from empirisk.distributions.binomial import Binomial
from empirisk.distributions.categorical import Categorical
from empirisk.distributions.dirichlet import Dirichlet
from empirisk.distributions.exponential import Exponential
from empirisk.distributions.exponential_family import ExponentialFamily
from empirisk.distributions.gamma import Gamma
from empirisk.distributions.gaussian import Gaussian
from empirisk.distributions.geometric import Geometric
from empirisk.distributions.laplace import Laplace
from empirisk.distributions.multinomial import Multinomial
from empirisk.distributions.multivariate_gaussian import MultivariateGaussian
from empirisk.distributions.negative_binomial import NegativeBinomial
from empirisk.distributions.normal_inverse_gamma import NormalInverseGamma
from empirisk.distributions.normal_inverse_wishart import NormalInverseWishart
from empirisk.distributions.poisson import Poisson
from empirisk.distributions.student_t import StudentT
from empirisk.distributions.uniform import Uniform

__all__ = ["PRIORS", "REGISTRY"]

_ROWS: tuple[Any, ...] = (
    Bernoulli,
    Beta,
    Binomial,
    Exponential,
    ExponentialFamily,
    Gamma,
    Gaussian,
    Geometric,
    Laplace,
    NegativeBinomial,
    Poisson,
    Categorical,
    Dirichlet,
    Multinomial,
    MultivariateGaussian,
    NormalInverseGamma,
    StudentT,
    Uniform,
)
REGISTRY: dict[str, Any] = {row.name: row for row in _ROWS}
# Laws of parameters: those of rows, and those that are priors alone.
PRIORS: dict[str, Any] = {**REGISTRY, NormalInverseWishart.name: NormalInverseWishart}
