"""The exact binomial limits of Clopper and Pearson, as a question about n, epsilon and delta.

Clopper and Pearson, Biometrika 26 (1934).
"""

from __future__ import annotations

import math

from scipy import special

from empirisk.bounds.base import IID, ZERO_ONE, Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.hoeffding import check_sides

__all__ = ["clopper_pearson"]


def clopper_pearson(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rate: float = 0.0,
    sides: int = 2,
    candidates: int = 1,
) -> Guarantee:
    """``P(Bin(n, rate + epsilon) <= k) = delta / (sides K)`` with ``k = rate n`` errors observed.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The larger distance from the observed rate to the limits above and below it.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    rate : float in [0, 1], default 0
        The observed share of errors. Where ``rate n`` is no whole number the beta quantile interpolates.
    sides : {1, 2}, default 2
        1 for the upper limit only.
    candidates : int, default 1
        Number K of fixed models for which it is to hold at once.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    The narrowest limits that hold for every risk and come from the count alone with equal tails. Cost: a beta
    quantile. Source: Clopper and Pearson, Biometrika 26 (1934).

    Examples
    --------
    >>> clopper_pearson(epsilon=0.05, delta=0.05, sides=1).n
    59
    >>> round(clopper_pearson(n=1000, delta=0.05, rate=0.1).epsilon, 5)
    0.02029
    """
    q, tails = check_real(rate, "rate", 0.0, 1.0, closed=True), check_sides(sides)

    def epsilon_of(m: int, d: float) -> float:
        k, tail = q * m, d / tails
        if _large(m, q):
            z = float(-special.ndtri(tail))
            return z * math.sqrt(q * (1.0 - q) / m) + (z * z + 3.0) / m
        high = 1.0 if q == 1.0 else float(special.betainccinv(k + 1.0, m - k, tail))
        low = 0.0 if q == 0.0 else float(special.betaincinv(k, m - k + 1.0, tail))
        # Not a number: nearer to the end than floats are.
        high, low = 1.0 if math.isnan(high) else high, 0.0 if math.isnan(low) else low
        # With delta near 1 a limit may lie on the other side of the rate: the distance then is 0.
        return max(0.0, high - q, q - low if tails == 2 else 0.0)

    def delta_of(m: int, e: float) -> float:
        k = q * m
        if _large(m, q):
            spread = math.sqrt(q * (1.0 - q) / m)
            rest = 4.0 * (e - 3.0 / m) / m
            z = 2.0 * (e - 3.0 / m) / (spread + math.sqrt(max(0.0, spread * spread + rest)))
            return tails * float(special.ndtr(-z))
        above = 0.0 if q + e >= 1.0 else float(special.betaincc(k + 1.0, m - k, q + e))
        below = 0.0 if q - e <= 0.0 or tails == 1 else float(special.betainc(k, m - k + 1.0, q - e))
        return tails * max(above, below)

    where = "lies within {epsilon} of" if tails == 2 else "exceeds by at most {epsilon}"
    theorem = Theorem(
        "clopper_pearson",
        f"the risk {where} the rate {q:g} observed on {{n}} rows",
        (IID, ZERO_ONE, "the model was fixed before these rows were seen"),
        "Clopper and Pearson (1934)",
    )
    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        epsilon_of=epsilon_of,
        delta_of=delta_of,
        guess=lambda e, d: math.log(tails / d) * (q * (1.0 - q) + e) * 2.0 / (e * e),
        candidates=candidates,
    )


def _large(m: int, q: float) -> bool:
    """Return whether the limits are expanded around the normal ones: the incomplete beta function loses its
    digits.

    The limits are at most ``z sqrt(q (1-q)/m) + (z^2 + 3)/m`` away from the rate, ``P(N(0,1) > z) = tail``.
    """
    return m > 10**13 and m * q * (1.0 - q) > 1e8
