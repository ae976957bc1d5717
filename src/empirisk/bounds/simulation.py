"""Rows that empirical risk minimisation needs on distributions where its risk is known, by simulation."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from empirisk.bounds.base import check_count, check_real
from empirisk.bounds.search import MAX_ROWS
from empirisk.data.brief import Brief
from empirisk.data.seeds import Seed, generator_of

__all__ = ["SimulatedRows", "coins", "hardest_coins", "hardest_rare", "rare", "seconds"]

# Draws of one look at one number of rows: samples times points.  A small delta may take ten times as many.
BUDGET = 600_000

# Seconds of one simulation with so many draws at each look, measured.
SECONDS = 1.5

Simulate = Callable[[int, int, np.random.Generator], np.ndarray]


@dataclass(frozen=True, repr=False)
class SimulatedRows(Brief):
    """The number of rows at which the excess risk is at most epsilon in a share ``1 - delta`` of samples.

    Parameters
    ----------
    n : int
        Where the simulated share of failures crosses delta.
    low, high : int
        At `low` it is above delta and at `high` below, each beyond the Monte-Carlo error (97.5 %).
    samples : int
        Samples drawn at each number of rows.
    distribution : str
        What was simulated.

    Examples
    --------
    >>> found = coins(points=1, bias=0.2, epsilon=0.1, delta=0.05)
    >>> found.low <= 65 <= found.high
    True
    """

    n: int
    low: int
    high: int
    samples: int
    distribution: str

    def __str__(self) -> str:
        return f"{self.n:,} [{self.low:,}, {self.high:,}] rows: {self.distribution}"


def coins(points: int, bias: float, epsilon: float, delta: float, random_state: Seed = 0) -> SimulatedRows:
    """Rows for ERM on d equally likely points with noisy labels: ``P(y = b_i | x_i) = (1 + bias)/2``.

    The class labels the points in every way, so that ERM is the majority of each point (a fair coin for
    ties and unseen points) and its excess risk is ``bias * wrong points / d``.

    Parameters
    ----------
    points : int >= 1
        d, the VC dimension.
    bias : float in (0, 1]
        1 for labels without noise.
    epsilon : float in (0, 1)
        Excess risk.
    delta : float in (0, 1)
        Share of samples in which the excess risk may be larger.
    random_state : int, Generator, RandomState or None, default 0
        Of the samples.

    Returns
    -------
    SimulatedRows

    Raises
    ------
    ValueError
        When a parameter is out of range.

    Notes
    -----
    Given the rows, the labels of the points are independent under uniformly drawn b, and the majority is the
    likelier one; so no learner has a smaller probability of failure, averaged over b, and by symmetry the
    majority's is the same for every b. Fewer rows therefore fail for every learner on some b: the result
    is a lower bound on what any learner needs, up to the Monte-Carlo error. Cost: about 25 looks of 0.6
    million draws, a few seconds.
    """
    d, share = check_count(points, "points"), check_real(bias, "bias", 0.0, 1.0 + 1e-12)
    tolerance = check_real(epsilon, "epsilon", 0.0, 1.0)

    def failures(n: int, samples: int, rng: np.random.Generator) -> np.ndarray:
        seen = rng.multinomial(n, np.full(d, 1.0 / d), size=samples)
        wrong = _minority(rng.binomial(seen, (1.0 + share) / 2.0), seen, rng)
        return np.asarray(share * wrong.sum(axis=1) / d > tolerance * (1.0 + 1e-12))

    noise = 50.0 * (1.0 - share)
    few = "1 point" if d == 1 else f"{d:,} points"
    words = f"{few}, {noise:.3g} % of the labels wrong" if share < 1.0 else f"{few}, no noise"
    return _crossing(failures, d, delta, words, random_state)


def rare(points: int, mass: float, epsilon: float, delta: float, random_state: Seed = 0) -> SimulatedRows:
    """Rows for ERM without label noise on one common point and d - 1 rare ones that share a `mass`.

    The class labels the points in every way; the learner errs on half of the points that it has not seen.

    Parameters
    ----------
    points : int >= 2
        d, the VC dimension.
    mass : float in (0, 1]
        Probability of the rare points together.
    epsilon : float in (0, 1)
        Risk.
    delta : float in (0, 1)
        Share of samples in which the risk may be larger.
    random_state : int, Generator, RandomState or None, default 0
        Of the samples.

    Returns
    -------
    SimulatedRows

    Raises
    ------
    ValueError
        When a parameter is out of range.

    Notes
    -----
    As in `coins`, no learner does better on average over the labellings. Cost: as there.
    """
    d, share = check_count(points, "points", 2), check_real(mass, "mass", 0.0, 1.0 + 1e-12)
    tolerance = check_real(epsilon, "epsilon", 0.0, 1.0)
    few = d - 1

    def failures(n: int, samples: int, rng: np.random.Generator) -> np.ndarray:
        drawn = rng.binomial(n, min(1.0, share), size=samples)
        seen = rng.multinomial(drawn, np.full(few, 1.0 / few))
        wrong = rng.binomial((seen == 0).sum(axis=1), 0.5)
        return np.asarray(share * wrong / few > tolerance * (1.0 + 1e-12))

    words = f"{few:,} rare points of mass {share:.3g} together and a common one, no noise"
    return _crossing(failures, d, delta, words, random_state)


def hardest_coins(points: int, epsilon: float, delta: float, random_state: Seed = 0) -> SimulatedRows:
    """`coins` with the bias for which most rows are needed.

    Parameters
    ----------
    points : int >= 1
        d, the VC dimension.
    epsilon, delta : float in (0, 1)
        Excess risk, and the share of samples that may exceed it.
    random_state : int, Generator, RandomState or None, default 0
        Of the samples.

    Returns
    -------
    SimulatedRows

    Notes
    -----
    A failure is ``j`` wrong points at a bias just above ``epsilon d / j``; j is chosen by the normal
    approximation, the rows by simulation.
    """
    d, tolerance = check_count(points, "points"), check_real(epsilon, "epsilon", 0.0, 1.0)
    j, wrong = _wrong_share(d, tolerance, check_real(delta, "delta", 0.0, 1.0))
    bias = np.minimum(1.0, tolerance * d / j)
    z = np.maximum(0.0, -special.ndtri(wrong))
    rows = d * np.maximum(z**2 * (1.0 - bias**2) / bias**2, -np.log(2.0 * np.minimum(wrong, 0.5)))
    worst = float(bias[int(np.argmax(rows))])
    return coins(d, min(1.0, worst * (1.0 + 1e-9)), tolerance, delta, random_state)


def hardest_rare(points: int, epsilon: float, delta: float, random_state: Seed = 0) -> SimulatedRows:
    """`rare` with the mass for which most rows are needed.

    Parameters
    ----------
    points : int >= 2
        d, the VC dimension.
    epsilon, delta : float in (0, 1)
        Risk, and the share of samples that may exceed it.
    random_state : int, Generator, RandomState or None, default 0
        Of the samples.

    Returns
    -------
    SimulatedRows
    """
    d, tolerance = check_count(points, "points", 2), check_real(epsilon, "epsilon", 0.0, 1.0)
    j, wrong = _wrong_share(d - 1, tolerance, check_real(delta, "delta", 0.0, 1.0))
    rows = -j * np.log(2.0 * np.minimum(wrong, 0.5))
    mass = tolerance * (d - 1) / float(j[int(np.argmax(rows))])
    return rare(d, min(1.0, mass * (1.0 + 1e-9)), tolerance, delta, random_state)


def _wrong_share(d: int, epsilon: float, delta: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers j of wrong points; error rates of a point that make j of d wrong with probability
    delta.
    """
    first = max(1, math.ceil(epsilon * d * (1.0 - 1e-12)))
    j = np.arange(first, d + 1, dtype=np.float64)
    return j, special.betaincinv(j, d - j + 1.0, delta)


