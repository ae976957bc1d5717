"""The simulated numbers of rows against exact probabilities, and the table that holds them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy import stats

import empirisk as er
from empirisk.bounds.simulation import SimulatedRows, coins, hardest_coins, hardest_rare, rare


def exact_coins(n: int, d: int, bias: float, epsilon: float) -> float:
    """P(excess risk > epsilon) by going over all counts of rows at d points."""
    k = np.arange(n + 1)
    wrong = stats.binom.cdf(np.ceil(k / 2) - 1, k, (1 + bias) / 2)
    wrong += 0.5 * np.where(k % 2 == 0, stats.binom.pmf(k // 2, k, (1 + bias) / 2), 0.0)
    total = 0.0
    for seen in product(range(n + 1), repeat=d - 1):
        if sum(seen) <= n:
            counts = (*seen, n - sum(seen))
            chance = stats.multinomial.pmf(counts, n, [1 / d] * d)
            share = np.array([1.0])
            for c in counts:
                share = np.convolve(share, [1 - wrong[c], wrong[c]])
            total += chance * share[np.arange(d + 1) * bias / d > epsilon + 1e-12].sum()
    return total


def exact_rare(n: int, d: int, mass: float, epsilon: float) -> float:
    """P(risk > epsilon): inclusion and exclusion over the unseen rare points, half of them wrong."""
    few = d - 1
    total = 0.0
    for u in range(few + 1):
        chance = math.comb(few, u) * sum(
            (-1) ** i * math.comb(few - u, i) * (1 - mass * (u + i) / few) ** n for i in range(few - u + 1)
        )
        least = math.floor(epsilon * few / mass + 1e-9) + 1
        total += chance * stats.binom.sf(least - 1, u, 0.5)
    return total


def first(failure: Callable[[int], float], delta: float) -> int:
    n = 1
    while failure(n) > delta:
        n += 1
    return n


CASES = [
    (coins, (1, 0.3, 0.1), 0.1, exact_coins),
    (coins, (2, 0.6, 0.2), 0.1, exact_coins),
    (coins, (3, 1.0, 0.4), 0.05, exact_coins),
    (rare, (4, 0.3, 0.05), 0.1, exact_rare),
    (rare, (12, 0.9, 0.1), 0.05, exact_rare),
]


@pytest.mark.parametrize(("simulate", "numbers", "delta", "exact"), CASES)
def test_simulated_rows_hold_the_exact_number(
    simulate: Callable[..., SimulatedRows],
    numbers: tuple[int, float, float],
    delta: float,
    exact: Callable[..., float],
    rng: np.random.Generator,
) -> None:
    found = simulate(*numbers, delta, rng)
    assert found.low <= first(lambda n: exact(n, *numbers), delta) <= found.high
    assert found.high - found.low <= max(4, found.n // 4)


@pytest.mark.full  # simulated
def test_no_learner_does_better_than_the_majority() -> None:
    """Two coins, three rows: every rule that maps a count of ones to a label, by enumeration."""
    n, bias = 3, 0.5
    rules = list(product([0, 1], repeat=sum(seen + 1 for seen in range(n + 1))))
    offset = np.cumsum([0, *(seen + 1 for seen in range(n))])

    def risk(rule: tuple[int, ...]) -> float:
        """Mean over the true sides of the probability that either point is wrong."""
        error = np.zeros((n + 1, 2))
        for seen, side in product(range(n + 1), (0, 1)):
            chance = stats.binom.pmf(np.arange(seen + 1), seen, (1 + bias * (2 * side - 1)) / 2)
            labels = np.array(rule[offset[seen] : offset[seen] + seen + 1])
            error[seen, side] = chance @ (labels != side)
        both = [
            stats.binom.pmf(a, n, 0.5) * (1 - (1 - error[a, s]) * (1 - error[n - a, t]))
            for a, s, t in product(range(n + 1), (0, 1), (0, 1))
        ]
        return float(np.sum(both)) / 4

    assert min(map(risk, rules)) == pytest.approx(exact_coins(n, 2, bias, bias / 4), abs=1e-12)


@pytest.mark.full  # simulated
def test_the_hardest_is_harder_than_others() -> None:
    hard = hardest_coins(5, 0.1, 0.1)
    for bias in (0.12, 0.6, 0.9):
        assert coins(5, bias, 0.1, 0.1).low < hard.high
    rarest = hardest_rare(5, 0.1, 0.1)
    for mass in (0.15, 0.45, 0.9):
        assert rare(5, mass, 0.1, 0.1).low < rarest.high
    # Both lie between what is needed and what is enough.
    assert er.bounds.lower_agnostic(epsilon=0.1, delta=0.1, vc=5).n <= hard.high
    assert hard.low < er.bounds.ghost_excess(epsilon=0.1, delta=0.1, vc=5).n
    assert er.bounds.lower_realizable(epsilon=0.1, delta=0.05, vc=5).n <= hardest_rare(5, 0.1, 0.05).high
    assert rarest.low < er.bounds.ghost_realizable(epsilon=0.1, delta=0.1, vc=5).n


def test_simulations_refuse_what_they_cannot_do() -> None:
    with pytest.raises(ValueError, match="raise delta or take fewer points"):
        coins(10**6, 0.5, 0.1, 0.05)
    for wrong, word in (
        ((0, 0.5, 0.1, 0.1), "points"),
        ((2, 1.5, 0.1, 0.1), "bias"),
        ((2, 0.5, 1, 0.1), "eps"),
    ):
        with pytest.raises(ValueError, match=word):
            coins(*wrong)


def test_sample_sizes_in_every_form() -> None:
    sizes = er.bounds.sample_sizes(vc=3, epsilon=0.1, delta=0.1)
    assert max(map(len, str(sizes).splitlines())) <= 80
    assert {r.kind for r in sizes.requirements} == {"simulated", "needed", "enough"}
    assert len(sizes.to_frame()) == len(sizes.requirements)
    assert json.loads(json.dumps(sizes.to_dict()))["requirements"][0]["goal"].startswith("Learn")
    assert all(r.by in sizes._repr_html_() for r in sizes.requirements)
    assert sizes == er.bounds.sample_sizes(vc=3, epsilon=0.1, delta=0.1), "the seed fixes the numbers"
    enough = {r.by: r.n for r in sizes.requirements if r.kind == "enough"}
    for name in ("vc_excess", "ghost_realizable", "vc_classical"):
        assert enough[name] == getattr(er.bounds, name)(vc=3, epsilon=0.1, delta=0.1).n
    half = er.bounds.fundamental_agnostic(vc=3, epsilon=0.05, delta=0.1).n
    assert enough["fundamental_agnostic"] == half


def test_sample_sizes_of_a_class_use_its_growth() -> None:
    stumps = er.hypotheses.DecisionStumps(5)
    given = {"epsilon": 0.1, "delta": 0.1, "simulate": False}
    by_class = er.bounds.sample_sizes(hypotheses=stumps, **given)
    by_dimension = er.bounds.sample_sizes(vc=stumps.vc_dimension(), **given)
    assert [r.by for r in by_class.requirements] == [r.by for r in by_dimension.requirements]
    pairs = [(a.n, b.n) for a, b in zip(by_class.requirements, by_dimension.requirements, strict=True)]
    assert all(a <= b for a, b in pairs)
    assert sum(a < b for a, b in pairs) == 8
    with pytest.raises(ValueError, match="infinite VC dimension"):
        er.bounds.sample_sizes(hypotheses=er.hypotheses.Sine())


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"vc": 3, "classes": 4}, "vc and classes"),
        ({"vc": 0}, "vc must"),
        ({"classes": 0}, "classes must"),
        ({"parameters": -1}, "parameters must"),
        ({"epsilon": 1.5}, "epsilon must"),
        ({"delta": 0}, "delta must"),
        ({"vc": 3, "loss_range": 2.0}, "loss_range must be 1"),
        ({"rate": 2.0}, "rate"),
    ],
)
def test_sample_sizes_name_what_is_wrong(given: dict[str, float], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        er.bounds.sample_sizes(**given)


def test_sample_sizes_of_hard_questions() -> None:
    tiny = er.bounds.sample_sizes(vc=11, epsilon=1e-9, delta=0.05, simulate=False)
    assert any(r.kind == "unknown" and "no n up to" in r.note for r in tiny.requirements)
    wide = er.bounds.sample_sizes(classes=100, epsilon=0.5, loss_range=5.0)
    assert {r.by for r in wide.requirements} == {
        "finite_agnostic",
        "finite_excess",
        "finite_uniform",
        "hoeffding",
    }
    rare_failure = er.bounds.sample_sizes(vc=2, epsilon=0.1, delta=1e-8)
    assert any(r.kind == "unknown" and "raise delta" in r.note for r in rare_failure.requirements)
    assert er.bounds.sample_sizes(classes=1, simulate=True).requirements
    huge = er.bounds.sample_sizes(classes=2**640, epsilon=0.1, delta=0.05, simulate=False)
    ten = er.bounds.discretisation(parameters=10, epsilon=0.1, delta=0.05)
    assert ten.n in [r.n for r in huge.requirements]
    assert "10^192.7" in huge.title


def test_what_takes_long_is_forecast_and_left_out() -> None:
    told: list[str] = []
    large = er.bounds.sample_sizes(vc=10**4, progress=told.append)
    left = [r for r in large.requirements if r.by == "simulation"]
    assert [r.kind for r in left] == ["unknown", "unknown"]
    assert all("10,000 points at delta = 0.05 would take about" in r.note for r in left)
    assert not told
    assert not any(r.kind == "simulated" for r in large.requirements)
    assert any(r.kind == "simulated" for r in er.bounds.sample_sizes(vc=2, epsilon=0.3).requirements)


def test_the_summary_names_the_most_that_is_known_to_be_needed() -> None:
    loose = er.bounds.sample_sizes(vc=3, epsilon=0.5, delta=0.05)
    assert "between 0 rows" not in loose.summary
    assert "between 4 rows (lower_realizable) and 21 (ghost_realizable), a factor of 5.2" in loose.summary
    easy = er.bounds.sample_sizes(vc=1, epsilon=0.4, delta=0.4)
    assert "65 rows are enough (ghost_excess); the hardest distribution found takes 1 row." in easy.summary
