"""Agresti-Coull interval of a proportion: a copy-me file for an interval.

Copy to src/empirisk/evaluation/intervals/<name>.py, one mathematical object a file, and add one row to
INTERVALS in src/empirisk/evaluation/intervals/__init__.py.  An interval takes counts or rows, refuses by
counts alone (never by how well-behaved the rows look), and builds its answer with `accept` and `refuse`,
which keep out widths of zero.  Test it against an independent source, and simulate its coverage in
bench/coverage/.
"""

from __future__ import annotations

import math

from empirisk.evaluation.intervals.base import MODEL, accept, normal_quantile, refuse, too_few
from empirisk.results import Estimate

MIN_ROWS = 10


def agresti_coull(successes: float, n: int, level: float = 0.95, *, target: str = MODEL) -> Estimate:
    """``p~ -+ z sqrt(p~(1-p~)/n~)`` with ``n~ = n + z^2``, ``p~ = (k + z^2/2)/n~``.

    Parameters
    ----------
    successes : float in [0, n]
        Number of successes k.
    n : int
        Number of trials.
    level : float, default 0.95
        Nominal coverage.
    target : str
        What the proportion is about.

    Notes
    -----
    Source: Agresti and Coull (1998). Cost O(1).

    Examples
    --------
    >>> str(agresti_coull(85, 100))
    '0.85 [0.77, 0.91]'
    """
    method = "Agresti-Coull"
    if n < MIN_ROWS:
        return refuse(successes / max(1, n), level, n, method, too_few(n, MIN_ROWS), target)
    z = normal_quantile(level)
    size = n + z * z
    p = (successes + z * z / 2.0) / size
    half = z * math.sqrt(p * (1.0 - p) / size)
    limits = max(0.0, p - half), min(1.0, p + half)
    return accept(successes / n, limits, level, n, method, target=target)
