"""Integrals over a support: Gauss and Legendre's panels after a change of variable."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import expit, logit

from empirisk.typing import Array, Interval

__all__ = ["NODES", "REACH", "Support", "line_nodes", "panel_nodes"]

# Panels have the width 1 in the new variable, up to where e^t leaves nothing that counts; nodes of one.
REACH, NODES = 120.0, 24


@dataclass(frozen=True)
class Support:
    """An interval as the image of the whole line; finite ends are approached at a geometric pace.

    Parameters
    ----------
    interval : Interval
    centre, scale : float
        Where the mass lies, and how far it spreads.

    Examples
    --------
    >>> x, width = Support(Interval(0.0, np.inf)).nodes()
    >>> round(float((np.exp(-x) * width).sum()), 12)
    1.0
    """

    interval: Interval
    centre: float = 0.0
    scale: float = 1.0

    def place(self, t: Array) -> Array:
        """Return the points of the support at t."""
        low, high = self.interval.low, self.interval.high
        if math.isfinite(low) and math.isfinite(high):
            return np.asarray(low + (high - low) * expit(t))
        if math.isfinite(low):
            return np.asarray(low + self.scale * np.exp(t))
        if math.isfinite(high):
            return np.asarray(high - self.scale * np.exp(-t))
        return np.asarray(self.centre + self.scale * np.sinh(t))

    def slope(self, t: Array) -> Array:
        """Return the derivative of ``place`` of the change of variable at each node."""
        low, high = self.interval.low, self.interval.high
        if math.isfinite(low) and math.isfinite(high):
            return np.asarray((high - low) * expit(t) * expit(-t))
        if math.isfinite(low):
            return np.asarray(self.scale * np.exp(t))
        if math.isfinite(high):
            return np.asarray(self.scale * np.exp(-t))
        return np.asarray(self.scale * np.cosh(t))

    def parameter(self, x: Array) -> Array:
        """Return the t of points of the support, within the reach of the nodes."""
        low, high = self.interval.low, self.interval.high
        with np.errstate(divide="ignore", invalid="ignore"):
            if math.isfinite(low) and math.isfinite(high):
                t = logit(np.clip((x - low) / (high - low), 0.0, 1.0))
            elif math.isfinite(low):
                t = np.log(np.maximum(x - low, 0.0) / self.scale)
            elif math.isfinite(high):
                t = -np.log(np.maximum(high - x, 0.0) / self.scale)
            else:
                t = np.arcsinh((x - self.centre) / self.scale)
        return np.asarray(np.clip(t, -REACH, REACH))

    @lru_cache(maxsize=32)  # noqa: B019
    def nodes(self, kinks: tuple[float, ...] = ()) -> tuple[Array, Array]:
        """Return nodes and weights, panel after panel; kinks of what is integrated become borders."""
        marks = self.parameter(np.asarray(kinks, dtype=np.float64))
        cuts = np.unique([*np.arange(-REACH, REACH + 1.0), *marks])
        t, dt = panel_nodes(cuts[:-1], cuts[1:])
        x, width = self.place(t).ravel(), (self.slope(t) * dt).ravel()
        x.flags.writeable = width.flags.writeable = False  # they are kept
        return x, width


def line_nodes(centre: float, scale: float, kinks: tuple[float, ...] = ()) -> tuple[Array, Array]:
    """Return nodes of the whole line, ``x = centre + scale sinh t``, and their weights.

    Examples
    --------
    >>> x, width = line_nodes(0.0, 1.0)
    >>> round(float((np.exp(-0.5 * x**2) * width).sum() ** 2 / (2.0 * np.pi)), 12)
    1.0
    """
    return Support(Interval(), centre, scale).nodes(kinks)


def panel_nodes(low: Array, high: Array) -> tuple[Array, Array]:
    """Return the nodes and the weights of panels with these ends, (panels, nodes) each.

    Examples
    --------
    >>> t, dt = panel_nodes(np.array([0.0]), np.array([2.0]))
    >>> round(float((t**3 * dt).sum()), 12)
    4.0
    """
    at, weight = np.polynomial.legendre.leggauss(NODES)
    half = 0.5 * (high - low)
    return low[:, None] + half[:, None] * (at + 1.0), half[:, None] * weight
