"""Intervals on the line, and unions of k of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best, HypothesisClass
from empirisk.hypotheses.growth import Growth, binomial_sum, cover
from empirisk.hypotheses.points import Labelled, check_integer, ordered
from empirisk.typing import Array

__all__ = ["Intervals", "Union"]


@dataclass(frozen=True)
class Union:
    """Membership in a union of closed intervals, or in its complement."""

    intervals: tuple[tuple[float, float], ...]
    inside: bool = True

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        x = np.asarray(points).reshape(len(points), -1)[:, 0]
        member = np.zeros(len(x), dtype=bool)
        for low, high in self.intervals:
            member |= (x >= low) & (x <= high)
        return member if self.inside else ~member

    def __str__(self) -> str:
        text = " or ".join(f"{low:.6g} <= x <= {high:.6g}" for low, high in self.intervals)
        if not text:
            return "no x" if self.inside else "every x"
        return text if self.inside else f"not ({text})"


class Intervals(HypothesisClass):
    """``h(x) = 1[x in [a_1, b_1] or ... or x in [a_k, b_k]]``; two-sided: also the complements.

    Parameters
    ----------
    k : int, default 1
        At most so many intervals, >= 1.
    two_sided : bool, default False
        Whether the outside may be the positive side.

    Notes
    -----
    VC dimension 2k; growth function ``sum_{i <= 2k} C(n, i)``, which for k = 1 is ``n (n + 1) / 2 + 1``.
    Two-sided: 2k + 1; ``2 sum_{i <= 2k} C(n - 1, i)``.  ``fit`` finds the smallest training error by dynamic
    programming over the sorted points in ``O(n log n + k n)``; its intervals are the tightest ones around
    the points that they contain.

    References
    ----------
    Kearns, Mansour, Ng and Ron 1997, Machine Learning 27 (intervals by dynamic programming).

    Examples
    --------
    >>> h = Intervals()
    >>> h.vc_dimension(), int(h.growth(10))
    (2, 56)
    >>> h.fit([1, 2, 3, 4, 5, 6], [0, 1, 1, 0, 1, 0]).training_error_ == 1 / 6
    True
    >>> print(h.hypothesis_)
    2 <= x <= 3
    >>> print(Intervals(k=2).fit([1, 2, 3, 4, 5, 6], [0, 1, 1, 0, 1, 0]).hypothesis_)
    2 <= x <= 3 or 5 <= x <= 5
    """

    name = "intervals"
    words = "unions of intervals"

    def __init__(self, k: int = 1, two_sided: bool = False) -> None:
        self.k = k
        self.two_sided = two_sided

    def _k(self) -> int:
        return check_integer("k", self.k, 1)

    def vc_dimension(self) -> int:
        """Return 2k, or 2k + 1 when two-sided: one more point with alternating labels needs one more
        interval.
        """
        return 2 * self._k() + int(self.two_sided)

    def _growth(self, n: int) -> Growth:
        k = self._k()
        if self.two_sided:
            return Growth(cover(n, 2 * k + 1), True, f"words with at most {2 * k} changes")
        return Growth(binomial_sum(n, 2 * k), True, f"words with at most {k} runs of ones")

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        n = len(points)
        # j runs of ones in n places are 2j cuts among the n + 1 gaps.
        blocks = [np.zeros((1, n), dtype=bool)]
        for j in range(1, min(self._k(), (n + 1) // 2) + 1):
            cuts = np.array(list(itertools.combinations(range(n + 1), 2 * j)))
            marks = np.zeros((comb(n + 1, 2 * j), n + 1), dtype=np.int8)
            np.put_along_axis(marks, cuts, 1, axis=1)
            blocks.append(np.cumsum(marks[:, :n], axis=1) % 2 == 1)
        inside = np.vstack(blocks)
        return np.vstack([inside, ~inside]) if self.two_sided else inside

    def _best(self, data: Labelled) -> Best:
        x = ordered(data.points)
        gained, runs = best_runs(data.gain, self._k())
        inside = True
        if self.two_sided:
            lost, gaps = best_runs(-data.gain, self._k())
            if lost + float(data.gain.sum()) > gained:
                runs, inside = gaps, False
        union = Union(tuple((float(x[i]), float(x[j])) for i, j in runs), inside)
        return Best(union, None, f"dynamic programming over {len(x)} distinct points")


def best_runs(gain: Array, k: int) -> tuple[float, list[tuple[int, int]]]:
    """At most k disjoint runs of consecutive places with the largest sum of gains, by first and last place.

    Of equal sums the one with fewer and earlier runs.
    """
    prefix = np.concatenate([[0.0], np.cumsum(gain)])
    best: Array = np.zeros(len(prefix))  # best[j]: with the runs so far, all before place j
    back: list[tuple[Array, Array]] = []
    for _ in range(k):
        opened, start = _running_max(best - prefix)
        closed, stop = _running_max(opened + prefix)
        if closed[-1] <= best[-1]:
            break
        back.append((start, stop))
        best = closed
    runs: list[tuple[int, int]] = []
    place = len(gain)
    for start, stop in reversed(back):
        stopped = int(stop[place])
        place = int(start[stopped])
        if stopped > place:
            runs.append((place, stopped - 1))
    return float(best[-1]), runs[::-1]


def _running_max(values: Array) -> tuple[Array, Array]:
    """Return the maximum of each prefix, and the first place where it stands."""
    top = np.maximum.accumulate(values)
    new = np.concatenate([[True], values[1:] > top[:-1]])
    return top, np.maximum.accumulate(np.where(new, np.arange(len(values)), 0))
