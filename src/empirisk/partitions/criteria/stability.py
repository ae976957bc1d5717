"""How alike partitions of different subsamples are."""

from __future__ import annotations

from dataclasses import dataclass

from empirisk.partitions.criteria.base import Evidence, Judged
from empirisk.partitions.resamples import mean_agreement

__all__ = ["StabilityCriterion"]

STABLE = 0.9


@dataclass(frozen=True)
class StabilityCriterion:
    """The largest K whose mean adjusted Rand index between subsamples is at least 0.9, and 1 if there is
    none.

    Notes
    -----
    Pairs of subsamples of 80 % of the rows are grouped, and compared on the rows that both hold: Ben-Hur,
    Elisseeff and Guyon (2002), Pacific Symposium on Biocomputing 7.  The threshold and the largest K follow
    the prediction strength of Tibshirani and Walther (2005), Journal of Computational and Graphical
    Statistics 14, who take 0.8 to 0.9.

    Examples
    --------
    >>> StabilityCriterion().label
    'stability'
    """

    name = "stability"
    label = "stability"

    def judge(self, evidence: Evidence) -> Judged:
        """Return the mean agreements and the K of the rule.

        Parameters
        ----------
        evidence : Evidence
        """
        found = evidence.resamples
        values = {
            k: mean_agreement(found, k, evidence.level) for k in evidence.several if found.agreement.get(k)
        }
        if not values:
            return Judged({}, None, evidence.cut_short or "no subsamples were drawn")
        stable = [k for k, e in values.items() if e.value >= STABLE]
        if stable:
            return Judged(values, max(stable), f"the largest number with at least {STABLE:g}")
        return Judged(values, 1, f"no number reaches {STABLE:g}")
