"""Distortion with a price for each cluster, the price read off the data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from empirisk.partitions.criteria.base import Evidence, Judged, best
from empirisk.partitions.indices import Inertia

__all__ = ["DistortionCriterion", "slope_price"]

LEAST = 5  # numbers of clusters for a slope


@dataclass(frozen=True)
class DistortionCriterion:
    """The K that minimises ``W_K + penalty * K``, the penalty being twice the slope of W_K for many clusters.

    Where K is beyond the number of clusters, each further one cuts a cluster in two and gains about the same;
    that gain is the least price at which further clusters do not pay, and the slope heuristic takes twice it.

    Notes
    -----
    The slope is fitted by least squares to the upper half of the numbers, so that it needs five of them, and
    half of them beyond the answer.  Birge and Massart (2007), Probability Theory and Related Fields 138;
    Baudry, Maugis and Michel (2012), Statistics and Computing 22.

    Examples
    --------
    >>> DistortionCriterion().label
    'penalised distortion'
    """

    name = "distortion"
    label = "penalised distortion"

    def judge(self, evidence: Evidence) -> Judged:
        """Return the penalised distortions and the K of the smallest.

        Parameters
        ----------
        evidence : Evidence
        """
        price = evidence.price if evidence.price is not None else slope_price(evidence.inertia)
        said = f"the smallest value, at {price:.4g} a cluster" if price is not None else ""
        index = Inertia(price or 0.0)
        values = {}
        for k in evidence.ks:
            plain = evidence.resamples.interval(Inertia(), k, evidence.inertia[k], evidence.level)
            extra = index.penalty * k
            low, high = (None if end is None else end + extra for end in (plain.low, plain.high))
            values[k] = replace(plain, value=plain.value + extra, low=low, high=high)
        if price is None:
            return Judged(
                values, None, f"the price of a cluster needs {LEAST} numbers of clusters, 1 included"
            )
        return Judged(values, best(values, False), said)


def slope_price(inertia: dict[int, float]) -> float | None:
    """Return twice the fall of the inertia per cluster, by the upper half of the numbers; None for too few.

    Examples
    --------
    >>> slope_price({1: 100.0, 2: 50.0, 3: 10.0, 4: 9.0, 5: 8.0})
    2.0
    """
    ks = sorted(inertia)
    if len(ks) < LEAST:
        return None
    upper = ks[len(ks) // 2 :]
    slope = np.polynomial.polynomial.polyfit(upper, [inertia[k] for k in upper], 1)[1]
    return float(round(max(0.0, -2.0 * float(slope)), 12))
