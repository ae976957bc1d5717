"""How low the inertia of any clustering into K groups can be, with a proof."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.clustering.axis_bound import axis_bound
from empirisk.clustering.one_dimensional import best_line_clusters
from empirisk.clustering.semidefinite_bound import semidefinite_bound
from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.data.table import read_dense
from empirisk.typing import Array

__all__ = ["InertiaBound", "inertia_lower_bound"]

# Different rows up to which "auto" solves the semidefinite program: 1.4 s of one core for 300.
SEMIDEFINITE_ROWS = 300
METHODS = ("auto", "axes", "semidefinite")


@dataclass(frozen=True, repr=False)
class InertiaBound(Brief):
    """A number that no clustering into K groups is below.

    Attributes
    ----------
    value : float
        The bound, in the unit of the inertia; 0 proves nothing.
    method : {"exact", "axes", "semidefinite", "none"}
        What proved it.
    """

    value: float
    method: str

    def ratio(self, inertia: float) -> float:
        """Return r with ``inertia <= (1 + r) * optimum``; infinite where the bound is 0."""
        if inertia <= self.value:
            return 0.0
        return inertia / self.value - 1.0 if self.value > 0.0 else math.inf

    def sentence(self, inertia: float) -> str:
        """Return what an inertia is worth, in words for a certificate."""
        r = self.ratio(inertia)
        if not math.isfinite(r):
            return "no lower bound on the optimum is at hand"
        words = {
            "exact": "a dynamic program over sorted numbers",
            "axes": "a bound along principal axes",
            "semidefinite": "a semidefinite lower bound",
        }
        return f"inertia <= {1.0 + r:.6g} * optimum, by {words[self.method]}"


def inertia_lower_bound(
    X: Any,
    n_clusters: int,
    sample_weight: Any = None,
    *,
    method: str = "auto",
    upper: float = math.inf,
    max_steps: int = 400,
) -> InertiaBound:
    """Return a proved lower bound on ``min sum_i s_i ||x_i - c_(label i)||^2`` over all clusterings.

    One column is solved by :func:`empirisk.clustering.best_line_clusters`; else the bound is the better one
    of :func:`empirisk.clustering.axis_bound` and, for few rows,
    :func:`empirisk.clustering.semidefinite_bound`.

    Parameters
    ----------
    X : array, data frame, list of rows or sparse matrix, shape (n, p)
        Finite rows; sparse ones are made dense.
    n_clusters : int
        K >= 1.
    sample_weight : array, shape (n,), optional
        Weights >= 0; rows of weight 0 are absent.
    method : {"auto", "axes", "semidefinite"}, default "auto"
        ``"auto"`` solves the semidefinite program for at most 300 different rows.
    upper : float, optional
        The inertia of a clustering that is known: work ends when the bound is near.
    max_steps : int, default 400
        Of the semidefinite program, each O(n^3).

    Returns
    -------
    InertiaBound

    Raises
    ------
    ValueError
        For parameters out of range; for NaN and infinity in X, by place.
    MemoryError
        When the matrices of the semidefinite program, or sparse rows made dense, do not fit.

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [9.0, 9.0], [9.0, 8.0]])
    >>> bound = inertia_lower_bound(X, 2)
    >>> bound.method, round(bound.value, 6), bound.ratio(1.0) < 1e-3
    ('semidefinite', 1.0, True)
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    if not isinstance(n_clusters, int | np.integer) or n_clusters < 1:
        raise ValueError(f"n_clusters must be an integer >= 1, got {n_clusters!r}")
    rows = read_dense(X)
    weight = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (len(rows),) or not (np.isfinite(weight) & (weight >= 0.0)).all():
        raise ValueError("sample_weight must hold one finite number >= 0 for each row of X")
    if not weight.any():
        raise ValueError("sample_weight is zero for every row: nothing is left to bound")
    live = weight > 0.0
    kept, mass, back = _in_units(rows[live], weight[live])
    best = _best(kept, int(n_clusters), mass, method, upper / back, max_steps)
    return InertiaBound(best.value * back, best.method)


def _best(
    X: Array, n_clusters: int, weight: Array, method: str, upper: float, max_steps: int
) -> InertiaBound:
    if X.shape[1] == 1:
        best = best_line_clusters(X[:, 0], n_clusters, weight)
        return InertiaBound(best.inertia - best.rounding, "exact")
    distinct, place = np.unique(X, axis=0, return_inverse=True)
    if n_clusters >= len(distinct):
        return InertiaBound(0.0, "exact")
    value, by = 0.0, "none"
    if method != "semidefinite":
        value = axis_bound(X, n_clusters, weight)
        by = "axes" if value > 0.0 else "none"
    few = len(distinct) <= SEMIDEFINITE_ROWS and value < (1.0 - 1e-4) * upper
    if method == "semidefinite" or (method == "auto" and few):
        n = len(distinct)
        refuse_memory(f"the semidefinite bound of {n} rows", 100.0 * n * n, 'use method="axes"')
        mass = np.bincount(place.ravel(), weights=weight, minlength=n).astype(np.float64)
        other = semidefinite_bound(distinct, n_clusters, mass, max_steps=max_steps, upper=upper)
        if other > value:
            value, by = other, "semidefinite"
    return InertiaBound(value, by)


def _in_units(X: Array, weight: Array) -> tuple[Array, Array, float]:
    """Return rows about their middle and weights in units near 1 (powers of two), and the unit of inertia."""
    X = X - X[0]
    reach = float(np.abs(X).max(initial=0.0))
    length = np.frexp(reach)[1] if reach else 0
    heavy = np.frexp(float(weight.max()))[1]
    return np.ldexp(X, -length), np.ldexp(weight, -heavy), float(np.ldexp(1.0, 2 * length + heavy))
