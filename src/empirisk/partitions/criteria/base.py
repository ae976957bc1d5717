"""The contract of a criterion: what one argument says about the number of clusters, from shared evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from empirisk.data.brief import Brief
from empirisk.partitions.grouping import Partition
from empirisk.partitions.no_clusters import NullFalls
from empirisk.partitions.resamples import Resamples
from empirisk.partitions.rows import Rows
from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["Criterion", "Evidence", "Judged"]


@dataclass(frozen=True)
class Evidence:
    """What all criteria look at.

    Parameters
    ----------
    rows : Rows
    partitions : dict of int to Partition
        1 first, then every K that was asked for, rising.
    inertia : dict of int to float
        W_K of the rows.
    resamples : Resamples
    falls : dict of str to NullFalls
        By null; empty when time ran out.
    observed : array or None
        ``log W_K`` of the rows that the nulls were drawn for.
    one : bool
        Whether K = 1 was among the numbers that were asked for.
    price : float or None
        The price of a cluster, where the user gave one.
    level : float
    cut_short : str
        Why some of it is missing; empty otherwise.
    """

    rows: Rows
    partitions: dict[int, Partition]
    inertia: dict[int, float]
    resamples: Resamples
    falls: dict[str, NullFalls]
    observed: Array | None
    one: bool
    price: float | None
    level: float
    cut_short: str = ""

    @property
    def ks(self) -> tuple[int, ...]:
        """The numbers of clusters that were tried, 1 first."""
        return tuple(self.partitions)

    @property
    def several(self) -> tuple[int, ...]:
        """The numbers of clusters above 1, rising."""
        return tuple(k for k in self.partitions if k > 1)


@dataclass(frozen=True, repr=False)
class Judged(Brief):
    """What a criterion says.

    Parameters
    ----------
    values : dict of int to Estimate
        By K; numbers without a value are left out.
    k : int or None
        The number that it recommends; None when it cannot.
    why : str
        The rule in words, or why there is no recommendation.
    """

    values: dict[int, Estimate]
    k: int | None
    why: str


@runtime_checkable
class Criterion(Protocol):
    """A criterion for the number of clusters, as a frozen object.

    Attributes
    ----------
    name : str
        Registry name.
    label : str
        What tables call it.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...

    def judge(self, evidence: Evidence) -> Judged:
        """Return the values and the recommendation."""
        ...


def best(values: dict[int, Estimate], greatest: bool) -> int | None:
    """Return the K of the best value, the smallest K of equal ones; None without values."""
    finite: dict[int, Any] = {k: e.value for k, e in values.items() if e.value == e.value}
    if not finite:
        return None
    goal = max(finite.values()) if greatest else min(finite.values())
    return min(k for k, v in finite.items() if v == goal)
