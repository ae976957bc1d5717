"""What must not pass for knowledge from before the rows were seen, and wrong input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegressionCV
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC

import empirisk as er

Data = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
TEST_ROWS = ("exact binomial on test rows", "Chernoff-kl on test rows", "Hoeffding on test rows")


@pytest.fixture(scope="module")
def data() -> Data:
    rng = np.random.default_rng(6)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=400) > 0, 1, 0)
    return X[:300], y[:300], X[300:], y[300:]


def fixed(alpha: Any = 0.1, **more: Any) -> er.LogisticRegression:
    return er.LogisticRegression(alpha, fit_intercept=False, **more)


# -- knowledge that is none ----------------------------------------------------------------------


def test_a_sample_maximum_is_no_radius(data: Data) -> None:
    X, y, _, _ = data
    table = er.risk_bounds(fixed().fit(X, y), X, y)
    for name in ("margin", "uniform stability", "expected stability", "oracle inequality"):
        assert "no a-priori bound on the norm of x: declare radius=" in table[name].reason
    longest = float(np.linalg.norm(X, axis=1).max())
    with pytest.raises(ValueError, match=r"radius = .* is refuted by row \d+"):
        er.risk_bounds(fixed().fit(X, y), X, y, radius=0.9 * longest)
    declared = er.risk_bounds(fixed().fit(X, y), X, y, radius=math.sqrt(2.0))
    assert declared["expected stability"].applies
    assert any(a.source == "declared" and "1.414" in a.text for a in declared["margin"].assumptions)


def test_the_bound_is_about_errors_not_about_the_objective(data: Data) -> None:
    """The bounded loss is the 0-1 loss: what changes no decision changes no bound."""
    X, y, X_test, y_test = data
    model = fixed(0.1).fit(X, y)
    table = er.risk_bounds(model, X, y, X_test, y_test)
    assert table.risk == "0-1 loss"
    model.coef_ = 100.0 * model.coef_  # the training objective explodes, the errors stay
    moved = er.risk_bounds(model, X, y, X_test, y_test)
    for name in (*TEST_ROWS, "VC dimension of half-spaces", "PAC-Bayes-kl with a Gaussian"):
        assert moved[name].value == pytest.approx(table[name].value, rel=1e-9)


def test_a_prior_chosen_by_cross_validation_voids_pac_bayes(data: Data) -> None:
    X, y, _, _ = data
    tuned = er.risk_bounds(fixed("cv").fit(X, y), X, y, prior_scale="alpha")
    for name in ("PAC-Bayes-kl with a Gaussian", "PAC-Bayes-kl doubled"):
        assert "prior variance was chosen by cross-validation on these rows" in tuned[name].reason
    assert er.risk_bounds(fixed().fit(X, y), X, y, prior_scale="alpha")["PAC-Bayes-kl doubled"].applies
    scaled = make_pipeline(StandardScaler(), fixed()).fit(X, y)
    reason = er.risk_bounds(scaled, X, y, prior_scale="alpha")["PAC-Bayes-kl doubled"].reason
    assert "StandardScaler was fitted on these rows" in reason


def test_the_prior_of_a_scaled_model_is_over_the_raw_columns(data: Data) -> None:
    """Units matter: the prior N(0, I) does not follow the scales that a scaler found in the rows."""
    X, y, _, _ = data
    units = np.array([1.0, 1e4])
    pipe = make_pipeline(StandardScaler(), er.LogisticRegression(0.1))
    name = "PAC-Bayes-kl with a Gaussian"
    same = er.risk_bounds(pipe.fit(X, y), X, y)[name].value
    other = er.risk_bounds(pipe.fit(X * units, y), X * units, y)[name].value
    assert other > same + 0.1
    declared = er.risk_bounds(pipe, X * units, y, prior_scale=1.0 / units)[name]
    assert declared.value == pytest.approx(same, rel=1e-6)
    assert any(a.source == "declared" for a in declared.assumptions)


@pytest.mark.full  # simulated
@pytest.mark.parametrize(
    "name", ["uniform stability", "compression to support vectors", "vote by tandem loss"]
)
def test_settings_tuned_on_the_rows(name: str, data: Data) -> None:
    """Tuned over a grid that depends on the rows: refused. Over K fixed values: a union bound."""
    X, y, _, _ = data
    if name == "uniform stability":
        free, listed = fixed("cv").fit(X, y), fixed("cv", alphas=[0.3, 0.5, 0.7]).fit(X, y)
        single = fixed(listed.alpha_).fit(X, y)
        assert "alpha was tuned on these rows" in er.risk_bounds(free, X, y, radius=1.5)[name].reason
        given = er.risk_bounds(free, X, y, radius=1.5, candidates=100)[name]
        assert given.applies
        assert any("at most 100 settings were tried" in a.text for a in given.assumptions)
    elif name == "vote by tandem loss":
        forest = RandomForestClassifier(20, random_state=0)
        listed = GridSearchCV(forest, {"min_samples_leaf": [1, 2, 3]}, cv=2).fit(X, y)
        single = listed.best_estimator_
    else:
        listed = GridSearchCV(SVC(gamma=1.0), {"C": [0.5, 1.0, 2.0]}, cv=2).fit(X, y)
        single = listed.best_estimator_
    three = er.risk_bounds(listed, X, y, radius=1.5, delta=0.3)[name]
    one = er.risk_bounds(single, X, y, radius=1.5, delta=0.1)[name]
    assert three.applies
    assert three.value == pytest.approx(one.value, rel=1e-5)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of LogisticRegressionCV
def test_a_search_over_classes_pays_for_them(data: Data) -> None:
    X, y, _, _ = data
    search = GridSearchCV(er.LogisticRegression(), {"alpha": [0.01, 0.1, 1.0]}, cv=2).fit(X, y)
    name = "VC dimension of half-spaces"
    alone = er.risk_bounds(search.best_estimator_, X, y, delta=0.05 / 3)[name].value
    assert er.risk_bounds(search, X, y)[name].value == pytest.approx(alone)
    theirs = er.risk_bounds(LogisticRegressionCV(Cs=5, cv=2).fit(X, y), X, y)
    assert theirs[name].value < alone  # one class whatever C was chosen
    zoomed = er.selection.GridSearch(er.LogisticRegression(), {"alpha": [0.01, 0.1]}, cv=2, zoom=1).fit(X, y)
    assert "was tuned on these rows" in er.risk_bounds(zoomed, X, y)[name].reason


def test_an_expectation_has_no_union_bound(data: Data) -> None:
    X, y, _, _ = data
    table = er.risk_bounds(fixed("cv", alphas=[0.1, 0.2]).fit(X, y), X, y, radius=1.5)
    assert "no union bound mends an expectation" in table["expected stability"].reason
    assert table["uniform stability"].applies


def test_a_free_intercept_and_class_weights_refuse(data: Data) -> None:
    X, y, _, _ = data
    free = er.risk_bounds(er.LogisticRegression(0.1).fit(X, y), X, y, radius=1.5)
    assert "the intercept is free" in free["uniform stability"].reason
    weighted = er.risk_bounds(fixed(class_weight="balanced").fit(X, y), X, y, radius=1.5)
    assert "class weights depend on all rows" in weighted["uniform stability"].reason
    plain = er.risk_bounds(er.LogisticRegression(0.0, fit_intercept=False).fit(X, y), X, y, radius=1.5)
    assert "not strongly convex" in plain["uniform stability"].reason


def test_the_gap_of_the_fit_enters(data: Data) -> None:
    X, y, _, _ = data
    exact, rough = fixed(0.5, tol=1e-10).fit(X, y), fixed(0.5).fit(X, y)
    rough.coef_ = rough.coef_ + 0.05
    tables = [er.risk_bounds(m, X, y, radius=1.5)["expected stability"] for m in (exact, rough)]
    assert tables[1].value > tables[0].value + 0.05


def test_trees_that_saw_the_rows_are_no_out_of_bag_vote(data: Data) -> None:
    X, y, _, _ = data
    forest = RandomForestClassifier(20, bootstrap=False, random_state=0).fit(X, y)
    assert "the trees saw all rows" in er.risk_bounds(forest, X, y)["vote by tandem loss"].reason
    balanced = RandomForestClassifier(20, class_weight="balanced", random_state=0).fit(X, y)
    assert (
        "balanced class weights depend on all rows"
        in er.risk_bounds(balanced, X, y)["vote by tandem loss"].reason
    )
    short = RandomForestClassifier(20, random_state=0).fit(X, y)
    assert "pass the rows of the fit" in er.risk_bounds(short, X[:50], y[:50])["vote by tandem loss"].reason
    # scikit-learn averages the leaves: the theorem is about the plain vote.
    impure = RandomForestClassifier(20, min_samples_leaf=20, random_state=0).fit(X, y)
    assert er.risk_bounds(impure, X, y)["vote by tandem loss"].kind == "the majority vote of the members"
    assert er.risk_bounds(short, X, y)["vote by tandem loss"].kind == "the fitted model"


def test_neighbours_need_what_rows_cannot_tell(data: Data) -> None:
    X, y, _, _ = data
    unit = (X + 1.0) / 2.0
    model = KNeighborsClassifier(1).fit(unit, y)
    name = "smooth nearest neighbours"
    assert "declare lipschitz=" in er.risk_bounds(model, unit, y)[name].reason
    row = er.risk_bounds(model, unit, y, lipschitz=0.1, bayes_risk=0.1)[name]
    assert row.value == pytest.approx(0.2 + 4 * 0.1 * math.sqrt(2) * 300 ** (-1 / 3))
    assert row.kind == "the algorithm, in expectation"
    assert row.delta is None
    outside = er.risk_bounds(KNeighborsClassifier(1).fit(X, y), X, y, lipschitz=0.1, bayes_risk=0.1)[name]
    assert "do not lie in [0, 1]" in outside.reason
    assert (
        "fitted on 300"
        in er.risk_bounds(model, unit[:100], y[:100])["leave-one-out of nearest neighbours"].reason
    )


# -- test rows that are none ---------------------------------------------------------------------


def test_test_rows_among_the_training_rows_refuse(data: Data) -> None:
    X, y, X_test, y_test = data
    model = fixed().fit(X, y)
    cases = [
        (X, y, "X_test is X"),
        (X.copy(), y, "300 of the 300 test rows also stand in X"),
        (np.vstack([X_test, X[7]]), np.append(y_test, y[7]), "1 of the 101 test rows also stand in X"),
    ]
    for rows, labels, words in cases:
        table = er.risk_bounds(model, X, y, rows, labels)
        for name in TEST_ROWS:
            assert words in table[name].reason
        assert table[0].measured_on == "training rows"
    assert er.risk_bounds(model, X, y, X_test, y_test)[TEST_ROWS[0]].applies


def test_rows_that_repeat_by_themselves_do_not(rng: np.random.Generator) -> None:
    """Twelve possible rows: equal ones are no leak, and rows of another training set are as welcome."""
    X = rng.integers(3, size=(600, 2)).astype(float)
    y = (X[:, 0] + rng.integers(2, size=600) > 1).astype(int)
    model = fixed().fit(X[:400], y[:400])
    assert er.risk_bounds(model, X[:400], y[:400], X[400:], y[400:])[TEST_ROWS[0]].applies
    text = np.array(["abc"[int(v)] for v in X[:, 0]], dtype=object)
    assert text.dtype == object


def test_a_class_that_the_model_never_saw_counts_as_errors(data: Data) -> None:
    X, y, X_test, y_test = data
    model = fixed().fit(X, y)
    new = y_test.copy()
    new[:10] = 7
    errors = int(np.count_nonzero(model.predict(X_test) != new))
    assert errors >= 10
    table = er.risk_bounds(model, X, y, X_test, new)
    assert table[0].measured == pytest.approx(errors / 100)
    assert (
        table[TEST_ROWS[0]].value
        == er.bounds.held_out_binomial([1.0] * errors + [0.0] * (100 - errors)).value
    )


def test_several_models_compared_on_the_test_rows(data: Data) -> None:
    X, y, X_test, y_test = data
    model = fixed().fit(X, y)
    many = er.risk_bounds(model, X, y, X_test, y_test, test_candidates=20)[TEST_ROWS[2]]
    once = er.risk_bounds(model, X, y, X_test, y_test, delta=0.05 / 20)[TEST_ROWS[2]]
    assert many.value == pytest.approx(once.value)
    assert any("choose among 20 models" in a.text and a.source == "declared" for a in many.assumptions)


# -- wrong input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"delta": 0.0}, "delta must"),
        ({"delta": 1.0}, "delta must"),
        ({"delta": math.nan}, "delta must"),
        ({"radius": -1.0}, "radius must"),
        ({"candidates": 0}, "candidates must"),
        ({"test_candidates": 0}, "test_candidates must"),
        ({"prior_scale": "cv"}, "prior_scale must"),
        ({"prior_scale": np.ones(5)}, "prior_scale must be a number or hold one for each of the 2 columns"),
        ({"prior_scale": -1.0}, "prior_scale must hold positive"),
        ({"loss_range": (1.0, 0.0)}, "loss_range"),
        ({"loss_range": 0.5}, "two numbers"),
        ({"loss": "squared"}, "zero_one"),
        ({"lipschitz": -1.0}, "lipschitz must"),
        ({"bayes_risk": 2.0}, "bayes_risk must"),
    ],
)
def test_wrong_arguments_are_named(given: dict[str, Any], word: str, data: Data) -> None:
    X, y, _, _ = data
    with pytest.raises(ValueError, match=word):
        er.risk_bounds(fixed().fit(X, y), X, y, **given)


def test_wrong_rows_and_models_are_named(data: Data) -> None:
    X, y, X_test, y_test = data
    model = fixed().fit(X, y)
    with pytest.raises(NotFittedError):
        er.risk_bounds(fixed(), X, y)
    with pytest.raises(TypeError, match="has no predict"):
        er.risk_bounds(PCA().fit(X), X, y)
    with pytest.raises(ValueError, match="both X_test and y_test"):
        er.risk_bounds(model, X, y, X_test)
    with pytest.raises(ValueError, match="X_test has 100 rows but y_test has 99"):
        er.risk_bounds(model, X, y, X_test, y_test[1:])
    with pytest.raises(ValueError, match="y_test holds text but the model was fitted to numbers"):
        er.risk_bounds(model, X, y, X_test, y_test.astype(str))
    with pytest.raises(ValueError, match="missing in row 2"):
        er.risk_bounds(model, X, np.where(np.arange(300) == 2, np.nan, y))


def test_one_row(data: Data) -> None:
    X, y, X_test, y_test = data
    table = er.risk_bounds(fixed().fit(X, y), X, y, X_test[:1], y_test[:1])
    assert table[TEST_ROWS[0]].value in (pytest.approx(0.95), 1.0)
    assert "1 test row is too few" in table["empirical Bernstein on test rows"].reason
    alone = er.risk_bounds(KNeighborsClassifier(1).fit(X[:1], y[:1]), X[:1], y[:1])
    assert "too few to leave one out" in alone["leave-one-out of nearest neighbours"].reason


def test_a_prior_among_fixed_values_pays_for_them(data: Data) -> None:
    X, y, _, _ = data
    name = "PAC-Bayes-kl with a Gaussian"
    listed = fixed("cv", alphas=[0.1, 0.2]).fit(X, y)
    both = er.risk_bounds(listed, X, y, prior_scale="alpha")[name].value
    one = er.risk_bounds(fixed(listed.alpha_).fit(X, y), X, y, prior_scale="alpha", delta=0.025)[name].value
    assert both == pytest.approx(one, rel=1e-4)


def test_declared_units_are_those_of_the_rounding(data: Data) -> None:
    X, y, _, _ = data
    units, name = np.array([1.0, 1e4]), "Occam by rounded coefficients"
    model = er.LogisticRegression(1e-9)
    same = er.risk_bounds(model.fit(X, y), X, y)[name].value
    wild = er.risk_bounds(model.fit(X * units, y), X * units, y)
    known = er.risk_bounds(model.fit(X * units, y), X * units, y, prior_scale=1.0 / units)
    assert known[name].value == pytest.approx(same, rel=1e-6)
    grid = er.risk_bounds(model, X * units, y, prior_scale=np.stack([np.ones(2), 1.0 / units]), delta=0.1)
    assert grid[name].value == pytest.approx(min(known[name].value, wild[name].value), rel=1e-6)


def test_the_constant_answer_stands_below(data: Data) -> None:
    X, y, X_test, y_test = data
    table = er.risk_bounds(fixed().fit(X, y), X, y, X_test, y_test)
    most = int(np.bincount(y).argmax())
    assert table.constant == pytest.approx(np.mean(y_test != most))
    assert f"has a measured risk of {table.constant:.4g}" in repr(table)


def test_labels_that_the_model_was_not_fitted_to(data: Data) -> None:
    X, y, _, _ = data
    with pytest.raises(ValueError, match="labels that the model was not fitted to"):
        er.risk_bounds(fixed().fit(X, y), X, np.where(np.arange(300) == 4, 9, y))


def test_a_prior_from_other_rows_shortens_pac_bayes(data: Data) -> None:
    X, y, X_test, y_test = data
    name = "PAC-Bayes-kl with a Gaussian"
    elsewhere = make_pipeline(StandardScaler(), er.LogisticRegression(0.01)).fit(X_test, y_test)
    model = make_pipeline(StandardScaler(), er.LogisticRegression(0.01)).fit(X, y)
    plain, moved = er.risk_bounds(model, X, y), er.risk_bounds(model, X, y, prior=elsewhere)
    assert moved[name].value < plain[name].value - 0.02
    assert moved["PAC-Bayes-kl doubled"].value == pytest.approx(2 * moved[name].value)
    assert any("found on other rows" in a.text and a.source == "declared" for a in moved[name].assumptions)


def test_a_prior_from_the_same_rows_refuses(data: Data) -> None:
    X, y, _, _ = data
    name = "PAC-Bayes-kl with a Gaussian"
    model = fixed().fit(X, y)
    for prior, words in (
        (model, "it was fitted to the same rows"),
        (fixed().fit(X, y), "it was fitted to the same rows"),
        (KNeighborsClassifier().fit(X, y), "the model is not a linear classifier"),
        (make_pipeline(PolynomialFeatures(2), fixed()).fit(X, y), "linear in other features"),
        (fixed().fit(X, np.where(y == 1, 2, 0)), "does not know the same classes"),
    ):
        assert words in er.risk_bounds(model, X, y, prior=prior)[name].reason
    with pytest.raises(TypeError, match="prior must be a fitted linear classifier"):
        er.risk_bounds(model, X, y, prior=1.0)
    with pytest.raises(NotFittedError):
        er.risk_bounds(model, X, y, prior=fixed())


def test_what_a_search_tuned_is_called_by_its_name(data: Data) -> None:
    X, y, _, _ = data
    search = GridSearchCV(SVC(gamma=1.0), {"C": [0.5, 1.0]}, cv=2).fit(X, y)
    machine = er.risk_bounds(search, X, y)
    assert "alpha" not in repr(machine)
    assert "is not a certified minimiser" in machine["expected stability"].reason
    assert any(
        a.text == "C was chosen among 2 fixed values"
        for a in machine["compression to support vectors"].assumptions
    )
    ours = GridSearchCV(fixed(), {"alpha": [0.1, 0.2], "tol": [1e-6]}, cv=2).fit(X, y)
    reason = er.risk_bounds(ours, X, y, radius=1.5)["expected stability"].reason
    assert reason == "alpha and tol were tuned on these rows: no union bound mends an expectation"


def test_our_neighbours_have_the_rows_of_scikit_learn_s(rng: np.random.Generator) -> None:
    X = rng.uniform(size=(200, 2))
    y = (X[:, 0] + 0.2 * rng.normal(size=200) > 0.5).astype(int)
    told: dict[str, float] = {"lipschitz": 2.0, "bayes_risk": 0.1}
    ours = er.risk_bounds(er.KNeighborsClassifier(15).fit(X, y), X, y, **told)
    theirs = er.risk_bounds(KNeighborsClassifier(15).fit(X, y), X, y, **told)
    assert {r.bound: r.value for r in ours} == {r.bound: r.value for r in theirs}
    assert {r.bound for r in ours} >= {"leave-one-out of nearest neighbours", "smooth nearest neighbours"}
    chosen = er.risk_bounds(er.KNeighborsClassifier("cv").fit(X, y), X, y, **told)
    for name in ("leave-one-out of nearest neighbours", "smooth nearest neighbours"):
        assert "the number of neighbours was chosen on these rows" in chosen[name].reason
        assert math.isnan(chosen[name].value)
