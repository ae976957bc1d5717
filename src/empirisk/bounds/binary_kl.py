"""The divergence between two coins, its inverse, and the inverse of the binomial tail."""

from __future__ import annotations

import math

from scipy import special

from empirisk.bounds.base import check_count, check_real
from empirisk.bounds.search import smallest

__all__ = ["binary_kl", "binomial_upper", "kl_lower", "kl_upper"]


def binary_kl(q: float, p: float) -> float:
    """``kl(q || p) = q log(q/p) + (1-q) log((1-q)/(1-p))``, in nats.

    Parameters
    ----------
    q, p : float in [0, 1]
        Two probabilities.

    Returns
    -------
    float
        Zero for p = q; infinite when p excludes what q allows.

    Raises
    ------
    ValueError
        When q or p is no probability: the formula would go on, even below 0.

    Examples
    --------
    >>> round(binary_kl(0.1, 0.3), 6)
    0.116322
    """
    if not (0.0 <= q <= 1.0 and 0.0 <= p <= 1.0):
        raise ValueError(f"q and p must lie in [0, 1], got {q!r} and {p!r}.")
    # The parts that are linear in p - q cancel: what is left is a sum of two numbers >= 0.
    return _excess(q, p - q) + _excess(1.0 - q, q - p)


def _excess(a: float, d: float) -> float:
    """``a (x - log(1 + x))`` with ``x = d/a``; plain Python: inverses ask for it hundreds of times."""
    if a <= 0.0:
        return d
    x = d / a
    if x <= -1.0:
        return math.inf
    # For larger x the difference below loses at most three digits; for smaller ones the series up to x^9 / 9
    # leaves a relative error of about x^8 / 5, which is less than 2e-17.
    if abs(x) > 0.01:
        return d - a * math.log1p(x)
    total = 0.0
    for k in range(9, 1, -1):  # x^2/2 - x^3/3 + ...
        total = 1.0 / k - x * total
    return a * x * x * total


def kl_upper(q: float, budget: float) -> float:
    """Return the largest p >= q with ``kl(q || p) <= budget``.

    Parameters
    ----------
    q : float in [0, 1]
        Measured mean of losses in [0, 1].
    budget : float >= 0
        For n rows and confidence 1 - delta, ``log(1/delta)/n`` (Chernoff).

    Returns
    -------
    float
        Rounded up by at most two units in the last place.

    Raises
    ------
    ValueError
        When q lies outside [0, 1] or the budget is negative.

    Examples
    --------
    >>> round(kl_upper(0.0, 0.03), 6), round(kl_upper(0.1, 0.03), 6)
    (0.029554, 0.188903)
    """
    q = check_real(q, "q", 0.0, 1.0, closed=True)
    if not budget >= 0.0:
        raise ValueError(f"budget must be a number >= 0, got {budget!r}.")
    if q == 0.0:
        return -math.expm1(-budget)
    return q if budget == 0.0 else smallest(lambda p: binary_kl(q, p) >= budget, q, 1.0)


def kl_lower(q: float, budget: float) -> float:
    """Return the smallest p <= q with ``kl(q || p) <= budget``; see :func:`kl_upper`.

    Parameters
    ----------
    q : float in [0, 1]
        Measured mean of losses in [0, 1].
    budget : float >= 0
        As in :func:`kl_upper`.

    Returns
    -------
    float

    Examples
    --------
    >>> round(kl_lower(0.9, 0.03), 6)
    0.811097
    """
    return 1.0 - kl_upper(1.0 - q, budget)


def binomial_upper(errors: int, n: int, log_tail: float) -> float:
    """Return the largest p with ``P(Binomial(n, p) <= errors) >= exp(log_tail)``.

    Parameters
    ----------
    errors : int in [0, n]
        Number of errors counted.
    n : int
        Number of rows.
    log_tail : float <= 0
        Logarithm of the probability of failure; unions over large classes make it very negative.

    Returns
    -------
    float
        The exact quantile of Beta(errors + 1, n - errors). Where ``exp(log_tail)`` underflows, Chernoff's
        bound ``kl(errors/n || p) <= -log_tail/n``, which is never smaller.

    Examples
    --------
    >>> import math
    >>> round(binomial_upper(0, 100, math.log(0.05)), 6)
    0.029513
    """
    n, errors = check_count(n, "n"), check_count(errors, "errors", 0)
    if errors > n:
        raise ValueError(f"errors must be at most n = {n}, got {errors}.")
    if errors == n:
        return 1.0
    chernoff = kl_upper(errors / n, -log_tail / n)
    if log_tail < -600.0:
        return chernoff
    return min(chernoff, float(special.betainccinv(errors + 1, n - errors, math.exp(log_tail))))
