"""Support vector machines: LIBSVM's and LIBLINEAR's optima, optimality conditions, and what users meet."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm
from sklearn.datasets import load_iris, load_svmlight_file

import empirisk as er

HEART = Path(__file__).parents[1] / "data" / "svm" / "heart_scale.libsvm"


def heart() -> tuple[Any, Any]:
    X, y = load_svmlight_file(str(HEART))
    return X.toarray(), y


def overlapping(rng: np.random.Generator, n: int = 200, p: int = 5) -> tuple[Any, Any]:
    X = rng.normal(size=(n, p)) + 0.5
    return X, np.where(X @ np.linspace(1.0, -1.0, p) + rng.normal(size=n) > 0.0, 1, 0)


# -- other programs' optima ---------------------------------------------------------------------


def test_libsvm_on_heart_scale() -> None:
    """``svm-train -t 0 -e 1e-9``: obj -92.473359, rho -1.049098, 101 support vectors.

    Its kernel matrix is in float32, which leaves 1e-6 of these numbers open.
    """
    X, y = heart()
    model = er.LinearSVC(tol=1e-9).fit(X, y)
    problem = model.problem(X, y)
    assert 270.0 * problem.value(model._pack(problem)) == pytest.approx(92.473359, rel=3e-7)
    assert model.intercept_[0] == pytest.approx(1.049098, abs=2e-6)
    np.testing.assert_allclose(
        model.decision_function(X)[:5], [2.826280, 0.328190, -0.944312, 1.967409, -1.0], atol=3e-6
    )
    assert len(model.support_) == 101


def test_liblinear_logistic_by_dual_ascent() -> None:
    """LIBLINEAR's ``train -s 0 -c 1 -e 1e-10 -B -1`` prints the primal objective 98.22679950813684."""
    X, y = heart()
    model = er.LogisticRegression(fit_intercept=False, solver="sdca", tol=1e-10).fit(X, y)
    problem = model.problem(X, y)
    assert 270.0 * problem.value(model._pack(problem)) == pytest.approx(98.22679950813684, rel=1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_scikit_learn_linear_svc(loss: str, rng: np.random.Generator) -> None:
    X, y = overlapping(rng)
    factor = 1.0 if loss == "hinge" else 2.0
    ours = er.LinearSVC(1.0 / (factor * 200 * 0.7), loss=loss, fit_intercept=False, tol=1e-10).fit(X, y)
    theirs = svm.LinearSVC(
        C=0.7, loss=loss, fit_intercept=False, tol=1e-9, max_iter=1_000_000, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-5)


def test_scikit_learn_l1(rng: np.random.Generator) -> None:
    X, y = overlapping(rng)
    ours = er.LinearSVC(
        1.0 / (2 * 200 * 0.05), loss="squared_hinge", penalty="l1", fit_intercept=False, tol=1e-10
    ).fit(X, y)
    theirs = svm.LinearSVC(
        C=0.05, penalty="l1", dual=False, fit_intercept=False, tol=1e-9, max_iter=100_000, random_state=0
    ).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_scikit_learn_linear_svr(loss: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 3))
    y = X @ [1.0, -1.0, 0.5] + 0.3 * rng.normal(size=150)
    factor = 1.0 if loss == "epsilon_insensitive" else 2.0
    ours = er.LinearSVR(1.0 / (factor * 150 * 0.3), epsilon=0.1, loss=loss, fit_intercept=False, tol=1e-10)
    theirs = svm.LinearSVR(
        C=0.3, epsilon=0.1, loss=loss, fit_intercept=False, tol=1e-9, max_iter=1_000_000, random_state=0
    )
    np.testing.assert_allclose(ours.fit(X, y).coef_, theirs.fit(X, y).coef_, atol=1e-4)


# -- optimality ---------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["augmented_newton", "interior_point", "sdca"])
def test_kkt(solver: str, rng: np.random.Generator) -> None:
    """``w = (1/(S alpha)) sum s_i t_i x_i``, ``sum s_i t_i = 0``, t y in [0, 1], an end off the margin."""
    X, y = overlapping(rng)
    s = rng.integers(1, 4, size=200).astype(float)
    model = er.LinearSVC(0.02, solver=solver, tol=1e-11).fit(X, y, sample_weight=s)
    t, labels = model.solution_.dual, np.where(y > 0, 1.0, -1.0)
    np.testing.assert_allclose(model.coef_[0], (s * t) @ X / (s.sum() * 0.02), atol=1e-5)
    assert abs(s @ t) <= 1e-6 * s.sum()
    a, margins = t * labels, labels * model.decision_function(X)
    assert ((a >= -1e-12) & (a <= 1.0 + 1e-12)).all()
    assert (a[margins > 1.0 + 1e-4] <= 1e-6).all()
    assert (a[margins < 1.0 - 1e-4] >= 1.0 - 1e-6).all()


