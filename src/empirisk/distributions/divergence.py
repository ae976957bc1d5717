"""er.kl: how much one law loses when rows are taken for draws of another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtri

from empirisk.data.seeds import Seed
from empirisk.distributions.base import Distribution
from empirisk.distributions.exact import check_level, check_whole
from empirisk.distributions.lattice import counts_near
from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["kl"]


def kl(p: Any, q: Any, *, n_draws: int = 100_000, level: float = 0.95, random_state: Seed = 0) -> Estimate:
    """Return the Kullback-Leibler divergence ``E_p log(p(x) / q(x))`` in nats.

    Parameters
    ----------
    p, q : Distribution
        Laws of rows of the same shape, both with chances or both with densities.
    n_draws : int, default 100000
        Draws of p, at least 1000, between families of densities.
    level : float in (0, 1), default 0.95
        Of the interval that the draws give.
    random_state : int, Generator or RandomState, default 0
        Seed of the draws.

    Returns
    -------
    Estimate
        Within a family, by its formula; between laws of counts, a sum over the counts: both ends are then the
        value.  Between families of densities, the mean over draws and its normal interval; infinite where a
        draw lies outside of the support of q.

    Raises
    ------
    ValueError
        A law of chances and one of densities, or laws of rows of different lengths.

    Examples
    --------
    >>> from empirisk.distributions import Gaussian, Laplace
    >>> kl(Gaussian(0.0, 1.0), Gaussian(1.0, 1.0)).value
    0.5
    >>> print(kl(Gaussian(0.0, 1.0), Laplace(0.0, 1.0)))
    0.0720 [0.0704, 0.0737]
    """
    _check(p, q)
    check_level(level)
    if type(p) is type(q) and p.comparable(q):
        return _known(p.kl(q), level, "formula of the family")
    if p.discrete and p.dimension == 0:
        x = counts_near(p)
        log = p.log_prob(x)
        inside = np.exp(log) > 0.0
        value = float((np.exp(log[inside]) * (log[inside] - q.log_prob(x[inside]))).sum())
        return _known(value, level, f"sum over {len(x):,} counts")
    check_whole("n_draws", n_draws, 1000)
    x = p.sample(int(n_draws), random_state)
    return _mean(p.log_prob(x) - q.log_prob(x), level)


def _known(value: float, level: float, method: str) -> Estimate:
    """Return a divergence without an error but rounding."""
    return Estimate(value, value, value, level, 0, method)


def _mean(gaps: Array, level: float) -> Estimate:
    """Return the mean of the draws with its normal interval."""
    n = len(gaps)
    if not np.isfinite(gaps).all():
        outside = int((~np.isfinite(gaps)).sum())
        reason = f"{outside} of {n} draws of p lie outside of the support of q"
        return Estimate(math.inf, None, None, level, n, "Monte Carlo", reason)
    value = float(gaps.mean())
    half = float(-ndtri(0.5 * (1.0 - level)) * gaps.std(ddof=1) / math.sqrt(n))
    return Estimate(value, max(0.0, value - half), value + half, level, n, "Monte Carlo, normal interval")


def _check(p: Any, q: Any) -> None:
    """Refuse what is no law, and two laws whose rows cannot be the same."""
    for name, law in (("p", p), ("q", q)):
        if not isinstance(law, Distribution):
            raise TypeError(f"{name} must be a law of er.distributions, got {type(law).__name__}")
    if p.dimension != q.dimension:
        raise ValueError(
            f"p is a law of rows of {p.dimension or 1} numbers and q of {q.dimension or 1}; compare laws of "
            "the same rows"
        )
    if p.discrete != q.discrete:
        raise ValueError(
            "one of p and q gives chances to single numbers and the other a density: neither has a density "
            "with respect to the other, and the divergence is no number"
        )
