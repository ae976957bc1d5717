"""Area under the ROC curve: DeLong's variance, logit scale, Welch degrees of freedom.

DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from empirisk.evaluation.intervals.base import MODEL, Floats, accept, refuse
from empirisk.evaluation.intervals.newcombe import newcombe_limits
from empirisk.evaluation.intervals.student import student_limits
from empirisk.results import Estimate

MIN_CLASS = 5  # rows of each class; the coverage below is not known


def placements(positive: NDArray[np.bool_], score: Floats) -> tuple[Floats, Floats]:
    """Placements: the share of negatives below each positive row, of positives above each negative.

    Ties count one half. From mid-ranks, so O(n log n): ``a_i = (rank_i - rank among positives)/n0``.

    Examples
    --------
    >>> import numpy as np
    >>> placements(np.array([True, False, True]), np.array([2.0, 1.0, 1.0]))
    (array([1. , 0.5]), array([0.75]))
    """
    ranks = stats.rankdata(score)
    n1 = int(positive.sum())
    n0 = positive.size - n1
    a = (ranks[positive] - stats.rankdata(score[positive])) / n0
    b = 1.0 - (ranks[~positive] - stats.rankdata(score[~positive])) / n1
    return a, b


def auc_value(positive: NDArray[np.bool_], score: Floats) -> float:
    """Return the mean placement; NaN when one of the classes is empty."""
    n1 = int(positive.sum())
    if n1 == 0 or n1 == positive.size:
        return math.nan
    return float(placements(positive, score)[0].mean())


def auc_influence(positive: NDArray[np.bool_], score: Floats) -> Floats:
    """Return the influence of each row: ``(n/n1)(a_i - A)`` for positives, ``(n/n0)(b_j - A)`` for
    negatives.
    """
    a, b = placements(positive, score)
    out = np.empty(positive.size)
    out[positive] = (a - a.mean()) * (positive.size / a.size)
    out[~positive] = (b - b.mean()) * (positive.size / b.size)
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
