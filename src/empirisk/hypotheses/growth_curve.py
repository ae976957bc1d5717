"""The growth function of a class over several numbers of points, ready for a chart or a table."""

from __future__ import annotations

import math
from typing import Any

from empirisk.hypotheses.base import HypothesisClass

__all__ = ["growth_curve"]


def growth_curve(hypotheses: HypothesisClass, m: int = 12) -> dict[str, Any]:
    """``growth(1), ..., growth(m)`` beside ``2^1, ..., 2^m``.

    Parameters
    ----------
    hypotheses : HypothesisClass
        One of ``er.hypotheses``.
    m : int, default 12
        Largest number of points, at least 1.

    Returns
    -------
    dict
        ``name``, ``m`` (list), ``growth`` (list of integers), ``exact`` (whether all of them are exact) and
        ``vc_dimension`` (None when infinite): what ``er.plots.GrowthDisplay`` draws.

    Raises
    ------
    ValueError
        `m` is below 1.

    Examples
    --------
    >>> from empirisk.hypotheses import Intervals
    >>> growth_curve(Intervals(), 4)["growth"]
    [2, 4, 7, 11]
    """
    if m < 1:
        raise ValueError(f"m must be at least 1, got {m!r}; it is a number of points.")
    counts = [hypotheses.growth(k) for k in range(1, m + 1)]
    d = hypotheses.vc_dimension()
    return {
        "name": type(hypotheses).__name__,
        "m": list(range(1, m + 1)),
        "growth": [int(c) for c in counts],
        "exact": all(c.exact for c in counts),
        "vc_dimension": None if math.isinf(d) else int(d),
    }
