"""How many random projections keep all distances."""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_count, solve_for

__all__ = ["johnson_lindenstrauss", "johnson_lindenstrauss_dim"]


def johnson_lindenstrauss(
    *, n: int | None = None, epsilon: float | None = None, delta: float | None = None, points: int
) -> Guarantee:
    """``n >= (4 log m + 2 log(1/delta))/(epsilon - log(1 + epsilon))`` projections for m points.

    A matrix with entries N(0, 1/n) keeps all squared distances between the points within a factor ``1 -+
    epsilon``. It does not depend on the points or on how many columns they have.

    Parameters
    ----------
    n : int, optional
        Number of projections (the dimension afterwards).
    epsilon : float in (0, 1), optional
        Relative error of the squared distances.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    points : int >= 2
        m.

    Returns
    -------
    Guarantee
        Its `n` counts dimensions, not rows.

    Raises
    ------
    ValueError
        When not exactly two of n, epsilon and delta are given, or one is out of range.

    Notes
    -----
    For one pair the squared ratio is chi-squared(n)/n, with tails at most ``exp(-n (epsilon - log(1 +
    epsilon))/2)``; union over m(m-1)/2 pairs and two sides. Cost O(1). Sources: Johnson and Lindenstrauss
    (1984); Dasgupta and Gupta, Random Structures and Algorithms 22 (2003), theorem 2.1, with ``epsilon^2/2 -
    epsilon^3/3 <= epsilon - log(1 + epsilon)`` for the exponent.

    Examples
    --------
    >>> johnson_lindenstrauss(points=10_000, epsilon=0.2, delta=0.05).n
    2423
    """
    m = check_count(points, "points", 2)
    theorem = Theorem(
        "johnson_lindenstrauss",
        f"{{n}} projections keep all squared distances between {m:,} points within a factor 1 -+ {{epsilon}}",
        (
            "the entries of the projection are independent N(0, 1/n)",
            "the projection does not depend on the points",
        ),
        "Dasgupta and Gupta (2003), theorem 2.1, with the sharper exponent",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        delta_of=lambda d, e: min(1.0, m * m * math.exp(-0.5 * d * _rate(e))),
        guess=lambda e, risk: (4.0 * math.log(m) - 2.0 * math.log(risk)) / _rate(e),
    )


def _rate(e: float) -> float:
    """Return ``e - log(1 + e)``; of small e by its series, because the difference has no digits there."""
    return e * e * (0.5 - e / 3.0 + e * e / 4.0 - e**3 / 5.0) if e < 1e-3 else e - math.log1p(e)


def johnson_lindenstrauss_dim(n: int, eps: float, delta: float = 0.05) -> int:
    """Return how many random directions keep all distances between n rows.

    ``ceil((4 log n + 2 log(1/delta))/(eps - log(1 + eps)))``.

    Parameters
    ----------
    n : int >= 2
        Rows.
    eps : float in (0, 1)
        Relative error of the squared distances.
    delta : float in (0, 1), default 0.05
        Probability that some pair is off by more.

    Returns
    -------
    int
        d, for a matrix with entries N(0, 1/d).

    Raises
    ------
    ValueError
        When a number is out of range.

    Examples
    --------
    >>> johnson_lindenstrauss_dim(10_000, 0.2)
    2423
    """
    return int(johnson_lindenstrauss(points=n, epsilon=eps, delta=delta).n or 0)
