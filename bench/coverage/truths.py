"""True values of the simulated settings, by quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy import integrate, special, stats


def normal_mean(f: Callable[[np.ndarray], np.ndarray], sd: float = 1.0) -> float:
    """Return ``E f(sd Z)`` for a standard normal Z, by quadrature."""
    return float(integrate.quad(lambda z: f(np.array(sd * z)) * stats.norm.pdf(z), -9, 9, limit=200)[0])


def logistic_risk(slope: float, sd: float) -> float:
    """Log-loss of predicting ``expit(slope t)`` when the truth is ``expit(t)``, ``t ~ N(0, sd^2)``."""

    def risk(t: np.ndarray) -> np.ndarray:
        q = special.expit(t)
        return -(q * special.log_expit(slope * t) + (1 - q) * special.log_expit(-slope * t))

    return normal_mean(risk, sd)


def binormal_ap(prevalence: float, shift: float) -> float:
    """Average precision of two unit normals `shift` apart, by quadrature."""

    def integrand(t: float) -> float:
        tp, fp = prevalence * stats.norm.sf(t - shift), (1 - prevalence) * stats.norm.sf(t)
        return float(stats.norm.pdf(t - shift) * tp / (tp + fp))

    return float(integrate.quad(integrand, -12, 12 + shift, limit=400)[0])


CALIBRATED, OVERCONFIDENT = logistic_risk(1.0, 1.5), logistic_risk(1.5, 1.5)
SHIFT = math.sqrt(2.0) * stats.norm.ppf(0.9)  # AUC 0.9
