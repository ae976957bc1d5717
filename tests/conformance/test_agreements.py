"""What every agreement of partitions owes: its definition, its exact mean by chance, and names of labels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn import metrics

import empirisk as er
from empirisk.partitions.agreements import REGISTRY
from empirisk.partitions.agreements.base import margins
from empirisk.partitions.drawn_tables import permuted
from tests.oracles.complete import complete


def table(a: Any, b: Any) -> Any:
    """Count the rows with each pair of labels, one by one."""
    out = np.zeros((max(a) + 1, max(b) + 1), dtype=int)
    for i, j in zip(a, b, strict=True):
        out[i, j] += 1
    return out


def _information(a: Any, b: Any) -> tuple[float, float, float]:
    """Return H(a), H(b) and I(a, b) from frequencies of single rows."""
    n = len(a)
    pa, pb = ({v: list(c).count(v) / n for v in set(c)} for c in (a, b))
    both = {v: list(zip(a, b, strict=True)).count(v) / n for v in zip(a, b, strict=True)}
    mutual = sum(p * math.log(p / (pa[i] * pb[j])) for (i, j), p in both.items())
    return *(-sum(p * math.log(p) for p in q.values()) for q in (pa, pb)), mutual


def _over_permutations(value: Callable[[Any, Any], float], a: Any, b: Any) -> float:
    every = [value(a, moved) for moved in itertools.permutations(b)]
    return sum(every) / len(every)


def _rand(a: Any, b: Any) -> float:
    pairs = itertools.combinations(range(len(a)), 2)
    return float(sum((a[i] == a[j]) == (b[i] == b[j]) for i, j in pairs))


def adjusted_rand(a: Any, b: Any) -> float:
    """Correct the count of pairs treated alike by its mean over all permutations; the maximum is Hubert's."""
    n, mean = len(a), _over_permutations(_rand, a, b)
    together = [sum(c[i] == c[j] for i, j in itertools.combinations(range(n), 2)) for c in (a, b)]
    # Alike at most: (A + B)/2 pairs together in both, and as many apart as that allows.
    most = math.comb(n, 2) - sum(together) + 2.0 * (0.5 * sum(together))
    return (_rand(a, b) - mean) / (most - mean)


def adjusted_mutual_information(a: Any, b: Any) -> float:
    """Correct the mutual information by its mean over all permutations."""
    mean = _over_permutations(lambda x, y: _information(x, y)[2], a, b)
    one, other, mutual = _information(a, b)
    return (mutual - mean) / (0.5 * (one + other) - mean)


def variation_of_information(a: Any, b: Any) -> float:
    """Add what each partition leaves open of the other."""
    one, other, mutual = _information(a, b)
    return one + other - 2.0 * mutual


DEFINITIONS: dict[str, Callable[[Any, Any], float]] = {
    "adjusted_rand": adjusted_rand,
    "adjusted_mutual_information": adjusted_mutual_information,
    "variation_of_information": variation_of_information,
}
PEERS = {
    "adjusted_rand": metrics.adjusted_rand_score,
    "adjusted_mutual_information": metrics.adjusted_mutual_info_score,
}
TINY = [
    ([0, 0, 1, 1, 2, 2, 2], [0, 0, 1, 1, 1, 0, 0]),
    ([0, 1, 1, 1, 0], [0, 0, 0, 1, 2]),
    ([0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]),
]
EACH = pytest.mark.parametrize("name", sorted(REGISTRY))


def test_every_agreement_has_a_definition() -> None:
    complete(DEFINITIONS, REGISTRY, "a definition", "DEFINITIONS in this file")


@EACH
@pytest.mark.parametrize(("a", "b"), TINY)
def test_the_value_and_its_mean_are_those_of_all_permutations(name: str, a: Any, b: Any) -> None:
    agreement = REGISTRY[name]()
    found = float(agreement.of_tables(table(a, b)))
    assert found == pytest.approx(DEFINITIONS[name](a, b), abs=1e-12)
    every = [float(agreement.of_tables(table(a, moved))) for moved in itertools.permutations(b)]
    assert agreement.expected(table(a, b)) == pytest.approx(np.mean(every), abs=1e-12)


