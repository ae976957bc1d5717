"""What trees, forests and boosting promise at the edges of their data."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.base import clone

import empirisk as er


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("more", [{"variant": "discrete"}, {"variant": "real"}, {"max_depth": 2}], ids=str)
def test_adaboost_without_a_useful_member_predicts(more: dict[str, Any], k: int) -> None:
    """One constant column and balanced classes: no member is better than chance."""
    X, y = np.zeros((12 * k, 1)), np.array(list("abc"))[np.arange(12 * k) % k]
    model = er.AdaBoostClassifier(20, **more).fit(X, y)
    assert set(model.predict(X)) <= set(y)
    np.testing.assert_allclose(model.predict_proba(X), 1.0 / k, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), model.classes_[model.predict_proba(X).argmax(axis=1)])
    assert np.isfinite(model.decision_function(X)).all()


RATES = [
    er.DecisionTreeRegressor(criterion="poisson", alpha=None),
    er.DecisionTreeRegressor(criterion="poisson"),
    er.DecisionTreeRegressor(criterion="poisson", alpha=None, max_bins=255),
    er.RandomForestRegressor(10, criterion="poisson", random_state=0),
    er.RandomForestRegressor(3, criterion="poisson", bootstrap=False, random_state=0),
    er.ExtraTreesRegressor(10, criterion="poisson", random_state=0),
    er.GradientBoostingRegressor(loss="poisson", n_estimators=60, learning_rate=1.0),
    er.GradientBoostingRegressor(loss="tweedie", n_estimators=60, learning_rate=1.0),
    er.GradientBoostingRegressor(loss="gamma", n_estimators=60, learning_rate=1.0),
]


@pytest.mark.parametrize("est", RATES, ids=str)
def test_a_rate_is_never_zero(est: Any, rng: np.random.Generator) -> None:
    """Half of the table has no event: a rate of 0 there has an infinite deviance at the first event."""
    X = rng.uniform(-1.0, 1.0, size=(400, 2))
    y = np.where(X[:, 0] > 0.0, rng.poisson(3.0, 400), 0).astype(float)
    if getattr(est, "loss", "") == "gamma":
        y += 1e-12  # its targets are positive
    model = est.fit(X, y)
    new = rng.uniform(-1.0, 1.0, size=(300, 2))
    rate = model.predict(new)
    assert (rate > 0.0).all()
    assert np.isfinite(np.log(rate)).all()
    assert rate[new[:, 0] < -0.1].mean() < 0.4 * rate[new[:, 0] > 0.1].mean()


WARM = [
    er.RandomForestClassifier(4, warm_start=True, random_state=0),
    er.RandomForestRegressor(4, warm_start=True, random_state=0),
    er.ExtraTreesClassifier(4, warm_start=True, random_state=0),
    er.ExtraTreesRegressor(4, warm_start=True, bootstrap=True, random_state=0),
    er.GradientBoostingClassifier(n_estimators=4, warm_start=True),
    er.GradientBoostingRegressor(n_estimators=4, warm_start=True),
]


@pytest.mark.parametrize("est", WARM, ids=str)
@pytest.mark.parametrize("other", ["rows", "order", "targets", "weights", "columns", "classes"])
def test_a_warm_start_with_other_data_is_refused(est: Any, other: str, rng: np.random.Generator) -> None:
    X = rng.standard_normal((120, 3))
    y = (X[:, 0] > 0.0).astype(float)
    kept = clone(est).fit(X, y)
    first, before, weight = X, kept.predict(X), None
    if other == "rows":
        X = X + 0.1
    elif other == "order":
        X, y = X[::-1].copy(), y[::-1].copy()
    elif other == "targets":
        y = 1.0 - y
    elif other == "weights":
        weight = rng.uniform(1.0, 2.0, 120)
    elif other == "columns":
        X = X[:, :2]
    else:
        y = np.arange(120) % 3.0
    with pytest.raises(ValueError, match="warm_start"):
        kept.set_params(n_estimators=6).fit(X, y, sample_weight=weight)
    np.testing.assert_array_equal(kept.predict(first), before)  # it still answers


VOTES = [
    er.RandomForestClassifier(30, random_state=0),
    er.ExtraTreesClassifier(30, bootstrap=True, random_state=0),
    er.BaggingClassifier(n_estimators=30, random_state=0),
]
MEANS = [
    er.RandomForestRegressor(30, random_state=0),
    er.ExtraTreesRegressor(30, bootstrap=True, random_state=0),
    er.BaggingRegressor(n_estimators=30, random_state=0),
]


def risks(model: Any) -> list[Any]:
    return [model.oob_risk_, *getattr(model, "oob_risks_", {}).values()]


@pytest.mark.parametrize("est", VOTES, ids=str)
def test_no_error_out_of_bag_has_the_interval_of_wilson(est: Any, rng: np.random.Generator) -> None:
    n = 80
    X = rng.uniform(1.0, 2.0, (n, 2)) * np.where(np.arange(n) % 2, 1.0, -1.0)[:, None]
    model = clone(est).fit(X, np.arange(n) % 2)
    found, z2 = model.oob_risk_, norm.ppf(0.975) ** 2
    assert found.value == 0.0
    assert found.n == n
    assert found.low == pytest.approx(0.0, abs=1e-12)
    assert found.high == pytest.approx(z2 / (n + z2), rel=1e-9)


@pytest.mark.parametrize("est", VOTES, ids=str)
@pytest.mark.parametrize("flip", [0.0, 0.02, 0.5, 1.0])
def test_error_rates_out_of_bag_lie_within_their_range(est: Any, flip: float) -> None:
    """Labels that alternate in a column of counts: every neighbour says the opposite."""
    rng = np.random.default_rng(5)
    X = np.arange(60.0)[:, None]
    y = np.where(rng.random(60) < flip, np.arange(60) % 2, np.arange(60) >= 30)
    model = clone(est).fit(X, y)
    most = {"error rate": 1.0, "Brier score": 2.0}
    for name, found in [("error rate", model.oob_risk_), *getattr(model, "oob_risks_", {}).items()]:
        if found.low is None:
            assert found.reason
            continue
        assert 0.0 <= found.low <= found.value <= found.high <= most.get(name, np.inf)


@pytest.mark.parametrize("est", MEANS, ids=str)
@pytest.mark.parametrize("kind", ["noise", "far", "steps"])
def test_losses_out_of_bag_have_intervals_above_zero(est: Any, kind: str) -> None:
    rng = np.random.default_rng(6)
    X = rng.standard_normal((100, 2))
    y = {
        "noise": rng.standard_normal(100),
        "far": np.exp(4.0 * rng.standard_normal(100)),
        "steps": np.where(X[:, 0] > 0.0, 1.0, -1.0),
    }[kind]
    for found in risks(clone(est).fit(X, y)):
        if found.low is None:
            assert found.reason
            continue
        assert 0.0 <= found.low <= found.value <= found.high < np.inf


@pytest.mark.parametrize("kind", [er.RandomForestClassifier, er.RandomForestRegressor])
def test_the_interval_of_a_forest_says_what_it_covers(kind: Any, rng: np.random.Generator) -> None:
    X = rng.standard_normal((60, 2))
    y = (X[:, 0] > 0.0).astype(int)
    few, many = (kind(t, random_state=0).fit(X, y).interval(X[:3]) for t in (20, 200))
    assert (few.low <= few.value).all()
    assert (few.value <= few.high).all()
    columns = {"value", "low", "high"} | (
        {"row", "class"} if hasattr(few, "classes") and few.classes else set()
    )
    assert columns <= set(few.to_frame().columns)
    assert "82 to 84 %" in few.note.replace(" (50 trees)", "")
    assert "grow at least 200 trees" in few.note
    assert "88 to 92 %" in many.note
    assert "grow at least" not in many.note
    assert few.note[1:] in repr(few)
    copy = pickle.loads(pickle.dumps(few))
    assert copy.note == few.note
    np.testing.assert_array_equal(copy.high, few.high)
