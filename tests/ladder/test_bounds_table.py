"""The table of bounds: order, words, forms, and what each kind of model gets."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression, Perceptron, RidgeClassifier
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, PolynomialFeatures, QuantileTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import empirisk as er
from empirisk.kernels import Gaussian
from empirisk.ladder import RUNGS
from empirisk.selection import RiskBounds

TEST_ROWS = [
    "exact binomial on test rows",
    "Chernoff-kl on test rows",
    "empirical Bernstein on test rows",
    "Hoeffding on test rows",
]
LINEAR = {
    "Occam by stored coefficients",
    "Occam by rounded coefficients",
    "VC dimension of half-spaces",
    "VC dimension and training error",
    "PAC-Bayes-kl with a Gaussian",
    "PAC-Bayes-kl doubled",
}
MACHINE = {"compression to support vectors", "leave-one-out by support vectors"}
VOTES = {"vote by twice the mean error", "vote by tandem loss"}
Data = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@pytest.fixture(scope="module")
def data() -> Data:
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, size=(900, 3))
    y = np.where(X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=900) > 0, "yes", "no")
    return X[:600], y[:600], X[600:], y[600:]


def applied(table: RiskBounds) -> set[str]:
    return {row.bound for row in table if row.applies} - set(TEST_ROWS)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (er.LogisticRegression(), LINEAR),
        (er.LogisticRegression(alpha="cv"), LINEAR),
        (TheirLogistic(), LINEAR),
        (RidgeClassifier(), LINEAR),
        (Perceptron(), LINEAR),
        (LinearSVC(), LINEAR | MACHINE),
        (SVC(kernel="linear"), LINEAR | MACHINE),
        (SVC(gamma=0.5), MACHINE),
        (er.SVC(kernel=Gaussian(gamma=0.5)), MACHINE | {"margin"}),
        (er.SVC(kernel="linear"), MACHINE),  # no radius is declared
        (er.SVC(), set()),  # gamma is computed from all rows
        (SVC(), set()),  # gamma="scale" is computed from all rows
        (make_pipeline(StandardScaler(), er.LogisticRegression()), LINEAR),
        (make_pipeline(PolynomialFeatures(2), er.LogisticRegression()), LINEAR),
        (make_pipeline(QuantileTransformer(n_quantiles=100), er.LogisticRegression()), set()),
        (make_pipeline(StandardScaler(), SVC(gamma=0.5)), set()),
        (DecisionTreeClassifier(max_depth=3), {"Occam by tree size", "growth function of trees"}),
        (RandomForestClassifier(30, random_state=0), VOTES | {"vote by C-bound"}),
        (BaggingClassifier(DecisionTreeClassifier(), 30, random_state=0), VOTES | {"vote by C-bound"}),
        (ExtraTreesClassifier(10), set()),
        (KNeighborsClassifier(5), {"leave-one-out of nearest neighbours"}),
        (make_pipeline(StandardScaler(), KNeighborsClassifier(5)), set()),
        (GaussianNB(), set()),
    ],
    ids=lambda v: None if isinstance(v, set) else repr(v)[:40].replace("\n", ""),
)
def test_which_theorems_apply(model: Any, expected: set[str], data: Data) -> None:
    X, y, X_test, y_test = data
    table = er.risk_bounds(model.fit(X, y), X, y, X_test, y_test)
    assert applied(table) == expected
    assert len(table) == len(RUNGS)
    assert {row.bound for row in table if row.applies} >= set(TEST_ROWS)
    for row in table:
        assert row.measured == pytest.approx(np.mean(model.predict(X_test) != y_test))
        assert row.measured_on == "test rows"
        if row.applies:
            assert 0.0 <= row.value <= 1.0
            assert row.vacuous == (row.value >= 1.0)
            assert row.assumptions
        else:
            assert row.reason
            assert math.isnan(row.value)


def test_order_and_forms(data: Data) -> None:
    X, y, X_test, y_test = data
    model = er.LogisticRegression(0.1, fit_intercept=False).fit(X, y)
    table = er.risk_bounds(model, X, y, X_test, y_test, radius=math.sqrt(3.0))
    names = [row.bound for row in table]
    assert set(names[:4]) == set(TEST_ROWS)
    assert names[0] == TEST_ROWS[0]
    rest = [row for row in table[4:] if row.applies]
    assert [r.value for r in rest] == sorted(r.value for r in rest)
    assert not any(row.applies for row in table[4 + len(rest) :])
    assert table.best is not None
    assert table.best.value == table[0].value

    assert max(map(len, repr(table).splitlines())) <= 120
    text = " ".join(repr(table).split())
    assert "(vacuous)" in text
    assert "holds by itself with probability at least 95 %" in text
    assert "For other kinds of models" in text
    for row in table:
        assert row.bound in text
        assert row.bound in table._repr_html_()
    frame = table.to_frame()
    assert list(frame.columns[:7]) == [
        "bound",
        "value",
        "measured",
        "measured_on",
        "vacuous",
        "applies",
        "reason",
    ]
    assert "assumptions" in frame.columns
    assert len(frame) == len(table)
    told = json.loads(json.dumps(table.to_dict(), allow_nan=False))
    assert told["label"] == "rate of errors"
    assert told["trivial"] == 1.0
    assert told["rows"][0]["value"] == table[0].value
    assert {a["source"] for r in told["rows"] for a in r["assumptions"]} == {
        "declared",
        "computed",
        "assumed",
    }
    with pytest.raises(KeyError, match="no such bound"):
        table["no such bound"]


def test_without_test_rows_the_training_risk_stands_beside(data: Data) -> None:
    X, y, _, _ = data
    model = er.LogisticRegression().fit(X, y)
    table = er.risk_bounds(model, X, y)
    assert {row.measured_on for row in table} == {"training rows"}
    assert table[0].measured == pytest.approx(np.mean(model.predict(X) != y))
    assert all("no test rows were given" in table[name].reason for name in TEST_ROWS)


def test_the_linear_form_of_a_pipeline_is_that_of_the_raw_columns(data: Data) -> None:
    """A scaler fitted on the rows leaves the class linear: same model, same bounds in the raw columns."""
    X, y, _, _ = data
    X = X * [1.0, 20.0, 0.1]
    pipe = make_pipeline(StandardScaler(), er.LogisticRegression(0.01)).fit(X, y)
    scaler, inner = pipe[0], pipe[-1]
    raw = TheirLogistic().fit(X, y)
    raw.coef_ = inner.coef_ / scaler.scale_
    raw.intercept_ = inner.intercept_ - (inner.coef_ / scaler.scale_) @ scaler.mean_
    one, two = er.risk_bounds(pipe, X, y), er.risk_bounds(raw, X, y)
    for name in LINEAR:
        assert one[name].value == pytest.approx(two[name].value, rel=1e-6), name


def test_a_transformer_of_columns(data: Data, rng: np.random.Generator) -> None:
    """Scaled numbers are affine; categories count as fixed only when they were given."""
    X, y, _, _ = data
    colours = np.array(["red", "green", "blue"])[rng.integers(3, size=600)]
    frame = pd.DataFrame({"a": X[:, 0], "b": 50.0 * X[:, 1], "colour": colours})

    def table(categories: Any) -> RiskBounds:
        columns = ColumnTransformer(
            [("n", StandardScaler(), ["a", "b"]), ("c", OneHotEncoder(categories=categories), ["colour"])]
        )
        return er.risk_bounds(make_pipeline(columns, TheirLogistic()).fit(frame, y), frame, y)

    found, given = table("auto"), table([["blue", "green", "red"]])
    assert applied(found) == set()
    assert "OneHotEncoder found its categories in these rows" in found["margin"].reason
    assert applied(given) == LINEAR
    ones = (colours[:, None] == ["blue", "green", "red"]).astype(float)
    raw = np.column_stack([X[:, 0], 50.0 * X[:, 1], ones])
    direct = er.risk_bounds(make_pipeline(StandardScaler(), TheirLogistic(C=1e6)).fit(raw, y), raw, y)
    name = "VC dimension of half-spaces"
    assert given[name].value == pytest.approx(direct[name].value, abs=0.03)  # six parameters in both
    assert any("5 columns: VC dimension 6" in a.text for a in given[name].assumptions)


def test_frames_text_and_sparse_rows(data: Data) -> None:
    X, y, X_test, y_test = data
    names = ["a", "b", "c"]
    tight = er.LogisticRegression(tol=1e-10)  # so near the optimum that the way there is not seen
    plain = er.risk_bounds(clone(tight).fit(X, y), X, y, X_test, y_test)
    frame = clone(tight).fit(pd.DataFrame(X, columns=names), y)
    tables = [
        er.risk_bounds(frame, pd.DataFrame(X, columns=names), y, pd.DataFrame(X_test, columns=names), y_test),
        er.risk_bounds(
            clone(tight).fit(sparse.csr_array(X), y),
            sparse.csr_array(X),
            y,
            sparse.csr_array(X_test),
            y_test,
        ),
    ]
    for table in tables:
        assert [r.bound for r in table] == [r.bound for r in plain]
        for mine, theirs in zip(table, plain, strict=True):
            assert mine.value == pytest.approx(theirs.value, rel=1e-6, nan_ok=True)


def test_regression_needs_a_range_and_is_clipped(data: Data, rng: np.random.Generator) -> None:
    X, _, X_test, _ = data
    y, y_test = X[:, 0] + 0.1 * rng.normal(size=600), X_test[:, 0] + 0.1 * rng.normal(size=300)
    y_test[0] = 100.0  # an outlier does not move a clipped loss by more than the range
    for model in (LinearRegression(), er.Ridge(), er.Lasso(0.01), DecisionTreeRegressor(max_depth=2)):
        model.fit(X, y)
        without = er.risk_bounds(model, X, y, X_test, y_test)
        assert not applied(without)
        assert "declare loss_range=(0, largest)" in without[TEST_ROWS[1]].reason
        table = er.risk_bounds(model, X, y, X_test, y_test, loss_range=(0.0, 0.25), radius=math.sqrt(3.0))
        clipped = np.minimum((model.predict(X_test) - y_test) ** 2, 0.25)
        assert table[0].measured == pytest.approx(clipped.mean())
        assert table[TEST_ROWS[1]].value >= clipped.mean()
        assert table.trivial == 0.25
        assert "clipped to [0, 0.25]" in table.risk
        tree = isinstance(model, DecisionTreeRegressor)
        ours = {
            "Occam by stored coefficients",
            "Occam by rounded coefficients",
            "Rademacher complexity of a ball",
        }
        assert applied(table) == ({"Occam by tree size"} if tree else ours)
        assert not table[TEST_ROWS[0]].applies  # no counts of errors
    absolute = er.risk_bounds(model, X, y, X_test, y_test, loss="absolute", loss_range=(0.0, 0.5))
    assert absolute[0].measured == pytest.approx(
        np.minimum(np.abs(model.predict(X_test) - y_test), 0.5).mean()
    )


def test_many_classes(data: Data) -> None:
    X, _, X_test, _ = data
    y, y_test = np.digitize(X[:, 0], [-0.3, 0.3]), np.digitize(X_test[:, 0], [-0.3, 0.3])
    linear = er.risk_bounds(er.LogisticRegression().fit(X, y), X, y, X_test, y_test)
    assert applied(linear) == {"Occam by stored coefficients", "Occam by rounded coefficients"}
    assert linear["VC dimension of half-spaces"].reason == "the theorem is about two classes"
    forest = er.risk_bounds(RandomForestClassifier(30, random_state=0).fit(X, y), X, y)
    assert applied(forest) == VOTES
    machine = er.risk_bounds(SVC(gamma=1.0).fit(X, y), X, y)
    assert applied(machine) == MACHINE


def test_simultaneous_divides_delta(data: Data) -> None:
    X, y, X_test, y_test = data
    model = er.LogisticRegression().fit(X, y)
    alone = er.risk_bounds(model, X, y, X_test, y_test, delta=0.05 / len(RUNGS))
    joint = er.risk_bounds(model, X, y, X_test, y_test, delta=0.05, simultaneous=True)
    assert [r.value for r in joint if r.applies] == [r.value for r in alone if r.applies]
    assert "hold together" in joint.sentence
    assert "simultaneous=True" in alone.sentence


def test_it_draws(data: Data) -> None:
    pytest.importorskip("matplotlib")
    X, y, X_test, y_test = data
    axes = er.risk_bounds(er.LogisticRegression().fit(X, y), X, y, X_test, y_test).plot().axes
    assert "rate of errors" in axes.get_xlabel()


def test_separable_rows_get_the_faster_rate(rng: np.random.Generator) -> None:
    X = rng.uniform(-1, 1, size=(800, 2))
    X = X[np.abs(X[:, 0]) > 0.2]
    y = (X[:, 0] > 0).astype(int)
    table = er.risk_bounds(er.LogisticRegression(1e-4, fit_intercept=False).fit(X, y), X, y)
    name = "VC dimension without training errors"
    assert table[name].applies
    assert table[name].value < 0.2 * table["VC dimension of half-spaces"].value
    flipped = np.where(np.arange(len(y)) == 3, 1 - y, y)
    assert "makes errors" in er.risk_bounds(er.LogisticRegression().fit(X, flipped), X, flipped)[name].reason
