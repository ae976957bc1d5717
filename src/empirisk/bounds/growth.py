"""The logarithm of the number of labellings, from a VC dimension or from a class that knows it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

import numpy as np

from empirisk.bounds.base import check_count

__all__ = ["Growing", "log_growth", "log_sauer"]


class Growing(Protocol):
    """A hypothesis class as far as the bounds know it (those of ``er.hypotheses`` qualify)."""

    def vc_dimension(self) -> int | float:
        """The size of the largest set of points that the class labels in every way."""

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
    Sauer's lemma: no class of VC dimension d has more labellings of n points. In logarithms, cost O(d).

    Examples
    --------
    >>> round(float(np.exp(log_sauer(5, 2))), 9)
    16.0
    """
    if n <= vc:
        return n * math.log(2.0)
    i = np.arange(1.0, vc + 1.0)
    terms = np.cumsum(np.log((float(n) - i + 1.0) / i))
    return float(np.logaddexp.reduce(np.concatenate([[0.0], terms])))


def log_growth(vc: int | None, hypotheses: Growing | None) -> tuple[Callable[[int], float], str, float]:
    """The function ``n -> log S_n``, the class in words, and its VC dimension.

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
    """
    if (vc is None) == (hypotheses is None):
        raise ValueError("give either vc (a VC dimension) or hypotheses (a class with log_growth(n)).")
    if hypotheses is None:
        d = check_count(vc, "vc", 0)
        if d > 10**7:
            raise ValueError(f"vc must be at most 10^7, got {d:,}.")
        return lambda n: log_sauer(n, d), f"a class of VC dimension {d:,}", float(d)
    dimension = float(hypotheses.vc_dimension())
    if not math.isfinite(dimension):
        raise ValueError(
            "hypotheses has an infinite VC dimension: no sample is large enough for every distribution."
        )
    words = getattr(hypotheses, "words", type(hypotheses).__name__)
    return hypotheses.log_growth, f"the class of {words}", dimension
