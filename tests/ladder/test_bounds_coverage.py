"""How often each row of the table fails, on a distribution where every risk is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

import empirisk as er
from bench.coverage.ladder import CIRCLE, MODELS, NOISE, draw, risk, simulate

DELTA = 0.3
SURPRISE = 1e-4


def check(found: dict[str, Any]) -> None:
    assert len(found) >= 4
    for name, rows in found.items():
        failed = sum(failed for _, failed in rows)
        p = stats.binomtest(failed, len(rows), DELTA, "greater").pvalue
        assert p > SURPRISE, f"{name} fails {failed} of {len(rows)} times, more often than {DELTA}"


@pytest.mark.full  # simulated
@pytest.mark.parametrize("name", MODELS)
def test_no_row_fails_more_often_than_it_says(name: str, rng: np.random.Generator) -> None:
    check(simulate(MODELS[name], 10, rng, 150, 40, DELTA)[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_no_row_fails_more_often_than_it_says_in_many_samples(name: str, rng: np.random.Generator) -> None:
    found = simulate(MODELS[name], 600, rng, 150, 40, DELTA)[1]
    check(found)
    # The exact test-set bound has next to no slack: a table that hid failures would show here.
    exact = found["exact binomial on test rows"]
    assert sum(failed for _, failed in exact) > 0.5 * DELTA * len(exact)


def test_the_simulation_sees_a_leak(rng: np.random.Generator) -> None:
    """An overfitted tree judged on its own rows, as if they were test rows: fails nearly always."""
    wrong = 0
    for _ in range(40):
        X, y = draw(150, rng)
        model = DecisionTreeClassifier(random_state=0).fit(X, y)
        losses = (model.predict(X) != y).astype(float)
        wrong += risk(model) > er.bounds.held_out_binomial(losses, DELTA).value
    assert wrong > 30


def test_the_expected_stability_of_the_algorithm(rng: np.random.Generator) -> None:
    """In expectation over samples the logistic risk is at most the training loss plus the bound."""
    alpha, n, gaps = 0.5, 100, []
    for _ in range(60):
        X, y = draw(n, rng)
        w = er.LogisticRegression(alpha, fit_intercept=False).fit(X, y).coef_.ravel()
        scores, best = CIRCLE @ w, np.where(CIRCLE[:, 0] > 0, 1.0, -1.0)
        losses = (1 - NOISE) * np.logaddexp(0, -best * scores) + NOISE * np.logaddexp(0, best * scores)
        gaps.append(float(losses.mean() - np.logaddexp(0, -(2 * y - 1) * (X @ w)).mean()))
    spread = np.std(gaps) / math.sqrt(len(gaps))
    assert np.mean(gaps) - 4 * spread <= er.bounds.stability(n=n, rho=1.0, alpha=alpha).epsilon
