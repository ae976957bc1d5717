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

    Estimators ask a criterion what it takes and what it can do; none of them has a list of criteria.  Those
    of class shares inherit most answers from ``ClassCriterion``, those of means from ``MeanCriterion``.

    Attributes
    ----------
    name : str
        Registry name.
    aliases : tuple of str
        Other names that estimators take for it.
    loop : str
        Name of the functor in the compiled loops.
    scale : float
        The cost over the cost of the functor: 1, but for a multiple of a criterion that has a functor.
    sums : {"two", "classes", "order"}
        What the loops see: two moments ``(a, b)``; the weights of K classes; or the ordered targets.
    targets : {"classes", "numbers", "derivatives"}
        What y holds: class codes, numbers, or the first and second derivatives of a loss.
    predicts : {"shares", "mean", "median", "step"}
        What leaves answer.
    is_variance : bool
        Whether h is the variance of the targets, of which an interval of the leaf's mean can be made.
    non_negative : bool
        Whether targets must be >= 0; the means of leaves are then kept positive, and targets not shifted.
    unseen_is_infinite : bool
        Whether `row_loss` is infinite where a leaf has not seen the class of a row.
    """

    name: str
    aliases: tuple[str, ...]
    loop: str
    scale: float
    sums: str
    targets: str
    predicts: str
    is_variance: bool
    non_negative: bool
    unseen_is_infinite: bool

    def statistics(self, y: Array, weight: Array) -> Array:
        """Return the row's terms of the sums, shape (n, S)."""
        ...

    def score(self, sums: Array) -> Array:
        """Return minus the cost for each set of sums: shape (..., S) -> (...)."""
        ...

    def leaf(self, sums: Array) -> Array:
        """Return the best constant prediction, shape (..., S) -> (..., k)."""
        ...

    def heterogeneity(self, y: Array, weight: Array) -> float:
        """Cost per unit of weight of a set of rows, by its definition."""
        ...

    def row_loss(self, y: Array, value: Array) -> Array:
        """Loss of targets y, shape (n,), at predictions, shape (n, k).

        Its weighted mean over the rows of a leaf, at the leaf's own prediction, is h of the leaf.
        """
        ...

    def node_loss(self, value: Array, weight: Array, heterogeneity: Array) -> Array:
        """Return the loss of nodes' own predictions, shape (N, k), summed over their training rows, shape
        (N,).
        """
        ...
