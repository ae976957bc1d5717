"""Rademacher averages against the average over all sign vectors."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import empirisk as er
from empirisk.bounds import (
    complexity_finite,
    complexity_kernel,
    complexity_l1,
    complexity_l2,
    complexity_simulated,
)

SIGNS = np.array(list(product([-1.0, 1.0], repeat=10)))


@pytest.fixture(name="X")
def rows(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(10, 4))


def test_balls_bound_the_average_over_all_signs(X: np.ndarray) -> None:
    pulls = SIGNS @ X / 10
    l2 = 2.0 * np.linalg.norm(pulls, axis=1).mean()
    assert l2 <= complexity_l2(X, radius=2.0).value <= np.sqrt(2.0) * l2  # Khinchine: exact up to sqrt 2
    l1 = 2.0 * np.abs(pulls).max(axis=1).mean()
    assert l1 <= complexity_l1(X, radius=2.0).value
    assert complexity_kernel(X @ X.T, 2.0).value == pytest.approx(complexity_l2(X, 2.0).value)
    assert complexity_kernel(np.square(X).sum(axis=1), 2.0).value == pytest.approx(
        complexity_l2(X, 2.0).value
    )


def test_massart_bounds_the_average_over_all_signs(rng: np.random.Generator) -> None:
    H = rng.choice([-1.0, 1.0], size=(20, 10))
    average = (SIGNS @ H.T / 10).max(axis=1).mean()
    assert average <= complexity_finite(H).value
    assert complexity_finite(np.vstack([H, H])) == complexity_finite(H)
    assert complexity_finite(H[:1]).value == 0.0


def stumps(X: np.ndarray, signs: np.ndarray) -> np.ndarray:
    return np.where(er.hypotheses.Thresholds().fit(X, signs).predict(X) > 0, 1.0, -1.0)


def test_simulation_meets_the_average_over_all_signs() -> None:
    X = np.arange(10.0)[:, None]
    H = np.array([np.where(np.arange(10) >= cut, 1.0, -1.0) for cut in range(11)])
    average = (SIGNS @ H.T / 10).max(axis=1).mean()

    def best(X: np.ndarray, signs: np.ndarray) -> np.ndarray:
        return np.asarray(H[np.argmax(H @ signs)])

    found = complexity_simulated(best, X, draws=2000)
    assert abs(found.value - average) < 4 * found.error
    assert found.upper(1e-6) > average
    assert found.upper(0.5) < found.upper(0.01)
    assert "2,000 sign vectors" in str(found)
    learner = complexity_simulated(stumps, X, draws=50)
    assert abs(learner.value - average) < 4 * learner.error


def test_upper_limit_holds_as_often_as_it_says(rng: np.random.Generator) -> None:
    H = np.array([np.where(np.arange(10) >= cut, 1.0, -1.0) for cut in range(11)])
    average = (SIGNS @ H.T / 10).max(axis=1).mean()
    signs = rng.choice([-1.0, 1.0], size=(2000, 5, 10))
    means = (signs @ H.T / 10).max(axis=2).mean(axis=1)
    limits = [er.bounds.Complexity(m, 10, "test", draws=5).upper(0.2) for m in means]
    assert np.mean(np.array(limits) < average) <= 0.2


def test_the_radius_goes_into_the_theorem(X: np.ndarray) -> None:
    c = complexity_l2(X, radius=0.1)
    bound = er.bounds.rademacher(n=10, delta=0.5, radius=c.radius, observed=True, loss_range=5.0)
    assert bound.epsilon == pytest.approx(2 * c.value + 15 * np.sqrt(np.log(4.0) / 20))


def test_wrong_input_is_named(X: np.ndarray) -> None:
    hole = X.copy()
    hole[2, 1] = np.nan
    with pytest.raises(ValueError, match="row 2, column 1"):
        complexity_l2(hole)
    with pytest.raises(ValueError, match="at least one row"):
        complexity_l1(np.zeros((0, 3)))
    with pytest.raises(ValueError, match="radius must"):
        complexity_l1(X, radius=0.0)
    with pytest.raises(ValueError, match="square"):
        complexity_kernel(np.ones((2, 3)))
    with pytest.raises(ValueError, match="diagonal"):
        complexity_kernel([-1.0, 1.0])
    with pytest.raises(ValueError, match="erm must return 10"):
        complexity_simulated(lambda X, s: s[:3], X)
    with pytest.raises(ValueError, match="between -1 and 1"):
        complexity_simulated(lambda X, s: 2 * s, X)
    with pytest.raises(ValueError, match="draws"):
        complexity_simulated(lambda X, s: s, X, draws=0)
