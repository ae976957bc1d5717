"""Axis-aligned boxes in R^d: each coordinate must lie in an interval of its own."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best, Spatial
from empirisk.hypotheses.box_search import search
from empirisk.hypotheses.growth import Growth, binomial_sum, sauer
from empirisk.hypotheses.intervals import best_runs
from empirisk.hypotheses.plane_boxes import best_in_plane
from empirisk.hypotheses.points import Labelled
from empirisk.typing import Array

__all__ = ["Box", "Boxes"]


@dataclass(frozen=True)
class Box:
    """``1[low_j <= x_j <= high_j for all j]``: one box, with its two opposite corners."""

    low: tuple[float, ...]
    high: tuple[float, ...]

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        low, high = np.array(self.low), np.array(self.high)
        return np.asarray(((points >= low) & (points <= high)).all(axis=1))

    def __str__(self) -> str:
        if any(low > high for low, high in zip(self.low, self.high, strict=True)):
            return "no x"
        sides = enumerate(zip(self.low, self.high, strict=True))
        return " and ".join(f"{low:.6g} <= x{j} <= {high:.6g}" for j, (low, high) in sides)


class Boxes(Spatial):
    """``h(x) = 1[a_j <= x_j <= b_j for all j]``.

    Parameters
    ----------
    n_features : int, optional
        Number of coordinates d; by default that of the points.
    time_limit : float, default 60.0
        Seconds for the search of ``fit`` in three and more coordinates.

    Notes
    -----
    VC dimension 2d.  The growth function is exact for d = 1 (``n (n + 1) / 2 + 1``) and for n <= 2d, and
    bounded by Sauer's lemma otherwise.  ``fit`` finds the smallest training error: for d = 1 by one pass, for
    d = 2 by a sweep in ``O(n^2 log n)``, else by branch and bound, which proves optimality or, at the time
    limit, says how far the box can be from it.  The box found is the tightest around the points in it.

    References
    ----------
    Blumer, Ehrenfeucht, Haussler and Warmuth 1989, Journal of the ACM 36 (boxes).  Dobkin, Gunopulos and
    Maass 1996, Journal of Computer and System Sciences 52 (the sweep).  Lampert, Blaschko and Hofmann 2008,
    CVPR (the branch and bound).

    Examples
    --------
    >>> Boxes(2).vc_dimension(), Boxes(2).growth(10)
    (4, at most 386 (Sauer's lemma with VC dimension 4))
    >>> X = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [1.5, 1.5]])
    >>> fitted = Boxes().fit(X, [0, 1, 1, 0, 1])
    >>> print(fitted.hypothesis_)
    1 <= x0 <= 2 and 1 <= x1 <= 2
    >>> answer = Boxes().shatters([[0, 1], [1, 0], [0, -1], [-1, 0], [0, 0]])
    >>> bool(answer), answer.witness.astype(int)
    (False, array([0, 0, 1, 1, 0]))
    """

    name = "boxes"
    words = "boxes"

    def __init__(self, n_features: int | None = None, time_limit: float = 60.0) -> None:
        self.n_features = n_features
        self.time_limit = time_limit

    def vc_dimension(self) -> int:
        """Return 2d: of 2d + 1 points one is extreme in no direction, so that every box around the others
        holds it.
        """
        return 2 * self._d()

    def _growth(self, n: int) -> Growth:
        if self._d() == 1:
            return Growth(binomial_sum(n, 2), True, "one labelling for each run of neighbours")
        return sauer(n, self.vc_dimension())

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        # The tightest box around a set is the tightest around at most 2d of its points.
        n, d = points.shape
        blocks = [np.zeros((1, n), dtype=bool)]
        for size in range(1, min(n, 2 * d) + 1):
            sets = itertools.combinations(range(n), size)
            while chunk := list(itertools.islice(sets, max(1, 4_000_000 // (n * d)))):
                corner = points[np.array(chunk)]
                low, high = corner.min(axis=1)[:, None], corner.max(axis=1)[:, None]
                inside = ((points >= low) & (points <= high)).all(axis=2)
                blocks.append(np.unique(inside, axis=0))
        return np.vstack(blocks)

    def _best(self, data: Labelled) -> Best:
        n, d = data.points.shape
        if not (data.gain > 0.0).any():
            return Best(Box((np.inf,) * d, (-np.inf,) * d), None, "no point is worth including")
        if d == 1:
            first, last = best_runs(data.gain, 1)[1][0]
            inside, most = np.arange(first, last + 1), None
            argument = f"one pass over {n} distinct points"
        elif d == 2:
            inside, most = np.flatnonzero(best_in_plane(data.points, data.gain)), None
            argument = f"a sweep over {n} distinct points"
        else:
            members, most, argument = search(data.points, data.gain, self.time_limit)
            inside = np.flatnonzero(members)
        low, high = data.points[inside].min(axis=0), data.points[inside].max(axis=0)
        return Best(Box(tuple(low.tolist()), tuple(high.tolist())), most, argument)
