"""What a regression leaves over on the test part, in bins: spreads, normal quantiles, coverage."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from empirisk.data.conformal_order import upper_end
from empirisk.evaluation.intervals import grouped_mean, student
from empirisk.report.estimates import Json, estimate, proportion
from empirisk.results import Estimate
from empirisk.wording import percent

__all__ = ["coverage", "normal_quantiles", "spread"]

Floats = NDArray[np.float64]
LEVELS = (0.5, 0.8, 0.9, 0.95)


def spread(predicted: Floats, values: Floats, level: float, groups: NDArray | None = None) -> Json | None:
    """Return the mean and quantiles of `values` in at most 20 bins of like numbers of rows along the
    prediction.

    None when there are fewer than ten rows or one prediction only.
    """
    n = predicted.size
    if n < 10:
        return None
    order = np.argsort(predicted, kind="stable")
    bins = []
    for rows in np.array_split(order, max(1, min(20, n // 20))):
        low, q1, middle, q3, high = (
            float(q) for q in np.quantile(values[rows], (0.05, 0.25, 0.5, 0.75, 0.95))
        )
        mean = (
            student(values[rows], level, min_rows=10)
            if groups is None
            else grouped_mean(values[rows], groups[rows], level, signed=True)
        )
        bins.append(
            {
                "predicted": float(predicted[rows].mean()),
                "n": int(rows.size),
                "mean": estimate(mean),
                "q05": low,
                "q25": q1,
                "q50": middle,
                "q75": q3,
                "q95": high,
            }
        )
    return {"bins": bins}


def normal_quantiles(residuals: Floats, level: float) -> Json | None:
    """Quantiles of the standardised residuals against normal ones, with where each would lie if they were
    normal.

    The i-th of n ordered uniform values is Beta(i, n + 1 - i); its limits are mapped to the normal scale.
    None below ten rows or without variation.
    """
    n = residuals.size
    sd = float(residuals.std(ddof=1)) if n > 1 else 0.0
    if n < 10 or sd <= 0.0:
        return None
    ordered = np.sort((residuals - residuals.mean()) / sd)
    rank = np.unique(np.linspace(1, n, min(n, 81)).round().astype(int))
    tail = 0.5 * (1.0 - level)
    x = np.asarray(stats.norm.ppf((rank - 0.375) / (n + 0.25)))
    low, high = (
        np.asarray(stats.norm.ppf(stats.beta.ppf(q, rank, n + 1 - rank))) for q in (tail, 1.0 - tail)
    )
    outside = float(np.mean((ordered[rank - 1] < low) | (ordered[rank - 1] > high)))
    kurtosis = float(stats.kurtosis(residuals))
    shape = "heavier" if kurtosis > 0 else "lighter"
    sentence = (
        f"{percent(outside)} of the shown quantiles lie outside the band of normal residuals "
        f"(excess kurtosis {kurtosis:.1f}: tails {shape} than normal)."
    )
    return {
        "x": x.tolist(),
        "value": ordered[rank - 1].tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "level": level,
        "n": int(n),
        "method": "pointwise, where normal residuals would lie",
        "sentence": sentence,
    }


def coverage(
    out_of_fold: Floats, residuals: Floats, level: float, groups: NDArray | None = None
) -> list[Json]:
    """Return the share of test rows inside prediction -+ q, q a quantile of the absolute out-of-fold
    residuals.

    ``q`` is the ``ceil((m + 1) nominal)``-th smallest of m, as in split conformal prediction; levels that m
    rows cannot reach are left out.
    """
    sizes = np.abs(out_of_fold)
    out = []
    for nominal in LEVELS:
        q = upper_end(sizes, nominal)
        if not math.isfinite(q):
            continue
        share: Estimate = proportion(np.abs(residuals) <= q, level, groups)
        out.append({"nominal": nominal, "observed": estimate(share), "width": 2.0 * q})
    return out