def test_rows_that_support_nothing_can_go(rng: np.random.Generator) -> None:
    X, y = overlapping(rng)
    model = er.LinearSVC(0.02, tol=1e-11).fit(X, y)
    kept = model.support_
    assert 0 < len(kept) < 200
    fewer = er.LinearSVC(0.02 * 200 / len(kept), tol=1e-11).fit(X[kept], y[kept])
    np.testing.assert_allclose(fewer.coef_, model.coef_, atol=1e-5)
    np.testing.assert_allclose(model.margin_, 1.0 / np.linalg.norm(model.coef_), rtol=1e-12)


def test_classes_versus_the_rest() -> None:
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = er.LinearSVC(0.01).fit(X, names)
    assert model.coef_.shape == (3, 4)
    assert model.decision_function(X).shape == (150, 3)
    assert "each versus the rest" in model.certificate_.claim
    assert "each versus the rest" in repr(model)
    parts = [er.LinearSVC(0.01).fit(X, names == name) for name in model.classes_]
    for k, part in enumerate(parts):
        np.testing.assert_allclose(model.coef_[k], part.coef_[0], atol=1e-8)
        assert model.class_certificates_[k].value == pytest.approx(part.certificate_.value, abs=1e-9)
    total = sum(c.value for c in model.class_certificates_)
    assert model.certificate_.value == pytest.approx(total, rel=1e-6, abs=1e-12)
    assert er.verify(model, X, names).within(1e-6)
    assert set(model.predict(X)) == set(names)
    assert set(model.support_) == set(np.concatenate([part.support_ for part in parts]))


# -- what users meet ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [er.LinearSVC, er.LinearSVR])
def test_c_is_refused_with_the_conversion(kind: Any) -> None:
    with pytest.raises(TypeError, match=r"has no C: give alpha = 1/\(S C\)"):
        kind(C=10.0)


def test_words_that_are_none() -> None:
    X, y = np.eye(4), [0, 1, 0, 1]
    with pytest.raises(
        ValueError, match="loss must be 'hinge' or 'squared_hinge' or 'modified_huber', got 'log'"
    ):
        er.LinearSVC(loss="log").fit(X, y)
    with pytest.raises(ValueError, match="penalty must be 'l2' or 'l1', got None"):
        er.LinearSVC(penalty=None).fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="epsilon must be a finite number >= 0, got -1"):
        er.LinearSVR(epsilon=-1).fit(X, [0.0, 1.0, 0.0, 1.0])
    with pytest.raises(ValueError, match="one class only"):
        er.LinearSVC().fit(X, [1, 1, 1, 1])
    assert not hasattr(er.LinearSVC(), "predict_proba")


def test_strength_by_folds(rng: np.random.Generator) -> None:
    X, y = overlapping(rng)
    for labels in (y, y + (X[:, 1] > 1.0)):
        model = er.LinearSVC("cv", alphas=[1.0, 0.1, 0.01]).fit(X, labels)
        assert model.alpha_ in (1.0, 0.1, 0.01)
        assert model.certificate_.within(1e-6)


def test_step_limit_keeps_a_true_certificate(rng: np.random.Generator) -> None:
    X, y = overlapping(rng)
    with pytest.warns(match="ER001"):
        short = er.LinearSVC(1e-4, solver="sdca", max_iter=1).fit(X, y)
    best = er.LinearSVC(1e-4, tol=1e-12).fit(X, y)
    problem = best.problem(X, y)
    excess = problem.value(short._pack(problem)) - problem.value(best._pack(problem))
    assert 0.0 < excess <= short.certificate_.value


def test_sparse_wide_and_pickled(rng: np.random.Generator) -> None:
    X = sp.random_array((300, 2000), density=0.02, rng=rng, format="csr")
    y = np.where(X @ rng.normal(size=2000) > 0.0, "up", "down")
    model = er.LinearSVC(1e-3).fit(X, y)
    assert model.solution_.solver == "sdca"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    np.testing.assert_array_equal(copy.support_, model.support_)
    dense = er.LinearSVC(1e-3, solver="interior_point").fit(X[:, :60].toarray(), y)
    assert dense.certificate_.within(1e-6)


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array, sp.csc_array])
def test_classes_that_no_column_tells_apart_have_equal_scores(
    layout: Any, penalty: str, rng: np.random.Generator
) -> None:
    """Each row has its mirror image in its class: no direction lowers the hinge loss of -1 for every row.

    Scores that tie but for rounding would leave the class of all rows to the layout.
    """
    X = rng.standard_normal((30, 5))
    y = np.arange(30) % 3
    fit = er.LinearSVC(0.05, penalty=penalty).fit(layout(np.vstack([X, -X])), np.r_[y, y])
    assert not np.any(fit.coef_)
    np.testing.assert_array_equal(fit.intercept_, -1.0)
    np.testing.assert_array_equal(fit.predict(rng.standard_normal((9, 5))), 0)
