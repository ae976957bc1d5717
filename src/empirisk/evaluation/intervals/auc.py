"""Area under the ROC curve: DeLong's variance, logit scale, Welch degrees of freedom.

DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals.base import MODEL, Floats, accept, refuse
from empirisk.evaluation.intervals.newcombe import newcombe_limits
from empirisk.evaluation.intervals.student import student_limits
from empirisk.results import Estimate

MIN_CLASS = 5  # rows of each class; the coverage below is not known


def placements(
    positive: NDArray[np.bool_], score: Floats, weight: Floats | None = None
) -> tuple[Floats, Floats]:
    """Placements: the share of negatives below each positive row, of positives above each negative.

    Ties count one half. From sums in the order of the scores, so O(n log n); weighted shares with `weight`.

    Examples
    --------
    >>> import numpy as np
    >>> placements(np.array([True, False, True]), np.array([2.0, 1.0, 1.0]))
    (array([1. , 0.5]), array([0.75]))
    """
    _, place = np.unique(score, return_inverse=True)
    w = np.ones(positive.size) if weight is None else weight

    def below(rows: NDArray[np.bool_]) -> tuple[Floats, float]:
        """Return what the named rows below each place count, half of its own, and all together."""
        at = np.bincount(place, np.where(rows, w, 0.0))
        up_to = np.cumsum(at)
        return up_to - 0.5 * at, float(up_to[-1])

    negatives, n0 = below(~positive)
    positives, n1 = below(positive)
    return negatives[place[positive]] / n0, 1.0 - positives[place[~positive]] / n1


def auc_value(positive: NDArray[np.bool_], score: Floats, weight: Floats | None = None) -> float:
    """Return the (weighted) mean placement; NaN when one of the classes is empty."""
    n1 = int(positive.sum())
    if n1 == 0 or n1 == positive.size:
        return math.nan
    w = None if weight is None else weight[positive]
    return float(np.average(placements(positive, score, weight)[0], weights=w))


def auc_influence(positive: NDArray[np.bool_], score: Floats, weight: Floats | None = None) -> Floats:
    """Return the influence of each row: ``(n/n1)(a_i - A)`` for positives, ``(n/n0)(b_j - A)`` for
    negatives; with weights n, n1 and n0 are their sums, and a row has its weight as a factor.
    """
    w = np.ones(positive.size) if weight is None else weight
    out = np.empty(positive.size)
    for rows, placed in zip((positive, ~positive), placements(positive, score, weight), strict=True):
        out[rows] = w[rows] * (placed - np.average(placed, weights=w[rows])) * (w.sum() / w[rows].sum())
    return out


def delong(a: Floats, b: Floats) -> tuple[float, float]:
    """Return DeLong's variance ``s_a^2/n1 + s_b^2/n0`` and its Welch degrees of freedom."""
    parts = np.array([a.var(ddof=1) / a.size, b.var(ddof=1) / b.size])
    variance = float(parts.sum())
    if variance <= 0.0:
        return 0.0, math.nan
    return variance, variance**2 / float(np.sum(parts**2 / np.array([a.size - 1, b.size - 1])))


def logit_limits(value: float, variance: float, df: float, level: float) -> tuple[float, float]:
    """``expit(logit(value) -+ t_df sqrt(variance) / (value (1 - value)))``: limits on the logit scale, which
    never leave (0, 1).
    """
    scale = value * (1.0 - value)
    low, high = student_limits(math.log(value / (1.0 - value)), variance / scale**2, df, level)
    return _expit(low), _expit(high)


def _expit(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else 0.0


def auc_interval(
    positive: NDArray[np.bool_], score: Floats, level: float = 0.95, *, target: str = MODEL
) -> Estimate:
    """``expit(logit A -+ t_v sqrt(V)/(A(1-A)))``, V by DeLong, v by Welch; V = 0: Newcombe's method 5.

    Parameters
    ----------
    positive : bool array of shape (n,)
        Which rows are of the positive class.
    score : array of shape (n,)
        Larger means "more positive".
    level : float, default 0.95
        Nominal coverage.
    target : str
        What the score is about.

    Notes
    -----
    Covers 93.2 to 98.2 % wherever both classes have at least 5 rows. Sources: DeLong et al.
    (1988), Pepe (2003). Cost O(n log n).

    Examples
    --------
    >>> import numpy as np
    >>> y = np.arange(30) % 2 == 1
    >>> e = auc_interval(y, y + 0.0)
    >>> e.value, round(e.low, 2), e.high
    (1.0, 0.86, 1.0)
    """
    method, n, n1 = "logit DeLong, Welch t", positive.size, int(positive.sum())
    small = min(n1, n - n1)
    if small == 0:
        return refuse(math.nan, level, n, method, "AUC is undefined: the rows are all of one class", target)
    a, b = placements(positive, score)
    value = float(a.mean())
    if small < MIN_CLASS:
        reason = f"the smaller class has {small} rows; at least {MIN_CLASS} are needed"
        return refuse(value, level, n, method, reason, target)
    variance, df = delong(a, b)
    # Where the classes are separated the logit is infinite and its variance 0; Newcombe's limits still hold.
    if variance <= 1e-20 or value <= 0.0 or value >= 1.0:
        limits = newcombe_limits(value, n1, n - n1, level)
        return accept(value, limits, level, n, "Newcombe method 5", target=target)
    return accept(value, logit_limits(value, variance, df, level), level, n, method, target=target)
