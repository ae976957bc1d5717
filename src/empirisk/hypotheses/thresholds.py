"""Thresholds on the line: on which side of a number a point lies."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best, HypothesisClass
from empirisk.hypotheses.growth import Growth
from empirisk.hypotheses.points import Labelled, between, ordered
from empirisk.typing import Array

__all__ = ["Threshold", "Thresholds"]


@dataclass(frozen=True)
class Threshold:
    """``1[x >= at]``, or ``1[x < at]``: one side of a number on the line."""

    at: float
    above: bool = True

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        right = np.asarray(points).reshape(len(points), -1)[:, 0] >= self.at
        return right if self.above else ~right

    def __str__(self) -> str:
        return f"x {'>=' if self.above else '<'} {self.at:.6g}"


class Thresholds(HypothesisClass):
    """``h(x) = 1[x >= t]`` for t in [-inf, inf]; two-sided: also ``h(x) = 1[x < t]``.

    Parameters
    ----------
    two_sided : bool, default False
        Whether the positive side may be the left one.

    Notes
    -----
    VC dimension 1; growth function ``n + 1``.  Two-sided: 2; ``2 n``.  ``fit`` finds the smallest training
    error by comparing all thresholds in ``O(n log n)``; of equally good ones it takes the leftmost (the
    right side positive before the left) and puts it in the middle of its gap.

    References
    ----------
    Shalev-Shwartz and Ben-David 2014, Understanding Machine Learning, section 6.3.

    Examples
    --------
    >>> h = Thresholds()
    >>> h.vc_dimension(), h.growth(10)
    (1, 11 (exact: one labelling for each gap between the points))
    >>> h.restriction([3.0, 1.0]).astype(int)
    array([[0, 0],
           [1, 0],
           [1, 1]])
    >>> h.fit([1.0, 2.0, 3.0, 4.0], [0, 1, 0, 1]).training_error_
    0.25
    >>> print(h.hypothesis_)
    x >= 1.5
    """

    name = "thresholds"
    words = "thresholds on the line"

    def __init__(self, two_sided: bool = False) -> None:
        self.two_sided = two_sided

    def vc_dimension(self) -> int:
        """Return 1, or 2 when thresholds of both directions belong to the class."""
        return 2 if self.two_sided else 1

    def _growth(self, n: int) -> Growth:
        if self.two_sided:
            return Growth(max(1, 2 * n), True, "the gaps between the points, from either side")
        return Growth(n + 1, True, "one labelling for each gap between the points")

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        n = len(points)
        right = np.arange(n) >= np.arange(n + 1)[:, None]
        return np.vstack([right, ~right]) if self.two_sided else right

    def _best(self, data: Labelled) -> Best:
        x = ordered(data.points)
        gained = np.concatenate([np.cumsum(data.gain[::-1])[::-1], [0.0]])
        first = int(np.argmax(gained))
        above = True
        if self.two_sided:
            left = float(data.gain.sum()) - gained
            if left.max() > gained[first]:
                first, above = int(np.argmax(left)), False
        cuts = -math.inf if first == 0 else math.inf if first == len(x) else between(x[first - 1], x[first])
        return Best(Threshold(float(cuts), above), None, f"all {len(gained)} cuts were compared")
