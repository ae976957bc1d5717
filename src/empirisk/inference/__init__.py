"""Inference at a solution: standard errors, tests, bands and influence, or the reason why there are none."""

from empirisk.inference.bands import Bands, bands_at
from empirisk.inference.covariance import COVARIANCES, check_covariance
from empirisk.inference.credible import CredibleIntervals
from empirisk.inference.fit import Fit, fits_of
from empirisk.inference.influence import Influence, influence_of
from empirisk.inference.likelihood_nested import nested_likelihoods
from empirisk.inference.likelihood_ratio import likelihood_ratio_test
from empirisk.inference.prepare import fit_for
from empirisk.inference.ratios import Ratios
from empirisk.inference.summarise import summarise_glm
from empirisk.inference.table import Fact, Summary
from empirisk.inference.wald import TestResult, wald_test

__all__ = [
    "COVARIANCES",
    "Bands",
    "CredibleIntervals",
    "Fact",
    "Fit",
    "Influence",
    "Ratios",
    "Summary",
    "TestResult",
    "bands_at",
    "check_covariance",
    "fit_for",
    "fits_of",
    "influence_of",
    "likelihood_ratio_test",
    "nested_likelihoods",
    "summarise_glm",
    "wald_test",
]


def __dir__() -> list[str]:
    return sorted(__all__)
