"""The number of clusters with the largest ratio of variances."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.partitions.criteria.base import Evidence, Judged, best
from empirisk.partitions.indices import CalinskiHarabasz

__all__ = ["CalinskiHarabaszCriterion"]


@dataclass(frozen=True)
class CalinskiHarabaszCriterion:
    """The K > 1 whose ratio ``(B/(K-1)) / (W/(n-K))`` is largest.

    Notes
    -----
    Calinski and Harabasz (1974), Communications in Statistics 3.

    Examples
    --------
    >>> CalinskiHarabaszCriterion().label
    'Calinski-Harabasz'
    """

    name = "calinski_harabasz"
    label = "Calinski-Harabasz"

    def judge(self, evidence: Evidence) -> Judged:
        """Return the ratios and the K of the largest.

        Parameters
        ----------
        evidence : Evidence
        """
        index, values = CalinskiHarabasz(), {}
        for k in evidence.several:
            found = evidence.partitions[k]
            if 2 <= found.found < evidence.rows.total:
                value = index.value(evidence.rows, found.codes)
                values[k] = evidence.resamples.interval(index, k, value, evidence.level)
        return Judged(values, best(values, True), "the largest value")
