"""Estimators of a parameter: bias, variance and quadratic risk over a parametric model."""

from __future__ import annotations

from empirisk.selection.parametric.api import estimators_risk
from empirisk.selection.parametric.estimators import ESTIMATORS, beta_map, beta_mean, trimmed_mean
from empirisk.selection.parametric.models import MODELS
from empirisk.selection.parametric.result import EstimatorsRisk, RiskComparison

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
