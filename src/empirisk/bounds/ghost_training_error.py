"""A risk from a training error over a class of finite VC dimension, by a ghost sample of the best size."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, check_real, solve_for
from empirisk.bounds.growth import Growing, log_growth

__all__ = ["ghost_training_error"]

# Sizes of the ghost sample that are tried, and multiples of its expected number of errors.
SIZES = np.unique(np.ceil(1.4 ** np.arange(124)))
SHARES = np.concatenate([np.linspace(0.8, 1.3, 26), np.geomspace(1.35, 6.0, 14)])


def ghost_training_error(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int | None = None,
    hypotheses: Growing | None = None,
    rate: float,
) -> Guarantee:
    """``P(failure) <= (n + 1) min over k, s of S_(n+k) H(k, s) / P(Bin(k, rate + epsilon) >= s)``.

    H bounds the probability that at most ``j = rate n`` of ``j + s`` errors fall among the first n of n + k
    rows in random order: ``log H = -max(n kl(j/n | (j+s)/(n+k)), (j+s) kl(j/(j+s) | n/(n+k)))``.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1 - rate), optional
        By how much a risk may exceed the training error.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    vc : int, optional
        VC dimension; ``S`` then is Sauer's bound.
    hypotheses : class, optional
        A class that knows its growth function, instead of `vc`.
    rate : float in [0, 1)
        The training error of the hypothesis.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    The argument of `ghost_realizable` for hypotheses with j errors instead of none, and a union over the n
    + 1 values of j, so that the training error may be the observed one of any hypothesis. Chernoff's bound
    holds for draws without replacement (Hoeffding 1963, theorem 4), of n rows or of j + s errors. For small
    training errors much tighter than `ghost_uniform`: the tolerance falls like ``log n / n`` instead of its
    root. Cost: some 500 terms for each of about 60 looks. Source: Vapnik (1982) has relative deviations by
    the same means.

    Examples
    --------
    >>> round(ghost_training_error(n=1000, delta=0.05, vc=3, rate=0.01).epsilon, 4)
    0.0532
    >>> from empirisk.bounds import ghost_uniform
    >>> round(ghost_uniform(n=1000, delta=0.05, vc=3, sides=1).epsilon, 4)
    0.133
    """
    log_s, words, dimension = log_growth(vc, hypotheses)
    q = check_real(rate, "rate", 0.0, 1.0, closed=True)
    if q >= 1.0:
        raise ValueError("rate must be below 1: nothing exceeds a training error of 1.")
    theorem = Theorem(
        "ghost_training_error",
        f"the risk of every hypothesis of {words} with a training error of {q:g} on {{n}} rows exceeds it by "
        "at most {epsilon}",
        (IID, ZERO_ONE, FIXED),
        "Vapnik (1982), with a ghost sample of free size and Hoeffding (1963), theorem 4",
    )

    def delta_of(m: int, e: float) -> float:
        # Any size of the ghost sample proves a bound; sizes far from that of the sample prove only weaker
        # ones.
        sizes = SIZES[(m / 4.0 <= SIZES) & (m * 32.0 >= SIZES)]
        risk = q + e
        if not sizes.size or risk >= 1.0:
            return 1.0 if risk < 1.0 else 0.0
        growth = np.array([log_s(m + int(k)) for k in sizes])[:, None]
        k, j = sizes[:, None], q * m
        s = np.clip(np.round(k * (q + e * SHARES)), 1.0, k)
        with np.errstate(divide="ignore"):
            terms = growth + _log_few_first(float(m), k, j, s) - np.log(special.betainc(s, k - s + 1.0, risk))
        return math.exp(min(0.0, math.log(m + 1.0) + float(terms.min())))

    return solve_for(
        theorem,
        n=n,
        epsilon=epsilon,
        delta=delta,
        delta_of=delta_of,
        guess=lambda e, d: (
            (dimension * math.log(1.0 / e) - math.log(d)) * (2.0 / e + 4.0 * q * (1.0 - q) / e**2)
        ),
        trivial=1.0 - q,
    )


def _log_few_first(n: float, k: np.ndarray, j: float, s: np.ndarray) -> np.ndarray:
    """``log H``: the smaller of two Chernoff bounds; 0 where j errors are no fewer than expected."""
    t = j + s
    by_rows = n * _kl(np.full_like(t, j / n), t / (n + k))
    by_errors = t * _kl(j / t, n / (n + k))
    return np.where(j / n < t / (n + k), -np.maximum(by_rows, by_errors), 0.0)


def _kl(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Return the divergence between coins with chances q and p of heads, element by element."""
    return np.asarray(special.rel_entr(q, p) + special.rel_entr(1.0 - q, 1.0 - p))
