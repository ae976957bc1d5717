"""Means of the parts with Monte-Carlo intervals: the luck of the training sets and that of the test rows.

    V = s^2(part over rows)/T + (g-1)/g sum_b (theta_(b) - mean)^2,

the second term a jackknife that leaves out one of g = 20 blocks of training sets at a time (a block, because
the main prediction of the 0-1 loss is no smooth function of single sets); t with Satterthwaite's degrees of
freedom.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import Floats, accept, refuse, too_few
from empirisk.evaluation.intervals.grouped import cr2_variance
from empirisk.evaluation.intervals.student import student_limits
from empirisk.resampling.decomposition.parts import Sets, row_parts
from empirisk.results import Estimate

__all__ = ["MIN_SETS", "estimate_parts"]

BLOCKS = 20
MIN_SETS = 20
MIN_ROWS = 30


def estimate_parts(
    sets: Sets, level: float, groups: NDArray[np.intp] | None, target: str
) -> dict[str, Estimate]:
    """Estimates of every part and of ``"total"``; the values of the parts add up to that of the total.

    Parameters
    ----------
    sets : Sets
        Predictions of R training sets at T rows.
    level : float
        Nominal coverage.
    groups : int array of shape (T,) or None
        Clusters of test rows.
    target : str
        Over which training sets the parts are means.
    """
    parts = row_parts(sets)
    R = len(sets.pred)
    count = min(BLOCKS, R)
    used = ~np.isnan(parts["total"])
    blocks = [row_parts(sets.without(np.arange(b, R, count))) for b in range(count)]
    n, method = int(used.sum()), f"{R} training sets x {int(used.sum())} rows, jackknife over sets"
    out = {}
    for name, rows in parts.items():
        value = float(rows[used].mean()) if n else float("nan")
        about = f"{name} of the expected loss, {target}" if name != "total" else f"expected loss, {target}"
        if R < MIN_SETS or n < MIN_ROWS:
            why = too_few(R, MIN_SETS, "training sets") if R < MIN_SETS else too_few(n, MIN_ROWS)
            out[name] = refuse(value, level, n, method, why, about)
            continue
        left_out = np.array([np.nanmean(b[name]) for b in blocks])
        over_sets = (count - 1.0) / count * float(np.sum((left_out - left_out.mean()) ** 2))
        over_rows, df_rows = _over_rows(rows[used], None if groups is None else groups[used])
        variance = over_sets + over_rows
        if variance <= 0.0:
            out[name] = refuse(value, level, n, method, "the same at every row and for all sets", about)
            continue
        df = variance**2 / (over_sets**2 / (count - 1.0) + over_rows**2 / df_rows)
        out[name] = accept(value, student_limits(value, variance, df, level), level, n, method, target=about)
    return out


def _over_rows(rows: Floats, groups: NDArray[np.intp] | None) -> tuple[float, float]:
    """Return the variance of the mean over rows or clusters of rows, and its degrees of freedom."""
    if groups is None:
        return float(rows.var(ddof=1)) / rows.size, rows.size - 1.0
    _, codes = np.unique(groups, return_inverse=True)
    count = int(codes.max()) + 1
    return cr2_variance(rows, codes, count)[0], max(1.0, count - 1.0)
