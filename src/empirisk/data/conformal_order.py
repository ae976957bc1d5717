"""Which of n calibration scores bounds a new one: the order statistic of conformal prediction.

With weights w of the calibration rows and w' of the new one, the bound is the smallest score v with
``sum(w_i: s_i <= v) >= level (sum_i w_i + w')``: the new row counts as if its score were infinite.  Equal
weights give the ``ceil(level (n + 1))``-th smallest score.  Vovk, Gammerman and Shafer, Algorithmic Learning
in a Random World (2005); Tibshirani, Barber, Candes and Ramdas, NeurIPS 32 (2019), with weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from empirisk.typing import Array

__all__ = ["conformal_rank", "mass_below", "needed_mass", "rows_needed", "upper_end"]

# Of one row: a product that is a whole number may round up past it and ask for one rank too many.
SLACK = 1e-9


def conformal_rank(n: int, level: float) -> int:
    """``ceil(level (n + 1))``: a new score is at most this one in order with probability >= level.

    For exchangeable scores. A rank above n means that n scores are too few for the level.

    Examples
    --------
    >>> conformal_rank(19, 0.95), conformal_rank(18, 0.95)
    (19, 19)
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie strictly between 0 and 1, got {level!r}.")
    return math.ceil(level * (n + 1) - SLACK)


def rows_needed(level: float) -> int:
    """``ceil(level / (1 - level))``: the fewest scores whose largest one bounds a new one at the level.

    Examples
    --------
    >>> rows_needed(0.9), rows_needed(0.95)
    (9, 19)
    """
    # In floating point 0.9 / (1 - 0.9) is 9.000000000000002, which must not ask for a tenth row.
    return math.ceil(level / (1.0 - level) - SLACK)


def needed_mass(weight: Array, own: Any, level: float) -> Any:
    """Return ``level (sum_i w_i + w')``, the weight of scores that a bound must have below or at it.

    Parameters
    ----------
    weight : array, shape (n,)
        Of the calibration rows, >= 0.
    own : float or array, shape (m,)
        w', of the new rows.
    level : float
        In (0, 1).
    """
    total = float(weight.sum())
    return level * (total + np.asarray(own, dtype=np.float64)) - SLACK * total / max(len(weight), 1)


def upper_end(values: Array, level: float, weight: Array | None = None, own: Any = 1.0) -> Any:
    """Return the smallest value that a new one exceeds with probability at most ``1 - level``.

    Parameters
    ----------
    values : array, shape (n,) or (m, n)
        Of the calibration rows; with two dimensions a row of them for each new row.
    level : float
        In (0, 1).
    weight : array, shape (n,), optional
        Of the calibration rows; 1 each by default.
    own : float or array, shape (m,), default 1.0
        Weights of the new rows; not asked without `weight`.

    Returns
    -------
    float or array, shape (m,)
        Infinite where the rows are too few, or the new row is too heavy, for the level.

    Notes
    -----
    O(n) a new row without weights, O(n log n) with them; one sort for all where `values` has one dimension.

    Examples
    --------
    >>> upper_end(np.arange(1.0, 20.0), 0.9)
    18.0
    >>> upper_end(np.arange(1.0, 20.0), 0.9, np.ones(19), own=[1.0, 10.0]).tolist()
    [18.0, inf]
    """
    n = values.shape[-1]
    if weight is None:
        k = conformal_rank(n, level)
        if k > n:
            return math.inf if values.ndim == 1 else np.full(len(values), math.inf)
        found = np.partition(values, k - 1, axis=-1)[..., k - 1]
        return float(found) if values.ndim == 1 else found
    need = needed_mass(weight, own, level)
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    mass = np.cumsum(weight[order], axis=-1)
    if values.ndim == 1:
        at = np.searchsorted(mass, need, side="left")
        found = np.append(ordered, math.inf)[at]
        return float(found) if np.ndim(own) == 0 else found
    at = (mass < np.reshape(need, (-1, 1))).sum(axis=1)
    endless = np.column_stack([ordered, np.full(len(ordered), math.inf)])
    return np.take_along_axis(endless, at[:, None], axis=1)[:, 0]


def mass_below(scores: Array, candidates: Array, weight: Array | None = None) -> Array:
    """Return the weight of the calibration scores that lie strictly below each candidate, in its shape.

    A candidate is at most the bound of :func:`upper_end` when this is less than :func:`needed_mass`.

    Examples
    --------
    >>> mass_below(np.array([1.0, 2.0, 2.0]), np.array([[2.0, 2.5]])).tolist()
    [[1.0, 3.0]]
    """
    order = np.argsort(scores, kind="stable")
    mass = np.arange(len(scores) + 1.0) if weight is None else np.append(0.0, np.cumsum(weight[order]))
    return np.asarray(mass[np.searchsorted(scores[order], candidates, side="left")])
