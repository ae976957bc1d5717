"""Integrals over a support: Gauss and Legendre's panels after a change of variable."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from empirisk.typing import Array, Interval

__all__ = ["NODES", "REACH", "Support", "panel_nodes"]

# How far panels go in the new variable, to where e^t leaves nothing that counts; nodes of one.
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
    >>> place = Support(Interval(0.0, np.inf))
    >>> float(place.parameter(place.place(np.array([2.0]))).round(12)[0])
    2.0
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
