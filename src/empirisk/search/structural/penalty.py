"""What a class pays for being rich."""

from __future__ import annotations

import math
from collections.abc import Callable

PENALTIES = ("tight", "notes")


def penalty_of(log_s: Callable[[int], float], n: int, classes: int, delta: float, kind: str) -> float:
    """Return how far the risk of any member may exceed its training error, in all classes at once.

    "tight":  ``sqrt(2 log S_n / n) + sqrt(log(M/delta)/(2 n))``
    (theorem 7.4 of Shalev-Shwartz and Ben-David, with the Rademacher complexity of 0-1 losses);
    "notes":  ``2 sqrt(2 log(2 S_n)/n) + sqrt(log(M/delta)/(2 n))`` (Giraud's lecture, by symmetrisation).
    """
    confidence = math.sqrt(math.log(classes / delta) / (2.0 * n))
    return complexity_term(log_s, n, kind) + confidence


def complexity_term(log_s: Callable[[int], float], n: int, kind: str) -> float:
    """Return the part of the penalty that grows with the class."""
    if kind == "tight":
        return math.sqrt(2.0 * log_s(n) / n)
    return 2.0 * math.sqrt(2.0 * (math.log(2.0) + log_s(n)) / n)


def oracle_slack(log_s: Callable[[int], float], n: int, classes: int, delta: float, kind: str) -> float:
    """Return how far the risk of the choice may exceed the smallest risk in one class, when every fit is
    exact.

    In all classes at once. "notes": ``2 pen + sqrt((2 log M + 2 log(1/delta))/n)``. "tight": the penalty at
    ``delta/2`` and, for the best member of each class, Hoeffding's ``sqrt(log(2 M/delta)/(2 n))``.
    """
    if kind == "tight":
        best = math.sqrt(math.log(2.0 * classes / delta) / (2.0 * n))
        return penalty_of(log_s, n, classes, 0.5 * delta, kind) + best
    return 2.0 * complexity_term(log_s, n, kind) + math.sqrt(2.0 * math.log(classes / delta) / n)


def validation_slack(rows: int, candidates: int, delta: float) -> float:
    """``sqrt(log(2 r/delta)/(2 m_v))``: r predictors on m_v rows that had no part in making them."""
    return math.sqrt(math.log(2.0 * candidates / delta) / (2.0 * rows))
