"""Half-lines to the left: a copy-me file for a hypothesis class.

Copy to src/empirisk/hypotheses/<name>.py, rename, change the formulas, and add one row to REGISTRY of that
folder and one case to `realisable` in tests/oracles/labellings.py, which decides by another route whether a
labelling can be made.  tests/conformance/test_hypotheses.py then tests the class: its labellings against
brute force, its best member against all labellings, its counts, weights as repetition, and refusals.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best, HypothesisClass
from empirisk.hypotheses.growth import Growth
from empirisk.hypotheses.points import Labelled
from empirisk.typing import Array

__all__ = ["LeftRay", "LeftRays"]


@dataclass(frozen=True)
class LeftRay:
    """``1[x <= at]``: a member of the class, callable on points, with its formula as text."""

    at: float

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        return np.asarray(points).reshape(len(points), -1)[:, 0] <= self.at

    def __str__(self) -> str:
        return f"x <= {self.at:.6g}"


class LeftRays(HypothesisClass):
    """``h(x) = 1[x <= t]`` for t in [-inf, inf].

    Notes
    -----
    VC dimension 1; growth function ``n + 1``.  ``fit`` compares all cuts in ``O(n log n)``.

    References
    ----------
    Shalev-Shwartz and Ben-David 2014, Understanding Machine Learning, section 6.3.

    Examples
    --------
    >>> LeftRays().growth(3)
    4 (exact: one labelling for each gap between the points)
    >>> print(LeftRays().fit([1.0, 2.0, 3.0], [1, 1, 0]).hypothesis_)
    x <= 2
    """

    name = "left_rays"
    words = "half-lines to the left"

    def vc_dimension(self) -> int:
        """Return 1: no half-line to the left holds the larger of two points without the smaller one."""
        return 1

    def _growth(self, n: int) -> Growth:
        # Exact is True when some n points attain the number; an upper bound says False (see `sauer`).
        return Growth(n + 1, True, "one labelling for each gap between the points")

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        # Distinct points come in lexicographic order: on the line, from left to right.
        n = len(points)
        return np.arange(n) < np.arange(n + 1)[:, None]

    def _best(self, data: Labelled) -> Best:
        # The smallest error is the largest sum of gains over the points that are called positive.
        gained = np.concatenate([[0.0], np.cumsum(data.gain)])
        best = int(np.argmax(gained))
        at = -np.inf if best == 0 else float(data.points[best - 1, 0])
        return Best(LeftRay(at), None, f"all {len(gained)} cuts were compared")
