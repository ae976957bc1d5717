"""Temperature and isotonic maps against their definitions; the interval of the error by simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

import empirisk as er
from empirisk.inference.calibration_error import bin_count, calibration_error, calibration_interval
from empirisk.inference.recalibration import fit_isotonic, fit_temperature
from empirisk.losses import Softmax


def sample(seed: int, n: int = 400, k: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, k))
    p = Softmax().mean(z)
    y = (rng.uniform(size=(n, 1)) > np.cumsum(p, axis=1)).sum(axis=1)
    return z, y, rng.integers(0, 4, size=n).astype(float)


@pytest.mark.parametrize("k", [2, 4])
def test_temperature_minimises_the_log_loss(k: int) -> None:
    z, y, s = sample(5, k=k)
    z = 3.0 * z  # three times too sure

    def risk(log_t: float) -> float:
        return float(s @ Softmax().value(y, z / np.exp(log_t)))

    found = fit_temperature(z, y, s).value
    best = minimize_scalar(risk, bounds=(-3.0, 5.0), method="bounded", options={"xatol": 1e-10})
    assert np.log(found) == pytest.approx(best.x, abs=1e-6)
    assert 2.0 < found < 4.5
    again = fit_temperature(
        np.repeat(z, s.astype(int), axis=0), np.repeat(y, s.astype(int)), np.ones(int(s.sum()))
    )
    assert again.value == pytest.approx(found, rel=1e-10)  # a weight is a repetition


def test_temperature_stays_finite_where_scores_separate_or_deceive() -> None:
    z, y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1, 0])
    assert fit_temperature(z, y, np.ones(2)).value == pytest.approx(1e-3)
    assert fit_temperature(z, 1 - y, np.ones(2)).value == pytest.approx(1e3)


@pytest.mark.parametrize("k", [2, 3])
def test_isotonic_is_the_least_squares_monotone_fit(k: int) -> None:
    z, y, s = sample(6, k=k)
    z = z[np.random.default_rng(0).integers(0, 150, size=len(z))]  # ties
    s = s + 1.0
    q = fit_isotonic(z, y, s)(z)
    p, end = Softmax().mean(z), 1.0 / (len(z) + 2.0)
    peer = [
        np.clip(IsotonicRegression().fit(p[:, c], y == c, sample_weight=s).predict(p[:, c]), end, 1.0 - end)
        for c in range(k)
    ]
    want = np.column_stack([1.0 - peer[1], peer[1]]) if k == 2 else np.column_stack(peer)
    np.testing.assert_allclose(q, want / want.sum(axis=1, keepdims=True), atol=1e-9)
    assert q.sum(axis=1) == pytest.approx(1.0)
    assert q.min() > 0.0
    assert q.max() < 1.0
    order = np.random.default_rng(7).permutation(len(y))
    np.testing.assert_allclose(fit_isotonic(z[order], y[order], s[order])(z), q, rtol=1e-12)


@pytest.mark.parametrize(("slope", "n"), [(1.0, 400), (2.5, 400), (2.5, 4000), (0.4, 1000)])
def test_the_interval_of_the_calibration_error_covers(slope: float, n: int) -> None:
    # Truth by a large sample of the same binned quantity's limit: E (q - p)^2 over p.
    rng = np.random.default_rng(8)
    z = rng.normal(size=400_000)
    truth = float(np.sqrt(np.mean((expit(slope * z) - expit(z)) ** 2)))
    inside = 0
    for _ in range(400):
        z = rng.normal(size=n)
        told = calibration_interval(expit(slope * z), rng.uniform(size=n) < expit(z))
        assert told.low <= told.value <= told.high
        inside += told.low <= truth <= told.high
    assert inside >= 400 * 0.95 - 4.0 * np.sqrt(400 * 0.95 * 0.05)


def test_the_interval_is_about_the_same_number() -> None:
    rng = np.random.default_rng(9)
    p = rng.uniform(size=700)
    hit = rng.uniform(size=700) < p**2
    assert calibration_interval(p, hit).value == pytest.approx(calibration_error(p, hit), rel=1e-12)
    few = calibration_interval(p[:60], hit[:60])
    assert few.low is None
    assert "60 rows are too few" in few.reason


def test_the_error_names_its_event_its_rows_and_its_bins() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 3))
    y = np.where(X[:, 0] + rng.normal(size=900) > 0.0, "yes", "no")
    options = {"n_estimators": 20, "calibrate": "isotonic", "random_state": 0}
    after = er.GradientBoostingClassifier(calibration_fraction=0.8, **options).fit(X, y).calibration_.after
    assert after.target.startswith(
        "rows that neither the trees nor the map has seen; the event: the class is yes"
    )
    assert f"over {bin_count(after.n)} bins of like numbers of rows" in after.target
    assert f"{bin_count(after.n)} debiased bins" in after.method
    three = np.array(["a", "b", "c"])[rng.integers(0, 3, 900)]
    after = er.GradientBoostingClassifier(**options).fit(X, three).calibration_.after
    assert "the map cross-fitted; the event: the most probable class is right; over 5 bins" in after.target


@pytest.mark.slow
@pytest.mark.parametrize("method", ["isotonic", "temperature"])
@pytest.mark.parametrize("fraction", [0.0, 0.3])
def test_the_interval_after_a_map_covers_the_error_over_its_bins(method: str, fraction: float) -> None:
    rng = np.random.default_rng(5)

    def draw(n: int):
        X = rng.normal(size=(n, 5))
        p = expit(1.2 * X[:, 0] + X[:, 1] * X[:, 2] - 0.5)
        return X, (rng.uniform(size=n) < p).astype(int), p

    new, _, chance = draw(60_000)
    runs, inside = 60, 0
    for seed in range(runs):
        X, y, _ = draw(1500)
        model = er.GradientBoostingClassifier(
            n_estimators=60, calibrate=method, calibration_fraction=fraction, random_state=seed
        ).fit(X, y)
        told, q = model.calibration_.after, model.predict_proba(new)[:, 1]
        parts = np.array_split(np.argsort(q, kind="stable"), bin_count(told.n))
        truth = np.sqrt(np.mean([(chance[k].mean() - q[k].mean()) ** 2 for k in parts]))
        inside += told.low <= truth <= told.high
    assert inside >= runs * 0.95 - 3.0 * np.sqrt(runs * 0.95 * 0.05)
