"""The gap between the inertia of the rows and that of uniform rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.evaluation.intervals.base import accept, normal_quantile
from empirisk.partitions.criteria.base import Evidence, Judged

__all__ = ["GapCriterion"]

NULL = "box"


@dataclass(frozen=True)
class GapCriterion:
    """``Gap(K) = E* log W_K - log W_K``: the smallest K whose gap is at least the largest less its ``s``.

    E* is the mean over rows from the uniform box of the principal axes, and ``s = sd sqrt(1 + 1/B)``.

    Notes
    -----
    Tibshirani, Walther and Hastie (2001), Journal of the Royal Statistical Society B 63, sections 3 and 4.
    They stop at the first K that the next one does not better by more than s, and so find one cluster where
    two explain little and three all; the rule here, of Dudoit and Fridlyand (2002), Genome Biology 3, looks
    at all K.

    Examples
    --------
    >>> GapCriterion().label
    'gap statistic'
    """

    name = "gap"
    label = "gap statistic"

    def judge(self, evidence: Evidence) -> Judged:
        """Return the gaps and the K of the rule.

        Parameters
        ----------
        evidence : Evidence
        """
        null = evidence.falls.get(NULL)
        if null is None or evidence.observed is None or len(null.logs) < 2:
            return Judged({}, None, evidence.cut_short or "no uniform rows were drawn")
        logs = np.vstack(null.logs)
        gap = logs.mean(axis=0) - evidence.observed
        count = len(logs)
        error = logs.std(axis=0) * (1.0 + 1.0 / count) ** 0.5
        half = normal_quantile(evidence.level) * error
        target = "log inertia of uniform rows minus that of the rows"
        values = {
            k: accept(
                float(gap[i]),
                (float(gap[i] - half[i]), float(gap[i] + half[i])),
                evidence.level,
                evidence.rows.n,
                f"standard deviation over {count} uniform draws",
                target=target,
            )
            for i, k in enumerate(null.ks)
        }
        top = int(np.argmax(gap))
        k = next(k for i, k in enumerate(null.ks) if gap[i] >= gap[top] - error[top])
        more = ", the largest number tried" if top == len(null.ks) - 1 else ""
        return Judged(values, k, f"the first value within one s of the largest, at {null.ks[top]}{more}")