@EACH
def test_values_agree_with_a_peer_on_many_rows(name: str, rng: np.random.Generator) -> None:
    if name not in PEERS:
        pytest.skip("scikit-learn has none")
    a, b = rng.integers(0, 7, 3000), rng.integers(0, 5, 3000)
    b[:1500] = a[:1500] % 5
    assert float(REGISTRY[name]().of_tables(table(a, b))) == pytest.approx(PEERS[name](a, b), rel=1e-9)


@EACH
def test_equal_partitions_and_trivial_ones(name: str) -> None:
    agreement = REGISTRY[name]()
    perfect = 1.0 if agreement.greater_is_better else 0.0
    for t in (np.diag([3, 4, 1]), np.array([[6]]), np.eye(5, dtype=int)):
        assert float(agreement.of_tables(t)) == pytest.approx(perfect, abs=1e-12)
    assert np.isfinite(float(agreement.of_tables(np.array([[3, 3]])))), "one partition is a single cluster"
    assert np.isfinite(agreement.expected(np.array([[3, 3]])))


@EACH
def test_many_tables_are_one_call_and_names_are_nothing(name: str, rng: np.random.Generator) -> None:
    agreement = REGISTRY[name]()
    tables = rng.integers(0, 9, size=(4, 3, 2)) + 1
    found = agreement.of_tables(tables)
    for t, value in zip(tables, found, strict=True):
        assert float(agreement.of_tables(t)) == pytest.approx(value, abs=1e-12)
        assert float(agreement.of_tables(t.T)) == pytest.approx(value, abs=1e-12)
        assert float(agreement.of_tables(t[::-1])) == pytest.approx(value, abs=1e-12)
        wider = np.pad(t, ((0, 1), (0, 2)))
        assert float(agreement.of_tables(wider)) == pytest.approx(value, abs=1e-12)


@EACH
def test_counts_in_any_order_are_enough(name: str, rng: np.random.Generator) -> None:
    agreement, t = REGISTRY[name](), table(rng.integers(0, 5, 40), rng.integers(0, 4, 40))
    cells, rows, columns = margins(t)
    value = float(agreement.of_tables(t))
    full = rng.permutation(cells[cells > 0])
    assert float(agreement.of_counts(full, rows, columns)) == pytest.approx(value, abs=1e-12)
    two = agreement.of_resampled(np.stack([cells, cells]), np.stack([rows, rows]), np.stack([columns] * 2))
    np.testing.assert_allclose(two, [value, value], atol=1e-12)


def labels(kind: str, rng: np.random.Generator, n: int = 60) -> Any:
    """Draw the labels of n rows."""
    return {
        "one cluster": np.zeros(n, dtype=int),
        "two clusters": rng.integers(0, 2, n),
        "ten clusters": rng.integers(0, 10, n),
        "a rare cluster": (np.arange(n) == 3).astype(int),
        "many small clusters": np.arange(n) // 2,
        "single rows": np.arange(n),
    }[kind]


KINDS = [
    "one cluster",
    "two clusters",
    "ten clusters",
    "a rare cluster",
    "many small clusters",
    "single rows",
]


@pytest.mark.parametrize("one", KINDS)
@pytest.mark.parametrize("other", KINDS)
def test_no_interval_misses_its_value_and_chance_has_its_exact_mean(
    one: str, other: str, rng: np.random.Generator
) -> None:
    for _ in range(3):
        a, b = labels(one, rng), rng.permutation(labels(other, rng))
        found = er.compare_partitions(a, b, n_resamples=99, n_permutations=99, random_state=rng)
        for e in [*found.estimates.values(), found.matched]:
            assert (e.low is None and e.reason) or e.low <= e.value <= e.high
        drawn = permuted(found.table, 400, rng)
        for name in REGISTRY:
            low, high = found.chance[name]
            spread = max(float(drawn[name].std()), 1e-12)
            # The mean of 400 draws within five standard errors; where all tables are one, rounding is left.
            off = abs(float(drawn[name].mean()) - found.expected[name])
            assert off <= 5.0 * spread / 400**0.5 + 1e-9, (name, off)
            assert low - 6.0 * spread <= found.expected[name] <= high + 6.0 * spread
            if min(len(found.a_labels), len(found.b_labels)) == 1:
                assert low == high == pytest.approx(found.estimates[name].value, abs=1e-12)
                assert found.p_values[name] == 1.0
