"""From resampled numbers to estimates: when there is an interval, and what to know about it."""

from __future__ import annotations

import math

import numpy as np

from empirisk.results import Estimate
from empirisk.selection.bootstrap.distribution import Draws
from empirisk.selection.bootstrap.limits import LIMITS, acceleration, bca_limits, studentised_limits
from empirisk.selection.bootstrap.resampled import Resampled
from empirisk.selection.intervals.base import accept, refuse, too_few

__all__ = ["METHODS", "estimates"]

METHODS = {
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "normal": "normal bootstrap",
    "bca": "BCa bootstrap",
    "studentised": "studentised bootstrap",
}
# Below the first number there is no interval, below the second it comes with a warning.
MIN_ROWS, FEW_ROWS = 10, 30
MIN_GROUPS, FEW_GROUPS = 6, 20

# Intervals of this package that cover better than the bootstrap on small samples.
BETTER = {
    "mean": "student (hall for a skewed loss) of er.selection.intervals",
    "mean_difference": "paired_losses of er.selection.intervals, for pairs",
}
BETTER_GROUPED = {"mean": "grouped_mean of er.selection.intervals"}


def estimates(
    found: Resampled, statistic: str, level: float, method: str, n_resamples: int, target: str
) -> dict[str, Estimate]:
    """One estimate for each number."""
    how = METHODS[method] + (" of whole groups" if found.grouped else "")
    how += ", exact" if found.exact else f", {n_resamples} resamples"
    out = {}
    left_out = found.left_out() if method == "bca" and _enough(found) else []
    for k, label in enumerate(found.labels):
        value, n = float(found.value[k]), sum(found.units)
        why = _refusal(found, k)
        if why:
            out[label] = refuse(value, level, n, how, why, target)
            continue
        if method == "bca":
            accel = acceleration([part[:, k] for part in left_out])
            limits = bca_limits(found.distributions[k], value, level, accel)
            if not all(map(math.isfinite, limits)):
                why = "BCa has no ends here: the resamples lie on one side of the value, or one row decides"
                out[label] = refuse(value, level, n, how, f"{why}; try method='percentile'", target)
                continue
        elif method == "studentised":
            limits = _studentised(found, k, level)
        else:
            limits = LIMITS[method](found.distributions[k], value, level)
        reason = "; ".join(filter(None, (_caution(found, statistic), found.note if method == "bca" else "")))
        out[label] = accept(value, limits, level, n, how, reason=reason, target=target)
    return out


def _studentised(found: Resampled, k: int, level: float) -> tuple[float, float]:
    distribution = found.distributions[k]
    if found.errors is None or not isinstance(distribution, Draws):
        raise ValueError("the studentised method needs standard errors of the resamples.")
    own, resampled = found.errors
    return studentised_limits(
        distribution.values, resampled[:, k], float(found.value[k]), float(own[k]), level
    )


def _enough(found: Resampled) -> bool:
    return min(found.units) >= (MIN_GROUPS if found.grouped else MIN_ROWS)


def _refusal(found: Resampled, k: int) -> str:
    """Why there is no interval, or nothing."""
    what, need = ("groups", MIN_GROUPS) if found.grouped else ("rows", MIN_ROWS)
    if not _enough(found):
        return f"{too_few(min(found.units), need, what)}: resamples of so few hardly differ from them"
    if found.refusal:
        return found.refusal
    distribution = found.distributions[k]
    if isinstance(distribution, Draws):
        undefined = int(np.count_nonzero(~np.isfinite(distribution.values)))
        if undefined:
            return f"the statistic is undefined on {undefined} of {distribution.values.size} resamples"
    sd = distribution.moments()[1]
    scale = max(abs(float(found.value[k])), float(np.abs(distribution.quantile(np.array([0.0, 1.0]))).max()))
    if not sd > 1e-13 * scale:
        return "the statistic is the same on every resample"
    return ""


def _caution(found: Resampled, statistic: str) -> str:
    """What is known about coverage with so few units."""
    count = min(found.units)
    if found.grouped and count < FEW_GROUPS:
        better = BETTER_GROUPED.get(statistic)
        said = f"with {count} groups the bootstrap covers up to 10 points less than its level"
        return f"{said}; {better} is better" if better else said
    if not found.grouped and count < FEW_ROWS:
        better = BETTER.get(statistic)
        said = f"with {count} rows the bootstrap often covers less than its level"
        return f"{said}; {better} is better" if better else said
    return ""