def _minority(right: np.ndarray, seen: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return whether the majority is on the wrong side; a fair coin for ties."""
    tie = 2 * right == seen
    return np.asarray((2 * right < seen) | (tie & (rng.random(seen.shape) < 0.5)))


def samples_of(points: int, delta: float) -> int:
    """Samples at each number of rows."""
    # Where the share of failures is delta at least 20 samples fail on average: their number is then known to
    # about a quarter of itself.
    return max(int(np.clip(BUDGET // points, 400, 10_000)), math.ceil(20.0 / delta))


def seconds(points: int, delta: float) -> float:
    """Return a forecast of what one simulation takes."""
    return SECONDS * samples_of(points, delta) * points / BUDGET


def _crossing(failures: Simulate, d: int, delta: float, words: str, random_state: Seed) -> SimulatedRows:
    """Where the share of failures falls below delta: doubling, bisection, and two limits beyond the error."""
    risk = check_real(delta, "delta", 0.0, 1.0)
    rng = generator_of(random_state)
    samples = samples_of(d, risk)
    if samples * d > 10 * BUDGET:
        raise ValueError(
            f"{samples:,} samples of {d:,} points are too many to simulate: raise delta or take fewer points."
        )

    def count(n: int) -> int:
        return int(failures(n, samples, rng).sum())

    high = 1
    while count(high) > risk * samples:
        high *= 2
        if high > MAX_ROWS:
            raise ValueError("no sample that can be simulated is large enough: raise epsilon or delta.")
    low = high // 2
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (middle, high) if count(middle) > risk * samples else (low, middle)
    n = high
    return SimulatedRows(
        n, _beyond(count, n, samples, risk, -1), _beyond(count, n, samples, risk, 1), samples, words
    )


def _beyond(count: Callable[[int], int], n: int, samples: int, risk: float, sign: int) -> int:
    """Return the nearest number of rows whose share of failures differs from `risk` beyond its error."""
    step = max(1, n // 200)
    while True:
        at = n + sign * step
        if at < 1:
            return 0
        k = count(at)
        # One-sided binomial test at 2.5 %: P(at least k), or at most k, failures if their share were delta.
        tail = (
            special.bdtr(k, samples, risk) if sign > 0 else special.bdtrc(k - 1, samples, risk) if k else 1.0
        )
        if tail <= 0.025:
            return at
        step = math.ceil(1.5 * step)
