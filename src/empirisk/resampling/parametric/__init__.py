"""Estimators of a parameter: bias, variance and quadratic risk over a parametric model."""

from __future__ import annotations

from empirisk.resampling.parametric.api import estimators_risk
from empirisk.resampling.parametric.estimators import ESTIMATORS, beta_map, beta_mean, trimmed_mean
from empirisk.resampling.parametric.models import MODELS
from empirisk.resampling.parametric.result import EstimatorsRisk, RiskComparison

__all__ = [
    "ESTIMATORS",
    "MODELS",
    "EstimatorsRisk",
    "RiskComparison",
    "beta_map",
    "beta_mean",
    "estimators_risk",
    "trimmed_mean",
]
