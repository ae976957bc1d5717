"""The Bayes risk of a known law: in closed form, by a sum, by cells of one number, or from its own draws.

Devroye, Gyorfi and Lugosi, A Probabilistic Theory of Pattern Recognition (1996), chapter 2: with posterior
chances ``P(k | x)`` and costs c the least risk is ``E min_a sum_k c_ka P(k | x)``.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from empirisk.bounds import empirical_bernstein
from empirisk.estimators.bayes.joint_law import JointLaw
from empirisk.estimators.bayes.risk_of_cells import LEVELS, risk_of_cells
from empirisk.results import Certificate, Estimate, Kind
from empirisk.typing import Array

__all__ = ["bayes_risk", "drawn", "posterior"]

CHUNK = 16_384  # draws that are judged at a time
TARGET = "the Bayes risk"


def bayes_risk(
    law: JointLaw, costs: Array, n_draws: int, level: float, seed: int
) -> tuple[Estimate, Certificate]:
    """Return the least risk of all rules under a law, and what is known of its error.

    Parameters
    ----------
    law : JointLaw
    costs : array, shape (K, K)
        Of saying the second class for rows of the first.
    n_draws : int
        Draws where nothing exact is known.
    level : float in (0, 1)
        Of the interval from draws.
    seed : int
    """
    for route in (two_gaussians, summed, by_cells):
        found = route(law, costs)
        if found is not None:
            return found
    return drawn(law, costs, n_draws, level, seed)


def posterior(joint: Array) -> Array:
    """Return posterior chances from ``log pi_k + log p_k(x)``; zeros where all densities are 0.

    Examples
    --------
    >>> posterior(np.log([[0.2, 0.6], [1e-300, 3e-300]])).round(2).tolist()
    [[0.25, 0.75], [0.25, 0.75]]
    """
    top = joint.max(axis=1, keepdims=True)
    share = np.exp(joint - np.where(np.isfinite(top), top, 0.0))
    total = share.sum(axis=1, keepdims=True)
    return np.asarray(share / np.where(total > 0.0, total, 1.0))


def exactly(
    value: float, error: float, costs: Array, method: str, claim: str
) -> tuple[Estimate, Certificate]:
    """Return a risk that is known but for an error, by which it may be smaller, and no less than any cost."""
    certificate = Certificate(Kind.EXACT, max(error, 0.0), 1.0, f"exact: {claim}")
    return Estimate(
        value, max(value - certificate.value, float(costs.min())), value, 1.0, 0, method, target=TARGET
    ), certificate


def two_gaussians(law: JointLaw, costs: Array) -> tuple[Estimate, Certificate] | None:
    """Return ``a Phi(-D/2 - t/D) + b Phi(-D/2 + t/D)`` with ``t = log(a/b)`` for Gaussians of one covariance.

    D is the distance of the means by Mahalanobis, and ``a = pi_0 (c_01 - c_00)``, ``b = pi_1 (c_10 - c_11)``.
    """
    first, second = law.laws[0], law.laws[-1]
    known = len(law.laws) == 2 and callable(getattr(first, "separation", None))
    D = first.separation(second) if known else None
    a = float(law.priors[0] * (costs[0, 1] - costs[0, 0]))
    b = float(law.priors[1] * (costs[1, 0] - costs[1, 1]))
    if D is None or (max(a, b) < 0.0 and D > 0.0):
        return None
    more = min(a, b)  # where one answer is the best one everywhere
    if D > 0.0 and more > 0.0:
        t = math.log(a) - math.log(b)
        more = a * float(ndtr(-0.5 * D - t / D)) + b * float(ndtr(-0.5 * D + t / D))
    value = float(law.priors @ costs.diagonal()) + more
    claim = f"the Bayes risk of two Gaussians {D:.4g} standard deviations apart has a closed form"
    return exactly(value, 0.0, costs, "closed form", claim)


def summed(law: JointLaw, costs: Array) -> tuple[Estimate, Certificate] | None:
    """Return ``sum_x min_a sum_k c_ka pi_k P_k(x)`` where the laws can list their rows."""
    lists = [rows for p in law.laws if (rows := getattr(p, "atoms", lambda: None)()) is not None]
    if len(lists) < len(law.laws):
        return None
    rows = np.unique(np.concatenate([np.reshape(r, (len(r), -1)) for r in lists]), axis=0)
    chance = np.exp(law.log_joint(rows))
    left = float(np.abs(law.priors - chance.sum(axis=0)).sum()) * float(np.ptp(costs))
    value = float((chance @ costs).min(axis=1).sum())
    claim = f"the Bayes risk is a sum over {len(rows):,} rows, which misses {left:.1g}"
    return exactly(value, left, costs, "sum over all rows", claim)


def by_cells(law: JointLaw, costs: Array) -> tuple[Estimate, Certificate] | None:
    """Return the risk of laws of one number with distribution functions, from the masses of cells."""
    able = all(callable(getattr(p, name, None)) for p in law.laws for name in ("cdf", "quantile"))
    if law.columns != 1 or not able or any(getattr(p, "discrete", False) for p in law.laws):
        return None
    borders = np.unique(np.concatenate([np.asarray(p.quantile(LEVELS)) for p in law.laws]))

    def masses(t: Array) -> Array:
        """Return ``pi_k P_k(x <= t)`` at points t, a column for each class."""
        return np.stack([pi * p.cdf(t) for pi, p in zip(law.priors, law.laws, strict=True)], axis=1)

    value, left = risk_of_cells(
        borders[np.isfinite(borders)], masses, lambda t: posterior(law.log_joint(t[:, None])), costs
    )
    claim = (
        f"the Bayes risk is not above this risk of a rule, and below it by at most {left:.1g} if posterior "
        "chances move within a cell no more than thrice what its ends and middle show"
    )
    return exactly(value, left, costs, "masses of cells", claim)


def drawn(law: JointLaw, costs: Array, n_draws: int, level: float, seed: int) -> tuple[Estimate, Certificate]:
    """Return the mean of ``min_a sum_k c_ka P(k | x)`` over draws of x, with an interval.

    The label of a draw is not used: the mean over labels varies less than counts of errors do.
    """
    rng = np.random.default_rng(seed)
    told = np.empty(n_draws)
    for a in range(0, n_draws, CHUNK):
        X, _ = law.sample(min(CHUNK, n_draws - a), rng)
        told[a : a + CHUNK] = (posterior(law.log_joint(X)) @ costs).min(axis=1)
    value, low, high = float(told.mean()), float(costs.min()), float(costs.max(axis=0).min())
    error = float(told.std(ddof=1)) / math.sqrt(n_draws)
    half = 0.0
    if high > low:
        spread = min(float(told.var(ddof=1)), 0.5 * (high - low) ** 2)
        half = empirical_bernstein(
            n=n_draws, delta=1.0 - level, variance=spread, low=low, high=high, sides=2
        ).epsilon
    ends = (max(value - half, low), min(value + half, high))
    method = "draws of the law, bound of Maurer and Pontil"
    claim = f"Monte-Carlo: the Bayes risk is a mean over {n_draws:,} draws (standard error {error:.2g})"
    estimate = Estimate(value, *ends, level, n_draws, method, target=TARGET)
    return estimate, Certificate(Kind.MONTE_CARLO, error, 1.0, claim)
