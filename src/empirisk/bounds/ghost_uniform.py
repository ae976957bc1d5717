"""Uniform convergence over a class of finite VC dimension, by a ghost sample of the best size."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from empirisk.bounds.base import FIXED, IID, ZERO_ONE, Guarantee, Theorem, solve_for
from empirisk.bounds.growth import Growing, log_growth
from empirisk.bounds.hoeffding import check_sides

__all__ = ["ghost_uniform", "log_ghost_tail"]

# The ghost sample has so many times the rows; its own deviation takes such a share of epsilon.
TIMES = np.array([1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 24, 32, 64, 128])
SHARES = np.linspace(0.01, 0.5, 50)


def ghost_uniform(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    vc: int | None = None,
    hypotheses: Growing | None = None,
    sides: int = 2,
) -> Guarantee:
    """``P(sup abs(risk - training error) > epsilon) <= sides min over k, t of S_(n+k) A(k, t) / B(k, t)``.

    ``A = exp(-2 n (epsilon - t)^2 k^2 / ((n + k) (k + 1)))`` and ``B = 1 - exp(-2 k t^2)``.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        The largest difference between risk and training error.
    delta : float in (0, 1), optional
        Probability of failure. Two of the three are given.
    vc : int, optional
        VC dimension; ``S`` then is Sauer's bound.
    hypotheses : class, optional
        A class that knows its growth function, instead of `vc`.
    sides : {1, 2}, default 2
        1 when only a risk above the training error counts.

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        When not exactly two are given, or one is out of range.

    Notes
    -----
    Draw k more rows. On them the error rate of a failing hypothesis is within t of its risk with
    probability B (Hoeffding), so that it differs by ``epsilon - t`` between the two samples; given the n +
    k rows in random order, one labelling does that with probability A (Serfling's inequality for draws
    without replacement), and there are S_(n+k) labellings. The best k is a few times n, and the
    exponent nearly four times that of `vc_uniform`: about a third of its rows. Cost: 700 terms for each of
    about 60 looks. Source: Devroye, Journal of Multivariate Analysis 12 (1982), where ``k = n^2 - n``;
    Serfling, Annals of Statistics 2 (1974), corollary 1.1.

    Examples
    --------
    >>> ghost_uniform(epsilon=0.05, delta=0.05, vc=11).n
    28534
    """
    log_s, words, _ = log_growth(vc, hypotheses)
    tails = check_sides(sides)
    how = "lies within {epsilon} of" if tails == 2 else "exceeds by at most {epsilon}"
    theorem = Theorem(
        "ghost_uniform",
        f"the risk of every hypothesis of {words} {how} its training error on {{n}} rows",
        (IID, ZERO_ONE, FIXED),
        "Devroye (1982), with a ghost sample of free size and Serfling's inequality",
    )

    def delta_of(m: int, e: float) -> float:
        return math.exp(min(0.0, math.log(tails) + float(log_ghost_tail(log_s, m, np.array([e]))[0])))

    return solve_for(theorem, n=n, epsilon=epsilon, delta=delta, delta_of=delta_of)


def log_ghost_tail(log_s: Callable[[int], float], n: int, epsilon: np.ndarray) -> np.ndarray:
    """``log`` of the bound on ``P(sup (risk - training error) > epsilon)``, for an array of epsilon."""
    growth = np.array([log_s(n * (1 + int(c))) for c in TIMES])[:, None, None]
    k = (n * TIMES.astype(float))[:, None, None]
    t = SHARES[:, None] * epsilon
    exponent = 2.0 * n * (epsilon - t) ** 2 * k * k / ((n + k) * (k + 1.0))
    with np.errstate(divide="ignore"):
        terms = growth - exponent - np.log(-np.expm1(-2.0 * k * t * t))
    return np.asarray(terms.min(axis=(0, 1)))
