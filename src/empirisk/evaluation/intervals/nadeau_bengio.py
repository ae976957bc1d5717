"""The corrected resampled t interval of Nadeau and Bengio, for scores of J train/test splits.

Nadeau and Bengio, Machine Learning 52 (2003).
"""

from __future__ import annotations

import math

from numpy.typing import ArrayLike

from empirisk.evaluation.intervals.base import accept, as_rows, negligible, refuse, too_few
from empirisk.evaluation.intervals.student import student_limits
from empirisk.results import Estimate

MIN_SPLITS = 5


def nadeau_bengio(
    scores: ArrayLike,
    test_over_train: float,
    n: int,
    level: float = 0.95,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    target: str = "",
) -> Estimate:
    """``m -+ t_{J-1} sqrt(s_J^2 (1/J + n_test/n_train))``.

    Parameters
    ----------
    scores : array of shape (J,)
        Score on the test part of each split: folds of one K-fold, of repeats, or random splits.
    test_over_train : float > 0
        ``n_test/n_train``: 1/(K-1) for K folds.
    n : int
        Rows of the whole sample (printed).
    level : float, default 0.95
        Nominal coverage.
    low, high : float
        Range of the score; limits outside it are cut.
    target : str
        What the score is about.

    Notes
    -----
    On the means of one 5-fold split it covers 95 to 97 % and is 1.5 to 1.9 times as wide as
    :func:`repeated_kfold`; with repeats 92 to 95 %. It needs no row losses, so any scorer can use
    it. Sources: Nadeau and Bengio (2003), Bouckaert and Frank (2004). Cost O(J).

    Examples
    --------
    >>> str(nadeau_bengio([0.8, 0.9, 0.85, 0.8, 0.9], 0.25, 100))
    '0.85 [0.76, 0.94]'
    """
    values = as_rows(scores, "scores")
    j, mean, method = values.size, float(values.mean()), f"corrected resampled t over {values.size} splits"
    if j < MIN_SPLITS:
        return refuse(mean, level, n, method, too_few(j, MIN_SPLITS, "splits"), target)
    # 1/J alone would take splits for independent; they share training rows, and their scores are correlated.
    variance = float(values.var(ddof=1)) * (1.0 / j + test_over_train)
    if negligible(variance, values):
        return refuse(mean, level, n, method, "all splits have the same score", target)
    limits = student_limits(mean, variance, j - 1, level)
    return accept(mean, (max(low, limits[0]), min(high, limits[1])), level, n, method, target=target)
