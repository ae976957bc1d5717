"""Likelihoods of rows that no single score explains: ordered classes, matched sets, counts."""

from empirisk.problems.likelihoods.base import Likelihood, Sums
from empirisk.problems.likelihoods.matched import Matched
from empirisk.problems.likelihoods.ordered import Ordered
from empirisk.problems.likelihoods.two_part import Hurdle, ZeroInflated

__all__ = ["REGISTRY", "Hurdle", "Likelihood", "Matched", "Ordered", "Sums", "ZeroInflated"]

REGISTRY: dict[str, type] = {
    "hurdle": Hurdle,
    "matched": Matched,
    "ordered": Ordered,
    "zero_inflated": ZeroInflated,
}
