"""From resampled numbers to estimates: when there is an interval, and what to know about it."""

from __future__ import annotations

import math

import numpy as np

from empirisk.evaluation.intervals.base import accept, refuse, too_few
from empirisk.resampling.bootstrap.choose import STATISTICS
from empirisk.resampling.bootstrap.distribution import Draws
from empirisk.resampling.bootstrap.limits import LIMITS, acceleration, bca_limits, studentised_limits
from empirisk.resampling.bootstrap.resampled import Resampled
from empirisk.results import Estimate

__all__ = ["METHODS", "estimates"]

METHODS = {
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "normal": "normal bootstrap",
    "bca": "BCa bootstrap",
    "studentised": "studentised bootstrap",
}
# Below these numbers there is no interval.
MIN_ROWS, MIN_GROUPS = 10, 6
# Below these an interval comes with a warning; measured in docs/maths/bootstrap-coverage.md.
FEW = {"studentised": (20, 20)}
FEW_OTHERWISE = (50, 50)  # rows, groups: below, coverage is known to fall short
FEW_FOR_A_QUANTILE = (15, 20)  # rows, groups

# Intervals of this package that cover better than the bootstrap on small samples.
ANALYTIC = {"mean": "hall (losses) and student", "mean_difference": "paired_losses (pairs)"}
ANALYTIC_GROUPED = {"mean": "grouped_mean"}


def estimates(
    found: Resampled, statistic: str, level: float, method: str, n_resamples: int, target: str
) -> dict[str, Estimate]:
    """Return one estimate with its interval, or with the reason why there is none, for each number."""
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
        reason = "; ".join(
            filter(
                None,
                (_caution(found, statistic, method), found.caution, found.note if method == "bca" else ""),
            )
        )
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
    """Return why there is no interval, or nothing."""
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


def _caution(found: Resampled, statistic: str, method: str) -> str:
    """Return what is known about coverage with so few units, and what covers better."""
    if _is_quantile(statistic) and method in ("basic", "normal"):
        return f"the {method} method covers too little for quantiles; use method='percentile' or 'bca'"
    few = FEW_FOR_A_QUANTILE if _is_quantile(statistic) else FEW.get(method, FEW_OTHERWISE)
    count, unit = min(found.units), "groups" if found.grouped else "rows"
    if count >= few[found.grouped]:
        return ""
    said = f"with {count} {unit} this method often covers less than its level"
    better = []
    if method != "studentised" and _can_be_studentised(statistic, found.grouped):
        better.append("method='studentised'")
    if analytic := (ANALYTIC_GROUPED if found.grouped else ANALYTIC).get(statistic):
        better.append(f"{analytic} of er.selection.intervals")
    return f"{said}; better: {', '.join(better)}" if better else said


def _can_be_studentised(statistic: str, grouped: bool) -> bool:
    """Return whether the compiled statistic knows a standard error."""
    known = STATISTICS.get(statistic)
    return known is not None and not known.quantile and (not grouped or known.grouped_error)


def _is_quantile(statistic: str) -> bool:
    """Return whether the named statistic is made of order statistics; those of callables are not known
    to be.
    """
    known = STATISTICS.get(statistic)
    return known is not None and known.quantile
