"""Exponential families of one number whose statistic is that number: the mean alone fixes the member."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.typing import Array

__all__ = ["MeanMember"]


@dataclass(frozen=True, eq=False)
class MeanMember(ExponentialMember):
    """A law with ``phi(x) = x`` and one parameter; it owes ``matched``, the member with a given mean."""

    def statistics(self, x: Array) -> Array:
        """Return x itself, the statistics of each row."""
        return x[:, None]

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the law with the mean of the rows, which is the likeliest."""
        return self.matched(mean[0], None), 0.0
