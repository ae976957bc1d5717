"""One t interval for any smooth score, on the scale that suits it."""

from __future__ import annotations

import math

from empirisk.evaluation.intervals.auc import logit_limits
from empirisk.evaluation.intervals.base import student_quantile
from empirisk.evaluation.intervals.effective import effective_limits
from empirisk.evaluation.intervals.f1 import f1_of_jaccard
from empirisk.evaluation.intervals.student import student_limits
from empirisk.inference.limits import wilson_limits

SCALES = {
    "wilson": "Wilson, effective n",
    "logit": "logit t",
    "jaccard": "Wilson on the Jaccard index, effective n",
    "identity": "t",
    "correlation": "Wilson on (1 + s)/2, effective n",
    "log": "log t",
    "log of 1 - s": "t on log(1 - s)",
}

RANGES = {  # values outside, or at an end, have no limits on the scale
    "identity": (-math.inf, math.inf),
    "correlation": (-1.0, 1.0),
    "log": (0.0, math.inf),
    "log of 1 - s": (-math.inf, 1.0),
}


def smooth_limits(
    value: float, variance: float, df: float, level: float, scale: str, cap: float = math.inf
) -> tuple[float, float] | None:
    """Return the limits of a score with a variance and degrees of freedom; None when the scale has no
    answer.

    Parameters
    ----------
    value : float
        The score.
    variance : float
        Its variance (influence, jackknife or group sums), corrections included.
    df : float
        Degrees of freedom of the variance.
    level : float
        Nominal coverage.
    scale : {"wilson", "logit", "jaccard", "identity", "correlation", "log", "log of 1 - s"}
        wilson: ``Wilson(s, s(1-s)/V)``, t for z, s in [0, 1]; logit: ``expit(logit s -+ t se/(s(1-s)))``;
        jaccard: Wilson on ``J = s/(2-s)``, mapped back (F1); identity: ``s -+ t se``; correlation: Wilson on
        ``(1 + s)/2``, for scores in [-1, 1]; log: ``s exp(-+ t se/s)``; log of 1 - s:
        ``1 - (1 - s) exp(+- t se/(1 - s))``, for shares of a loss that is saved.
    cap : float
        Largest effective sample size that Wilson may use.

    Examples
    --------
    >>> low, high = smooth_limits(0.8, 0.0016, 99, 0.95, "wilson")
    >>> round(low, 3), round(high, 3)
    (0.71, 0.867)
    >>> smooth_limits(1.0, 0.0, 99, 0.95, "logit") is None
    True
    """
    least, largest = RANGES.get(scale, (0.0, 1.0))
    if variance <= 1e-30 or not least + 1e-15 < value < largest - 1e-15:
        return None
    if scale == "identity":
        return student_limits(value, variance, df, level)
    if scale == "log":
        low, high = student_limits(math.log(value), variance / value**2, df, level)
        return math.exp(low), math.exp(high)
    if scale == "log of 1 - s":
        low, high = student_limits(math.log1p(-value), variance / (1.0 - value) ** 2, df, level)
        return 1.0 - math.exp(high), 1.0 - math.exp(low)
    if scale == "correlation":
        low, high = effective_limits(0.5 * (1.0 + value), 0.25 * variance, df, level, cap=cap)
        return 2.0 * low - 1.0, 2.0 * high - 1.0
    if scale == "logit":
        return logit_limits(value, variance, df, level)
    t = student_quantile(level, df)
    if scale == "wilson":
        return wilson_limits(value, min(cap, value * (1.0 - value) / variance), t)
    j = value / (2.0 - value)
    slope = 2.0 / (1.0 + j) ** 2  # dF1/dJ
    low, high = wilson_limits(j, min(cap, j * (1.0 - j) * slope**2 / variance), t)
    return f1_of_jaccard(low), f1_of_jaccard(high)
