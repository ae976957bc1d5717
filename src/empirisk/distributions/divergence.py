"""er.kl: how much one law loses when rows are taken for draws of another."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import ndtri

from empirisk.data.seeds import Seed
from empirisk.distributions.base import Distribution
from empirisk.distributions.exact import check_whole
from empirisk.distributions.lattice import counts_near
from empirisk.results import Estimate
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["kl"]

# Counts from the first one on among which one that q never draws is looked for.
_ENDS = 65_536


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
        value.  Infinite, with the reason, where p has mass outside of the support of q, or tails under which
        log q has no mean.  Else between families of densities the mean over draws, with its normal interval
        where log q has a variance under p.

    Raises
    ------
    ValueError
        A law of chances and one of densities, laws of rows of different lengths, or p with more mass next to
        an end of its support than floats can tell from it.

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
        value = p.kl(q)
        if not math.isinf(value):
            return _known(value, level, "formula of the family")
        why = _within_family(p, q) or "the divergence is beyond what floats hold (1e308)"
        return Estimate(math.inf, None, None, level, 0, "formula of the family", why)
    if not (isinstance(p, Distribution) and isinstance(q, Distribution)):
        law = q if isinstance(p, Distribution) else p
        raise ValueError(
            f"draws of the {law.title} are a mean and a matrix, and no rows: compare it with such a law of "
            "as many columns"
        )
    why = _infinite(p, q)
    if why:
        return Estimate(math.inf, None, None, level, 0, "supports and tails", why)
    if p.discrete and p.dimension == 0:
        x = counts_near(p)
        log = p.log_prob(x)
        inside = np.exp(log) > 0.0
        theirs = q.log_prob(x[inside])
        why = _never(x[inside], q)
        if why:
            return Estimate(math.inf, None, None, level, 0, f"sum over {len(x):,} counts", why)
        value = float((np.exp(log[inside]) * (log[inside] - theirs)).sum())
        return _known(value, level, f"sum over {len(x):,} counts")
    check_whole("n_draws", n_draws, 1000)
    return _mean(p, q, p.sample(int(n_draws), random_state), level)


def _known(value: float, level: float, method: str) -> Estimate:
    """Return a divergence without an error but rounding."""
    return Estimate(value, value, value, level, 0, method)


def _within_family(p: Any, q: Any) -> str:
    """Return why the formula of a family is infinite: supports, or counts and classes that q never draws."""
    if not isinstance(p, Distribution):
        return ""
    if not p.discrete:
        return _infinite(p, q)
    if p.dimension:  # all trials in one class
        x = np.rint(np.sum(p.moments()[0])) * np.eye(p.dimension)
    else:
        low, high = p.support.low, p.support.high
        x = np.arange(low, min(high, low + _ENDS) + 1.0)
        x = np.append(x, high) if math.isfinite(high) else x
    return _infinite(p, q) or _never(x[~np.isneginf(p.log_prob(x))], q)


def _never(x: Array, q: Any) -> str:
    """Return the first of some rows of which q has the chance 0, in words, or nothing where there is none."""
    never = x[np.isneginf(q.log_prob(x))]
    if not len(never):
        return ""
    row = f"{never[0]:g}" if never.ndim == 1 else np.array2string(never[0], threshold=6, precision=4)
    return f"q has the chance 0 of {row}, which lies outside of the support of q or of floats"


def _infinite(p: Any, q: Any) -> str:
    """Return why the divergence is infinite, as supports and tails tell, or nothing where they do not."""
    for mine, theirs in zip(p.supports, q.supports, strict=True):
        # Counts up to a border may have the chance 0; the sum over them tells.
        sure = not p.discrete or (math.isinf(mine.high) and p.moments()[1] > 0.0)
        if sure and (mine.low < theirs.low or mine.high > theirs.high):
            return (
                f"p has mass in {mine}, and the support of q is {theirs}: it lies outside of the support of q"
            )
    if p.moment_order <= q.growth:
        return (
            f"the tails of p are too heavy for q: -log q(x) grows like |x|^{q.growth:g}, which has no mean "
            f"under p, whose moments are finite below the order {p.moment_order:g}"
        )
    return ""


def _mean(p: Any, q: Any, x: Array, level: float) -> Estimate:
    """Return ``E (log p - log q)`` or ``-H(p) - E log q`` from draws, whichever scatters less, with its
    normal
    interval; the second alone where draws are rounded at an end of the support, where p has poles.
    """
    n, log = len(x), q.log_prob(x)
    if not np.isfinite(log).all():
        outside = int((~np.isfinite(log)).sum())
        reason = f"{outside} of {n} draws of p lie outside of the support of q"
        return Estimate(math.inf, None, None, level, n, "Monte Carlo", reason)
    rounded = _rounded(p, q, x)
    terms, gaps = -p.entropy() - log, p.log_prob(x) - log
    terms = terms if rounded or terms.std() < gaps.std() else gaps
    value = float(terms.mean())
    if p.moment_order <= 2.0 * q.growth:
        reason = (
            f"the square of log q(x) has no mean under p, whose moments are finite below the order "
            f"{p.moment_order:g}, so that the mean over draws has no normal law"
        )
        return Estimate(value, None, None, level, n, "Monte Carlo", reason)
    half = float(-ndtri(0.5 * (1.0 - level)) * terms.std(ddof=1) / math.sqrt(n))
    return Estimate(value, max(0.0, value - half), value + half, level, n, "Monte Carlo, normal interval")


def _rounded(p: Any, q: Any, x: Array) -> bool:
    """Return whether draws are rounded to the float next to an end of the support; refuse where log q changes
    there.
    """
    found = False
    for end, inner in ((p.support.low, np.inf), (p.support.high, -np.inf)):
        if not math.isfinite(end) or p.dimension:
            continue
        last = np.nextafter(end, inner)
        stuck = int((x == last).sum())
        found |= stuck > 0
        near = q.log_prob(np.array([last, end + math.copysign(1e-9, inner) * max(1.0, abs(end))]))
        if stuck and abs(near[1] - near[0]) > 1e-6:
            raise ValueError(
                f"{stuck} of {len(x)} draws of p lie nearer to {end:g} than floats can tell, and log q(x) "
                "changes there: a mean over draws would be wrong; compare members of one family"
            )
    return found


def _check(p: Any, q: Any) -> None:
    """Refuse what is no law, and two laws whose rows cannot be the same."""
    for name, law in (("p", p), ("q", q)):
        if isinstance(law, type) or not (hasattr(law, "comparable") and hasattr(law, "kl")):
            raise TypeError(f"{name} must be a law of er.distributions, got {type(law).__name__}")
    if not (isinstance(p, Distribution) and isinstance(q, Distribution)):
        return
    if p.dimension != q.dimension:
        raise ValueError(
            f"p is a law of rows of {p.dimension or 1} numbers and q of {q.dimension or 1}; compare laws of "
            "the same rows"
        )
    if p.simplex != q.simplex:
        raise ValueError(
            "the rows of one of p and q have a fixed sum and those of the other do not: neither has a "
            "density with respect to the other, and the divergence is no number"
        )
    if p.discrete != q.discrete:
        raise ValueError(
            "one of p and q gives chances to single numbers and the other a density: neither has a density "
            "with respect to the other, and the divergence is no number"
        )
