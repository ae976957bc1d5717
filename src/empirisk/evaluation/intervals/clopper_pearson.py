"""The exact binomial interval of Clopper and Pearson.

Clopper and Pearson, Biometrika 26 (1934).
"""

from __future__ import annotations

import math

from scipy import special

from empirisk.evaluation.intervals.base import MODEL, accept, refuse
from empirisk.results import Estimate
from empirisk.results.estimate import check_level


def clopper_pearson(successes: int, n: int, level: float = 0.95, *, target: str = MODEL) -> Estimate:
    """Return all p with ``P(X <= k) >= a/2`` and ``P(X >= k) >= a/2``, where ``a = 1 - level``.

    In closed form the limits are quantiles of Beta(k, n-k+1) and Beta(k+1, n-k).

    Parameters
    ----------
    successes : int in [0, n]
        Number of successes k.
    n : int
        Number of trials.
    level : float, default 0.95
        Coverage that is guaranteed for every p (the mean coverage is 97 to 98 %, and the
        interval about 10 % wider than Wilson's).
    target : str
        What the proportion is about.

    Notes
    -----
    Source: Clopper and Pearson (1934). Cost O(1).

    Examples
    --------
    >>> str(clopper_pearson(85, 100))
    '0.85 [0.76, 0.91]'
    """
    method = "Clopper-Pearson"
    if n == 0:
        return refuse(math.nan, level, 0, method, "there are no rows to count", target)
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n = {n}, got {successes}.")
    tail = 0.5 * (1.0 - check_level(level))
    low = 0.0 if successes == 0 else float(special.betaincinv(successes, n - successes + 1, tail))
    high = 1.0 if successes == n else float(special.betainccinv(successes + 1, n - successes, tail))
    return accept(successes / n, (low, high), level, n, method, target=target)
