"""Rings around the origin: a point is labelled by its distance from the origin alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.hypotheses.base import Best, Spatial
from empirisk.hypotheses.growth import Growth, binomial_sum
from empirisk.hypotheses.intervals import Intervals, Union, best_runs
from empirisk.hypotheses.points import Labelled, distinct
from empirisk.typing import Array

__all__ = ["Annuli", "Annulus"]


@dataclass(frozen=True)
class Annulus:
    """``1[inner <= ||x|| <= outer]``: the points whose distance from the origin lies in an interval."""

    radii: Union

    def __call__(self, points: Array) -> NDArray[np.bool_]:
        return self.radii(norms(points))

    def __str__(self) -> str:
        return str(self.radii).replace("x", "||x||") if self.radii.intervals else "no x"


class Annuli(Spatial):
    """``h(x) = 1[a <= ||x|| <= b]``: concentric rings, with ``||x||`` as floating point computes it.

    Parameters
    ----------
    n_features : int, optional
        Number of coordinates d; by default that of the points.

    Notes
    -----
    VC dimension 2 and growth function ``n (n + 1) / 2 + 1`` in any R^d, as of intervals: only the norm
    counts.  ``fit`` finds the smallest training error in ``O(n log n)``.

    References
    ----------
    Abu-Mostafa, Magdon-Ismail and Lin 2012, Learning From Data, section 2.1 (the exercise on rings).

    Examples
    --------
    >>> Annuli(2).vc_dimension(), int(Annuli(2).growth(10))
    (2, 56)
    >>> X = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, -2.5], [4.0, 0.0]])
    >>> print(Annuli().fit(X, [0, 1, 1, 0]).hypothesis_)
    2 <= ||x|| <= 2.5
    """

    name = "annuli"
    words = "rings around the origin"

    def __init__(self, n_features: int | None = None) -> None:
        self.n_features = n_features

    def vc_dimension(self) -> int:
        """Return 2, as for the intervals of the line: the distances from the origin are points of the
        line.
        """
        return 2

    def _growth(self, n: int) -> Growth:
        return Growth(binomial_sum(n, 2), True, "one labelling for each run of neighbouring norms")

    def _labellings(self, points: Array) -> NDArray[np.bool_]:
        radii, which = distinct(norms(points)[:, None])
        return Intervals()._labellings(radii)[:, which]

    def _best(self, data: Labelled) -> Best:
        radii, which = distinct(norms(data.points)[:, None])
        gained = np.bincount(which, weights=data.gain).astype(np.float64)
        runs = tuple((float(radii[i, 0]), float(radii[j, 0])) for i, j in best_runs(gained, 1)[1])
        return Best(Annulus(Union(runs)), None, f"one pass over {len(radii)} distinct norms")


def norms(points: Array) -> Array:
    """Return the euclidean norms, of different points perhaps equal."""
    return np.asarray(np.linalg.norm(points, axis=1))
