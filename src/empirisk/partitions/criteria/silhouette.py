"""The number of clusters with the largest mean silhouette."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.partitions.criteria.base import Evidence, Judged, best
from empirisk.partitions.indices import Silhouette

__all__ = ["SilhouetteCriterion"]


@dataclass(frozen=True)
class SilhouetteCriterion:
    """The K > 1 whose mean silhouette is largest.

    It has no value for one cluster, and so cannot say that there are none.

    Notes
    -----
    Rousseeuw (1987), Journal of Computational and Applied Mathematics 20.

    Examples
    --------
    >>> SilhouetteCriterion().label
    'silhouette'
    """

    name = "silhouette"
    label = "silhouette"

    def judge(self, evidence: Evidence) -> Judged:
        """Return the mean silhouettes and the K of the largest.

        Parameters
        ----------
        evidence : Evidence
        """
        index, values = Silhouette(), {}
        for k in evidence.several:
            found = evidence.partitions[k]
            if found.found >= 2:
                value = index.value(evidence.rows, found.codes)
                values[k] = evidence.resamples.interval(index, k, value, evidence.level)
        return Judged(values, best(values, True), "the largest value")
