"""compare_partitions: chance against all permutations, matching against all assignments, intervals, words."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.cluster import contingency_matrix

import empirisk as er
from empirisk.partitions.agreements import REGISTRY


def test_p_values_are_those_of_all_permutations() -> None:
    a, b = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 2]
    found = er.compare_partitions(a, b, n_permutations=9999, random_state=0)
    every = [adjusted_rand_score(a, moved) for moved in itertools.permutations(b)]
    exact = np.mean(np.array(every) >= adjusted_rand_score(a, b) - 1e-12)
    # A share of 9999 draws lies within four standard errors of the exact one.
    assert found.p_values["adjusted_rand"] == pytest.approx(exact, abs=4.0 * (exact / 9999) ** 0.5 + 1e-4)
    assert found.expected["adjusted_rand"] == pytest.approx(np.mean(every), abs=1e-12)


def test_p_values_are_uniform_for_labels_dealt_at_random() -> None:
    rng = np.random.default_rng(3)
    p = {name: [] for name in REGISTRY}
    for _ in range(200):
        a, b = rng.integers(0, 3, 60), rng.integers(0, 4, 60)
        found = er.compare_partitions(a, b, n_permutations=199, n_resamples=99, random_state=rng)
        for name, value in found.p_values.items():
            p[name].append(value)
    for values in p.values():
        assert stats.kstest(values, "uniform").pvalue > 1e-3


def test_intervals_hold_the_agreement_of_the_population() -> None:
    # b is a with one label in five dealt anew; the population value is the limit of many rows.
    rng = np.random.default_rng(4)

    def draw(n: int) -> tuple[Any, Any]:
        a = rng.integers(0, 3, n)
        return a, np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), a)

    big = er.compare_partitions(*draw(1_000_000), n_permutations=99, n_resamples=99)
    truth = {name: e.value for name, e in big.estimates.items()}
    hits = dict.fromkeys(truth, 0)
    for k in range(200):
        found = er.compare_partitions(*draw(200), n_permutations=99, n_resamples=299, random_state=k)
        for name, e in found.estimates.items():
            assert e.low is not None
            assert e.high is not None
            hits[name] += e.low <= truth[name] <= e.high
    # 95 % of 200 is 190; 178 is four standard errors below.
    assert min(hits.values()) >= 178, hits


def test_the_matching_is_the_best_of_all_assignments(rng: np.random.Generator) -> None:
    a, b = rng.integers(0, 5, 80), rng.integers(0, 5, 80)
    found = er.compare_partitions(a, b)
    table = contingency_matrix(a, b)
    np.testing.assert_array_equal(found.table, table)
    most = max(sum(table[i, j] for i, j in enumerate(order)) for order in itertools.permutations(range(5)))
    assert found.matched.value == pytest.approx(most / 80)
    assert sum(np.mean((a == i) & (b == j)) for j, i in found.matching.items()) == pytest.approx(most / 80)


def test_names_do_not_matter_and_relabel_gives_those_of_a(rng: np.random.Generator) -> None:
    a = rng.integers(0, 4, 100)
    names = np.array(["north", "south", "east", "west"])
    found = er.compare_partitions(names[a], (a + 2) % 4)
    assert found.estimates["adjusted_rand"].value == pytest.approx(1.0)
    np.testing.assert_array_equal(found.relabel((a + 2) % 4), names[a])
    with pytest.raises(
        ValueError, match=r"b holds the label 5 in row 1, which .* give labels among 0, 1, 2, 3"
    ):
        found.relabel([0, 5, 6])
    assert found.matched.value == 1.0


def test_weights_are_repetitions(rng: np.random.Generator) -> None:
    a, b, s = rng.integers(0, 3, 50), rng.integers(0, 3, 50), rng.integers(0, 4, 50)
    one = er.compare_partitions(a, b, sample_weight=s, random_state=0)
    other = er.compare_partitions(np.repeat(a, s), np.repeat(b, s), random_state=0)
    assert one.to_dict() == other.to_dict()


def test_a_result_reads_as_words_html_and_a_frame(rng: np.random.Generator) -> None:
    a = rng.integers(0, 3, 90)
    found = er.compare_partitions(a, np.where(rng.random(90) < 0.1, 0, a), random_state=1)
    assert "agree more than chance" in repr(found)
    assert "<table>" in found._repr_html_()
    frame = found.to_frame()
    assert list(frame["agreement"]) == list(REGISTRY)
    assert found.contingency().shape == (3, 4)
    again = er.compare_partitions(a, np.where(rng.random(90) < 0.1, 0, a), random_state=1)
    assert again.p_values.keys() == found.p_values.keys()
    blind = er.compare_partitions(rng.integers(0, 3, 90), a)
    assert "no more than labels dealt at random" in blind.verdict
    pytest.importorskip("matplotlib")
    assert found.plot().axes.get_title(loc="left")


@pytest.mark.parametrize(
    ("a", "b", "rest", "words"),
    [
        ([0, 1], [0, 1, 1], {}, r"b has shape \(3,\); give one label for each of the 2 rows"),
        ([], [], {}, "a is empty"),
        ([0, 1, 1], [0.0, np.nan, 1.0], {}, "b is missing in row 1"),
        ([0, 1, 1], ["x", None, "y"], {}, "b is missing in row 1"),
        ([0, 1, 1], [0, 1, 1], {"sample_weight": [1.0, 0.5, 1.0]}, "sample_weight is 0.5 in row 1"),
        ([0, 1, 1], [0, 1, 1], {"sample_weight": [1e9, 1, 1]}, "counts 1,000,000,002 rows, .*; divide the w"),
        ([0, 1, 1], [0, 1, 1], {"n_permutations": 3}, "n_permutations must be an integer >= 99"),
        ([0, 1, 1], [0, 1, 1], {"level": 1.0}, "level must lie strictly between 0 and 1"),
        ([[0, 1], [1, 0]], [0, 1], {}, "a has shape"),
    ],
)
def test_bad_input_is_refused_in_words(a: Any, b: Any, rest: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.compare_partitions(a, b, **rest)


def test_single_clusters_and_few_rows_are_answered() -> None:
    found = er.compare_partitions([0, 0, 0], [5, 5, 5])
    assert found.estimates["adjusted_rand"].value == 1.0
    assert "single cluster" in found.verdict
    assert "3 rows are too few" in found.estimates["adjusted_rand"].reason
    assert er.compare_partitions(list(range(20)), [0] * 20).estimates["adjusted_rand"].value == 0.0


def test_intervals_narrow_as_the_root_of_the_rows() -> None:
    many, few = (
        er.compare_partitions([0, 0, 1, 1], [0, 1, 1, 1], sample_weight=[w, w / 4, w / 2, w], random_state=0)
        for w in (3.6e6, 3.6e4)
    )
    for name, e in many.estimates.items():
        less = few.estimates[name]
        assert e.low < e.value < e.high
        # Each width is known to 1/sqrt(2 * 999) of it.
        assert (less.high - less.low) / (e.high - e.low) == pytest.approx(10.0, rel=0.15)
