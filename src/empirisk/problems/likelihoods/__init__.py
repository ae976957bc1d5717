"""Likelihoods of rows that no single score explains: ordered classes, matched sets, counts."""

from empirisk.problems.likelihoods.base import Likelihood, Sums
from empirisk.problems.likelihoods.ordered import Ordered

__all__ = ["REGISTRY", "Likelihood", "Ordered", "Sums"]

REGISTRY: dict[str, type] = {
    "ordered": Ordered,
}
