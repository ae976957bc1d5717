"""Intervals of the parameters of a Gaussian process, by the curvature of the evidence at its maximum."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from empirisk.gaussian_processes.ascent import Ascent, Criterion, curvature
from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["wald_intervals"]

METHOD = "Wald on the log scale, curvature of the {title}"


def wald_intervals(
    criterion: Criterion, found: Ascent, names: tuple[str, ...], units: Array, level: float
) -> dict[str, Estimate]:
    """Return an interval for each parameter: ``exp(theta +- z se)``.

    Parameters
    ----------
    criterion : Criterion
        What was maximised.
    found : Ascent
        Its maximum.
    names : tuple of str
        Names of the parameters.
    units : array, shape (q,)
        What a parameter is multiplied with for the user.
    level : float
        Nominal coverage.

    Notes
    -----
    The maximum is not quadratic for few rows or for parameters that the data hardly tell, so that coverage is
    approximate.  No parameter has an interval where the curvature is not negative definite.
    """
    free = np.flatnonzero(found.side == 0)
    information = -curvature(lambda t: criterion(t)[1], found.theta, free)
    n, method = round(criterion.observations), METHOD.format(title=criterion.title)
    sharp = bool(len(free)) and float(np.linalg.eigvalsh(information)[0]) > 0.0
    error = np.full(len(names), np.nan)
    if sharp:
        error[free] = np.sqrt(np.diagonal(np.linalg.inv(information)))
    z = float(ndtri(0.5 + 0.5 * level))
    out = {}
    for j, name in enumerate(names):
        value = float(np.exp(found.theta[j]) * units[j])
        if np.isfinite(error[j]) and z * error[j] < 300.0:
            low, high = (float(value * np.exp(sign * z * error[j])) for sign in (-1.0, 1.0))
            out[name] = Estimate(value, low, high, level, n, method, "", name)
        else:
            why = "it stands at the end of its range" if found.at_bound[j] else "the data hardly tell it"
            out[name] = Estimate(value, None, None, level, n, method, why, name)
    return out
