"""No free lunch: the exact adversary against enumeration of ordered samples, and the measured one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import empirisk as er
from empirisk.hypotheses import NearestNeighbours, Thresholds


def majority(X: Any, y: Any, domain: Any) -> Any:
    return np.full(len(domain), int(2 * np.sum(y) > len(y)))


def memory(X: Any, y: Any, domain: Any) -> Any:
    """Remembers what it saw, else says 1."""
    known = {float(x[0]): int(label) for x, label in zip(X, y, strict=True)}
    return np.array([known.get(float(x[0]), 1) for x in domain])


def by_hand(learner: Any, size: int, m: int) -> tuple[float, float, float]:
    """Worst expected risk, its tail, and the average: over all ordered samples and all labellings."""
    domain = np.arange(float(size))[:, None]
    table = []
    for f in itertools.product([0, 1], repeat=size):
        labels = np.array(f)
        risks = []
        for s in itertools.product(range(size), repeat=m):
            rows = list(s)
            risks.append(np.mean(learner(domain[rows], labels[rows], domain) != labels))
        table.append((np.mean(risks), np.mean(np.array(risks) >= 1 / 8)))
    worst = max(range(len(table)), key=lambda i: table[i][0])
    return (
        table[worst][0],
        max(t for r, t in table if np.isclose(r, table[worst][0])),
        np.mean(table, axis=0)[0],
    )


@pytest.mark.parametrize("learner", [majority, memory])
@pytest.mark.parametrize(("size", "m"), [(4, 2), (5, 1), (3, 3)])
def test_the_exact_adversary_is_the_worst_labelling(learner: Any, size: int, m: int) -> None:
    found = er.no_free_lunch(learner, size, m)
    risk, tail, average = by_hand(learner, size, m)
    assert found.expected.value == pytest.approx(risk)
    assert found.tail.value <= tail + 1e-12
    assert found.average == pytest.approx(average)
    assert found.average >= found.least - 1e-12


@pytest.mark.parametrize(
    "learner", [LogisticRegression(), DecisionTreeClassifier(), Thresholds(), NearestNeighbours(), majority]
)
def test_no_learner_escapes_the_theorem(learner: Any) -> None:
    found = er.no_free_lunch(learner, 6, 2)
    assert found.textbook
    assert found.expected.value >= max(found.least, 0.25)
    assert found.tail.value >= max(found.least_tail, 1 / 7)
    assert found.least == pytest.approx(0.5 * (5 / 6) ** 2)
    assert found.least_tail == pytest.approx((found.least - 1 / 8) / (7 / 8))


def test_a_consistent_learner_attains_the_average() -> None:
    found = er.no_free_lunch(memory, 6, 3)
    assert found.average == pytest.approx(0.5 * (5 / 6) ** 3)
    assert found.labelling.tolist() == [0] * 6
    assert found.fits == 292


@pytest.mark.full  # simulated
def test_the_measured_adversary_covers_the_truth() -> None:
    missed = 0
    for seed in range(60):
        found = er.no_free_lunch(memory, 30, 5, budget=300, random_state=seed)
        # Unseen points count as 1: the risk is the share of zeros that the sample missed.
        truth = np.mean(found.labelling == 0) * (1 - 1 / 30) ** 5
        low, high = found.expected.low, found.expected.high
        missed += not (low is not None and high is not None and low <= truth <= high)
        assert found.fits <= 300
    assert missed <= 7  # P(Binomial(60, 0.05) > 7) < 1 %


def test_a_measured_result_is_reproducible_and_prints() -> None:
    one, two = (er.no_free_lunch(memory, 30, 5, budget=200, random_state=3) for _ in range(2))
    assert repr(one) == repr(two)
    assert "empirical Bernstein" in repr(one)
    assert "<table>" in one._repr_html_()
    assert list(one.to_frame()["quantity"]) == ["expected risk", "P(risk >= 0.125)"]
    assert not er.no_free_lunch(memory, 5, 3).textbook
    assert er.no_free_lunch(memory, m=1, domain=[[0.0, 1.0], [1.0, 0.0]]).expected.value == 0.5


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"learner": 3}, TypeError, "learner must be a classifier"),
        ({"m": 0}, ValueError, "m must be"),
        ({"domain_size": 1}, ValueError, "domain_size must be"),
        ({"budget": 1}, ValueError, "budget must be"),
        ({"level": 1.0}, ValueError, "level must lie"),
        ({"domain": [[0.0], [0.0]]}, ValueError, "two of its rows are equal"),
        ({"domain": [[0.0], [np.nan]]}, ValueError, "finite"),
        ({"learner": lambda X, y, d: np.full(len(d), 2)}, ValueError, "must return 0 or 1"),
    ],
)
def test_bad_arguments_are_refused(arguments: Any, error: type, message: str) -> None:
    with pytest.raises(error, match=message):
        er.no_free_lunch(**({"learner": memory} | arguments))
