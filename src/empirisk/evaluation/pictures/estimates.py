"""Estimates as plain JSON values, and shares of rows that may come in groups or with weights."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals import clopper_pearson, grouped_proportion, weighted_mean, wilson
from empirisk.evaluation.metrics.predictions import Predictions
from empirisk.results import Estimate

__all__ = ["estimate", "number", "proportion", "share_of"]

Json = dict[str, Any]


def number(value: Any) -> float | None:
    """Return a finite Python float, or None."""
    out = float(value)
    return out if math.isfinite(out) else None


def estimate(e: Estimate) -> Json:
    """Return the JSON form; ends that are not finite are left out and said."""
    out = e.to_dict()
    for key in ("value", "low", "high"):
        out[key] = None if out[key] is None else number(out[key])
    if out["low"] is None or out["high"] is None:
        out["low"] = out["high"] = None
        out.setdefault("reason", "no interval can be given on these rows")
    elif out["value"] is not None:
        # An interval and its centre are computed apart and may round differently.
        out["low"], out["high"] = min(out["low"], out["value"]), max(out["high"], out["value"])
    return out


def proportion(
    hits: NDArray[Any],
    level: float,
    groups: NDArray[Any] | None = None,
    *,
    weights: NDArray[np.float64] | None = None,
    exact: bool = False,
) -> Estimate:
    """Return the share of true values with its interval.

    It is Wilson's (or the exact one of Clopper and Pearson) for rows that count the same, with groups or
    weights Wilson's for an effective number of rows.
    """
    n = int(hits.size)
    if weights is not None and n:
        return weighted_mean(hits.astype(float), weights, level, groups=groups, kind="proportion")
    if groups is not None and n:
        return grouped_proportion(hits.astype(float), groups, level)
    count = int(hits.sum())
    return clopper_pearson(count, n, level) if exact else wilson(count, n, level)


def share_of(
    p: Predictions,
    hits: NDArray[np.bool_],
    among: NDArray[np.bool_],
    level: float,
    *,
    exact: bool = False,
) -> Estimate:
    """Return the share of hits among some rows of the predictions, whose groups and weights count."""
    groups = None if p.groups is None else p.groups[among]
    weights = None if p.weights is None else p.weights[among]
    return proportion(hits[among], level, groups, weights=weights, exact=exact)
