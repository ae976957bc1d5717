"""What a linear regression with a conjugate prior claims: a closed form, or how flat the evidence is."""

from __future__ import annotations

import math

import numpy as np

from empirisk.estimators.bayes.conjugate_posterior import ConjugatePosterior
from empirisk.results import Certificate, Kind

__all__ = ["exact", "stationary"]

EPS = float(np.finfo(float).eps)


def exact(posterior: ConjugatePosterior) -> Certificate:
    """Return the certificate of a posterior in closed form."""
    claim = (
        f"the posterior is exact: X'X + {posterior.precision:.3g} I, of condition {posterior.condition:.2g} "
        f"with a scaled diagonal, was inverted and its system is solved to {posterior.residual:.2g} of the "
        "right side"
    )
    return Certificate(Kind.EXACT, posterior.residual, 1.0, claim, 0.0, EPS * (len(posterior.mean) + 8))


def stationary(posterior: ConjugatePosterior, slope: float, weight: float, note: str) -> Certificate:
    """Return the certificate of a learned precision: the gradient of the log evidence, an observation."""
    value = abs(slope) / weight
    claim = (
        f"the slope of the log evidence by the logarithm of the precision is {value:.2g} an observation "
        f"({note}), and 0 by that of the noise, which is integrated"
    )
    floor = EPS * (1.0 + posterior.effective * math.sqrt(posterior.condition)) / weight
    return Certificate(Kind.STATIONARITY, value, 1.0, claim, 0.0, floor)
