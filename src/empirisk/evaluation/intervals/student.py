"""Student's t interval for a mean."""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from empirisk.evaluation.intervals.base import (
    MODEL,
    accept,
    as_rows,
    negligible,
    refuse,
    student_quantile,
    too_few,
)
from empirisk.results import Estimate

# With fewer values their skewness, which so few cannot show, can move the coverage.
MIN_ROWS = 30


def student_limits(value: float, variance: float, df: float, level: float) -> tuple[float, float]:
    """``value -+ t_df sqrt(variance)``; `variance` is that of `value`, not of a row."""
    half = student_quantile(level, df) * math.sqrt(variance)
    return value - half, value + half


def student(
    values: ArrayLike, level: float = 0.95, *, min_rows: int = MIN_ROWS, target: str = MODEL
) -> Estimate:
    """``mean -+ t_{n-1} s / sqrt(n)``: for values of either sign, such as paired differences.

    Parameters
    ----------
    values : array of shape (n,)
        One number a row.
    level : float, default 0.95
        Nominal coverage.
    min_rows : int, default 30
        Below this the answer is "cannot tell".
    target : str
        What the mean is about.

    Notes
    -----
    For skewed non-negative losses use :func:`hall`: this interval loses 2 to 6 points there.

    Examples
    --------
    >>> str(student([float(i % 7) for i in range(70)]))
    '3.00 [2.52, 3.48]'
    """
    rows = as_rows(values)
    n, mean, method = rows.size, float(rows.mean()), "Student t"
    if n < min_rows:
        return refuse(mean, level, n, method, too_few(n, min_rows), target)
    variance = float(rows.var(ddof=1)) / n
    if negligible(variance, rows):
        return refuse(mean, level, n, method, "all rows have the same value", target)
    return accept(mean, student_limits(mean, variance, n - 1, level), level, n, method, target=target)
