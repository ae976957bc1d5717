"""The contract of a criterion: a score of sums over rows, larger is better."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from empirisk.typing import Array

__all__ = ["Criterion"]


@runtime_checkable
class Criterion(Protocol):
    """How unlike the targets of a set of rows are, through sums over the rows alone.

    The *cost* of a set is its weight times its heterogeneity h.  The *score* is minus the cost, up to terms
    that are sums over rows and cancel in ``gain = score(left) + score(right) - score(parent)``, the decrease
    of the total cost by a split, which is >= 0.

    Attributes
    ----------
    name : str
        Registry name.
    loop : str
        Name of the functor in the compiled loops.
    sums : {"two", "classes", "order"}
        What the loops see: two moments ``(a, b)``; the weights of K classes; or the ordered targets.
    """

    name: str
    loop: str
    sums: str

    def statistics(self, y: Array, weight: Array) -> Array:
        """The row's terms of the sums, shape (n, S)."""
        ...

    def score(self, sums: Array) -> Array:
        """Minus the cost, shape (..., S) -> (...)."""
        ...

    def leaf(self, sums: Array) -> Array:
        """The best constant prediction, shape (..., S) -> (..., k)."""
        ...

    def heterogeneity(self, y: Array, weight: Array) -> float:
        """Cost per unit of weight of a set of rows, by its definition."""
        ...
