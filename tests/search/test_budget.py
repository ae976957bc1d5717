"""The budget of a search: rounds of boosting in all fits and in one, and the same fits on several threads."""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.data.side_by_side import threads_for_pieces
from empirisk.report.fit.folds import make_folds
from empirisk.report.fit.sample import take
from empirisk.search.tuning.explored import Explored
from empirisk.search.tuning.ranges import RANGES, ROUNDS
from empirisk.search.tuning.tuner import Budget, Tuner
from tests.report.tables import table_of

FOLDS = 3


def explored(budget: Budget, threads: int = 1, n: int = 150, estimator: Any = None) -> Explored:
    """Search the settings of boosting on a sine, which takes many small steps."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(n, 2))
    y = np.sin(3.0 * x[:, 0]) + 0.2 * rng.normal(size=n)
    sample = take(table_of({"a": x[:, 0], "b": x[:, 1], "y": y}), np.arange(n))
    tuner = Tuner(
        estimator or make_pipeline(StandardScaler(), er.GradientBoostingRegressor(random_state=0)),
        RANGES["GradientBoostingRegressor"],
        budget,
        metric="mse",
        cv=make_folds(sample, FOLDS, 1, 0).plan.splits,
        repeats=None,
        random_state=0,
    )
    with threads_for_pieces(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuner.explore(sample.dealt)


def grown(found: Explored) -> float:
    """Return the rounds of all fits of candidates that were scored on every fold, by counting."""
    most: dict[str, float] = defaultdict(float)
    for i in found.ranked:
        key = repr(sorted(found.settings[i].items()))
        most[key] = max(most[key], found.values[i])
    return FOLDS * sum(most.values())


def test_rounds_of_all_fits_keep_to_the_budget() -> None:
    free = explored(Budget(fits=45))
    room = 0.7 * grown(free)
    kept = explored(Budget(fits=45, rounds=room))
    assert 3 * FOLDS <= kept.fits <= 45
    assert grown(kept) <= room < grown(free)
    assert kept.points[0] == free.points[0]  # the settings as given are always scored
    assert len(kept.points) < len(free.points)


def test_no_fit_has_more_rounds_than_the_longest() -> None:
    free = explored(Budget(fits=45))
    kept = explored(Budget(fits=45, longest=ROUNDS[-1] + 7))
    assert max(free.values) > ROUNDS[-1] + 7
    assert max(kept.values) <= ROUNDS[-1] + 7


def test_two_threads_try_and_score_the_same() -> None:
    one, two = (explored(Budget(fits=36), threads=threads) for threads in (1, 2))
    assert two.points == one.points
    assert np.array_equal(two.ranked, one.ranked)
    assert np.array_equal(two.losses, one.losses, equal_nan=True)
    assert (two.best, two.fits, two.said) == (one.best, one.fits, one.said)


class Refusing(er.GradientBoostingRegressor):
    """Boosting whose fit fails where the step is smaller than the default."""

    def fit(self, X: Any, y: Any, **rows: Any) -> Any:
        """Fit, unless the step is smaller than that of the settings as given."""
        if self.learning_rate < 0.1:
            raise ValueError("the step is small")
        return super().fit(X, y, **rows)


def test_a_fit_that_fails_drops_its_candidate_alike_on_two_threads() -> None:
    model = make_pipeline(StandardScaler(), Refusing(random_state=0))
    one, two = (explored(Budget(fits=36), threads=threads, estimator=model) for threads in (1, 2))
    assert two.points == one.points
    assert 0 < len(one.ranked) < len(one.points)
    assert np.array_equal(two.ranked, one.ranked)
    assert np.array_equal(two.losses, one.losses, equal_nan=True)


def test_an_error_of_all_candidates_reaches_the_user_from_two_threads() -> None:
    model = make_pipeline(StandardScaler(), Refusing(learning_rate=0.05, random_state=0))
    with pytest.raises(ValueError, match="the step is small"):
        explored(Budget(fits=36), threads=2, estimator=model)
