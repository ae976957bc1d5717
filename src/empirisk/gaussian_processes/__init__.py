"""Gaussian processes as mathematics: evidence, posterior, inducing points and Laplace's approximation.

Rasmussen and Williams 2006, Gaussian Processes for Machine Learning.
"""

from empirisk.gaussian_processes.ascent import Ascent, Criterion, ascend, free_slope
from empirisk.gaussian_processes.covariance import Covariance
from empirisk.gaussian_processes.evidence import Evidence
from empirisk.gaussian_processes.factor import Factor
from empirisk.gaussian_processes.inducing import InducingBound, spread_rows
from empirisk.gaussian_processes.laplace import LaplaceEvidence, Mode
from empirisk.gaussian_processes.left_out import LeftOut, left_out
from empirisk.gaussian_processes.logistic_mean import log_logistic_mean, logistic_mean
from empirisk.gaussian_processes.posterior import ExactPosterior, InducingPosterior, Posterior
from empirisk.gaussian_processes.profile import profile_intervals
from empirisk.gaussian_processes.wald import wald_intervals

__all__ = [
    "Ascent",
    "Covariance",
    "Criterion",
    "Evidence",
    "ExactPosterior",
    "Factor",
    "InducingBound",
    "InducingPosterior",
    "LaplaceEvidence",
    "LeftOut",
    "Mode",
    "Posterior",
    "ascend",
    "free_slope",
    "left_out",
    "log_logistic_mean",
    "logistic_mean",
    "profile_intervals",
    "spread_rows",
    "wald_intervals",
]


def __dir__() -> list[str]:
    return sorted(__all__)
