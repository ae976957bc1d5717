"""The coefficient of determination on new rows: jackknife t on log(1 - R2)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from empirisk.evaluation.intervals.base import MODEL, Floats, accept, group_codes, refuse, too_few
from empirisk.evaluation.intervals.student import student_limits
from empirisk.evaluation.intervals.weighted import few_effective
from empirisk.results import Estimate

MIN_ROWS = 20
MIN_GROUPS = 10


def r2_value(y: Floats, pred: Floats, weight: Floats | None = None) -> float:
    """``1 - SSE/SST`` with the mean of these rows as the reference; NaN when y is constant."""
    if np.ptp(y) == 0.0:
        return math.nan
    squares, errors = _squares(y, pred, weight)
    return 1.0 - float(errors.sum() / squares.sum())


def r2_influence(y: Floats, pred: Floats, weight: Floats | None = None) -> Floats:
    """Return the influence of each row on R2: ``((1-R2)(y_i-ybar)^2 - e_i^2) / (SST/n)``; they sum to 0.

    Weights, with a mean of 1, are factors of all squares.
    """
    squares, errors = _squares(y, pred, weight)
    influence: Floats = (squares * (errors.sum() / squares.sum()) - errors) / squares.mean()
    return influence


def _squares(y: Floats, pred: Floats, weight: Floats | None) -> tuple[Floats, Floats]:
    """Return the squares of what a constant misses, and of what the predictions miss, times the weights."""
    squares, errors = (y - np.average(y, weights=weight)) ** 2, (y - pred) ** 2
    return (squares, errors) if weight is None else (weight * squares, weight * errors)


def r2_interval(
    y: Floats,
    pred: Floats,
    level: float = 0.95,
    *,
    groups: ArrayLike | None = None,
    weights: Floats | None = None,
    target: str = MODEL,
) -> Estimate:
    """``1 - exp(psi -+ t sqrt(V))``, ``psi = log(SSE/SST)``, V its jackknife variance over rows or groups.

    Without the rows of a group the sums are ``SSE - sum e_i^2`` and
    ``SST - sum d_i^2 - (sum d_i)^2/(n - n_g)``, ``d_i = y_i - ybar``, so the whole jackknife is O(n).

    Parameters
    ----------
    y, pred : array of shape (n,)
        Targets and predictions.
    level : float, default 0.95
        Nominal coverage.
    groups : array of shape (n,), optional
        Label of the group of each row; at least 10 groups, ``t_{G-1}``.
    weights : array of shape (n,), optional
        What each row counts, with a mean of 1; degrees of freedom from the effective number of rows (groups).
    target : str
        What the score is about.

    Notes
    -----
    Covers 94.0 to 95.7 % at 30 rows under Gaussian noise for R2 from -0.3 to 0.9; 85 to 89 %
    when the noise has the tails of t3. Groups (10 to 60 of about 5 rows, correlation 0.5 in
    predictor and noise, R2 0.2 to 0.9): 93.5 to 95.2 %, the delta method on group sums 91.8 to 95.0 %.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=400)
    >>> e = r2_interval(x + rng.normal(size=400), x)
    >>> e.low < 0.5 < e.high
    True
    """
    n, value = y.size, r2_value(y, pred, weights)
    codes, units = (np.arange(n), n) if groups is None else group_codes(groups, n)
    w = np.ones(n) if weights is None else weights
    mass = np.bincount(codes, w)
    effective, method = float(mass.sum() ** 2 / (mass @ mass)), "jackknife t on log(1 - R2)"
    method += "" if groups is None else f" over {units} groups"
    method += "" if weights is None else f", weighted, {effective:.0f} effective"
    if math.isnan(value):
        return refuse(
            value, level, n, method, "R2 is undefined: the target is constant on these rows", target
        )
    if n < MIN_ROWS:
        return refuse(value, level, n, method, too_few(n, MIN_ROWS), target)
    few = "" if weights is None else few_effective(effective, groups is not None)
    if few:
        return refuse(value, level, n, method, few, target)
    if units < MIN_GROUPS:
        return refuse(value, level, n, method, too_few(units, MIN_GROUPS, "groups"), target)
    centred, (squares, errors) = y - np.average(y, weights=weights), _squares(y, pred, weights)
    sse = errors.sum() - np.bincount(codes, errors)
    moved = np.bincount(codes, w * centred) ** 2 / (mass.sum() - mass)
    sst = squares.sum() - np.bincount(codes, squares) - moved
    if sse.min() <= 1e-12 * errors.sum() or sst.min() <= 1e-12 * squares.sum():
        what = "row" if groups is None else "group"
        reason = f"a single {what} (or none) carries all of the error or of the variation"
        return refuse(value, level, n, method, reason, target)
    psi = np.log(sse / sst)
    # The jackknife's factor: values that leave out one unit each differ n - 1 times less than units do.
    variance = (units - 1) / units * float(np.sum((psi - psi.mean()) ** 2))
    df = units - 1 if weights is None else effective - 1.0
    # Not log(1 - R2): R2 is rounded to 1 where the errors are rounding alone.
    low, high = student_limits(math.log(errors.sum() / squares.sum()), variance, df, level)
    return accept(value, (1.0 - math.exp(high), 1.0 - math.exp(low)), level, n, method, target=target)
