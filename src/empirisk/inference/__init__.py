"""Inference at a solution: standard errors, tests, bands and influence, or the reason why there are none."""

from empirisk.inference.covariance import COVARIANCES
from empirisk.inference.fit import Fit, fits_of
from empirisk.inference.summarise import summarise_glm
from empirisk.inference.table import Fact, Summary
from empirisk.inference.wald import TestResult, wald_test

__all__ = ["COVARIANCES", "Fact", "Fit", "Summary", "TestResult", "fits_of", "summarise_glm", "wald_test"]
