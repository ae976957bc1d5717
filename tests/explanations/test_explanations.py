"""Explanations of fitted models: scales, definitions by loops, coverage of the bands, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import empirisk as er
from empirisk.estimators.trees.tree_base import UnknownCategoryWarning
from empirisk.explanations.reading import in_words


class Known(BaseEstimator):
    """A function that counts as a fitted model."""

    def __init__(self, f: Any = None) -> None:
        self.f, self.fitted_ = f, True

    def fit(self, X: Any, y: Any) -> Known:
        return self

    def predict(self, X: Any) -> Any:
        return self.f(X)


RNG = np.random.default_rng(0)
X = RNG.normal(size=(150, 4))
Z = X[:, 0] * X[:, 1] + X[:, 2]
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"])
FRAME["d"] = pd.Categorical(np.where(X[:, 3] > 0, "up", "down"))

MODELS: dict[str, tuple[Any, Any]] = {
    "boosting": (er.GradientBoostingRegressor(n_estimators=20, early_stopping=False), Z),
    "boosted classes": (er.GradientBoostingClassifier(n_estimators=20, early_stopping=False), Z > 0),
    "three boosted classes": (
        er.GradientBoostingClassifier(n_estimators=10, early_stopping=False),
        np.digitize(Z, [-0.5, 0.5]),
    ),
    "forest": (er.RandomForestRegressor(n_estimators=10, random_state=0), Z),
    "forest of classes": (er.RandomForestClassifier(n_estimators=10, random_state=0), Z > 0),
    "forest of three classes": (
        er.RandomForestClassifier(n_estimators=10, random_state=0),
        np.digitize(Z, [-0.5, 0.5]),
    ),
    "votes": (er.AdaBoostClassifier(20), Z > 0),
}


def raw(model: Any) -> Any:
    """What the explanations add up to, from the public methods of the model."""
    if hasattr(model, "decision_function"):
        return model.decision_function(FRAME)
    if not hasattr(model, "predict_proba"):
        return model.predict(FRAME)
    p = model.predict_proba(FRAME)
    return p[:, 1] if p.shape[1] == 2 else p


@pytest.mark.parametrize("name", MODELS)
def test_shapley_values_add_up_to_the_score(name: str) -> None:
    model, y = MODELS[name]
    model.fit(FRAME, y)
    for background in (None, FRAME[:9]):
        found = er.tree_shap(model, FRAME, background)
        assert np.allclose(found.base + found.values.sum(axis=1), raw(model), atol=1e-10)
    assert found.features == ["a", "b", "c", "d"]
    boosted = "boost" in name or name == "votes"
    assert found.scale == ("raw score" if boosted else "probability" if "class" in name else "mean")
    assert len(found.to_frame()) == 4 * len(found.outputs)
    for row in (None, 3):
        assert found.plot(row).axes.get_title(loc="left")


def test_partial_dependence_is_the_mean_over_rows_with_the_column_replaced() -> None:
    model = MODELS["boosting"][0].fit(FRAME, Z)
    found = er.partial_dependence(model, FRAME, "a", grid=[-1.0, 0.5])
    for g, v in enumerate([-1.0, 0.5]):
        moved = model.predict(FRAME.assign(a=v))
        assert np.allclose(found.individual[g, :, 0], moved)
        assert np.isclose(found.value[g, 0], moved.mean())
        half = 1.976 * moved.std(ddof=1) / np.sqrt(150)  # t quantile of 149 degrees of freedom
        assert np.allclose(found.pointwise[:, g, 0] - moved.mean(), [-half, half], rtol=1e-3)
    levels = er.partial_dependence(model, FRAME, "d")
    assert levels.labels == ["down", "up"]
    for g, level in enumerate(["down", "up"]):
        same = FRAME.assign(d=pd.Categorical([level] * 150, categories=["down", "up"]))
        assert np.isclose(levels.value[g, 0], model.predict(same).mean())
    pair = er.partial_dependence(model, FRAME, ("a", "b"), grid=[[0.0, 1.0]])
    assert np.isclose(pair.value[0, 0], model.predict(FRAME.assign(a=0.0, b=1.0)).mean())
    for p in (found, levels, er.partial_dependence(model, FRAME, ("a", "b"), grid=9)):
        assert p.plot().axes.get_title(loc="left")


def test_centred_curves_of_a_sum_have_no_spread() -> None:
    # In a sum of functions of single columns all rows' curves are parallel.
    model = LinearRegression().fit(X, X @ np.array([1.0, 2.0, 0.0, -1.0]))
    found = er.partial_dependence(model, X, 1, grid=[-1.0, 0.0, 1.0], centered=True)
    assert np.allclose(found.value[:, 0], [-2.0, 0.0, 2.0])
    assert np.abs(found.simultaneous - found.value).max() <= 1e-12


def test_simultaneous_bands_cover_all_places_at_once() -> None:
    # PD on x0 is E[x1] x0 + E[x2] = 0; the curves of the rows are lines.
    model = Known(lambda X: X[:, 0] * X[:, 1] + X[:, 2])
    rng = np.random.default_rng(int(RNG.integers(1 << 30)))
    inside = np.zeros((2, 400), dtype=bool)
    for r in range(400):
        rows = rng.normal(size=(60, 3))
        found = er.partial_dependence(model, rows, 0, grid=[-2.0, -1.0, 0.0, 1.0, 2.0])
        for i, band in enumerate((found.pointwise, found.simultaneous)):
            inside[i, r] = ((band[0] <= 0.0) & (band[1] >= 0.0)).all()
    # 95 %: five standard errors of 400 draws are 5.4 points; one place at a time covers all less often.
    assert 0.896 <= inside[1].mean() <= 0.996
    assert inside[0].mean() < inside[1].mean()


def strength(score: Any, rows: Any, columns: list[int]) -> float:
    """H of a pair, or of one column with all others, by loops over rows."""
    n, p = rows.shape

    def dependence(kept: list[int]) -> Any:
        out = np.empty(n)
        for i in range(n):
            moved = rows.copy()
            moved[:, kept] = rows[i, kept]
            out[i] = score(moved).mean()
        return out - out.mean()

    if len(columns) == 1:
        (j,) = columns
        joint = score(rows) - score(rows).mean()
        parts = [dependence([j]), dependence([k for k in range(p) if k != j])]
    else:
        joint, parts = dependence(columns), [dependence([j]) for j in columns]
    left = joint - parts[0] - parts[1]
    return float(np.sqrt((left**2).sum() / (joint**2).sum()))


def test_strength_is_that_of_the_definition() -> None:
    model = er.GradientBoostingRegressor(n_estimators=20, early_stopping=False).fit(X, Z)
    found = er.interaction_strength(model, X, max_rows=150, n_resamples=50)
    by_name = dict(zip(found.names, found.strength, strict=True))
    for name, columns in {"x0 with all others": [0], "x0 and x1": [0, 1], "x1 and x2": [1, 2]}.items():
        e = by_name[name]
        assert np.isclose(e.value, strength(model.predict, X, columns), atol=1e-9)
        assert e.low is not None
        assert e.high is not None
        assert e.low <= e.value <= e.high
    assert found.names[4] == "x0 and x1"
    assert found.plot().axes.get_title(loc="left")


def test_sums_do_not_interact_and_products_do() -> None:
    added = er.interaction_strength(Known(lambda X: np.sin(X[:, 0]) + X[:, 1] ** 3), X[:, :3])
    assert [e.value for e in added.strength] == [0.0] * 6
    assert [e.high for e in added.strength] == [0.0] * 6
    balanced = np.array([[a, b, 0.0] for a in (-1.0, 1.0) for b in (-1.0, 1.0)])
    times = er.interaction_strength(Known(lambda X: X[:, 0] * X[:, 1]), balanced, [0, 1])
    assert np.isclose(times.strength[-1].value, 1.0)
    weak = er.interaction_strength(Known(lambda X: X[:, 0] + 1e-3 * X[:, 1] * X[:, 2]), X)
    small = dict(zip(weak.names, weak.strength, strict=True))["x1 and x2"]
    assert "next to nothing" in small.reason


def test_categories_and_several_outputs() -> None:
    model = MODELS["three boosted classes"][0].fit(FRAME, np.digitize(Z, [-0.5, 0.5]))
    assert er.partial_dependence(model, FRAME, "a", grid=5).value.shape == (5, 3)
    assert len(er.interaction_strength(model, FRAME, ["a", "d"], output=2, max_rows=30).names) == 3


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_text_in_a_frame_is_set_to_its_levels(kind: Any) -> None:
    rng = np.random.default_rng(0)
    frame = kind({"x": rng.normal(size=60), "town": rng.choice(["Oslo", "Bergen", "Ås"], 60).tolist()})
    y = 2.0 * np.asarray(frame["x"]) + (np.asarray(frame["town"]) == "Oslo")
    encoder = ColumnTransformer([("n", "passthrough", ["x"]), ("t", OneHotEncoder(), ["town"])])
    model = make_pipeline(encoder, LinearRegression()).fit(frame, y)
    found = er.partial_dependence(model, frame, "town")
    assert found.categorical
    assert found.labels == ["Bergen", "Oslo", "Ås"]
    for g, level in enumerate(found.labels):
        moved = kind({"x": list(frame["x"]), "town": [level] * 60})
        assert found.individual[g, :, 0] == pytest.approx(model.predict(moved))
    assert er.partial_dependence(model, frame, "x", grid=[0.0, 1.0]).value[:, 0] == pytest.approx(
        np.mean(y) - 2.0 * frame["x"].mean() + np.array([0.0, 2.0])
    )


def test_bad_input_is_refused_by_name() -> None:
    model = er.RandomForestRegressor(n_estimators=3, random_state=0).fit(X, Z)
    with pytest.raises(TypeError, match="not made of trees"):
        er.tree_shap(LinearRegression().fit(X, Z), X)
    with pytest.raises(TypeError, match="fitted estimator"):
        er.tree_shap("model", X)
    with pytest.raises(ValueError, match="features"):
        er.tree_shap(model, X[:, :3])
    with pytest.raises(ValueError, match="not fitted"):
        er.tree_shap(er.RandomForestRegressor(), X)
    for call in (er.tree_shap, lambda m, rows: er.partial_dependence(m, rows, 0), er.interaction_strength):
        with pytest.raises(ValueError, match=r"0 sample|no rows|\(0, 4\)"):
            call(model, X[:0])
        with pytest.raises(ValueError, match="inf"):
            call(model, np.where(X > 1.5, np.inf, X))
    for wrong in ("z", 7, (0, 0), (0, 1, 2), True):
        with pytest.raises(ValueError, match="features"):
            er.partial_dependence(model, X, wrong)
    with pytest.raises(ValueError, match="level"):
        er.partial_dependence(model, X, 0, level=1.0)
    with pytest.raises(ValueError, match="grid"):
        er.partial_dependence(model, X, 0, grid=[np.nan])
    with pytest.raises(ValueError, match="no values"):
        er.partial_dependence(model, np.full((5, 4), np.nan), 0)
    with pytest.raises(ValueError, match="two different"):
        er.interaction_strength(model, X, [0])


def test_unseen_categories_and_missing_values_are_explained() -> None:
    model = er.GradientBoostingRegressor(n_estimators=20, early_stopping=False).fit(FRAME, Z)
    new = FRAME[:5].assign(d=pd.Categorical(["other"] * 5), a=np.nan)
    with pytest.warns(UnknownCategoryWarning, match=r"column 'd' \(5 rows\)"):
        found = er.tree_shap(model, new)
    with pytest.warns(UnknownCategoryWarning):
        assert np.allclose(found.base + found.values.sum(axis=1), model.predict(new))
    assert in_words(("u", "v"), 2.0) == "a category that training did not have"
    assert found.plot(0).axes.get_title(loc="left")


@pytest.mark.parametrize("height", [0.1, 0.3, 1e6 + 0.1])
def test_a_constant_score_has_no_interaction(height: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = DummyRegressor(strategy="constant", constant=height).fit(X, rng.normal(size=60))
    found = er.interaction_strength(model, X, max_rows=30, n_resamples=20)
    assert [(e.value, e.high) for e in found.strength] == [(0.0, 0.0)] * 6
    assert found.size == found.joint == [0.0] * 6
