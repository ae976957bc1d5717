"""One tree whose every split is the best of all thresholds: growth on columns that are sorted once.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.columns import Table
from empirisk.data.memory import refuse_memory
from empirisk.data.weight_unit import WeightUnit
from empirisk.trees.criteria import Criterion
from empirisk.trees.criteria.choices import refuse_without_mean
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["ExactLimits", "check_rows", "grow_exact"]

MOST_ROWS = 2**30 - 1  # a tree on more can have more nodes than 32 bits number
SMALL = 1e7  # bytes that are not worth a look at the free memory
UNITS = 1e-75, 1e75  # between these, squares of targets and their sums are far from overflow and underflow


@dataclass(frozen=True)
class ExactLimits:
    """What stops the growth of a tree.

    Parameters
    ----------
    max_depth : int or None, default None
        Edges from the root to a leaf.
    max_leaves : int or None, default None
        Growth is best-first (largest gain; ties: the older node) up to so many leaves; None: any number.
    min_rows_split, min_rows_leaf : int, default 2, 1
        Rows of a node that may be split, and of each child, whatever their weight.
    min_weight_leaf : float, default 0.0
        Total weight of each child (Newton: the sum of second derivatives).
    min_gain : float, default 0.0
        A split must lower the total cost by at least this (absolute).  At 0 a split without gain is made
        where the criterion is strictly concave (exclusive-or targets need it), but not for misclassification,
        absolute error and the Newton gain.
    max_features : int or None, default None
        Columns that a node asks, drawn anew at each node among those that vary there; more are asked where
        these allow no cut.
    monotonic : sequence of -1, 0, 1, shape (p,), optional
        Columns in which the prediction (two classes: the probability of class 1) must fall or rise.

    Raises
    ------
    ValueError
        A limit out of its range, by name.

    Examples
    --------
    >>> ExactLimits(min_rows_leaf=0)
    Traceback (most recent call last):
        ...
    ValueError: min_rows_leaf must be an integer >= 1, got 0
    """

    max_depth: int | None = None
    max_leaves: int | None = None
    min_rows_split: int = 2
    min_rows_leaf: int = 1
    min_weight_leaf: float = 0.0
    min_gain: float = 0.0
    max_features: int | None = None
    monotonic: Sequence[int] | None = None

    def __post_init__(self) -> None:
        for name, low in (("max_depth", 0), ("max_leaves", 1), ("max_features", 1)):
            value = getattr(self, name)
            if value is not None and not value >= low:
                raise ValueError(f"{name} must be an integer >= {low} or None, got {value!r}")
        for name, low in (("min_rows_split", 2), ("min_rows_leaf", 1)):
            if not getattr(self, name) >= low:
                raise ValueError(f"{name} must be an integer >= {low}, got {getattr(self, name)!r}")
        for name in ("min_weight_leaf", "min_gain"):
            if not 0.0 <= getattr(self, name) < np.inf:
                raise ValueError(f"{name} must be a finite number >= 0, got {getattr(self, name)!r}")


def grow_exact(
    table: Table,
    criterion: Criterion,
    y: Array,
    weight: Array | None = None,
    limits: ExactLimits | None = None,
    *,
    seed: int = 0,
) -> Trees:
    """Grow one tree; each split is the best of all cuts of all columns.

    Parameters
    ----------
    table : Table
        Rows; NaN is missing, categories are codes.  CSR matrices are converted to CSC.
    criterion : Criterion
        What a split makes smaller.
    y : array of shape (n,)
        Targets; class codes 0 .. K - 1 for the criteria of class shares; for :class:`NewtonGain` the first
        and second derivatives, shape (n, 2).
    weight : array of shape (n,), optional
        Row weights >= 0, default 1.  Rows of weight 0 are absent.
    limits : ExactLimits, optional
    seed : int, default 0
        Of the draws of `max_features`; those of a node depend on the seed and its path from the root alone.

    Returns
    -------
    Trees
        With one tree.  Leaves predict class shares, means, medians, or Newton steps.

    Raises
    ------
    ValueError
        For targets that do not suit the criterion, for weights that are negative or all zero, for monotonic
        constraints that cannot be kept, for too many rows.
    MemoryError
        When the sorted columns would not fit in the free memory.

    Notes
    -----
    Missing values are tried on both sides of every cut.  Ties, up to rounding, go to the first column, then
    to missing values on the right, then to the lowest threshold.  Cost: one radix sort a column, and O(p n)
    for each level.  Memory: 8 to 24 bytes for each cell.  The bits of the tree do not depend on the number
    of threads.

    References
    ----------
    Breiman, Friedman, Olshen & Stone 1984.  M. Mehta, R. Agrawal, J. Rissanen, "SLIQ", EDBT 1996 (columns
    that are sorted once).

    Examples
    --------
    >>> from empirisk.trees.criteria import SquaredError
    >>> table = Table(np.array([[1.0], [2.0], [3.0], [np.nan]]), np.zeros(1, dtype=np.int64))
    >>> tree = grow_exact(table, SquaredError(), np.array([0.0, 0.0, 5.0, 5.0]))
    >>> tree.predict(np.array([[1.5], [2.6], [np.nan]])).ravel()
    array([0., 5., 5.])
    """
    limits = ExactLimits() if limits is None else limits
    check_rows(table.n_rows)
    if table.n_cols == 0:
        raise ValueError("X has no columns to split on: give at least one")
    y, weight = np.asarray(y, dtype=np.float64), _checked_weight(weight, table.n_rows)
    _check_targets(criterion, y, table.n_rows)
    X = table.X
    if weight is not None and (absent := weight == 0.0).any():
        X, y, weight = X[~absent], y[~absent], weight[~absent]
    mass, weight = _in_units(weight)
    n_classes = int(getattr(criterion, "n_classes", 1))
    label, first, second, shift, unit = _cells(criterion, y, weight)
    doubles = (label is None) + (second is not None)
    forecast = (8.0 * (1 + doubles)) * X.shape[0] * X.shape[1]
    if forecast > SMALL:
        refuse_memory(
            "growing an exact tree", forecast, "fit on fewer rows or columns, or grow on histograms"
        )
    arrays = _loops.grow_exact(
        _readable(X),
        np.ascontiguousarray(table.n_categories, dtype=np.int64),
        criterion.loop,
        label,
        n_classes,
        first,
        second,
        float(getattr(criterion, "l2", 0.0)) / mass,
        _or_any(limits.max_depth),
        _or_any(limits.max_leaves),
        limits.min_rows_split,
        limits.min_rows_leaf,
        limits.min_weight_leaf / mass,
        limits.min_gain / criterion.scale / mass / unit / (1.0 if criterion.sums == "order" else unit),
        -1 if limits.max_features is None or limits.max_features >= table.n_cols else limits.max_features,
        seed % 2**64,
        _signs(limits.monotonic, criterion, table),
    )
    power = 1 if criterion.sums == "order" else 2
    arrays["value"] = arrays["value"] * unit + shift
    arrays["weight"] = arrays["weight"] * mass
    arrays["gain"] = _times(arrays["gain"], mass, *[unit] * power, criterion.scale)
    arrays["heterogeneity"] = _times(arrays["heterogeneity"], *[unit] * power, criterion.scale)
    arrays["value"] = arrays["value"].reshape(len(arrays["feature"]), -1)
    arrays["missing_left"] = arrays["missing_left"].view(np.bool_)
    start = np.array([0, len(arrays["feature"])], dtype=np.int64)
    return Trees(start=start, n_categories=np.asarray(table.n_categories, dtype=np.int64), **arrays)


def _times(x: Array, *factors: float) -> Array:
    """Return the product, at most the largest number."""
    with np.errstate(over="ignore"):
        for factor in factors:
            x = x if factor == 1.0 else x * factor
    return np.minimum(x, np.finfo(float).max)


def _in_units(weight: Array | None) -> tuple[float, Array | None]:
    """Return a unit of the weights and the weights in it: their common one, so that ties stay ties, or a
    power of 2.
    """
    if weight is None:
        return 1.0, None
    found = WeightUnit.of(weight)
    if found.whole:
        return found.unit, found.multiple
    unit = _unit(weight)
    return unit, weight / unit


def _unit(x: Array) -> float:
    """Return a power of two to divide numbers by whose squares could overflow or vanish; otherwise 1."""
    largest = float(np.abs(x).max())
    return float(2.0 ** np.floor(np.log2(largest))) if largest and not UNITS[0] < largest < UNITS[1] else 1.0


def check_rows(n: int) -> None:
    """Refuse row counts whose trees could have more nodes than 32 bits number, and no rows."""
    if not 1 <= n <= MOST_ROWS:
        raise ValueError(
            f"a tree takes 1 to 2^30 - 1 rows, so that 32 bits can number its nodes; got {n}: fit on a "
            "sample of the rows"
        )


def _checked_weight(weight: Array | None, n: int) -> Array | None:
    """Return the weights as float64; None where all are 1."""
    if weight is None:
        return None
    weight = np.ascontiguousarray(weight, dtype=np.float64)
    if weight.shape != (n,):
        raise ValueError(f"weight has shape {weight.shape}, expected ({n},)")
    if not (np.isfinite(weight).all() and (weight >= 0.0).all() and weight.any()):
        raise ValueError("weights must be finite and >= 0, and some must be positive")
    return None if (weight == 1.0).all() else weight


def _check_targets(criterion: Criterion, y: Array, n: int) -> None:
    expected = (n, 2) if criterion.targets == "derivatives" else (n,)
    if y.shape != expected:
        raise ValueError(f"y has shape {y.shape}, expected {expected} for the criterion {criterion.name}")
    if not np.isfinite(y).all():
        row = int(np.argwhere(~np.isfinite(y))[0, 0])
        raise ValueError(f"y is not finite in row {row}; drop the rows without a target")
    if criterion.non_negative and (y < 0.0).any():
        row = int(np.flatnonzero(y < 0.0)[0])
        raise ValueError(f"the criterion {criterion.name} needs targets >= 0; y is {y[row]:g} in row {row}")
    if criterion.targets == "derivatives" and (y[:, 1] < 0.0).any():
        raise ValueError("second derivatives must be >= 0")
    if criterion.targets == "classes":
        k = int(getattr(criterion, "n_classes", 2))
        if k < 2:
            raise ValueError(f"n_classes must be at least 2, got {k}")
        if (bad := (y < 0) | (y >= k) | (y != np.floor(y))).any():
            row = int(np.flatnonzero(bad)[0])
            raise ValueError(f"y must hold class codes 0 .. {k - 1}; it is {y[row]:g} in row {row}")


def _cells(criterion: Criterion, y: Array, weight: Array | None) -> tuple[Any, Any, Any, float, float]:
    """Return the class codes, first and second number of each row; what to add to values, and their unit."""
    if criterion.sums == "classes":
        return y.astype(np.int32), None, weight, 0.0, 1.0
    if criterion.targets == "derivatives":
        terms = criterion.statistics(y, np.ones(len(y)) if weight is None else weight)
        return None, np.ascontiguousarray(terms[:, 0]), np.ascontiguousarray(terms[:, 1]), 0.0, 1.0
    if criterion.non_negative:
        return None, np.ascontiguousarray(y), weight, 0.0, 1.0
    # Near zero and near one sums keep their digits; whole numbers stay whole, so that sums are exact.
    unit = _unit(y)
    y = y / unit
    mean, spread = float(y.mean()), float(y.std())
    shift = float(np.round(mean)) if abs(mean) > 4.0 * spread and abs(mean) > 1.0 else 0.0
    if shift == 0.0 and abs(mean) > 4.0 * spread > 0.0:
        shift = mean
    return None, np.ascontiguousarray(y - shift), weight, shift * unit, unit


def _readable(X: Any) -> Any:
    """Dense float32 or float64, or CSC; what is sparse is canonical already."""
    if hasattr(X, "tocsc"):
        X = X.tocsc()
        return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
    X = np.asarray(X)
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def _signs(monotonic: Sequence[int] | None, criterion: Criterion, table: Table) -> Any:
    if monotonic is None or not np.any(monotonic):
        return None
    signs = np.asarray(monotonic)
    if signs.shape != (table.n_cols,) or not np.isin(signs, (-1, 0, 1)).all():
        raise ValueError(
            f"monotonic must hold -1, 0 or 1 for each of the {table.n_cols} columns, got {monotonic!r}"
        )
    refuse_without_mean(criterion, int(getattr(criterion, "n_classes", 2)))
    categorical = np.flatnonzero((signs != 0) & (np.asarray(table.n_categories) > 0))
    if len(categorical):
        raise ValueError(
            f"column {table.label(int(categorical[0]))} is categorical and has no order to be monotonic in"
        )
    return np.ascontiguousarray(signs, dtype=np.int8)


def _or_any(limit: int | None) -> int:
    return -1 if limit is None else int(limit)
