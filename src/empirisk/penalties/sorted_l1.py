"""The sorted L1 norm (SLOPE): the larger a coefficient, the more it pays.

Bogdan, van den Berg, Sabatti, Su and Candes, Annals of Applied Statistics 9 (2015).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Self

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import ndtri

from empirisk.penalties.abilities import Abilities
from empirisk.penalties.numbers import as_numbers, check_radius, check_size
from empirisk.typing import Array

__all__ = ["SortedL1"]


@dataclass(frozen=True)
class SortedL1(Abilities):
    """``P(w) = alpha sum_j c_j |w|_(j)``, ``|w|_(1) >= |w|_(2) >= ...``, ``c_1 >= c_2 >= ... >= 0``.

    Conjugate: the indicator of ``sum_{i<=j} |u|_(i) <= alpha sum_{i<=j} c_i`` for all j.  The prox pools
    violators of the order of ``|v|_(j) - step alpha c_j`` on a stack and cuts at 0; O(p log p  (Bogdan, van
    den Berg, Sabatti, Su and Candes, Ann. Appl. Stat. 9, 2015, algorithm 4).

    Parameters
    ----------
    alpha : float
        Strength, >= 0.
    weights : sequence of float, optional
        The c_j, not increasing, as many as there are coefficients.  Default: those of Benjamini and
        Hochberg, ``c_j`` proportional to the normal quantile of ``1 - j level / (2 p)``, ``c_1 = 1``.
    level : float
        Level of the default weights, in (0, 1).

    Examples
    --------
    >>> SortedL1(1.0, [2.0, 1.0]).prox(np.array([3.0, 2.5]), 1.0)
    array([1.25, 1.25])
    """

    alpha: float
    weights: Sequence[float] | None = None
    level: float = 0.1

    name = "sorted_l1"
    formula = "sum_j c_j |w|_(j)"
    convex = True
    separable = False
    positive = False
    l1 = 0.0
    l2 = 0.0
    strong_convexity = 0.0
    smoothness = math.inf

    def __post_init__(self) -> None:
        check_radius("alpha", self.alpha)
        if not 0.0 < self.level < 1.0:
            raise ValueError(f"level must lie in (0, 1), got {self.level!r}")
        if self.weights is not None:
            object.__setattr__(self, "weights", as_numbers("weights", self.weights))
            rises = np.flatnonzero(np.diff(self.weights) > 0.0)
            if rises.size or self.weights[-1] < 0.0 or self.weights[0] == 0.0:
                where = f", they rise after position {rises[0]}" if rises.size else ""
                raise ValueError(f"weights must not increase, be >= 0, and start above 0{where}")

    def _weights(self, w: Array) -> Array:
        """Return the weights c_j without alpha: those given, or the quantiles of the Benjamini-Hochberg
        procedure.
        """
        if self.weights is not None:
            check_size("weights", len(self.weights), w)
            return np.asarray(self.weights)
        p = w.size
        out = -ndtri(np.arange(1, p + 1) * (self.level / (2.0 * p)))
        return np.asarray(out / out[0] if p else out)

    def coercive(self, p: int) -> bool:
        return self.alpha > 0.0

    def value(self, w: Array) -> float:
        return self.alpha * float(np.sort(np.abs(w).ravel())[::-1] @ self._weights(w))

    def prox(self, v: Array, step: float) -> Array:
        shrunk = _pooled(np.abs(v).ravel(), step * self.alpha * self._weights(v))
        return np.asarray(np.copysign(np.maximum(shrunk, 0.0).reshape(v.shape), v), dtype=v.dtype)

    def _ratio(self, u: Array) -> float:
        """Return the gauge of u: the largest ``sum_{i<=j} |u|_(i) / sum_{i<=j} c_i``."""
        sums = np.cumsum(np.sort(np.abs(u).ravel())[::-1], dtype=np.float64)
        return float(np.max(sums / np.cumsum(self._weights(u)), initial=0.0))

    def conjugate(self, u: Array) -> float:
        return math.inf if self._ratio(u) > self.alpha else 0.0

    def feasible_scale(self, u: Array) -> float:
        ratio = self._ratio(u)
        if ratio <= self.alpha:
            return 1.0
        # A few units in the last place inwards, so that rounding cannot leave the feasible set.
        return self.alpha / ratio * (1.0 - 8.0 * float(np.finfo(u.dtype).eps))

    def subdiff_distance(self, w: Array, grad: Array) -> Array:
        # Entries of one size share a block of weights; their part of the subdifferential is the convex hull
        # of its permutations (at 0: of these with all signs).  What is left of a vector after the projection
        # onto it is the prox of its support function, a pooled difference again.
        size, flat = np.abs(w).ravel(), grad.ravel()
        strength = self.alpha * self._weights(w)
        order = np.argsort(-size, kind="stable")
        edges = [0, *(np.flatnonzero(np.diff(size[order])) + 1).tolist(), w.size]
        out = np.zeros(w.size)
        for first, last in pairwise(edges):
            at = order[first:last]
            if at.size and size[at[0]] > 0.0:
                out[at] = np.abs(_pooled(-flat[at] * np.sign(w.ravel()[at]), strength[first:last]))
            elif at.size:
                out[at] = np.maximum(_pooled(np.abs(flat[at]), strength[first:last]), 0.0)
        return np.asarray(out.reshape(w.shape), dtype=w.dtype)

    def critical_strength(self, grad0: Array) -> float:
        return self._ratio(grad0)

    def with_strength(self, alpha: float) -> Self:
        return replace(self, alpha=alpha)


def _pooled(v: Array, strength: Array) -> Array:
    """``argmin_w ||w - v||^2 / 2 + sum_j strength_j w_(j)``: monotone regression of the sorted difference."""
    if v.size == 0:
        return v
    order = np.argsort(-v, kind="stable")
    out = np.empty(v.size)
    out[order] = isotonic_regression(v[order].astype(np.float64) - strength, increasing=False).x
    return out
