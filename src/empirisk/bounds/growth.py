"""The logarithm of the number of labellings, from a VC dimension or from a class that knows it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from empirisk.bounds.base import check_count

__all__ = ["MAX_DIMENSION", "Growing", "log_growth", "log_sauer"]

# The largest VC dimension: the sums of Sauer's lemma grow with it.
MAX_DIMENSION = 10**7

# Terms that are summed at once.
BLOCK = 1 << 12


class Growing(Protocol):
    """A hypothesis class as far as the bounds know it (those of ``er.hypotheses`` qualify)."""

    def vc_dimension(self) -> int | float:
        """Return the size of the largest set of points that the class labels in every way."""

    def log_growth(self, n: int) -> float:
        """``log`` of the largest number of labellings of n points."""


def log_sauer(n: int, vc: int) -> float:
    """``log sum_{i <= d} C(n, i)``, which is ``n log 2`` for ``n <= d``.

    Parameters
    ----------
    n : int
        Number of points.
    vc : int
        VC dimension d.

    Returns
    -------
    float

    Notes
    -----
    Sauer's lemma: no class of VC dimension d has more labellings of n points. In logarithms. Cost O(d) up to
    d = 2000; beyond, the sum starts at its largest term and stops where terms no longer count: O(sqrt(n)) at
    worst, a few terms for n far above d.

    Examples
    --------
    >>> round(float(np.exp(log_sauer(5, 2))), 9)
    16.0
    """
    if n <= vc:
        return n * math.log(2.0)
    if vc > 2000:
        return _log_sauer_from_the_top(float(n), vc)
    i = np.arange(1.0, vc + 1.0)
    terms = np.cumsum(np.log((float(n) - i + 1.0) / i))
    return float(np.logaddexp.reduce(np.concatenate([[0.0], terms])))


def _log_sauer_from_the_top(n: float, vc: int) -> float:
    """Return the sum from its largest term outwards, both ways, in blocks."""
    top = min(vc, int(n // 2))
    total = 1.0
    for step, end in ((-1, 0), (1, vc)):
        term, at = 0.0, top
        # exp(-40) = 4e-18 is less than the rounding of the sum, which is at least 1.
        while at != end and term > -40.0:
            stop = max(at - BLOCK, end) if step < 0 else min(at + BLOCK, end)
            i = np.arange(float(at), float(stop), float(step))
            ratio = i / (n - i + 1.0) if step < 0 else (n - i) / (i + 1.0)
            terms = term + np.cumsum(np.log(ratio))
            total += float(np.exp(terms).sum())
            term, at = float(terms[-1]), stop
    return _log_choose(n, float(top)) + math.log(total)


def _log_choose(n: float, k: float) -> float:
    """``log C(n, k)`` for large k and n - k, by Stirling's series: no difference of large numbers."""
    share = k / n
    entropy = -k * math.log(share) - (n - k) * math.log1p(-share)
    # The next terms are of the order of k^-3: they do not count here, where k and n - k are large.
    rest = (1.0 / n - 1.0 / k - 1.0 / (n - k)) / 12.0
    return entropy - 0.5 * math.log(2.0 * math.pi * k * (1.0 - share)) + rest


def log_growth(vc: int | None, hypotheses: Growing | None) -> tuple[Callable[[int], float], str, float]:
    """Return the function ``n -> log S_n``, the class in words, and its VC dimension.

    Parameters
    ----------
    vc : int or None
        VC dimension, to use Sauer's lemma.
    hypotheses : class or None
        A class that knows its growth function; exactly one of the two is given.

    Returns
    -------
    tuple of callable, str and float

    Raises
    ------
    ValueError
        When not exactly one is given, or the dimension is infinite.
    TypeError
        When hypotheses knows neither its dimension nor its growth function.
    """
    if (vc is None) == (hypotheses is None):
        raise ValueError("give either vc (a VC dimension) or hypotheses (a class with log_growth(n)).")
    if hypotheses is None:
        d = check_count(vc, "vc", 0, MAX_DIMENSION)
        return lambda n: log_sauer(n, d), f"a class of VC dimension {d:,}", float(d)
    knows = hasattr(hypotheses, "vc_dimension") and hasattr(hypotheses, "log_growth")
    if isinstance(hypotheses, type) or not knows:
        got = f"the type {hypotheses.__name__}" if isinstance(hypotheses, type) else repr(hypotheses)
        raise TypeError(f"hypotheses must be a class such as er.hypotheses.Halfspaces(2), got {got}.")
    dimension = float(hypotheses.vc_dimension())
    if not math.isfinite(dimension):
        raise ValueError(
            "hypotheses has an infinite VC dimension: no sample is large enough for every distribution."
        )
    words = getattr(hypotheses, "words", type(hypotheses).__name__)
    return hypotheses.log_growth, f"the class of {words}", dimension
