"""Bounds from rows: simulated coverage, monotonicity, worked numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import empirisk as er
from empirisk.bounds.pac_bayes import log_moment
from empirisk.results import RiskCertificate

b = er.bounds
SURPRISE = 1e-4
DELTA = 0.1


def too_often(failures: int, reps: int, delta: float = DELTA) -> bool:
    """Whether so many failures contradict a probability of at most delta."""
    return bool(stats.binomtest(failures, reps, delta, "greater").pvalue < SURPRISE)


# One function a theorem: a sample of n rows with a known risk in, whether the bound fails out.
Draw = Callable[[np.random.Generator], tuple[RiskCertificate, float]]


def coin(bound: Callable[..., RiskCertificate], n: int, p: float, **more: Any) -> Draw:
    return lambda rng: (bound((rng.random(n) < p).astype(float), DELTA, **more), p)


def uniform(bound: Callable[..., RiskCertificate], n: int) -> Draw:
    return lambda rng: (bound(3.0 * rng.random(n), DELTA, low=0.0, high=3.0), 1.5)


def occam_picks(rng: np.random.Generator) -> tuple[RiskCertificate, float]:
    """The model with the fewest errors of 64, all of risk 0.3."""
    errors = (rng.random((64, 60)) < 0.3).astype(float)
    return b.occam(errors[errors.sum(axis=1).argmin()], math.log(64.0), DELTA), 0.3


def halves_of_the_line(rng: np.random.Generator) -> tuple[RiskCertificate, float]:
    """The smallest point with label 1 determines a threshold; labels are flipped with probability 0.2."""
    x = np.sort(rng.random(40))
    y = (x > 0.5) ^ (rng.random(40) < 0.2)
    cuts = np.flatnonzero(y)
    best = None
    for i in cuts:  # each threshold rule "1 from x_i on" is determined by one kept row
        wrong = int(((x >= x[i]) != y)[np.arange(40) != i].sum())
        risk = 0.2 + 0.6 * abs(x[i] - 0.5)
        made = b.compression(wrong, 40, 1, DELTA)
        if best is None or made.value - risk < best[0].value - best[1]:
            best = made, risk  # the threshold for which the bound is nearest to failing
    assert best is not None
    return best


def gaussian_direction(rng: np.random.Generator) -> tuple[RiskCertificate, float]:
    """Random labels: whatever w is found, every classifier errs half of the time, also the randomised one."""
    X = rng.normal(size=(50, 3))
    y = np.where(rng.random(50) < 0.5, 1.0, -1.0)
    return b.pac_bayes_linear(X, y, y @ X, DELTA), 0.5


def moved_prior(rng: np.random.Generator) -> tuple[RiskCertificate, float]:
    """The same with a prior found on 50 other rows of random labels."""
    X = rng.normal(size=(100, 3))
    y = np.where(rng.random(100) < 0.5, 1.0, -1.0)
    return b.pac_bayes_linear(X[50:], y[50:], y[50:] @ X[50:], DELTA, prior_mean=y[:50] @ X[:50]), 0.5


def heavy_vote(bound: str) -> Draw:
    """Nine members that err together with probability 0.1 and alone with 0.05, measured on fresh rows."""

    def run(rng: np.random.Generator) -> tuple[RiskCertificate, float]:
        n = 400
        wrong = (rng.random((1, n)) < 0.1) | (rng.random((9, n)) < 0.05)
        alone = stats.binom.sf(4, 9, 0.05)
        risk = 0.1 + 0.9 * float(alone)
        gibbs = float(wrong.mean())
        tandem = float((wrong.astype(float) @ wrong.T.astype(float)).mean()) / n
        if bound == "first_order_vote":
            return b.first_order_vote(gibbs, n, DELTA), risk
        if bound == "tandem_vote":
            return b.tandem_vote(tandem, n, DELTA), risk
        return b.c_bound(gibbs, 2.0 * (gibbs - tandem), n, n, DELTA), risk

    return run


def neighbours_of_noise(rng: np.random.Generator) -> tuple[RiskCertificate, float]:
    """Labels independent of x, P(1) = 0.3: the risk of 1-NN given the sample is exact for x on 12 points."""
    n, points = 200, 400
    x = rng.integers(points, size=n) + rng.random(n) * 1e-6
    y = rng.random(n) < 0.3
    order = np.argsort(x)
    xs, ys = x[order], y[order]
    gap = np.diff(xs)
    left = np.concatenate([[np.inf], gap]) <= np.concatenate([gap, [np.inf]])
    near = np.where(left, np.arange(n) - 1, np.arange(n) + 1)
    wrong = (ys[near] != ys).astype(float)
    grid = np.arange(points) + 5e-7
    ones = ys[np.abs(grid[:, None] - xs).argmin(axis=1)].mean()
    return b.neighbors_leave_one_out(wrong, 1, 0.5), float(0.7 * ones + 0.3 * (1.0 - ones))


DRAWS: dict[str, Draw] = {
    "held_out_binomial": coin(b.held_out_binomial, 40, 0.1),
    "held_out_kl": coin(b.held_out_kl, 40, 0.1),
    "held_out_hoeffding": coin(b.held_out_hoeffding, 40, 0.5),
    "held_out_bernstein": coin(b.held_out_bernstein, 40, 0.5),
    "held_out_kl in a range": uniform(b.held_out_kl, 20),
    "held_out_hoeffding in a range": uniform(b.held_out_hoeffding, 20),
    "held_out_bernstein in a range": uniform(b.held_out_bernstein, 20),
    "occam": occam_picks,
    "compression": halves_of_the_line,
    "pac_bayes_linear": gaussian_direction,
    "pac_bayes_linear moved": moved_prior,
    "first_order_vote": heavy_vote("first_order_vote"),
    "tandem_vote": heavy_vote("tandem_vote"),
    "c_bound": heavy_vote("c_bound"),
    "neighbors_leave_one_out": neighbours_of_noise,
}


@pytest.mark.parametrize("name", DRAWS)
def test_fails_at_most_as_often_as_it_says(name: str, rng: np.random.Generator) -> None:
    reps = 25 if name.startswith("pac_bayes") else 300
    made = [DRAWS[name](rng) for _ in range(reps)]
    delta = made[0][0].delta
    assert delta is not None
    assert not too_often(sum(risk > bound.value for bound, risk in made), reps, delta)
    assert not all(bound.vacuous for bound, _ in made), "a vacuous bound cannot fail"


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWS)
def test_fails_at_most_as_often_as_it_says_in_many_samples(name: str, rng: np.random.Generator) -> None:
    reps = 1000 if name.startswith("pac_bayes") else 6000
    made = [DRAWS[name](rng) for _ in range(reps)]
    delta = made[0][0].delta
    assert delta is not None
    assert not too_often(sum(risk > bound.value for bound, risk in made), reps, delta)


def test_the_exact_bound_fails_about_as_often_as_it_says() -> None:
    """No slack: for the worst p the exact bound fails at nearly the rate delta (else it is too wide)."""
    n, p = 40, np.linspace(0.02, 0.6, 200)
    upper = np.array([b.binomial_upper(k, n, math.log(DELTA)) for k in range(n + 1)])
    rate = np.array([stats.binom.pmf(np.arange(n + 1), n, x)[upper < x].sum() for x in p])
    assert rate.max() <= DELTA
    assert rate.max() > 0.9 * DELTA


def test_pac_bayes_coverage_over_all_posteriors(rng: np.random.Generator) -> None:
    """Three fixed models, and of 60 posteriors the one nearest to failing: it holds for all at once."""
    risks, n, reps, failures = np.array([0.1, 0.3, 0.5]), 50, 2000, 0
    weights = rng.dirichlet(np.ones(3) * 0.4, size=60)
    divergence = stats.entropy(weights, np.full((1, 3), 1 / 3), axis=1)
    for _ in range(reps // 20):
        seen = rng.binomial(n, risks, size=(20, 3)) / n
        for row in seen:
            over = np.flatnonzero(weights @ risks > weights @ row)
            budget = [
                b.binary_kl(float(weights[i] @ row), float(weights[i] @ risks)) * n - divergence[i]
                for i in over
            ]
            failures += bool(budget) and max(budget) > log_moment(n) - math.log(DELTA)
    assert not too_often(failures, reps)


@pytest.mark.parametrize(
    "bound", ["held_out_kl", "held_out_hoeffding", "held_out_bernstein", "held_out_binomial"]
)
def test_more_rows_fewer_errors_larger_delta_give_a_smaller_bound(bound: str) -> None:
    f = getattr(b, bound)

    def value(k: int, n: int, delta: float = 0.05, **more: Any) -> float:
        return float(f([1.0] * k + [0.0] * (n - k), delta, **more).value)

    assert value(10, 100) > value(20, 200) > value(200, 2000) > 0.1
    assert value(10, 100) < value(11, 100)
    assert value(10, 100, 0.2) < value(10, 100, 0.01)
    assert value(10, 100, candidates=20) == pytest.approx(value(10, 100, 0.05 / 20))


def test_the_exact_bound_is_the_shortest_and_hoeffding_longer_than_kl() -> None:
    for k, n in ((0, 20), (3, 50), (120, 400)):
        losses = [1.0] * k + [0.0] * (n - k)
        exact, kl, plain = (
            getattr(b, f"held_out_{m}")(losses).value for m in ("binomial", "kl", "hoeffding")
        )
        assert exact <= kl * (1 + 1e-12) < plain  # equal without errors
    varied = b.held_out_bernstein([0.02] * 2000).value
    assert varied < b.held_out_kl([0.02] * 2000).value  # no variance at all


def test_worked_numbers() -> None:
    # Hoeffding with n = 100, delta = 0.05: sqrt(log(20)/200).
    assert b.held_out_hoeffding([0.0] * 100).value == pytest.approx(0.12238734153404082, rel=1e-12)
    # No error on n rows: 1 - delta^(1/n); "rule of three".
    assert b.held_out_binomial([0.0] * 100).value == pytest.approx(1 - 0.05 ** (1 / 100), rel=1e-12)
    # Mitchell, Machine Learning (1997), section 7.3.2: 140 rows for conjunctions of up to 10 literals,
    # risk 0.1, delta 0.05; with 139.8 rows (exp(-n eps) bound) the risk is 0.1, the exact tail is shorter.
    assert b.occam([0.0] * 140, 10 * math.log(3.0)).value < 0.1
    assert b.occam([0.0] * 132, 10 * math.log(3.0)).value > 0.1
    # Maurer-Pontil for a constant loss: only the last term stays.
    assert b.held_out_bernstein([0.5] * 101).value == pytest.approx(0.5 + 7 * math.log(40) / 300, rel=1e-12)


@pytest.mark.parametrize(
    "bound", ["held_out_kl", "held_out_hoeffding", "held_out_bernstein", "held_out_binomial"]
)
def test_wrong_losses_are_refused(bound: str) -> None:
    f = getattr(b, bound)
    for losses, delta, word in (
        ([], 0.1, "at least one row"),
        ([[0.1]], 0.1, "shape"),
        ([0.0, 1.5], 0.1, "row 1"),
        ([0.0, math.nan], 0.1, "row 1"),
        ([0.0, 1.0], 0.0, "delta"),
        ([0.0, 1.0], 1.0, "delta"),
    ):
        with pytest.raises(ValueError, match=word):
            f(losses, delta)
    with pytest.raises(ValueError, match="candidates"):
        f([0.0, 1.0], 0.1, candidates=0)
    if bound != "held_out_binomial":
        with pytest.raises(ValueError, match="low must be smaller"):
            f([0.0, 1.0], 0.1, low=1.0, high=0.0)
    else:
        with pytest.raises(ValueError, match="0 or 1 here"):
            f([0.0, 0.5], 0.1)
