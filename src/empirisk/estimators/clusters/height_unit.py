"""The unit of heights in the compiled loops: rows and weights come to them divided by powers or means."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.weight_unit import WeightUnit
from empirisk.linkage import Linkage
from empirisk.typing import Array, IndexArray

__all__ = ["HeightUnit", "weights_for"]

# Least ratio of two weights: their products are read by the loops, and so are products with distances.
RATIO = 1e-100


@dataclass(frozen=True)
class HeightUnit:
    """A height of rows is ``2^exponent * factor`` times that of the loops.

    Parameters
    ----------
    exponent : int
        The rows of the loops are X over 2 to this power.
    factor : float
        The root of the unit of weights in Ward's linkage, whose heights grow with it; else 1.

    Examples
    --------
    >>> unit = HeightUnit(3, 0.5)
    >>> unit.of_rows(np.array([1.0, 2.0])), unit.of_loops(np.array([4.0]))
    (array([4., 8.]), array([1.]))
    """

    exponent: int = 0
    factor: float = 1.0

    def of_rows(self, heights: Array) -> Array:
        """Return heights of the loops in the unit of the rows; those that are no float64 are refused.

        Raises
        ------
        ValueError
            Where a height overflows, or the largest one vanishes.
        """
        share, power = math.frexp(self.factor)
        with np.errstate(over="ignore", under="ignore"):
            out = np.ldexp(heights * share, self.exponent + power)
        top = float(np.max(heights, initial=0.0))
        if not np.isfinite(out).all():
            raise ValueError("distances of X, with the weights of its rows, overflow float64; rescale X")
        if top > 0.0 and float(out.max()) < np.finfo(np.float64).tiny:
            raise ValueError("distances of X, with the weights of its rows, vanish in float64; rescale X")
        return np.asarray(out)

    def of_loops(self, heights: Array) -> Array:
        """Return heights of rows in the unit of the loops."""
        share, power = math.frexp(self.factor)
        return np.asarray(np.ldexp(heights / share, -(self.exponent + power)))


def weights_for(weight: Any, linkage: Linkage, named: IndexArray) -> tuple[Array, float]:
    """Return weights near 1 for the loops, and the factor of heights that comes with them.

    Parameters
    ----------
    weight : array, shape (m,)
        Weights > 0.
    linkage : Linkage
        One that does not look at weights gets ones.
    named : array of int, shape (m,)
        The numbers of these rows, for messages.

    Raises
    ------
    ValueError
        For weights whose ratio is below 1e-100, by the two rows.
    """
    if not linkage.counts:
        return np.ones(len(weight)), 1.0
    low, top = int(np.argmin(weight)), int(np.argmax(weight))
    if weight[low] / weight[top] < RATIO:
        raise ValueError(
            f"sample_weight is {weight[low]:g} in row {named[low]} and {weight[top]:g} in row {named[top]}, "
            f"whose ratio is below {RATIO:g}: products of such weights vanish in {linkage.name} linkage; "
            "give 0 to rows that do not count"
        )
    unit = WeightUnit.of(weight)
    factor = math.sqrt(unit.unit) if linkage.squared and linkage.reducible else 1.0
    return np.ones(len(weight)) if unit.multiple is None else unit.multiple, factor
