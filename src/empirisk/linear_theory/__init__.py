"""The theory of least squares and ridge regression as numbers: fixed rows X, ``y = X theta + noise``.

Risks are of the squared error ``(y - z)^2`` (twice those of the half squared loss), in excess of the noise:
``E ||X (w - theta)||^2 / n``.
"""

from empirisk.linear_theory.gauss_markov import GaussMarkov, gauss_markov
from empirisk.linear_theory.ols import ols_excess_risk
from empirisk.linear_theory.ridge import RidgeRisk, optimal_alpha, ridge_bound, ridge_risk

__all__ = [
    "GaussMarkov",
    "RidgeRisk",
    "gauss_markov",
    "ols_excess_risk",
    "optimal_alpha",
    "ridge_bound",
    "ridge_risk",
]


def __dir__() -> list[str]:
    return sorted(__all__)
