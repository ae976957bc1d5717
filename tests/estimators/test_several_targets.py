"""Several targets: types and names of the columns, scores, weights, rows of validation, files, refusals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multioutput import MultiOutputClassifier, MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.estimators.several_targets import target_columns
from empirisk.results import Kind

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
NUMBERS = np.column_stack([X[:, 0] + 0.3 * RNG.normal(size=120), X[:, 1] - X[:, 2]])
COLOUR = np.array(["red", "green", "blue"])[np.digitize(NUMBERS[:, 0], [-0.5, 0.5])]
GRADE = np.digitize(NUMBERS[:, 1], [0.0])
MIXED = pd.DataFrame({"colour": COLOUR, "grade": GRADE})


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_text_and_numbers_stay_what_they_are(kind: Any) -> None:
    model = er.LogisticRegression().fit(X, kind({"colour": COLOUR, "grade": GRADE}))
    told = model.predict(X)
    assert told.dtype == object
    assert told[:, 0].tolist() == er.LogisticRegression().fit(X, COLOUR).predict(X).tolist()
    assert told[:, 1].tolist() == er.LogisticRegression().fit(X, GRADE).predict(X).tolist()
    assert [type(v) for v in told[0].tolist()] == [str, int]
    assert model.classes_[0].tolist() == ["blue", "green", "red"]
    assert model.classes_[1].tolist() == [0, 1]
    scores = model.decision_function(X)
    assert [np.shape(one) for one in scores] == [(120, 3), (120,)]


def test_rows_of_lists_keep_the_types_of_their_columns() -> None:
    rows = [[c, int(g)] for c, g in zip(COLOUR, GRADE, strict=True)]
    told = er.DecisionTreeClassifier(max_depth=2, alpha=None).fit(X, rows).predict(X)
    frame = er.DecisionTreeClassifier(max_depth=2, alpha=None).fit(X, MIXED).predict(X)
    np.testing.assert_array_equal(told, frame)


def test_columns_of_numbers_and_of_one_target() -> None:
    assert target_columns(NUMBERS[:, 0]) is None
    assert target_columns(NUMBERS[:, :1]) is None
    assert target_columns(pd.DataFrame({"a": GRADE})) is None
    assert target_columns(["red", "green"]) is None
    assert list(target_columns(NUMBERS)) == [0, 1]
    with pytest.raises(ValueError, match="rows of different lengths"):
        target_columns([[1, 2], [3]])
    with pytest.raises(ValueError, match="2 columns called 'a'"):
        target_columns(pd.DataFrame(NUMBERS, columns=["a", "a"]))


def test_scores_are_those_of_scikit_learn() -> None:
    s = RNG.uniform(0.5, 2.0, size=120)
    numbers = er.HuberRegressor().fit(X, NUMBERS, sample_weight=s)
    each = [er.HuberRegressor().fit(X, y, sample_weight=s).score(X, y, s) for y in NUMBERS.T]
    assert numbers.score(X, NUMBERS, s) == pytest.approx(np.mean(each), rel=1e-12)
    peer = MultiOutputRegressor(er.HuberRegressor()).fit(X, NUMBERS, sample_weight=s)
    assert numbers.score(X, NUMBERS, s) == pytest.approx(peer.score(X, NUMBERS, s), rel=1e-9)
    labels = np.column_stack([GRADE, (NUMBERS[:, 0] > 0).astype(int)])
    classes = er.GaussianNB().fit(X, labels)
    twin = MultiOutputClassifier(er.GaussianNB()).fit(X, labels)
    assert classes.score(X, labels) == pytest.approx(twin.score(X, labels))
    right = (classes.predict(X) == labels).all(axis=1)
    assert classes.score(X, labels, sample_weight=s) == pytest.approx(np.average(right, weights=s))
    with pytest.raises(ValueError, match="y must hold the 2 targets of the fit"):
        classes.score(X, GRADE)


def test_scikit_learn_searches_and_folds_take_several_targets() -> None:
    found = GridSearchCV(er.KNeighborsRegressor(), {"n_neighbors": [1, 5]}, cv=3).fit(X, NUMBERS)
    assert np.isfinite(found.cv_results_["mean_test_score"]).all()
    assert np.isfinite(cross_val_score(er.GaussianNB(), X, np.column_stack([GRADE, GRADE[::-1]]), cv=3)).all()


def test_the_certificate_is_the_worst() -> None:
    model = er.LogisticRegression(alpha=0.1).fit(X, MIXED)
    each = {name: one.certificate_ for name, one in model.by_target_.items()}
    worst = max(each, key=lambda name: each[name].relative)
    assert model.certificate_.kind is Kind.DUALITY_GAP
    assert model.certificate_.value == each[worst].value
    assert f"worst of 2 targets, {worst!r}: " in model.certificate_.claim
    again = er.verify(model, X, MIXED)
    assert again.within(1e-4)
    assert "worst of 2 targets" in again.claim
    with pytest.raises(ValueError, match=r"y must hold the targets of the fit, \['colour', 'grade'\]"):
        er.verify(model, X, COLOUR)


def test_validation_rows_of_boosting_are_dealt_like_the_targets() -> None:
    frame = pd.DataFrame(NUMBERS, columns=["a", "b"])
    given = {"n_estimators": 30, "learning_rate": 0.5, "n_iter_no_change": 3, "min_samples_leaf": 3}
    model = er.GradientBoostingRegressor(**given)
    model.fit(X[:80], frame[:80], X_val=X[80:], y_val=frame[80:])
    for name, one in model.by_target_.items():
        alone = er.GradientBoostingRegressor(**given)
        alone.fit(X[:80], frame[name][:80], X_val=X[80:], y_val=frame[name][80:])
        assert one.n_estimators_ == alone.n_estimators_
        np.testing.assert_array_equal(one.predict(X), alone.predict(X))
    with pytest.raises(ValueError, match=r"y_val must hold the targets of y, \['a', 'b'\], got one column"):
        model.fit(X[:80], frame[:80], X_val=X[80:], y_val=frame["a"][80:])


def test_a_warm_start_goes_on_for_every_target() -> None:
    small = er.GradientBoostingRegressor(n_estimators=4, warm_start=True).fit(X, NUMBERS)
    kept = small.by_target_
    grown = small.set_params(n_estimators=9).fit(X, NUMBERS)
    once = er.GradientBoostingRegressor(n_estimators=9).fit(X, NUMBERS)
    np.testing.assert_array_equal(grown.predict(X), once.predict(X))
    assert kept[0].n_estimators_ == 4  # the models before stay as they were


@pytest.mark.parametrize(
    "model",
    [er.LinearRegression(), er.HuberRegressor(), make_pipeline(StandardScaler(), er.HuberRegressor())],
)
def test_an_evaluation_scores_each_target_by_name(model: Any) -> None:
    frame = pd.DataFrame(NUMBERS, columns=["a", "b"])
    told = er.evaluate(model.fit(X[:80], frame[:80]), X[80:], frame[80:], metrics=["r2", "mae"])
    assert list(told) == ["a: r2", "a: mae", "b: r2", "b: mae"]
    for name in frame:
        one = er.evaluate(model.fit(X[:80], frame[name][:80]), X[80:], frame[name][80:], metrics=["mae"])
        assert told[f"{name}: mae"].value == pytest.approx(one["mae"].value, rel=1e-6)


def test_an_evaluation_of_classes_scores_each_target_by_name() -> None:
    model = er.LogisticRegression().fit(X[:80], MIXED[:80])
    told = er.evaluate(model, X[80:], MIXED[80:])
    alone = er.evaluate(er.LogisticRegression().fit(X[:80], COLOUR[:80]), X[80:], COLOUR[80:])
    assert {name: told[f"colour: {name}"].to_dict() for name in alone} == alone.to_dict()
    piped = make_pipeline(StandardScaler(), er.GaussianNB()).fit(X[:80], MIXED[:80])
    one = make_pipeline(StandardScaler(), er.GaussianNB()).fit(X[:80], COLOUR[:80])
    told = er.evaluate(piped, X[80:], MIXED[80:])
    wanted = er.evaluate(one, X[80:], COLOUR[80:])
    assert {name: told[f"colour: {name}"].to_dict() for name in wanted} == wanted.to_dict()
    with pytest.raises(ValueError, match=r"was fitted on \['colour', 'grade'\]: give the same columns"):
        er.evaluate(model, X[80:], MIXED[80:][["grade", "colour"]])
    with pytest.raises(ValueError, match="LogisticRegression predicts one: give one column of y"):
        er.evaluate(er.LogisticRegression().fit(X, GRADE), X, MIXED)


def test_files_hold_the_models_of_all_targets() -> None:
    sio = pytest.importorskip(
        "skops.io", reason="files of skops need the extra: pip install 'empirisk[report]'"
    )
    model = er.DecisionTreeClassifier(max_depth=2).fit(X, MIXED)
    dumped = sio.dumps(model)
    again = sio.loads(dumped, trusted=sio.get_untrusted_types(data=dumped))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert list(again.by_target_) == ["colour", "grade"]


def test_a_notebook_shows_the_size_of_the_table() -> None:
    assert "Fitted on 120 rows and 3 columns" in er.LogisticRegression().fit(X, MIXED)._repr_html_()


def test_refusals_name_the_target() -> None:
    with pytest.raises(ValueError, match=r"in the target 'grade': y holds one class only \(0\)"):
        er.LogisticRegression().fit(X, MIXED.assign(grade=0))
    holes = NUMBERS.copy()
    holes[5, 1] = np.nan
    with pytest.raises(ValueError, match="in the target 1: y contains NaN in row 5"):
        er.DecisionTreeRegressor().fit(X, holes)
    with pytest.raises(ValueError, match="in the target 'colour': y holds the text"):
        er.HuberRegressor().fit(X, MIXED)
    model = er.HuberRegressor().fit(X, NUMBERS)
    with pytest.raises(
        AttributeError, match=r"HuberRegressor was fitted on 2 targets.*ask by_target_\[0\], say, for coef_"
    ):
        _ = model.coef_
    with pytest.raises(AttributeError, match="has no attribute 'colour_'"):
        _ = model.colour_


def test_methods_about_one_target_say_where_to_ask() -> None:
    tree = er.DecisionTreeClassifier(max_depth=2).fit(X, MIXED)
    for ask in (tree.to_text, tree.rules, lambda: tree.prune(n_leaves=2), lambda: er.export_text(tree)):
        with pytest.raises(
            ValueError, match=r"was fitted on 2 targets.*ask by_target_\['colour'\], say, for \w+\(\)"
        ):
            ask()
    stream = er.SGDRegressor().fit(X, NUMBERS)
    with pytest.raises(ValueError, match=r"ask by_target_\[0\], say, for partial_fit\(\)"):
        stream.partial_fit(X, NUMBERS[:, 0])
    with pytest.raises(ValueError, match=r"say, for er.margins"):
        er.margins(er.LogisticRegression().fit(X, MIXED), X)
    with pytest.raises(ValueError, match="an explanation of probabilities"):
        er.partial_dependence(er.LogisticRegression().fit(X, MIXED), X, [0])


@pytest.mark.parametrize(
    "model",
    [
        er.HuberRegressor(max_iter=1),
        er.LogisticRegression(max_iter=1),
        er.SVC(max_iter=1),
        er.MLPClassifier(n_epochs=1),
        er.GaussianProcessRegressor(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_warnings_of_fits_are_about_the_line_of_the_user(model: Any) -> None:
    y = GRADE if is_classifier(model) else NUMBERS[:, 0]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.fit(X, y)
    assert {w.filename for w in told} <= {__file__}
    if isinstance(model, er.HuberRegressor | er.LogisticRegression):
        assert told


def test_warnings_of_new_categories_are_about_the_line_of_the_user() -> None:
    frame = pd.DataFrame({"town": pd.Categorical(np.where(X[:, 0] > 0, "x", "y"))})
    other = pd.DataFrame({"town": pd.Categorical(["z"])})
    for y in (GRADE, MIXED):
        model = er.DecisionTreeClassifier().fit(frame, y)
        with pytest.warns(UserWarning, match="ER003") as told:
            model.predict(other)
        assert {w.filename for w in told} == {__file__}
