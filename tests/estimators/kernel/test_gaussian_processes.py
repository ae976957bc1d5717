"""Gaussian process estimators against conditioning by hand, their twins, and scikit-learn last."""

from __future__ import annotations

import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessClassifier as PeerClassifier
from sklearn.gaussian_process import GaussianProcessRegressor as Peer
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

import empirisk as er
from empirisk.kernels import Gaussian, Linear, Matern

KERNEL = 1.5 * Gaussian(gamma=0.6)


def rows(rng: np.random.Generator, n: int = 40) -> tuple[Any, Any]:
    X = rng.normal(size=(n, 2))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n) + 5.0


def test_the_posterior_is_that_of_conditioning(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    s = rng.integers(1, 3, 40).astype(float)
    new = rng.normal(size=(6, 2))
    model = er.GaussianProcessRegressor(KERNEL, noise=0.2, method=None, normalise_y=False).fit(X, y, s)
    A = KERNEL.block(X) + np.diag(0.2 / s)
    k = KERNEL.block(new, X)
    mean, std = model.predict(new, return_std=True)
    covariance = KERNEL.block(new) - k @ np.linalg.solve(A, k.T)
    np.testing.assert_allclose(mean, k @ np.linalg.solve(A, y), rtol=1e-9)
    np.testing.assert_allclose(std**2, np.diag(covariance), rtol=1e-8)
    np.testing.assert_allclose(model.predict(new, return_cov=True)[1], covariance, rtol=1e-7, atol=1e-10)
    band = model.prediction_interval(new, 0.9)
    low, high = band.low, band.high
    np.testing.assert_allclose(band.value, mean)
    np.testing.assert_allclose(0.5 * (high - low), 1.6448536 * np.sqrt(std**2 + 0.2), rtol=1e-7)
    draws = model.sample_y(new, 5_000)
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=0.1)
    np.testing.assert_allclose(np.cov(draws), covariance, atol=0.1)


