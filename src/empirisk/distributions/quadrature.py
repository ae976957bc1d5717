"""Nodes and weights of integrals over a support: Gauss and Legendre's panels after a change of variable."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from empirisk.typing import Array, Interval

__all__ = ["line_nodes", "support_nodes"]

# Panels of this width in the new variable, up to where e^t leaves nothing that counts; nodes of a panel.
_PANEL, _REACH, _NODES = 0.5, 120.0, 24


def line_nodes(centre: float, scale: float, kinks: Sequence[float] = ()) -> tuple[Array, Array]:
    """Return nodes of the whole line, ``x = centre + scale sinh t``, and their weights.

    Kinks of what is integrated become borders of panels.

    Examples
    --------
    >>> x, width = line_nodes(0.0, 1.0)
    >>> round(float((np.exp(-0.5 * x**2) * width).sum() ** 2 / (2.0 * np.pi)), 12)
    1.0
    """
    t, dt = _panels([math.asinh((k - centre) / scale) for k in kinks])
    return centre + scale * np.sinh(t), scale * np.cosh(t) * dt


def support_nodes(support: Interval, centre: float = 0.0, scale: float = 1.0) -> tuple[Array, Array]:
    """Return nodes of an interval and their weights; finite ends are approached at a geometric pace.

    Examples
    --------
    >>> x, width = support_nodes(Interval(0.0, np.inf))
    >>> round(float((np.exp(-x) * width).sum()), 12)
    1.0
    """
    low, high = support.low, support.high
    if not math.isfinite(low) and not math.isfinite(high):
        return line_nodes(centre, scale)
    t, dt = _panels([])
    if math.isfinite(low) and math.isfinite(high):
        return low + (high - low) * expit(t), (high - low) * expit(t) * expit(-t) * dt
    reach = scale * np.exp(t)
    return (low + reach if math.isfinite(low) else high - reach), reach * dt


def _panels(kinks: Sequence[float]) -> tuple[Array, Array]:
    """Return the nodes in the new variable, and their weights."""
    at, weight = np.polynomial.legendre.leggauss(_NODES)
    cuts = np.unique([*np.arange(-_REACH, _REACH + _PANEL, _PANEL), *kinks])
    half = 0.5 * np.diff(cuts)
    return (cuts[:-1, None] + half[:, None] * (at + 1.0)).ravel(), (half[:, None] * weight).ravel()
