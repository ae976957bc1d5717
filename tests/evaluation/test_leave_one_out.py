"""Leave-one-out predictions: the shortcuts equal n refits."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from bench.coverage.more_rows import SETTINGS, truths
from empirisk.evaluation.loo import loo_from_hat
from empirisk.evaluation.loo.shortcuts import SHORTCUTS
from empirisk.selection import cross_evaluate, leave_one_out

REGRESSORS = [
    er.Ridge(),
    er.Ridge(alpha=0.3),
    er.Ridge(alpha=0.3, fit_intercept=False),
    er.LinearRegression(),
    er.LinearRegression(fit_intercept=False),
    Ridge(alpha=2.0),
    LinearRegression(),
    KernelRidge(alpha=0.5, kernel="rbf", gamma=0.3),
    KernelRidge(alpha=0.5, kernel="poly", degree=2),
    KNeighborsRegressor(3),
    KNeighborsRegressor(4, weights="distance", algorithm="kd_tree"),
    er.KernelRidge(kernel=er.kernels.Gaussian(gamma=0.1)),
    er.KernelRidge(alpha=0.05, kernel=er.kernels.Matern(2.0, 1.5), fit_intercept=False),
    er.KNeighborsRegressor(3),
    er.KNeighborsRegressor(4, weights="distance", metric="manhattan"),
    er.KernelSmoother(1.2, standardise=False),
    er.KernelSmoother(2.5, standardise=False, window="tricube", degree=0),
]
CLASSIFIERS = [
    KNeighborsClassifier(3),
    KNeighborsClassifier(6, weights="distance"),
    er.KNeighborsClassifier(3),
    er.KNeighborsClassifier(6, weights="distance", smoothing=0.5),
]
SHAPES = {"tall": (40, 5), "wide": (20, 50)}


def brute_force(est, X, y, method="predict"):
    """Return the prediction of each row by a fit on all other rows."""
    rows = np.arange(len(y))
    return np.array(
        [getattr(clone(est).fit(X[rows != i], y[rows != i]), method)(X[i : i + 1])[0] for i in rows]
    )


def test_every_shortcut_is_tested() -> None:
    assert {type(est) for est in REGRESSORS + CLASSIFIERS} == set(SHORTCUTS)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("est", REGRESSORS, ids=str)
def test_regressors_equal_refits(est, shape, rng) -> None:
    n, p = shape
    X = rng.normal(size=(n, p)) + 3.0
    y = X[:, 0] + rng.normal(size=n) - 5.0
    loo = leave_one_out(est, X, y, metrics="mse")
    unpenalised = isinstance(est, LinearRegression | er.LinearRegression)
    assert bool(loo.shortcut) == (not (unpenalised and p >= n))
    expected = brute_force(est, X, y)
    scale = np.abs(expected).max()
    np.testing.assert_allclose(loo.predictions.pred, expected, rtol=0, atol=2e-7 * scale)
    assert loo["mse"].value == pytest.approx(np.mean((y - expected) ** 2), rel=1e-6)


@pytest.mark.parametrize("labels", [np.array([0, 1]), np.array(["a", "b", "c"])], ids=["two", "three"])
@pytest.mark.parametrize("est", CLASSIFIERS, ids=str)
def test_classifiers_equal_refits(est, labels, rng) -> None:
    X = rng.normal(size=(45, 2))
    y = labels[rng.integers(labels.size, size=45)]
    loo = leave_one_out(est, X, y)
    assert loo.shortcut
    assert np.array_equal(labels[loo.predictions.pred], brute_force(est, X, y))
    np.testing.assert_allclose(loo.predictions.proba, brute_force(est, X, y, "predict_proba"), atol=1e-12)


def test_ridge_path_agrees(rng) -> None:
    # The mean leave-one-out loss of the path that chooses alpha: the same numbers from other code.
    X, y = rng.normal(size=(60, 7)), rng.normal(size=60)
    model = er.Ridge(alpha="cv", alphas=[0.5]).fit(X, y)
    # There the total strength n alpha stays while a row is left out; here n-1 rows have (n-1) alpha.
    loo = leave_one_out(er.Ridge(alpha=0.5 * 60 / 59), X, y, metrics="mse")
    assert loo["mse"].value / 2.0 == pytest.approx(model.selection_.loss[0], rel=1e-10)


def test_ridge_strength_leaves_out_a_row_with_all_its_weight_and_copies(rng) -> None:
    # By a loop over the different rows; what is left keeps the total strength.
    X, y = rng.normal(size=(12, 3)), rng.normal(size=12)
    repeat, w = np.r_[np.arange(12), 3, 3, 7], np.r_[rng.uniform(0.2, 3.0, 12), 0.7, 1.1, 0.4]
    whole, lost = w.sum(), np.empty(12)
    for row in range(12):
        kept = repeat != row
        rest = er.Ridge(alpha=0.3 * whole / w[kept].sum()).fit(X[repeat[kept]], y[repeat[kept]], w[kept])
        lost[row] = 0.5 * (y[row] - rest.predict(X[[row]])[0]) ** 2
    share = np.bincount(repeat, w) / whole
    mean = share @ lost
    se = np.sqrt(share**2 @ (lost - mean) ** 2 * 12 / 11)
    for scale in (1e-6, 1.0, 1000.0):
        told = er.Ridge(alpha="cv", alphas=[0.3]).fit(X[repeat], y[repeat], scale * w).selection_
        assert told.loss[0] == pytest.approx(mean, rel=1e-9)
    equal = er.Ridge(alpha="cv", alphas=[0.3]).fit(X, y, np.full(12, scale)).selection_
    lost = np.array(
        [
            0.5
            * (
                y[i]
                - er.Ridge(alpha=0.3 * 12 / 11).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0]
            )
            ** 2
            for i in range(12)
        ]
    )
    assert equal.se[0] == pytest.approx(lost.std(ddof=1) / np.sqrt(12), rel=1e-9)
    told_se = er.Ridge(alpha="cv", alphas=[0.3]).fit(X[repeat], y[repeat], w).selection_.se[0]
    assert told_se == pytest.approx(se, rel=1e-9)


def test_a_smoother_by_hand() -> None:
    # A running mean over three points is no penalised fit, but the mean of all is: leave-one-out is exact.
    y = np.array([1.0, 5.0, 9.0, 13.0])
    np.testing.assert_allclose(loo_from_hat(y, np.full(4, 7.0), np.full(4, 0.25)), (28.0 - y) / 3.0)
    assert np.isnan(loo_from_hat([1.0, 2.0], [1.0, 2.0], [1.0, 0.5]))[0]
    with pytest.raises(ValueError, match=r"leverage is 1\.5 in row 1"):
        loo_from_hat([1.0, 2.0], [1.0, 2.0], [0.2, 1.5])
    with pytest.raises(ValueError, match="must agree row by row"):
        loo_from_hat([1.0, 2.0], [1.0, 2.0], [0.2])


def test_a_row_with_leverage_one_is_refitted(rng) -> None:
    X = np.column_stack([rng.normal(size=12), np.eye(12)[0]])
    y = rng.normal(size=12)
    loo = leave_one_out(LinearRegression(), X, y, metrics="mse")
    assert "leverage 1" in loo.why_not
    np.testing.assert_allclose(loo.predictions.pred, brute_force(LinearRegression(), X, y), atol=1e-9)


def test_without_a_shortcut(rng) -> None:
    X, y = rng.normal(size=(31, 3)), rng.normal(size=31)
    scaled = make_pipeline(StandardScaler(), er.Ridge(alpha=0.5))
    loo = leave_one_out(scaled, X, y, metrics="mse")
    np.testing.assert_allclose(loo.predictions.pred, brute_force(scaled, X, y), atol=1e-10)
    assert "31 fits" in repr(loo)
    assert "steps of a pipeline" in loo.why_not
    assert "chosen anew" in leave_one_out(er.Ridge(alpha="cv"), X, y, metrics="mse").why_not
    model = er.LogisticRegression()
    loo = leave_one_out(model, X, y > 0)
    assert "no shortcut is known for LogisticRegression" in repr(loo)
    proba = brute_force(model, X, (y > 0).astype(int), "predict_proba")
    np.testing.assert_allclose(loo.predictions.proba, proba, atol=1e-6)


def test_cross_evaluate_knows_it(rng) -> None:
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    for est in (er.Ridge(), er.Lasso(alpha=0.1)):
        cross, loo = (
            cross_evaluate(est, X, y, cv="loo", metrics="mse"),
            leave_one_out(est, X, y, metrics="mse"),
        )
        assert cross["mse"] == loo["mse"]
        np.testing.assert_allclose(cross.losses("mse")[0], loo.losses("mse"))
        assert cross.plan.folds == 40


@pytest.mark.parametrize(
    ("X", "y", "est", "message"),
    [
        (np.ones((2, 1)), [0.0, 1.0], er.Ridge(), "at least 3 rows"),
        (np.arange(6.0)[:, None], [0, 0, 0, 0, 0, 1], KNeighborsClassifier(2), "class 1 has one row"),
        (np.arange(6.0)[:, None], [1, 1, 1, 1, 1, 1], KNeighborsClassifier(2), "one class only"),
        (np.array([[np.nan], [1.0], [2.0], [4.0]]), [1.0, 2, 3, 4], er.Ridge(), "NaN"),
    ],
)
def test_bad_input(X, y, est, message) -> None:
    with pytest.raises(ValueError, match=message):
        leave_one_out(est, X, np.array(y))


def test_the_forecast(rng) -> None:
    X, y = rng.normal(size=(40, 2)), rng.integers(2, size=40)
    with pytest.raises(ValueError, match=r"40 fits would take about .* max_seconds = 1e-09"):
        leave_one_out(DummyClassifier(), X, y, max_seconds=1e-9)
    with pytest.raises(ValueError, match="a single row has no score by max_error"):
        leave_one_out(er.Ridge(), X, y, metrics="max_error")


@pytest.mark.full  # simulated
@pytest.mark.parametrize(("n", "samples", "least"), [(100, 150, 0.93), (50, 150, 0.89)])
def test_coverage(n, samples, least) -> None:
    # Measured with 250 samples: 96 % at 100 rows, 91 % at 50 (82 % with the row variance times n/(n-1)).
    name = "ridge on a curve, 5 columns"
    setting, rng, hits = SETTINGS[name], np.random.default_rng(8), 0
    truth = truths(name, (n,), 200)[0]
    for _ in range(samples):
        e = leave_one_out(setting.make(), *setting.draw(rng, n), metrics="mse")["mse"]
        hits += e.low <= truth <= e.high
    assert hits / samples >= least - 3.0 * np.sqrt(least * (1.0 - least) / samples)
