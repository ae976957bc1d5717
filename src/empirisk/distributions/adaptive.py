"""Integrals of ``exp(f)`` over a support, on panels that are halved until they agree with their halves.

Panels are those of Gauss and Legendre after the change of variable of :class:`Support`.  First every peak of
f that the nodes show is found, however narrow it is: the nodes carry f itself and not its exponential, and on
that scale a peak is wide.  Then panels are halved until neither the mass nor the first two moments of the
statistics change, and until those of two neighbours meet at their border.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from empirisk.distributions.quadrature import NODES, REACH, Support, panel_nodes
from empirisk.typing import Array

__all__ = ["Grid", "resolve"]

# Share of the whole by which a panel may differ from its halves; panels of 2^-44 are not halved any more.
_AGREE, _NARROW = 1e-14, 2.0**-44
# A peak is found when it falls by less than so many nats to the next node; so many are looked at in a round.
_FALL, _PEAKS, _ROUNDS = 2.0, 64, 200
# Most panels of a grid; the share of the mass at an open end from which on no panel is halved.
_MOST, _OPEN = 6000, 1e-3


def _end_weights() -> tuple[Array, Array, float]:
    """Return the weights that extrapolate from the nodes to both ends of a panel of the width 1, and how far
    its first node is from there.
    """
    at = 0.5 * (np.polynomial.legendre.leggauss(NODES)[0] + 1.0)
    gaps = at[:, None] - at + np.eye(NODES)
    one = 1.0 / gaps.prod(axis=1)
    low, high = one / (0.0 - at) * np.prod(0.0 - at), one / (1.0 - at) * np.prod(1.0 - at)
    return low, high, float(at[0])


_AT_LOW, _AT_HIGH, _GAP = _end_weights()
_ENDS = (_AT_LOW, _AT_HIGH)


@dataclass(frozen=True)
class Grid:
    """The nodes of an integral and what they carry.

    Parameters
    ----------
    cuts : array, shape (panels + 1,)
        Borders of the panels in the variable of the change, ascending.
    x : array, shape (panels * NODES,)
        The nodes, in that order.
    log_whole : float
        The logarithm of the integral.
    mass : array, shape (panels * NODES,)
        What each node carries of it; they sum to 1.
    error : float
        By how much of the whole panels differ from their halves, those that could not be halved included.
    ends : float
        The share of the whole in the outermost panels, beyond which nothing is seen.
    why : str, default ""
        Why the integral is not known, where more is known of that.
    """

    cuts: Array
    x: Array
    log_whole: float
    mass: Array
    error: float
    ends: float
    why: str = ""


@dataclass(frozen=True)
class _Panels:
    """Panels by their ends, with nodes, logarithms of what these carry, and statistics."""

    low: Array
    high: Array
    x: Array
    log: Array
    phi: Array

    def at(self, which: Any) -> _Panels:
        """Return some of the panels, in the order of the indices or the mask."""
        return _Panels(self.low[which], self.high[which], self.x[which], self.log[which], self.phi[which])

    def and_those_of(self, other: _Panels) -> _Panels:
        """Return these panels and others, from left to right."""
        both = [np.concatenate([a, b]) for a, b in zip(self.parts, other.parts, strict=True)]
        order = np.argsort(both[0], kind="stable")
        return _Panels(*(part[order] for part in both))

    @property
    def parts(self) -> tuple[Array, ...]:
        """All arrays, in the order of the constructor."""
        return self.low, self.high, self.x, self.log, self.phi

    def sums(self, whole: float) -> Array:
        """Return mass, first and second moments of the statistics of each panel, (panels, 1 + 2 k)."""
        mass = np.exp(self.log - whole)
        phi = np.where(mass[..., None] > 0.0, self.phi, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            first = (mass[..., None] * phi).sum(axis=1)
            second = (mass[..., None] * phi * phi).sum(axis=1)
        return np.column_stack([mass.sum(axis=1), first, second])


def resolve(log_density: Callable[[Array], tuple[Array, Array]], place: Support) -> Grid:
    """Return the grid on which a density is integrated.

    Parameters
    ----------
    log_density : callable
        From points (n,) to logarithms of the density (n,) and statistics (n, k).
    place : Support

    Examples
    --------
    >>> from empirisk.typing import Interval
    >>> peak = resolve(lambda x: (-0.5 * (x - 1000.0) ** 2, x[:, None]), Support(Interval()))
    >>> bool(np.isclose(peak.log_whole, 0.5 * np.log(2.0 * np.pi), rtol=1e-12))
    True
    """

    def panels(low: Array, high: Array) -> _Panels:
        t, dt = panel_nodes(low, high)
        x = place.place(t)
        with np.errstate(all="ignore"):
            log, phi = log_density(x.ravel())
            log = log.reshape(t.shape) + np.log(place.slope(t)) + np.log(dt)
        log = np.where(np.isnan(log), -np.inf, log)
        return _Panels(low, high, x, log, phi.reshape(*t.shape, -1))

    def halves(of: _Panels) -> _Panels:
        middle = 0.5 * (of.low + of.high)
        return panels(np.stack([of.low, middle], 1).ravel(), np.stack([middle, of.high], 1).ravel())

    start = np.arange(-REACH, REACH)
    seen = panels(start, start + 1.0)
    for _ in range(_ROUNDS if _beyond(seen) <= 0.5 else 0):
        steep = _with_peaks(seen)
        if not steep.any():
            break
        seen = seen.at(~steep).and_those_of(halves(seen.at(steep)))
    done, open_ = seen.at(np.zeros(len(seen.low), dtype=bool)), seen
    error = 0.0
    if _beyond(seen) > _OPEN:  # an integral without a bound, which no panels make exact
        done, open_ = seen, done
    for _ in range(_ROUNDS):
        whole = float(logsumexp(np.concatenate([done.log.ravel(), open_.log.ravel()])))
        if not math.isfinite(whole) or (not len(open_.low) and _beyond(done) > _OPEN):
            break
        if not len(open_.low):
            rough = _with_borders(done, whole)
            if not rough.any():
                break
            done, open_ = done.at(~rough), halves(done.at(rough))
        both = halves(open_)
        mine, theirs = open_.sums(whole), both.sums(whole).reshape(len(open_.low), 2, -1).sum(axis=1)
        unit = np.maximum(done.sums(whole).sum(axis=0) + theirs.sum(axis=0), 1e-300)
        k = (len(unit) - 1) // 2
        unit = np.concatenate([unit[:1], np.sqrt(unit[0] * unit[1 + k :]), unit[1 + k :]])
        gap = (np.abs(mine - theirs) / unit).max(axis=1)
        gap = np.where(np.isnan(gap), 0.0, gap)
        split = gap > max(_AGREE, 1e-15 * abs(whole))  # large logarithms are rounded
        final = split & ((open_.high - open_.low < _NARROW) | (len(done.low) + len(open_.low) > _MOST))
        error += float(gap[~split | final].sum())
        done = done.and_those_of(open_.at(~split | final))
        open_ = both.at(np.repeat(split & ~final, 2))
    else:
        error = math.inf
    found = done.and_those_of(open_)
    whole = float(logsumexp(found.log))
    mass = np.exp(found.log - whole) if math.isfinite(whole) else np.zeros_like(found.log)
    cuts = np.append(found.low, REACH)
    return Grid(cuts, found.x.ravel(), whole, mass.ravel(), error, _beyond(found))


def _beyond(seen: _Panels) -> float:
    """Return the share of the whole in the outermost panels, whose mass has no end."""
    outer = (seen.low < 1.0 - REACH) | (seen.high > REACH - 1.0)
    with np.errstate(invalid="ignore"):
        share = float(np.exp(logsumexp(seen.log[outer]) - logsumexp(seen.log)))
    return share if math.isfinite(share) else 1.0


def _with_borders(seen: _Panels, whole: float) -> Any:
    """Return the panels on both sides of a border where their polynomials do not meet.

    A kink between a border and the nearest node is seen by no node: what it hides is the jump there times
    that distance.
    """
    density = np.exp(seen.log - whole) / panel_nodes(seen.low, seen.high)[1]
    at_low, at_high = density @ _ENDS[0], density @ _ENDS[1]
    width = seen.high - seen.low
    hidden = np.abs(at_high[:-1] - at_low[1:]) * _GAP * np.maximum(width[:-1], width[1:])
    rough = hidden > max(_AGREE, 1e-15 * abs(whole))
    out = np.append(rough, False) | np.append(False, rough)
    return out & (width > _NARROW)


def _with_peaks(seen: _Panels) -> Any:
    """Return which panels hold a peak between two nodes, or next to one, that is not resolved yet."""
    dt = panel_nodes(seen.low, seen.high)[1]
    log = (seen.log - np.log(dt)).ravel()
    padded = np.concatenate([[-np.inf], log, [-np.inf]])
    with np.errstate(invalid="ignore"):
        fall = np.maximum(log - padded[:-2], log - padded[2:])
        peak = (log >= padded[:-2]) & (log >= padded[2:]) & (fall > _FALL)
    at = np.flatnonzero(peak)
    at = at[np.argsort(-log[at], kind="stable")][:_PEAKS]
    out = np.zeros(len(seen.low), dtype=bool)
    for side in (-1, 0, 1):
        out[np.clip(at + side, 0, len(log) - 1) // NODES] = True
    return out & (seen.high - seen.low > _NARROW)
