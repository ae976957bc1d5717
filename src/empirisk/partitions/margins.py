"""The columns of a table one by one: the values of those that take few, skewness and tails of the others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from empirisk.typing import Array, IndexArray

__all__ = ["Margin", "level_blocks", "lumpy", "read_margin"]

FEW = 12  # distinct values up to which a number lies in lumps
ATOM = 0.2  # share of the rows with one value from which it does, too
LARGEST_SKEW, LARGEST_TAIL = 1.5, 0.5
MIDDLE, OUTER, NINETY = 0.6744897501960817, 1.959963984540054, 1.2815515655446004


def lumpy(values: Array, weight: Array) -> bool:
    """Return whether the values of a column lie in lumps: few different ones, or one that is very frequent.

    Few is at most twelve and half of the rows, so that a handful of different numbers makes no lumps.

    Examples
    --------
    >>> x, one = np.arange(50.0), np.ones(50)
    >>> lumpy(x, one), lumpy(x % 4, one), lumpy(np.r_[np.zeros(20), 1.0:31.0], one)
    (False, True, True)
    """
    different, codes = np.unique(values, return_inverse=True)
    counts = np.bincount(codes.reshape(-1), weights=weight)
    total = float(weight.sum())
    return len(different) <= min(FEW, 0.5 * total) or bool(counts.max() > max(ATOM * total, 2.0))


def level_blocks(X: Array) -> list[IndexArray]:
    """Return the columns in blocks: neighbours of two values each that say of every row one level are one.

    Examples
    --------
    >>> [b.tolist() for b in level_blocks(np.array([[1, 0, 0, 5], [0, 1, 0, 6], [0, 0, 1, 7], [0, 0, 1, 8]]))]
    [[0, 1, 2], [3]]
    """
    p = X.shape[1]
    low, high = X.min(axis=0), X.max(axis=0)
    upper = high == X
    two = (upper | (low == X)).all(axis=0) & (low < high)
    counts = upper.sum(axis=0)
    out: list[IndexArray] = []
    start = 0
    while start < p:
        stop = _level_run(upper, two, counts, start) if two[start] else start + 1
        out.append(np.arange(start, stop))
        start = stop
    return out


def _level_run(upper: Array, two: Array, counts: Array, start: int) -> int:
    """Return where the levels that begin at a column end: behind it, unless they hold each row once."""
    n, p = upper.shape
    held, seen = 0, np.zeros(n, dtype=bool)
    for j in range(start, p):
        held += int(counts[j])
        if not two[j] or held > n or bool((seen & upper[:, j]).any()):
            break
        seen |= upper[:, j]
        if held == n:
            return j + 1
    return start + 1


@dataclass(frozen=True)
class Margin:
    """One column or block of levels: the values that it takes, or a smooth distribution with one hump.

    Parameters
    ----------
    block : int array, shape (width,)
        Its columns.
    values : array, shape (m, width)
        Its different rows, in the order in which they are laid along the normal line.
    codes : int array, shape (n,)
        The place of each row in `values`.
    share : array, shape (m,)
        Of the weight.
    centre, spread : float
        Weighted mean and standard deviation of a smooth column.
    smooth : (float, float) or None
        g and h of Tukey's distribution; None for a column in lumps.
    """

    block: IndexArray
    values: Array
    codes: IndexArray
    share: Array
    centre: float = 0.0
    spread: float = 0.0
    smooth: tuple[float, float] | None = None

    @property
    def edges(self) -> Array:
        """Return where the standard normal line is cut into the values."""
        return np.asarray(ndtri(np.minimum(np.cumsum(self.share)[:-1], 1.0)), dtype=np.float64)

    @property
    def scores(self) -> Array:
        """Return the normal score of each value: the normal quantile at the middle of its share."""
        return np.asarray(ndtri(np.cumsum(self.share) - 0.5 * self.share), dtype=np.float64)

    def cells(self, z: Array) -> Array:
        """Return what the values of these normal numbers are: shape (n, width)."""
        if self.smooth is None:
            return np.asarray(self.values[np.searchsorted(self.edges, z)])
        x = _g_and_h(z, *self.smooth)
        x = (x - x.mean()) * (self.spread / max(float(x.std()), 1e-300)) + self.centre
        return np.asarray(x[:, None])


def read_margin(X: Array, block: IndexArray, lead: Array, weight: Array) -> Margin:
    """Return the margin of some columns; levels, which have no order, get that of their mean along `lead`."""
    values, codes = np.unique(X[:, block], axis=0, return_inverse=True)
    codes = codes.reshape(-1)
    if len(block) > 1:
        place = np.bincount(codes, weights=weight * lead) / np.bincount(codes, weights=weight)
        order = np.argsort(place, kind="stable")
        values, codes = values[order], np.argsort(order)[codes]
    share = np.bincount(codes, weights=weight) / weight.sum()
    if len(block) > 1 or lumpy(X[:, block[0]], weight):
        return Margin(block, values, codes, share)
    centre = float(share @ values[:, 0])
    gap = values[:, 0] - centre
    unit = float(np.abs(gap).max())
    spread = unit * float(share @ np.square(gap / unit)) ** 0.5
    return Margin(block, values, codes, share, centre, spread, _shape(gap / unit, share))


def _shape(x: Array, share: Array) -> tuple[float, float]:
    """Return g and h from quantiles of sorted values: how skewed a column is, and how long its tails are."""
    middles = np.cumsum(share) - 0.5 * share

    def at(z: float) -> float:
        return float(np.interp(ndtr(z), middles, x))

    low, middle, high = at(-NINETY), at(0.0), at(NINETY)
    if not low < middle < high:
        return 0.0, 0.0
    g = float(np.clip(np.log((high - middle) / (middle - low)) / NINETY, -LARGEST_SKEW, LARGEST_SKEW))
    spans = [np.log(max(at(z) - at(-z), 1e-300) / _span(g, z)) for z in (MIDDLE, OUTER)]
    h = 2.0 * (spans[1] - spans[0]) / (OUTER**2 - MIDDLE**2)
    return g, float(np.clip(h, 0.0, LARGEST_TAIL))


def _span(g: float, z: float) -> float:
    return 2.0 * z if abs(g) < 1e-6 else (np.exp(g * z) - np.exp(-g * z)) / g


def _g_and_h(z: Array, g: float, h: float) -> Array:
    """Return ``(exp(g z) - 1)/g exp(h z^2 / 2)``, which rises with z for h >= 0."""
    core = z if abs(g) < 1e-6 else np.expm1(g * z) / g
    return np.asarray(core * np.exp(0.5 * h * z * z))