def test_the_mean_is_kernel_ridge_regression(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.GaussianProcessRegressor(KERNEL, noise=0.2, method=None, normalise_y=False).fit(X, y)
    ridge = er.KernelRidge(0.2 / 40.0, kernel=KERNEL, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.predict(X), ridge.predict(X), rtol=1e-6)


def test_the_mode_is_kernel_logistic_regression(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    up = np.where(y > 5.0, "up", "down")
    model = er.GaussianProcessClassifier(KERNEL, method=None).fit(X, up)
    twin = er.KernelLogisticRegression("1/n", kernel=KERNEL, fit_intercept=False, tol=1e-10).fit(X, up)
    np.testing.assert_allclose(model.latent(X), twin.decision_function(X), atol=1e-4)
    assert model.certificate_.suboptimality() < 1e-10


def test_normalised_targets_change_units_alone(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    one = er.GaussianProcessRegressor().fit(X, y)
    other = er.GaussianProcessRegressor().fit(X, 1000.0 * y - 7.0)
    assert other.noise_ == pytest.approx(1e6 * one.noise_, rel=1e-3)
    np.testing.assert_allclose(other.predict(X), 1000.0 * one.predict(X) - 7.0, rtol=1e-4)
    shift = 40 * np.log(1000.0)
    assert other.log_marginal_likelihood_ == pytest.approx(one.log_marginal_likelihood_ - shift, abs=1e-3)


def test_evidence_and_maximum_are_those_of_scikit_learn(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.GaussianProcessRegressor(1.0 * Gaussian(length_scale=1.0)).fit(X, y)
    peer = Peer(
        ConstantKernel() * RBF() + WhiteKernel(), normalize_y=True, n_restarts_optimizer=0, random_state=0
    ).fit(X, y)
    found = model.log_marginal_likelihood_ + 40.0 * np.log(model.target_scale_)
    assert found == pytest.approx(peer.log_marginal_likelihood_value_, abs=1e-3)
    assert model.kernel_.parameters["length_scale"] == pytest.approx(
        peer.kernel_.k1.k2.length_scale, rel=1e-2
    )
    assert model.noise_ / model.target_scale_**2 == pytest.approx(peer.kernel_.k2.noise_level, rel=1e-2)


def test_laplace_evidence_is_that_of_scikit_learn(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    up = y > 5.0
    model = er.GaussianProcessClassifier(2.0 * Gaussian(length_scale=1.3), method=None).fit(X, up)
    peer = PeerClassifier(ConstantKernel(2.0) * RBF(1.3), optimizer=None).fit(X, up)
    assert model.log_marginal_likelihood_ == pytest.approx(peer.log_marginal_likelihood(), rel=1e-6)
    # The peer's probabilities come from five fitted error functions.
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=5e-3)


def test_parameters_of_a_sum_are_learned_together(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.GaussianProcessRegressor(1.0 * Gaussian(gamma=1.0) + 1.0 * Linear(), restarts=1).fit(X, y)
    assert list(model.parameter_intervals()) == ["0.factor", "0.gamma", "1.factor", "noise"]
    plain = er.GaussianProcessRegressor(1.0 * Gaussian(gamma=1.0), restarts=1).fit(X, y)
    assert model.log_marginal_likelihood_ >= plain.log_marginal_likelihood_ - 1e-6


def test_intervals_tell_the_unit_of_the_noise(rng: np.random.Generator) -> None:
    X, y = rows(rng, n=60)
    model = er.GaussianProcessRegressor(restarts=0).fit(X, 10.0 * y)
    noise = model.parameter_intervals()["noise"]
    assert noise.value == pytest.approx(model.noise_)
    assert noise.low is not None
    assert noise.high is not None
    assert noise.low < model.noise_ < noise.high
    assert noise.high / noise.value == pytest.approx(noise.value / noise.low)
    wide = model.parameter_intervals(method="profile")["noise"]
    assert wide.low == pytest.approx(noise.low, rel=0.15)
    assert wide.high == pytest.approx(noise.high, rel=0.15)
    assert wide.method == "profile of the log marginal likelihood"
    with pytest.raises(ValueError, match="method must be 'wald' or 'profile'"):
        model.parameter_intervals(method="bayes")
    left = er.GaussianProcessRegressor(method="leave_one_out", restarts=0).fit(X, y)
    with pytest.raises(ValueError, match="a profile needs a likelihood"):
        left.parameter_intervals(method="profile")
    with pytest.raises(ValueError, match="no parameter was learned"):
        er.GaussianProcessRegressor(KERNEL, noise=1.0, method=None).fit(X, y).parameter_intervals()


def test_inducing_points_come_near_the_exact_process(rng: np.random.Generator) -> None:
    X, y = rows(rng, n=120)
    exact = er.GaussianProcessRegressor(KERNEL, noise=0.1, method=None, inducing=None).fit(X, y)
    few = er.GaussianProcessRegressor(KERNEL, noise=0.1, method=None, inducing=60).fit(X, y)
    assert few.inducing_gap_ < 0.5
    assert "inducing points lose at most" in few.certificate_.claim
    np.testing.assert_allclose(few.predict(X), exact.predict(X), atol=0.05)
    lost = exact.log_marginal_likelihood_ - few.log_marginal_likelihood_
    assert 0.0 <= lost <= few.inducing_gap_
    given = er.GaussianProcessRegressor(KERNEL, noise=0.1, method=None, inducing=few.rows_).fit(X, y)
    np.testing.assert_allclose(given.predict(X), few.predict(X), rtol=1e-9)


def test_many_rows_take_inducing_points_by_themselves(rng: np.random.Generator, monkeypatch: Any) -> None:
    monkeypatch.setattr("empirisk.estimators.kernel.process_points.EXACT_ROWS", 30)
    X, y = rows(rng)
    model = er.GaussianProcessRegressor(restarts=0).fit(X, y)
    assert len(model.dual_coef_) <= 40
    assert "variational bound" in model.certificate_.claim


def test_conformal_intervals_widen_where_the_noise_is_wrong(rng: np.random.Generator) -> None:
    X, y = rows(rng, n=200)
    model = er.GaussianProcessRegressor(KERNEL, noise=1e-3, method=None).fit(X, y)
    new, truth = rows(rng, n=400)
    shares = {}
    for method in ("gaussian", "conformal"):
        band = model.prediction_interval(new, 0.9, method=method)
        shares[method] = float(((band.low <= truth) & (truth <= band.high)).mean())
    assert shares["gaussian"] < 0.75
    assert 0.82 < shares["conformal"] < 0.97


@pytest.mark.parametrize("inducing", [None, 12])
def test_conformal_intervals_are_those_of_refits_without_a_row(
    inducing: Any, rng: np.random.Generator
) -> None:
    X, y = rows(rng)
    points = None if inducing is None else X[:inducing]
    given = {"noise": 0.05, "method": None, "normalise_y": False, "inducing": points}
    model = er.GaussianProcessRegressor(KERNEL, **given).fit(X, y)
    scores = []
    for i in range(40):
        rest = np.arange(40) != i
        mean, std = (
            er.GaussianProcessRegressor(KERNEL, **given)
            .fit(X[rest], y[rest])
            .predict(X[i : i + 1], return_std=True)
        )
        scores.append(abs(y[i] - mean[0]) / np.sqrt(std[0] ** 2 + 0.05))
    found = model.calibration()
    np.testing.assert_allclose(found.scores, np.sort(scores), rtol=1e-6)
    assert (
        found.claim(0.9) == "about 0.9 of new rows, not proved: number 37 of 40 sorted leave-one-out scores"
    )
    mean, std = model.predict(X, return_std=True)
    band = model.prediction_interval(X, 0.9, method="conformal")
    half = np.sort(scores)[36] * np.sqrt(std**2 + 0.05)
    np.testing.assert_allclose(band.low, mean - half, rtol=1e-6)
    np.testing.assert_allclose(band.high, mean + half, rtol=1e-6)


def test_conformal_intervals_say_what_they_need(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.GaussianProcessRegressor(KERNEL, noise=0.1, method=None).fit(X, y)
    with pytest.raises(ValueError, match=r"needs at least 99 rows, there are 40: fit on more rows"):
        model.prediction_interval(X, 0.99, method="conformal")
    model.fit(X, y, np.full(40, 0.5))
    with pytest.raises(ValueError, match="leave out whole observations, and sample_weight held weights"):
        model.prediction_interval(X, method="conformal")


def test_copies_with_different_targets_and_identical_points(rng: np.random.Generator) -> None:
    X = np.repeat(rng.normal(size=(10, 1)), 3, axis=0)
    y = np.tile([0.0, 1.0, 2.0], 10)
    model = er.GaussianProcessRegressor().fit(X, y)
    np.testing.assert_allclose(model.predict(X), 1.0, atol=0.05)
    assert model.noise_ == pytest.approx(2.0 / 3.0, rel=0.1)


def test_a_kernel_of_single_points_is_said_so(rng: np.random.Generator) -> None:
    """With a huge gamma K = I: kernel and noise cannot be told apart, and predictions are the mean."""
    X, y = rows(rng)
    model = er.GaussianProcessRegressor(Gaussian(gamma=1e8), noise=0.1, method=None).fit(X, y)
    mean, std = model.predict(X + 0.5, return_std=True)
    np.testing.assert_allclose(mean, y.mean(), rtol=1e-12)
    np.testing.assert_allclose(std, model.target_scale_, rtol=1e-12)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"noise": -1.0}, "noise must be a finite number > 0"),
    ({"noise": "auto"}, 'noise must be "learn" or a finite number'),
    ({"method": "evidence"}, "method must be 'marginal_likelihood' or 'leave_one_out'"),
    ({"method": None}, "with method=None nothing is learned: give noise a number"),
    ({"restarts": -1}, "restarts must be an integer >= 0"),
    ({"inducing": 0}, "inducing must be an integer >= 1"),
    ({"inducing": "many"}, "inducing must be 'auto'"),
    ({"inducing": np.ones((3, 5))}, r"of shape \(m, 2\), got shape \(3, 5\)"),
    ({"inducing": 5, "method": "leave_one_out"}, "needs the exact process"),
    ({"normalise_y": "yes"}, "normalise_y must be True or False"),
]


@pytest.mark.parametrize(("params", "words"), BAD)
def test_bad_parameters_are_named(params: dict[str, Any], words: str, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match=words):
        er.GaussianProcessRegressor(**params).fit(*rows(rng))


def test_halves_cannot_be_left_out(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    with pytest.raises(
        ValueError, match=r"sample_weight holds 0\.5, and method='leave_one_out' leaves out whole"
    ):
        er.GaussianProcessRegressor(method="leave_one_out").fit(X, y, np.full(40, 0.5))


def test_a_precomputed_kernel_tells_no_deviation(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    K = KERNEL.block(X)
    model = er.GaussianProcessRegressor("precomputed", noise=0.1).fit(K, y)
    assert model.kernel_.parameters["factor"] > 0.0
    with pytest.raises(ValueError, match=r"needs k\(x, x\), which a precomputed kernel does not tell"):
        model.predict(K, return_std=True)
    chosen = er.GaussianProcessClassifier("precomputed").fit(K, y > 5.0)
    assert (chosen.predict(K) == (y > 5.0)).mean() > 0.8
    with pytest.raises(ValueError, match="ask for predict alone"):
        chosen.predict_proba(K)


def test_three_classes_share_a_kernel(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = er.GaussianProcessClassifier(restarts=0).fit(X, y)
    assert model.dual_coef_.shape == (3, 60)
    proba = model.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    assert (model.predict(X) == y).mean() > 0.9
    parts = [er.GaussianProcessClassifier(model.kernel_, method=None).fit(X, y == k) for k in range(3)]
    each = np.stack([part.predict_proba(X)[:, 1] for part in parts], axis=1)
    np.testing.assert_allclose(proba, each / each.sum(axis=1, keepdims=True), rtol=1e-6)
    total = sum(part.log_marginal_likelihood_ for part in parts)
    assert model.log_marginal_likelihood_ == pytest.approx(total, rel=1e-8)


def test_jitter_is_told(rng: np.random.Generator) -> None:
    X = np.ones((30, 1))
    model = er.GaussianProcessRegressor(Gaussian(gamma=1.0), noise=1e-18, method=None, normalise_y=False).fit(
        X, rng.normal(size=30)
    )
    assert model.jitter_ > 0.0
    assert "added to the diagonal" in model.certificate_.claim


@pytest.mark.parametrize("given", [{}, {"method": "leave_one_out"}, {"inducing": 15}, {"normalise_y": False}])
@pytest.mark.parametrize("scale", [1e-150, 1e140])
def test_targets_of_extreme_size_have_the_same_model(
    given: dict[str, Any], scale: float, rng: np.random.Generator
) -> None:
    X, y = rows(rng)
    y = y - 5.0
    one, other = (er.GaussianProcessRegressor(restarts=0, **given).fit(X, c * y) for c in (1.0, scale))
    np.testing.assert_allclose(
        np.stack(other.predict(X, return_std=True)) / scale, one.predict(X, return_std=True), rtol=1e-5
    )
    for method in ("gaussian", "conformal"):
        low = other.prediction_interval(X, method=method).low / scale
        np.testing.assert_allclose(low, one.prediction_interval(X, method=method).low, rtol=1e-5, atol=1e-6)
    wide, told = (m.parameter_intervals()["noise"] for m in (other, one))
    assert wide.low / scale / scale == pytest.approx(told.low, rel=1e-4)


@pytest.mark.parametrize("kernel", ["gaussian", "linear", "polynomial"])
@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_rows_of_extreme_size_have_the_same_model(
    kernel: str, scale: float, rng: np.random.Generator
) -> None:
    X, y = rows(rng)
    one, other = (er.GaussianProcessRegressor(kernel, restarts=0).fit(c * X, y) for c in (1.0, scale))
    np.testing.assert_allclose(other.predict(scale * X), one.predict(X), rtol=1e-5)


@pytest.mark.parametrize("cls", [er.GaussianProcessRegressor, er.GaussianProcessClassifier])
def test_what_double_precision_cannot_hold_is_refused(cls: Any, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    with pytest.raises(ValueError, match=r"X holds no number above .*e-300 in size, and squares .* vanish"):
        cls().fit(1e-300 * X, y > 5.0)
    with pytest.raises(ValueError, match="column 0 of X holds numbers whose squares overflow"):
        cls().fit(1e200 * X, y > 5.0)
    if cls is er.GaussianProcessRegressor:
        for normalise in (True, False):
            with pytest.raises(ValueError, match=r"y differs from its mean by .*e-160 at most"):
                cls(normalise_y=normalise).fit(X, 1e-160 * (y - 5.0))
        with pytest.raises(ValueError, match="its square overflows; rescale y"):
            cls().fit(X, 1e150 * y)


def test_kernels_that_tell_no_rows_apart_are_named(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    for scale, words in ((1e-150, "all rows are alike to"), (1e150, "no two rows are alike to")):
        for cls in (er.GaussianProcessRegressor, er.GaussianProcessClassifier):
            model = cls(1.0 * Matern(1.0), restarts=0).fit(scale * X, y > 5.0)
            assert words in model.solution_.note
    for cls in (er.GaussianProcessRegressor, er.GaussianProcessClassifier):
        assert not cls(restarts=0).fit(X, y > 5.0).solution_.note
        for gamma, words in ((1e-20, "all rows are alike to"), (1e300, "no two rows are alike to")):
            for method in (None, "marginal_likelihood"):
                model = cls(Gaussian(gamma=gamma), method=method, restarts=0)
                if cls is er.GaussianProcessRegressor:
                    model.set_params(noise=0.1)
                assert words in model.fit(X, y > 5.0).solution_.note


FORECAST: list[tuple[Any, dict[str, Any]]] = [
    (er.GaussianProcessRegressor, {}),
    (er.GaussianProcessRegressor, {"kernel": 1.0 * Matern(1.0) + 1.0 * Gaussian(gamma=0.1)}),
    (er.GaussianProcessRegressor, {"kernel": 1.0 * Matern(1.0), "method": "leave_one_out"}),
    (er.GaussianProcessRegressor, {"kernel": KERNEL, "noise": 0.1, "method": None}),
    (er.GaussianProcessClassifier, {}),
    (er.GaussianProcessClassifier, {"kernel": 1.0 * Matern(1.0) + 1.0 * Gaussian(gamma=0.1)}),
    (er.GaussianProcessClassifier, {"kernel": KERNEL, "method": None}),
]


@pytest.mark.parametrize(("cls", "given"), FORECAST)
@pytest.mark.parametrize("classes", [2, 8])
def test_the_memory_of_a_fit_is_what_was_forecast(
    cls: Any, given: dict[str, Any], classes: int, rng: np.random.Generator, monkeypatch: Any
) -> None:
    told: list[float] = []
    monkeypatch.setattr(
        "empirisk.estimators.kernel.gaussian_process.refuse_memory",
        lambda what, size, advice: told.append(size),
    )
    X, y = rows(rng, 400)
    if cls is er.GaussianProcessClassifier:
        y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    elif classes > 2:
        return
    model = cls(**given, restarts=0, max_iter=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X[:20], y[:20])  # what is imported on the way is no part of the fit
        tracemalloc.start()
        try:
            model.fit(X, y)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    # Beside matrices there are vectors and small objects: a tenth of a matrix of 400 rows.
    assert 0.4 * told[-1] < peak < told[-1] + 0.1 * 8 * 400**2
