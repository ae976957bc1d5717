"""Wilson's score interval for a proportion.

Wilson, Journal of the American Statistical Association 22 (1927).
"""

from __future__ import annotations

import math

from empirisk.evaluation.intervals.base import MODEL, accept, normal_quantile, refuse, too_few
from empirisk.inference.limits import wilson_limits
from empirisk.results import Estimate

MIN_ROWS = 10


def wilson(
    successes: float, n: int, level: float = 0.95, *, min_rows: int = MIN_ROWS, target: str = MODEL
) -> Estimate:
    """Wilson interval of ``successes / n``; refused below `min_rows` trials.

    Parameters
    ----------
    successes : float in [0, n]
        Number of successes.
    n : int
        Number of trials.
    level : float, default 0.95
        Nominal coverage.
    min_rows : int, default 10
        Below this the answer is "cannot tell".
    target : str
        What the proportion is about.

    Notes
    -----
    Mean coverage 95.4 % at 30 rows and 95.2 % at 100 over proportions 0.5 to 0.995.

    Examples
    --------
    >>> str(wilson(85, 100))
    '0.85 [0.77, 0.91]'
    >>> wilson(5, 5).low is None
    True
    """
    if n == 0:
        return refuse(math.nan, level, 0, "Wilson", "there are no rows to count", target)
    if not 0 <= successes <= n:
        raise ValueError(f"successes must lie between 0 and n = {n}, got {successes}.")
    p = successes / n
    if n < min_rows:
        return refuse(p, level, n, "Wilson", too_few(n, min_rows), target)
    return accept(p, wilson_limits(p, n, normal_quantile(level)), level, n, "Wilson", target=target)
