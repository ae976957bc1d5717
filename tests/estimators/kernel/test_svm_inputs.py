"""What users hand to kernel machines: kernels that are none, classes that meet, extreme scales."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import cross_val_score

import empirisk as er
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.kernels import Gaussian, Precomputed


def rows(rng: np.random.Generator, n: int = 60) -> tuple[Any, Any]:
    X = rng.normal(size=(n, 3))
    return X, np.where(X[:, 0] > X[:, 1] * X[:, 2], "a", "b")


# -- kernels that are no Mercer kernels -----------------------------------------------------------


def test_a_matrix_with_a_negative_eigenvalue_is_refused_with_its_rows(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    K = -Gaussian(gamma=1.0).block(X)
    with pytest.raises(ValueError, match=r"not positive semi-definite: k.* < 0 for rows \d+ and \d+") as told:
        er.SVC(kernel="precomputed").fit(K, y)
    i, j = map(int, re.findall(r"rows (\d+) and (\d+)", str(told.value))[0])
    assert K[i, i] + K[j, j] - 2.0 * K[i, j] < 0.0


def test_no_pair_shows_it_and_the_weights_do() -> None:
    """``K = I - 1.5/3``: every pair has curvature 2, and the vector of ones ``3 - 4.5 < 0``."""
    K = np.eye(3) - 0.5
    assert np.linalg.eigvalsh(K)[0] < 0.0
    K4 = np.kron(np.array([[1.0, -1.0], [-1.0, 1.0]]), K)  # the same with rows of the other class
    with pytest.raises(ValueError, match="not positive semi-definite on these rows: a'K a = -"):
        er.SVC(1e-4, kernel="precomputed").fit(K4, [0, 0, 0, 1, 1, 1])


def test_names_and_numbers_of_other_libraries_are_answered() -> None:
    for name, words in (
        ("C", r"alpha = 1/\(S C\)"),
        ("gamma", r"kernel=er\.kernels\.Gaussian\(gamma=\.\.\.\)"),
        ("degree", "Polynomial"),
        ("decision_function_shape", "multi_class"),
    ):
        with pytest.raises(TypeError, match=words):
            er.SVC(**{name: 1.0})
    with pytest.raises(ValueError, match="'rbf' is called 'gaussian' here"):
        er.SVC(kernel="rbf").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="no Mercer kernel"):
        er.SVC(kernel="sigmoid").fit([[0.0], [1.0]], [0, 1])


# -- classes that meet ----------------------------------------------------------------------------


def test_a_hard_margin_is_the_limit_of_small_strengths(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    hard = er.SVC(0, tol=1e-8).fit(X, y)
    assert (hard.slack_ < 1e-3).all()
    assert hard.margin_[0] == pytest.approx(
        er.SVC(hard.alpha_ / 50.0, tol=1e-9).fit(X, y).margin_[0], rel=1e-3
    )
    plane = er.SVC(0, kernel="linear", tol=1e-8).fit(X, X[:, 0] + X[:, 1] > 0.0)
    widest = er.HalfspaceClassifier().fit(X, X[:, 0] + X[:, 1] > 0.0)
    assert plane.margin_[0] == pytest.approx(widest.margin_, rel=1e-3)


def test_a_hard_margin_that_does_not_exist_is_refused_with_a_witness(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    with pytest.raises(ValueError, match=r"have a point in common.*rows \d+, "):
        er.SVC(0, kernel="linear").fit(X, y)
    with pytest.raises(ValueError, match="rows 0 and 60 are equal but of different classes"):
        er.SVC(0).fit(np.r_[X, X[:1]], [*y, "b" if y[0] == "a" else "a"])


def test_equal_rows_of_different_classes_have_a_price(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.SVC(1e-5).fit(np.r_[X, X], np.r_[y, y[::-1]])
    assert model.certificate_.within(1e-6)
    same = er.SVC().fit(np.ones((10, 2)), [0, 1] * 5)
    assert same.certificate_.within(1e-6)
    assert abs(same.decision_function([[5.0, 5.0]])[0]) <= 1.0 + 1e-9


# -- scales ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "scale"),
    [
        *(("linear", scale) for scale in (1e-300, 1e-160, 1e-30)),
        *(("gaussian", scale) for scale in (1e-150, 1e-30, 1e30, 1e100)),
    ],
)
def test_extreme_scales_are_certified(kernel: str, scale: float, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.SVC(kernel=kernel).fit(scale * X, y)
    assert model.certificate_.within(1e-6)
    assert er.verify(model, scale * X, y).within(1e-6)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e-160])
def test_rows_whose_squares_vanish_are_refused(scale: float, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    with pytest.raises(ValueError, match="squares of such numbers vanish; rescale it"):
        er.SVC().fit(scale * X, y)


def test_what_is_out_of_reach_is_said(rng: np.random.Generator) -> None:
    """A linear kernel of rows of size 1e30 has no penalty left to speak of."""
    X, y = rows(rng)
    with pytest.warns(CertificateWarning, match="ER001"):
        model = er.SVC(kernel="linear", max_iter=5).fit(1e30 * X, y)
    assert not model.certificate_.within(1e-6)


def test_squares_that_overflow_are_named(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    for kernel in ("gaussian", "linear"):
        with pytest.raises(ValueError, match="column 0 of X holds numbers whose squares overflow"):
            er.SVC(kernel=kernel).fit(1e300 * X, y)


@pytest.mark.parametrize("scale", [1e-140, 1e-90, 1e90])
def test_targets_of_extreme_scale_are_fitted_alike(scale: float, rng: np.random.Generator) -> None:
    X, _ = rows(rng)
    t = X[:, 0] * X[:, 1]
    plain = er.SVR(0.01, epsilon=0.1, tol=1e-8).fit(X, t)
    scaled = er.SVR(0.01 / scale, epsilon=0.1 * scale, tol=1e-8).fit(X, scale * t)
    np.testing.assert_allclose(scaled.predict(X) / scale, plain.predict(X), atol=1e-3)


def test_every_row_its_own_neighbour(rng: np.random.Generator) -> None:
    """With gamma that large K = I: each row weighs ``min(1, limit)`` of its own, b aside."""
    X, y = rows(rng)
    model = er.SVC(kernel=Gaussian(gamma=1e9), tol=1e-9).fit(X, y)
    assert model.certificate_.within(1e-9)
    assert len(model.support_) == 60
    np.testing.assert_allclose(model.decision_function(X + 1.0), np.full(60, model.intercept_[0]), atol=1e-12)


# -- tables ---------------------------------------------------------------------------------------


def test_few_megabytes_and_layouts_give_the_same_machine(rng: np.random.Generator) -> None:
    X, y = rows(rng, 200)
    kernel = Gaussian(gamma=0.5)
    whole = er.SVC(0.001, kernel=kernel, tol=1e-9).fit(X, y)
    others = [
        er.SVC(0.001, kernel=kernel, tol=1e-9, cache_size=0.01).fit(X, y),
        er.SVC(0.001, kernel=kernel, tol=1e-9).fit(sp.csr_matrix(X), y),
        er.SVC(0.001, kernel="precomputed", tol=1e-9).fit(kernel.block(X), y),
    ]
    for other, new in zip(others, (X, sp.csr_matrix(X), kernel.block(X)), strict=True):
        np.testing.assert_allclose(other.decision_function(new), whole.decision_function(X), atol=1e-4)


def test_shapes_of_precomputed_matrices_and_queries(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    K = Gaussian(gamma=1.0).block(X)
    with pytest.raises(ValueError, match="matrix of kernel values of the training rows"):
        er.SVC(kernel="precomputed").fit(K[:, :50], y)
    crooked = K.copy()
    crooked[3, 4] += 1.0
    with pytest.raises(ValueError, match=r"not symmetric: K\[3, 4\]"):
        er.SVC(kernel="precomputed").fit(crooked, y)
    for model, new in ((er.SVC(kernel="precomputed").fit(K, y), K[:, :20]), (er.SVC().fit(X, y), X[:, :2])):
        with pytest.raises(ValueError, match="features, but SVC is expecting"):
            model.predict(new)


# -- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("multi_class", ["one_vs_one", "one_vs_rest"])
@pytest.mark.parametrize("k", [2, 4])
def test_probabilities_name_the_class_that_predict_names(
    multi_class: str, k: int, rng: np.random.Generator
) -> None:
    X, _ = rows(rng, 120)
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=120), [-0.7, 0.0, 0.7]) if k == 4 else X[:, 0] > 0.3
    model = er.SVC(multi_class=multi_class, probability=True).fit(X, y)
    new = rng.normal(size=(500, 3))
    shares = model.predict_proba(new)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(new))
    if k == 2:
        assert (np.diff(shares[np.argsort(model.decision_function(new)), 1]) >= 0.0).all()


def test_pairs_of_classes_vote(rng: np.random.Generator) -> None:
    """Each pair is a machine of its own, on its rows, at the same price for a row."""
    X, _ = rows(rng, 90)
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    kernel = Gaussian(gamma=0.5)
    model = er.SVC(0.02, kernel=kernel, tol=1e-10).fit(X, y)
    votes = np.zeros((90, 3))
    for low, high in ((0, 1), (0, 2), (1, 2)):
        part = np.isin(y, [low, high])
        pair = er.SVC(0.02 * 90 / part.sum(), kernel=kernel, tol=1e-10).fit(X[part], y[part])
        wins = pair.decision_function(X) > 0.0
        votes[:, high] += wins
        votes[:, low] += ~wins
    np.testing.assert_array_equal(np.round(model.decision_function(X)), votes)


@pytest.mark.parametrize(
    "kernel", ["precomputed", Precomputed(), Precomputed() + 0.5 * Precomputed()], ids=str
)
def test_scikit_learn_takes_the_columns_of_a_precomputed_matrix_along(
    kernel: Any, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(60, 2))
    y = np.hypot(*X.T) > 1.1
    factor = 1.5 if isinstance(kernel, er.kernels.Sum) else 1.0
    known = factor * Gaussian(gamma=0.5)
    given = cross_val_score(er.SVC(0.01, kernel=kernel, tol=1e-9), Gaussian(gamma=0.5).block(X), y)
    np.testing.assert_array_equal(given, cross_val_score(er.SVC(0.01, kernel=known, tol=1e-9), X, y))


def test_values_that_are_looked_up_go_through_the_folds_of_every_function(rng: np.random.Generator) -> None:
    """Rows of a matrix without their columns are refused, and what the refusal says does the same."""
    X = rng.normal(size=(60, 2))
    y = np.hypot(*X.T) > 1.1
    K = Gaussian(gamma=0.5).block(X)
    with pytest.raises(ValueError, match=r"deals rows to folds must take the same columns.* give a func"):
        er.SVC(0.01, kernel="precomputed").fit(K[:40], y[:40])

    def looked_up(A: Any, B: Any) -> Any:
        return K[np.ix_(A[:, 0].astype(int), B[:, 0].astype(int))]

    numbers = np.arange(60.0)[:, None]
    found = er.cross_evaluate(er.SVC(0.01, kernel=looked_up, tol=1e-9), numbers, y, random_state=0)
    known = er.cross_evaluate(er.SVC(0.01, kernel=Gaussian(gamma=0.5), tol=1e-9), X, y, random_state=0)
    assert found["accuracy"].value == known["accuracy"].value


@pytest.mark.parametrize("name", ["SVC", "SVR", "KernelRidge", "KernelLogisticRegression", "KernelQuantile"])
def test_strengths_whose_squares_overflow_leave_the_null_model(name: str, rng: np.random.Generator) -> None:
    """With alpha so large the function is 0, and what is left is the best constant."""
    X, y = rows(rng)
    t = np.where(y == "a", 1, -1)
    weak = np.full(len(t), 1e-300)
    for model in (
        getattr(er, name)(alpha=1e300).fit(X, t),
        getattr(er, name)(alpha=1e200, kernel="linear").fit(X, t),
        getattr(er, name)().fit(X, t, sample_weight=weak),
    ):
        assert model.certificate_.within(1e-6)
        say = model.decision_function if hasattr(model, "decision_function") else model.predict
        np.testing.assert_allclose(say(X), np.full(len(X), say(X)[0]), rtol=1e-9)
