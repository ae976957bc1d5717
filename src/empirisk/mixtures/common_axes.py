"""Gaussian parts with common axes along which each has variances of its own: base of EVE and VVE.

``Sigma_k = D L_k D'`` with one orthogonal D and diagonal L_k: the common principal components of Flury
(Journal of the American Statistical Association 79, 1984).  For given axes the best L_k have a closed form in
``t_kj = d_j' S_k d_j``, which leaves ``phi(D)`` of the logarithms of these.  D turns by conjugate gradients
on the orthogonal matrices, preconditioned by the part of the second derivatives that is never negative; each
turn lowers phi.  Browne and McNicholas (Advances in Data Analysis and Classification 8, 2014) give a
majorisation in its place, whose steps are simpler and many more; the tests compare with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.mixtures.base import Parts
from empirisk.mixtures.gaussian import GaussianFamily
from empirisk.typing import Array

__all__ = ["CommonAxes"]

# Steps of the axes, the angle below which they end, and how often a step is halved.
MOST = 1000
STILL = 1e-10
HALVED = 40
ROUNDING = 2.0**-50  # of phi, as a share of it
ENOUGH = 0.25  # share of the fall at the slope that a step must bring


class CommonAxes(GaussianFamily):
    """Base of families with common axes; a subclass gives ``profile`` and ``lengths``."""

    def profile(self, mass: Array, logs: Array) -> tuple[float, Array]:
        """Return ``phi``, and the weights (K,) of the logarithms in its derivative.

        Parameters
        ----------
        mass : array, shape (K,)
            Expected rows.
        logs : array, shape (K, p)
            Logarithms of the sums of squares along the axes.
        """
        raise NotImplementedError

    def lengths(self, mass: Array, square: Array) -> Array:
        """Return the best variances along the axes, (K, p), for sums of squares along them."""
        raise NotImplementedError

    def covariances(self, mass: Array, scatter: Array) -> Array:
        """Return the best covariances from the axes of the pooled scatter on."""
        return self._along(mass, scatter, self._turned(mass, scatter, _axes_of(scatter.sum(axis=0)))[1])

    def best(self, parts: Parts, mass: Array, scatter: Array) -> Array:
        """Return the better of the covariances from the current axes on and from those of all rows.

        The current axes alone would do for steps that never fall; those of all rows are looked at, too,
        because phi has several minima.
        """
        factors = parts["factors"]
        current = self.matrices(parts) / np.square(factors).sum(axis=(1, 2))[:, None, None]
        joint = self._turned(np.ones(len(mass)), current, _axes_of(current.sum(axis=0)))[1]
        starts = (joint, _axes_of(scatter.sum(axis=0)))
        found = min((self._turned(mass, scatter, axes) for axes in starts), key=lambda f: f[0])
        return self._along(mass, scatter, found[1])

    def _along(self, mass: Array, scatter: Array, axes: Array) -> Array:
        length = self.lengths(mass, _squares(scatter, axes))
        return np.asarray((axes * length[:, None, :]) @ axes.T)

    def _turned(self, mass: Array, scatter: Array, axes: Array) -> tuple[float, Array]:
        """Return phi and the axes where no turn lowers it, from given axes on."""
        value, weight = self.profile(mass, np.log(_squares(scatter, axes)))
        slope, turn = _slope_and_turn(axes.T @ scatter @ axes, weight)
        way = turn
        for _ in range(MOST):
            if not np.abs(turn).max(initial=0.0) > STILL:
                break
            size, fall = float((slope * turn).sum()), float((slope * way).sum())
            slack = ROUNDING * (abs(value) + float(weight.sum()))
            for part in min(1.0, 1.0 / np.abs(way).max()) * 0.5 ** np.arange(HALVED):
                tried = axes @ _cayley(part * way)
                lower, heavier = self.profile(mass, np.log(_squares(scatter, tried)))
                if lower > value + slack:
                    continue
                after = _slope_and_turn(tried.T @ scatter @ tried, heavier)
                # Where rounding hides a fall of phi the slope tells it.
                if lower < value - ENOUGH * part * fall or (after[0] * after[1]).sum() < size:
                    break
            else:
                if way is turn:
                    break
                way = turn
                continue
            axes, value, weight = tried, lower, heavier
            bent = float(((after[0] - slope) * after[1]).sum()) / size
            slope, turn = after
            way = turn + max(0.0, bent) * way
            way = way if (slope * way).sum() > 0.0 else turn
        return value, axes


def _axes_of(matrix: Array) -> Array:
    return np.asarray(np.linalg.eigh(matrix)[1])


def _squares(scatter: Array, axes: Array) -> Array:
    """Return ``d_j' S_k d_j`` for all parts and axes, (K, p)."""
    return np.asarray(np.einsum("ij,kil,lj->kj", axes, scatter, axes, optimize=True))


def _slope_and_turn(inner: Array, weight: Array) -> tuple[Array, Array]:
    """Return the slope of phi / 2 in the turns of pairs of axes, and that turn of each pair which ends it."""
    d = np.diagonal(inner, axis1=1, axis2=2)
    slope = inner * (1.0 / d[:, :, None] - 1.0 / d[:, None, :])
    bend = np.square(d[:, :, None] - d[:, None, :]) / (d[:, :, None] * d[:, None, :])
    w = weight[:, None, None]
    # Where two axes have equal lengths in all parts any turn between them is as good.
    slope = (w * slope).sum(axis=0)
    turn = slope / np.maximum((w * bend).sum(axis=0), 1e-12 * weight.sum())
    return slope, turn


def _cayley(turn: Array) -> Array:
    """Return ``(I - T/2)^-1 (I + T/2)``, which is orthogonal for a skew T."""
    one: Any = np.eye(len(turn))
    return np.asarray(np.linalg.solve(one - 0.5 * turn, one + 0.5 * turn))
