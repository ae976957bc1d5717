"""Leave-one-out of neighbours leaves a row out with its copies: doubled noise is noise, not a lesson."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er


def noise(rng: np.random.Generator, n: int = 60) -> tuple[Any, Any, Any]:
    """Return rows, classes and numbers that have nothing to do with each other."""
    return rng.normal(size=(n, 2)), rng.integers(0, 2, n), rng.normal(size=n)


@pytest.mark.parametrize("times", [2, 3])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_repeated_noise_has_the_losses_of_single_rows(
    times: int, weights: str, rng: np.random.Generator
) -> None:
    X, y, z = noise(rng)
    w = rng.uniform(0.5, 2.0, 60)
    for cls, target in ((er.KNeighborsClassifier, y), (er.KNeighborsRegressor, z)):
        for s in (None, w):
            single = cls("cv", weights=weights).fit(X, target, sample_weight=s).selection_
            many = cls("cv", weights=weights).fit(
                *(np.repeat(part, times, axis=0) for part in (X, target)),
                sample_weight=None if s is None else np.repeat(s, times),
            )
            # All copies of k rows are times k rows.
            found = many.selection_.loss[times - 1 :: times]
            np.testing.assert_allclose(found, single.loss[: len(found)], rtol=1e-12)
            assert many.n_neighbors_ > times


def test_rows_repeated_differently_are_refits_without_copies(rng: np.random.Generator) -> None:
    X, y, z = noise(rng, 30)
    of = rng.permutation(np.repeat(np.arange(30), rng.choice([1, 1, 2, 3, 9], 30)))
    X, y, z, s = X[of], y[of], z[of], rng.uniform(0.5, 2.0, len(of))
    for cls, target, k in ((er.KNeighborsClassifier, y, 4), (er.KNeighborsRegressor, z, 5)):
        answer = "predict_proba" if cls is er.KNeighborsClassifier else "predict"
        for algorithm in ("brute", "kd_tree"):
            model = cls(k, algorithm=algorithm).fit(X, target, sample_weight=s)
            found = getattr(model, answer)(None)
            for i in range(len(of)):
                others = of != of[i]
                refit = cls(k).fit(X[others], target[others], sample_weight=s[others])
                np.testing.assert_allclose(found[i], getattr(refit, answer)(X[[i]])[0], rtol=1e-12)


def test_a_row_that_is_most_of_the_rows(rng: np.random.Generator) -> None:
    X, z = np.vstack([np.zeros((3000, 2)), rng.normal(size=(8, 2))]), np.append(np.zeros(3000), np.ones(8))
    z[3000:] += np.arange(8.0)
    found = er.KNeighborsRegressor(1).fit(X, z).predict(None)
    np.testing.assert_array_equal(found[:3000], z[3000 + np.linalg.norm(X[3000:], axis=1).argmin()])
    with pytest.raises(ValueError, match="8 other training rows where one is left out together with its 2"):
        er.KNeighborsRegressor(9).fit(X, z).predict(None)
    assert er.KNeighborsRegressor("cv").fit(X, z).selection_.n_neighbors.tolist() == [*range(1, 9)]


def test_a_table_of_few_cells_has_cases_not_copies(rng: np.random.Generator) -> None:
    X = rng.integers(0, 2, (400, 2)).astype(float)
    y = (X[:, 0] == 1.0) ^ (rng.random(400) < 0.2)
    found = er.KNeighborsClassifier("cv").fit(X, y).selection_
    assert found.loss.min() < 0.3  # leaving equal rows out would leave the other label in each cell


def test_the_bracket_of_doubled_rows_is_that_of_single_ones(rng: np.random.Generator) -> None:
    X, y, _ = noise(rng, 100)
    single = er.bayes_error_bracket(X, y)
    twice = er.bayes_error_bracket(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert single.error.value > 0.3
    np.testing.assert_allclose(
        [twice.low, twice.high, *twice.interval], [single.low, single.high, *single.interval], rtol=1e-12
    )
