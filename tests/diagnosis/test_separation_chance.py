"""ER213: how often meaningless labels would be separated by the columns at hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from empirisk.data.design import Design
from empirisk.diagnosis import Outcome, context
from empirisk.diagnosis.near_separation import rows_to_remove
from empirisk.diagnosis.separated import separation
from empirisk.diagnosis.shuffled import separated_shuffles


@pytest.mark.full  # simulated
def test_shuffles_count_the_labellings_that_a_plane_separates(rng: np.random.Generator) -> None:
    """Against all labellings with the same class sizes, some columns with ties."""
    X = np.column_stack([np.repeat([0.0, 1.0], 4), rng.normal(size=8)])
    labels = [np.isin(np.arange(8), rows) for rows in itertools.combinations(range(8), 3)]

    def separable(y: np.ndarray) -> bool:
        return rows_to_remove(Design(X), np.asarray(y, dtype=bool), most=0) is not None

    exact = np.mean([separable(y) for y in labels])
    made = separated_shuffles(separable, labels[0], X.size, seed=3)
    assert made is not None
    assert made.draws == 199
    spread = math.sqrt(exact * (1.0 - exact) / made.draws)
    assert abs(made.separated / made.draws - exact) < 4.0 * spread


@pytest.mark.parametrize("ones", [3, 5])
def test_a_rare_flag_is_no_miracle(ones: int) -> None:
    """All flagged rows are of one class with a chance of (C(a, k) + C(b, k)) / C(n, k)."""
    rng = np.random.default_rng(ones)
    n = 200
    flag = np.arange(n) < ones
    y = flag | (rng.random(n) < 0.5)
    X = np.column_stack([rng.normal(size=n), flag])
    answer = separation(context(LogisticRegression(C=1e6), X, y, random_state=0))
    a, b = int(y.sum()), n - int(y.sum())
    chance = (math.comb(a, ones) + math.comb(b, ones)) / math.comb(n, ones)
    assert answer.outcome is Outcome.FACT
    k, draws = (int(v) for v in answer.evidence.split(" shuffles")[0].split("; ")[-1].split(" of "))
    assert abs(k / draws - chance) < 4.0 * math.sqrt(chance * (1.0 - chance) / draws)
    assert ("which mean nothing" in answer.sentence) == (k > 0.05 * draws)


def test_large_tables_are_not_shuffled() -> None:
    assert separated_shuffles(lambda y: True, np.arange(4) % 2, 30_000, 0) is None
