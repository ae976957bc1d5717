"""What a regression leaves over on held-out rows, in bins: spreads, normal quantiles, coverage."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from empirisk.data.conformal_order import upper_end
from empirisk.evaluation.intervals import grouped_mean, student, weighted_mean
from empirisk.evaluation.pictures.estimates import Json, estimate, proportion
from empirisk.results import Estimate
from empirisk.wording import percent

__all__ = ["coverage", "normal_quantiles", "spread"]

Floats = NDArray[np.float64]
LEVELS = (0.5, 0.8, 0.9, 0.95)


def spread(
    predicted: Floats,
    values: Floats,
    level: float,
    groups: NDArray | None = None,
    weights: Floats | None = None,
) -> Json | None:
    """Return the mean and quantiles of `values` in at most 20 bins of like numbers of rows along the
    prediction.

    None when there are fewer than ten rows or one prediction only.
    """
    n = predicted.size
    if n < 10:
        return None
    order = np.argsort(predicted, kind="stable")
    bins = []
    # Weighted means need 30 effective rows, which even bins of unlike weights hold when they hold twice that.
    most = n // 20 if weights is None else int(weights.sum() ** 2 / (weights @ weights)) // 60
    for rows in np.array_split(order, max(1, min(20, most))):
        w = None if weights is None else weights[rows]
        low, q1, middle, q3, high = _quantiles(values[rows], w)
        mean = _mean(values[rows], level, None if groups is None else groups[rows], w)
        bins.append(
            {
                "predicted": float(np.average(predicted[rows], weights=w)),
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


def _mean(values: Floats, level: float, groups: NDArray | None, weights: Floats | None) -> Estimate:
    """Return the mean of values of either sign, by what their rows are."""
    if weights is not None:
        return weighted_mean(values, weights, level, groups=groups, kind="difference")
    if groups is not None:
        return grouped_mean(values, groups, level, signed=True)
    return student(values, level, min_rows=10)


def _quantiles(values: Floats, weights: Floats | None) -> list[float]:
    """Return the quantiles of a bin at 5, 25, 50, 75 and 95 %, weighted at the middles of the weights."""
    shares = (0.05, 0.25, 0.5, 0.75, 0.95)
    if weights is None:
        return [float(q) for q in np.quantile(values, shares)]
    order = np.argsort(values, kind="stable")
    return [float(q) for q in np.interp(shares, _middles(weights[order]), values[order])]


def _middles(weights: Floats) -> Floats:
    """Return the share of the weight below the middle of each row, in their order."""
    return np.asarray((np.cumsum(weights) - 0.5 * weights) / weights.sum())


def normal_quantiles(residuals: Floats, level: float, weights: Floats | None = None) -> Json | None:
    """Quantiles of the standardised residuals against normal ones, with where each would lie if they were
    normal.

    The i-th of n ordered uniform values is Beta(i, n + 1 - i); its limits are mapped to the normal scale.
    Weighted rows stand for as many as their effective number, and i is their share of the weight.
    None below ten rows or without variation.
    """
    n = residuals.size
    w = np.ones(n) if weights is None else weights
    mean = float(np.average(residuals, weights=weights))
    units = float(w.sum() ** 2 / (w @ w))
    squares = float(np.average((residuals - mean) ** 2, weights=weights))
    sd = math.sqrt(squares * units / (units - 1.0)) if units > 1.0 else 0.0
    if n < 10 or sd <= 0.0:
        return None
    order = np.argsort(residuals, kind="stable")
    shown = np.unique(np.linspace(1, n, min(n, 81)).round().astype(int)) - 1
    rank = units * _middles(w[order])[shown] + 0.5
    ordered = ((residuals[order] - mean) / sd)[shown]
    tail = 0.5 * (1.0 - level)
    x = np.asarray(stats.norm.ppf((rank - 0.375) / (units + 0.25)))
    low, high = (
        np.asarray(stats.norm.ppf(stats.beta.ppf(q, rank, units + 1.0 - rank))) for q in (tail, 1.0 - tail)
    )
    outside = float(np.mean((ordered < low) | (ordered > high)))
    kurtosis = float(np.average(((residuals - mean) ** 2 / squares) ** 2, weights=weights)) - 3.0
    shape = "heavier" if kurtosis > 0 else "lighter"
    sentence = (
        f"{percent(outside)} of the shown quantiles lie outside the band of normal residuals "
        f"(excess kurtosis {kurtosis:.1f}: tails {shape} than normal)."
    )
    return {
        "x": x.tolist(),
        "value": ordered.tolist(),
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
