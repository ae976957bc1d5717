"""The group lasso: groups of coefficients enter or leave the model together.

Yuan and Lin, Journal of the Royal Statistical Society B 68 (2006).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from empirisk.penalties.abilities import Abilities
from empirisk.penalties.numbers import as_numbers, check_radius
from empirisk.typing import Array, IndexArray

__all__ = ["GroupLasso"]


@dataclass(frozen=True)
class GroupLasso(Abilities):
    """``P(w) = alpha sum_g c_g ||w_g||``; conjugate the indicator of ``||u_g|| <= alpha c_g`` for all g.

    The prox shrinks each group as one vector, ``w_g = v_g max(0, 1 - step alpha c_g / ||v_g||)``; O(p)
    (Yuan and Lin, J. R. Stat. Soc. B 68, 2006).

    Parameters
    ----------
    alpha : float
        Strength, >= 0.
    groups : sequence of sequences of int, optional
        Positions of the coefficients of each group; no coefficient in two groups, those in none are free.
        Default: all coefficients are one group.  A row of a coefficient matrix counts as one coefficient.
    weights : sequence of float, optional
        ``c_g >= 0``; default the square roots of the group sizes.

    Examples
    --------
    >>> GroupLasso(1.0, [[0, 1], [2]], [1.0, 1.0]).prox(np.array([3.0, 4.0, 0.5]), 1.0)
    array([2.4, 3.2, 0. ])
    """

    alpha: float
    groups: Sequence[Sequence[int]] | None = None
    weights: Sequence[float] | None = None

    name = "group_lasso"
    grouped = True
    formula = "sum_g c_g ||w_g||"
    convex = True
    separable = False
    positive = False
    l1 = 0.0
    l2 = 0.0
    strong_convexity = 0.0
    smoothness = math.inf

    def __post_init__(self) -> None:
        check_radius("alpha", self.alpha)
        if self.groups is not None:
            groups = tuple(tuple(int(j) for j in group) for group in self.groups)
            object.__setattr__(self, "groups", groups)
            seen: dict[int, int] = {}
            for g, group in enumerate(groups):
                if not group or min(group) < 0:
                    raise ValueError(f"group {g} must hold positions >= 0, got {list(group)}")
                for j in group:
                    if j in seen:
                        raise ValueError(
                            f"groups must not overlap: coefficient {j} is in groups {seen[j]} and {g}"
                        )
                    seen[j] = g
        if self.weights is not None:
            object.__setattr__(self, "weights", as_numbers("weights", self.weights))
            if min(self.weights) < 0.0:
                raise ValueError(f"weights must be >= 0, got {min(self.weights)!r}")
            count = 1 if self.groups is None else len(self.groups)
            if len(self.weights) != count:
                raise ValueError(f"weights has {len(self.weights)} entries but there are {count} groups")

    @cached_property
    def _members(self) -> tuple[IndexArray, IndexArray, IndexArray]:
        """Positions of all grouped coefficients, the group of each, and the sizes of the groups."""
        groups = self.groups or ()
        sizes = np.array([len(group) for group in groups], dtype=np.intp)
        positions = np.fromiter((j for group in groups for j in group), dtype=np.intp, count=int(sizes.sum()))
        return positions, np.repeat(np.arange(len(groups)), sizes), sizes

    def _layout(self, w: Array) -> tuple[IndexArray, Array]:
        """For each coefficient its group (the last number: in none), and ``alpha c_g``, 0 for the last."""
        p = len(w)
        positions, owner, sizes = self._members
        if self.groups is None:
            labels, sizes = np.zeros(p, dtype=np.intp), np.array([p])
        else:
            labels = np.full(p, len(sizes), dtype=np.intp)
            beyond = positions >= p
            if beyond.any():
                at = int(np.argmax(beyond))
                raise ValueError(f"group {owner[at]} names coefficient {positions[at]} but there are {p}")
            labels[positions] = owner
        wide = sizes * float(w[0].size if p else 1)
        weights = np.sqrt(wide) if self.weights is None else np.asarray(self.weights)
        return labels, np.append(self.alpha * weights, 0.0)

    def blocks(self, p: int) -> tuple[IndexArray, Array]:
        """For each of p coefficients the number of its group, and ``alpha c_g`` of each group.

        Coefficients in no group come as groups of one, of strength 0.
        """
        labels, strength = self._layout(np.zeros(p))
        alone = labels == len(strength) - 1
        labels[alone] = np.arange(len(strength) - 1, len(strength) - 1 + int(alone.sum()))
        return labels, np.append(strength[:-1], np.zeros(int(alone.sum())))

    @staticmethod
    def _norms(w: Array, labels: IndexArray, count: int) -> Array:
        """``||w_g||`` of every group, scaled so that squares neither overflow nor vanish."""
        size = np.abs(w.reshape(len(w), -1)).astype(np.float64)
        top = float(size.max(initial=0.0)) or 1.0
        squares = np.square(size / top).sum(axis=1)
        return np.asarray(top * np.sqrt(np.bincount(labels, weights=squares, minlength=count)))

    def coercive(self, p: int) -> bool:
        """Return whether every one of p coefficients is in a group of positive weight."""
        if self.groups is not None and sum(len(group) for group in self.groups) < p:
            return False
        return self.alpha > 0.0 and (self.weights is None or min(self.weights) > 0.0)

    def value(self, w: Array) -> float:
        labels, strength = self._layout(w)
        return float(strength @ self._norms(w, labels, len(strength)))

    def prox(self, v: Array, step: float) -> Array:
        labels, strength = self._layout(v)
        norms = self._norms(v, labels, len(strength))
        ratio = np.divide(step * strength, norms, out=np.ones_like(norms), where=norms > 0.0)
        keep = np.where(strength > 0.0, np.maximum(1.0 - ratio, 0.0), 1.0)
        return np.asarray((v.T * keep[labels]).T, dtype=v.dtype)

    def conjugate(self, u: Array) -> float:
        labels, strength = self._layout(u)
        return math.inf if np.any(self._norms(u, labels, len(strength)) > strength) else 0.0

    def feasible_scale(self, u: Array) -> float:
        labels, strength = self._layout(u)
        norms = self._norms(u, labels, len(strength))
        over = norms > strength
        # A few units in the last place inwards, so that rounding cannot leave the feasible set.
        inwards = 1.0 - 4.0 * float(np.finfo(u.dtype).eps)
        return float(np.min(strength[over] / norms[over], initial=1.0 / inwards)) * inwards

    def subdiff_distance(self, w: Array, grad: Array) -> Array:
        labels, strength = self._layout(w)
        norms = self._norms(w, labels, len(strength))
        slope = np.divide(strength, norms, out=np.zeros_like(norms), where=norms > 0.0)
        moved = np.abs(grad + (w.T * slope[labels]).T)
        # At 0 the subdifferential is the ball of radius alpha c_g.
        steep = self._norms(grad, labels, len(strength))
        inside = np.divide(strength, steep, out=np.ones_like(steep), where=steep > strength)
        at_zero = (np.abs(grad).T * (1.0 - inside)[labels]).T
        here = (norms > 0.0)[labels].reshape((-1,) + (1,) * (w.ndim - 1))
        return np.asarray(np.where(here, moved, at_zero), dtype=w.dtype)

    def critical_strength(self, grad0: Array) -> float:
        labels, strength = replace(self, alpha=1.0)._layout(grad0)
        norms = self._norms(grad0, labels, len(strength))
        active = norms > 0.0
        if np.any(strength[active] == 0.0):
            return math.inf
        return float(np.max(norms[active] / strength[active], initial=0.0))

    def with_strength(self, alpha: float) -> Self:
        return replace(self, alpha=alpha)
