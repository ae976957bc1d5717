"""Expected cost of a threshold, with an interval, from binned counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

__all__ = ["ThresholdCost", "costs", "mean_cost"]


@dataclass(frozen=True)
class ThresholdCost:
    """What one threshold does to the test rows, and what its errors cost for each row."""

    threshold: float
    false_accepts: int
    false_rejects: int
    hits: int
    cost: float
    low: float
    high: float


def _wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """Return Wilson's limits of a share p of n rows; n need not be whole."""
    centre, scale = p + z * z / (2 * n), 1 + z * z / n
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (centre - half) / scale, (centre + half) / scale


def mean_cost(
    p: float, q: float, n: float, price: tuple[float, float], z: float
) -> tuple[float, float, float]:
    """Return the mean cost ``a p + b q`` of two exclusive errors, with its interval.

    Wilson intervals of the two shares of n rows are combined by recovering their variances (Zou and Donner
    2008, Statistics in Medicine 27, 1693-1702), with the correlation ``-sqrt(p q / ((1 - p)(1 - q)))`` of
    shares of one whole. Unlike a normal interval it has no zero width when an error was never seen.
    """
    a, b = price
    r = -math.sqrt(p * q / ((1 - p) * (1 - q))) if 0 < p < 1 and 0 < q < 1 else 0.0
    (pl, pu), (ql, qu) = _wilson(p, n, z), _wilson(q, n, z)

    def reach(dp: float, dq: float) -> float:
        return math.sqrt(max(0.0, (a * dp) ** 2 + (b * dq) ** 2 + 2 * r * a * b * dp * dq))

    mean = a * p + b * q
    return mean, max(0.0, mean - reach(p - pl, q - ql)), mean + reach(pu - p, qu - q)


def costs(
    scores: dict[str, Any], false_accept: float = 1.0, false_reject: float = 1.0
) -> list[ThresholdCost]:
    """Cost of each threshold at an edge of the bins.

    Parameters
    ----------
    scores : dict
        ``report["test"]["scores"]``.
    false_accept, false_reject : float >= 0
        Cost of calling a negative row positive, and of calling a positive row negative.

    Returns
    -------
    list of ThresholdCost
        One for each edge; its interval is for that threshold fixed beforehand.

    Examples
    --------
    >>> scores = {"edges": [0, 0.5, 1], "positive": [1, 9], "negative": [80, 10], "level": 0.95}
    >>> [(c.threshold, c.false_accepts, c.false_rejects, round(c.cost, 2)) for c in costs(scores)]
    [(0, 90, 0, 0.9), (0.5, 10, 1, 0.11), (1, 0, 10, 0.1)]
    """
    positive, negative = sum(scores["positive"]), sum(scores["negative"])
    n = positive + negative
    z = NormalDist().inv_cdf(0.5 + scores["level"] / 2)
    out = []
    for i, edge in enumerate(scores["edges"]):
        accepts, hits = sum(scores["negative"][i:]), sum(scores["positive"][i:])
        shares = accepts / n, (positive - hits) / n
        mean = mean_cost(*shares, n, (false_accept, false_reject), z)
        out.append(ThresholdCost(edge, accepts, positive - hits, hits, *mean))
    return out
