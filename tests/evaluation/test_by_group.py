"""Scores of groups of rows, and the differences between groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import empirisk as er
from empirisk.evaluation.by_group import difference_of_independent
from empirisk.evaluation.intervals import wilson


class Told(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Answers with the first column, as a fitted classifier of 0 and 1."""

    classes_ = np.array([0, 1])

    def fit(self, X: Any, y: Any) -> Told:
        return self

    def predict(self, X: Any) -> Any:
        return np.asarray(X)[:, 0].astype(int)


def table(rng: np.random.Generator, n: int = 300) -> tuple[pd.DataFrame, Any]:
    region = rng.choice(["north", "south", "west"], n, p=[0.2, 0.5, 0.3])
    X = pd.DataFrame({"x": rng.integers(0, 2, n), "region": pd.factorize(region, sort=True)[0]})
    return X, np.where(rng.random(n) < 0.8, X["x"], 1 - X["x"])


# Newcombe (1998), table II, method 10: 56/70 and 48/80, 9/10 and 3/10, 10/10 and 0/20.
@pytest.mark.parametrize(
    ("a", "b", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
    ],
)
def test_differences_of_shares_are_those_that_newcombe_printed(
    a: Any, b: Any, low: float, high: float
) -> None:
    found = difference_of_independent(wilson(*a), wilson(*b))
    assert found.low == pytest.approx(low, abs=6e-5)
    assert found.high == pytest.approx(high, abs=6e-5)


def test_each_group_is_evaluated_by_itself(rng: np.random.Generator) -> None:
    X, y = table(rng)
    found = er.evaluate(Told(), X, y, by="region", metrics=["selection_rate", "recall"])
    for group in (0, 1, 2):
        mine = (X["region"] == group).to_numpy()
        alone = er.evaluate(Told(), X[mine], y[mine], metrics=["selection_rate", "recall"])
        assert dict(found[group]) == dict(alone)
        assert found[group]["selection_rate"].value == pytest.approx(X["x"][mine].mean())
    assert len(found.to_frame()) == 6
    by_array = er.evaluate(Told(), X, y, by=X["region"].to_numpy(), metrics="recall")
    assert by_array[1]["recall"] == found[1]["recall"]


def test_differences_are_to_the_largest_group_and_simultaneous(rng: np.random.Generator) -> None:
    X, y = table(rng)
    found = er.evaluate(Told(), X, y, by="region", metrics="recall")
    rest = found.differences()
    assert rest.reference == X["region"].value_counts().index[0]
    assert {e.level for e in rest.differences.values()} == {0.975}
    one = rest.differences["recall", 0]
    mine, base = (
        er.evaluate(Told(), X[k], y[k], 0.975, metrics="recall")["recall"]
        for k in ((X["region"] == g).to_numpy() for g in (0, rest.reference))
    )
    assert one == difference_of_independent(mine, base)


def test_groups_that_share_clusters_have_no_interval_of_their_difference(rng: np.random.Generator) -> None:
    X, y = table(rng)
    person = np.arange(len(y)) // 3
    found = er.evaluate(Told(), X, y, by="region", groups=person, metrics="accuracy").differences()
    assert all(e.low is None and "not independent" in e.reason for e in found.differences.values())
    apart = person + 1000 * X["region"].to_numpy()
    found = er.evaluate(Told(), X, y, by="region", groups=apart, metrics="accuracy").differences()
    assert all(e.low is not None for e in found.differences.values())


def test_weights_and_exposures_go_to_their_groups(rng: np.random.Generator) -> None:
    X = pd.DataFrame({"x": rng.normal(size=200), "site": np.arange(200) % 2})
    years, weight = rng.uniform(0.5, 2.0, 200), rng.uniform(0.5, 2.0, 200)
    y = rng.poisson(years * np.exp(0.3 * X["x"]))
    model = er.PoissonRegressor(alpha=0).fit(X, y, exposure=years)
    found = er.evaluate(model, X, y, by="site", exposure=years, sample_weight=weight, metrics="mae")
    odd = (X["site"] == 1).to_numpy()
    alone = er.evaluate(model, X[odd], y[odd], exposure=years[odd], sample_weight=weight[odd], metrics="mae")
    assert found[1]["mae"] == alone["mae"]


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("shoe", "no column of X"),
        (np.zeros(5), "one group for each of the 300 rows"),
        (np.zeros(300), "1 different values"),
        (np.arange(300), "300 different values"),
        ([None, *["a"] * 299], "empty in row 0"),
    ],
)
def test_groupings_that_are_none_are_refused(rng: np.random.Generator, by: Any, words: str) -> None:
    X, y = table(rng)
    with pytest.raises(ValueError, match=words):
        er.evaluate(Told(), X, y, by=by)


def test_it_draws(rng: np.random.Generator) -> None:
    pytest.importorskip("matplotlib")
    X, y = table(rng)
    found = er.evaluate(Told(), X, y, by="region", metrics=["recall", "selection_rate"])
    assert "selection_rate of groups of region" in found.plot(metric="selection_rate").axes.get_xlabel()
    assert "difference to" in found.differences().plot(metrics=["recall"]).axes.get_xlabel()


@pytest.mark.full
def test_differences_cover(rng: np.random.Generator) -> None:
    """Recall of 0.9 and 0.75 in groups of 60 and 150 rows: 1,000 draws, nominal 95 %."""
    hits = 0
    for _ in range(1000):
        site = np.repeat([0, 1], [60, 150])
        y = np.ones(210, dtype=int)
        y[::7] = 0
        told = np.where(rng.random(210) < np.where(site == 0, 0.9, 0.75), y, 1 - y)
        X = np.column_stack([told, site])
        e = er.evaluate(Told(), X, y, by=site, metrics="recall").differences(1).differences["recall", 0]
        assert e.low is not None
        assert e.high is not None
        hits += e.low <= 0.15 <= e.high
    assert 0.93 <= hits / 1000 <= 0.98
