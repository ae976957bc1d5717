"""The coefficient of determination on new rows: jackknife t on log(1 - R2)."""

from __future__ import annotations

import math

import numpy as np

from empirisk.results import Estimate
from empirisk.selection.intervals.base import MODEL, Floats, accept, refuse, too_few
from empirisk.selection.intervals.student import student_limits

MIN_ROWS = 20


def r2_value(y: Floats, pred: Floats) -> float:
    """``1 - SSE/SST`` with the mean of these rows as the reference; NaN when y is constant."""
    sst = float(np.sum((y - y.mean()) ** 2))
    return 1.0 - float(np.sum((y - pred) ** 2)) / sst if sst > 0.0 else math.nan


def r2_influence(y: Floats, pred: Floats) -> Floats:
    """Influence of each row on R2: ``((1-R2)(y_i-ybar)^2 - e_i^2) / (SST/n)``; they sum to 0."""
    squares, errors = (y - y.mean()) ** 2, (y - pred) ** 2
    influence: Floats = (squares * (errors.sum() / squares.sum()) - errors) / squares.mean()
    return influence


def r2_interval(y: Floats, pred: Floats, level: float = 0.95, *, target: str = MODEL) -> Estimate:
    """``1 - exp(psi -+ t_{n-1} sqrt(V))``, ``psi = log(SSE/SST)``, V its jackknife variance.

    The leave-one-out values come from ``SSE - e_i^2`` and ``SST - (y_i - ybar)^2 n/(n-1)``,
    so the whole jackknife is O(n).

    Parameters
    ----------
    y, pred : array of shape (n,)
        Targets and predictions.
    level : float, default 0.95
        Nominal coverage.
    target : str
        What the score is about.

    Notes
    -----
    Covers 94.0 to 95.7 % at 30 rows under Gaussian noise for R2 from -0.3 to 0.9; 85 to 89 %
    when the noise has the tails of t3.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=400)
    >>> e = r2_interval(x + rng.normal(size=400), x)
    >>> e.low < 0.5 < e.high
    True
    """
    n, value, method = y.size, r2_value(y, pred), "jackknife t on log(1 - R2)"
    if math.isnan(value):
        return refuse(
            value, level, n, method, "R2 is undefined: the target is constant on these rows", target
        )
    if n < MIN_ROWS:
        return refuse(value, level, n, method, too_few(n, MIN_ROWS), target)
    squares, errors = (y - y.mean()) ** 2, (y - pred) ** 2
    sse, sst = errors.sum() - errors, squares.sum() - squares * (n / (n - 1))
    tiny = 1e-12
    if sse.min() <= tiny * errors.sum() or sst.min() <= tiny * squares.sum():
        reason = "a single row (or none) carries all of the error or of the variation"
        return refuse(value, level, n, method, reason, target)
    psi = np.log(sse / sst)
    variance = (n - 1) / n * float(np.sum((psi - psi.mean()) ** 2))
    low, high = student_limits(math.log(1.0 - value), variance, n - 1, level)
    return accept(value, (1.0 - math.exp(high), 1.0 - math.exp(low)), level, n, method, target=target)
