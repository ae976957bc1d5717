"""Intervals of the parameters of a Gaussian process by the profile of its likelihood.

Venzon and Moolgavkar 1988, Applied Statistics 37.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize
from scipy.special import ndtri

from empirisk.gaussian_processes.ascent import SAME, WORST, Ascent, Criterion
from empirisk.gaussian_processes.factor import NotDefiniteError
from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["profile_intervals"]

METHOD = "profile of the {title}"
WIDE = float(np.log(1e5))  # an end is looked for within a factor of 1e5 of the parameter
FLAT = 1e-5  # slope an observation at which the other parameters follow well enough
NEAR = 2e-3  # of the root of twice the drop, where the search for an end stops
STEPS = 40


class _HigherError(Exception):
    """The profile met a value above the maximum that it started from."""


@dataclass(eq=False)
class _Profile:
    """``r(u) = sqrt(2 (max - max_others criterion))`` at theta_j + u: 0 at the maximum, nearly linear."""

    criterion: Criterion
    found: Ascent
    j: int
    others: Array = field(init=False)

    def __post_init__(self) -> None:
        self.others = np.delete(self.found.theta, self.j)

    def __call__(self, u: float) -> float:
        """Return the root of twice the drop, inf where the criterion cannot be computed."""
        unit, at = self.criterion.observations, self.found.theta[self.j] + u
        keep = np.arange(len(self.found.theta)) != self.j

        def downhill(others: Array) -> tuple[float, Array]:
            try:
                value, gradient = self.criterion(np.insert(others, self.j, at))
            except NotDefiniteError:
                return WORST, np.zeros_like(others)
            return -value / unit, -gradient[keep] / unit

        best = downhill(self.others)[0]
        if len(self.others):
            middle = np.delete(self.found.theta, self.j)
            ends = list(zip(middle - WIDE, middle + WIDE, strict=True))
            end = minimize(
                downhill, self.others, jac=True, method="L-BFGS-B", bounds=ends,
                options={"gtol": FLAT, "ftol": 1e-12, "maxiter": 100},
            )  # fmt: skip
            best = float(end.fun)
            if best < WORST:
                self.others = np.asarray(end.x)
        if best >= WORST:
            return np.inf
        drop = self.found.value + best * unit
        if drop < -SAME * unit:
            raise _HigherError
        return float(np.sqrt(2.0 * max(0.0, drop)))


def profile_intervals(
    criterion: Criterion, found: Ascent, names: tuple[str, ...], units: Array, level: float
) -> dict[str, Estimate]:
    """Return the interval of the values that a likelihood-ratio test keeps, for each parameter.

    ``{p : 2 (max - max over the others at p) <= z^2}`` with the quantile z of the normal law.

    Parameters
    ----------
    criterion : Criterion
        A log-likelihood, which was maximised.
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
    About ten maximisations over the other parameters for each end.  An interval that reaches 0 says that the
    data do not exclude so small a parameter; none is returned where they set no upper end.
    """
    z = float(ndtri(0.5 + 0.5 * level))
    n, method = round(criterion.observations), METHOD.format(title=criterion.title)
    out = {}
    for j, name in enumerate(names):
        value, low, high, reason = float(np.exp(found.theta[j]) * units[j]), None, None, ""
        try:
            ups = [_end(_Profile(criterion, found, j), side, z) for side in (-1.0, 1.0)]
            low, high = (value * float(np.exp(u)) for u in ups)
            if not np.isfinite(high):
                low, high, reason = None, None, "the data set no upper end"
        except _HigherError:
            reason = "its profile met a higher maximum than the search: raise restarts"
        out[name] = Estimate(value, low, high, level, n, method, reason, name)
    return out


def _end(profile: _Profile, side: float, z: float) -> float:
    """Return how far from the maximum the profile has fallen to z: -inf or inf where it does not."""
    inner, step, r_inner = 0.0, 0.25, 0.0
    while True:  # outwards, until the drop is passed
        outer = min(inner + step, WIDE)
        r = profile(side * outer)
        if r >= z:
            break
        if outer >= WIDE:
            return side * np.inf
        # The root is nearly linear: aim a little beyond where it would be z.
        reach = outer * (1.1 * z / r) - outer if r > 0.0 else step
        inner, r_inner, step = outer, r, float(np.clip(reach, 0.05, 4.0 * step))
    for _ in range(STEPS):
        if abs(r - z) <= NEAR * z or outer - inner <= 1e-4:
            break
        share = (z - r_inner) / (r - r_inner) if np.isfinite(r) else 0.5
        middle = inner + float(np.clip(share, 0.05, 0.95)) * (outer - inner)
        now = profile(side * middle)
        if now >= z:
            outer, r = middle, now
        else:
            inner, r_inner = middle, now
            if abs(now - z) <= NEAR * z:
                return side * middle
    return side * outer
