"""Decision stumps: a threshold on one of the coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best, Spatial
from empirisk.hypotheses.growth import Growth, power_of_two
from empirisk.hypotheses.points import Labelled, between
from empirisk.typing import Array

__all__ = ["DecisionStumps", "Stump"]


@dataclass(frozen=True)
class Stump:
    """``1[x_feature >= at]``, or ``1[x_feature < at]``: one threshold on one coordinate."""

    feature: int
    at: float
    above: bool = True

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        right = points[:, self.feature] >= self.at
        return right if self.above else ~right

    def __str__(self) -> str:
        return f"x{self.feature} {'>=' if self.above else '<'} {self.at:.6g}"


class DecisionStumps(Spatial):
    """``h(x) = 1[x_j >= t]`` or ``1[x_j < t]`` for a coordinate j of R^d and t in [-inf, inf].

    Parameters
    ----------
    n_features : int, optional
        Number of coordinates d; by default that of the points.

    Notes
    -----
    The VC dimension is the largest n with ``C(n, floor(n/2)) <= 2 d``: it grows like ``log2 d``.  The growth
    function is exact for n up to it and for d = 1 (``2 n``); beyond, it is bounded by counting, for each
    size, the sets that d orders can begin or end with.  ``fit`` finds the smallest training error by
    comparing all cuts in all coordinates in ``O(d n log n)``; of equally good ones it takes the first
    coordinate, and there the leftmost.

    References
    ----------
    Gey 2018, Vapnik-Chervonenkis dimension of axis-parallel cuts, Communications in Statistics 47.

    Examples
    --------
    >>> [DecisionStumps(d).vc_dimension() for d in (1, 2, 3, 10, 100, 1000)]
    [2, 3, 4, 6, 9, 13]
    >>> DecisionStumps(2).growth(3)
    8 (exact: 2^n: n is at most the VC dimension)
    >>> X = np.array([[0.0, 5.0], [1.0, 3.0], [2.0, 4.0], [3.0, 1.0]])
    >>> print(DecisionStumps().fit(X, [1, 0, 1, 0]).hypothesis_)
    x1 >= 3.5
    """

    name = "decision_stumps"
    words = "decision stumps"

    def __init__(self, n_features: int | None = None) -> None:
        self.n_features = n_features

    def vc_dimension(self) -> int:
        """Return the largest n with ``C(n, floor(n/2)) <= 2 d`` (Gey 2018), which grows like the logarithm of
        d.
        """
        n = 1
        while comb(n + 1, (n + 1) // 2) <= 2 * self._d():
            n += 1
        return n

    def _growth(self, n: int) -> Growth:
        d = self._d()
        if n <= self.vc_dimension():
            return Growth(power_of_two(n), True, "2^n: n is at most the VC dimension")
        # A cut sets k points apart from n - k; each order has one set of k < n / 2 points at either end.
        pairs, sets = 0, 1
        for k in range(1, (n + 1) // 2):
            sets = sets * (n - k + 1) // k
            if sets >= 2 * d:
                pairs += 2 * d * ((n + 1) // 2 - k)
                break
            pairs += sets
        if n % 2 == 0:
            pairs += d
        return Growth(2 + 2 * pairs, d == 1, "sets of each size at the ends of d orders")

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        blocks = []
        for column in points.T:
            right = column >= np.concatenate([np.unique(column), [np.inf]])[:, None]
            blocks += [right, ~right]
        return np.unique(np.vstack(blocks), axis=0)

    def _best(self, data: Labelled) -> Best:
        best, most = Stump(0, np.inf), 0.0
        whole = float(data.gain.sum())
        for j, column in enumerate(data.points.T):
            order = np.argsort(column, kind="stable")
            x = column[order]
            gained = np.concatenate([np.cumsum(data.gain[order][::-1])[::-1], [0.0]])
            cut = np.concatenate([[True], x[1:] > x[:-1], [True]])
            for above, value in ((True, gained), (False, whole - gained)):
                i = int(np.argmax(np.where(cut, value, -np.inf)))
                if value[i] > most:
                    most = float(value[i])
                    at = -np.inf if i == 0 else np.inf if i == len(x) else between(x[i - 1], x[i])
                    best = Stump(j, float(at), above)
        d = data.points.shape[1]
        return Best(best, None, f"all cuts in all {d} coordinates were compared")
