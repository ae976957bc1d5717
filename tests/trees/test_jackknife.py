"""Variances of forests: against their definitions in plain loops, algebra of bagged means, and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor

from empirisk.trees.jackknife import Jackknife
from tests.oracles.forests import draw_counts, smooth

Rng = np.random.Generator


def bootstrap(n: int, T: int, rng: Rng) -> NDArray:
    return rng.multinomial(n, np.full(n, 1.0 / n), size=T).T


def test_the_quadratic_form_is_the_sum_over_rows(rng: Rng) -> None:
    n, T = 12, 30
    counts, t = bootstrap(n, T, rng), rng.normal(size=T)
    direct = sum(np.mean((N - N.mean()) * (t - t.mean())) ** 2 for N in counts)
    after = (n - 1) / n * sum((t[N == 0].mean() - t.mean()) ** 2 for N in counts)
    for method, value in (("infinitesimal", direct), ("after", after), ("mean", (direct + after) / 2)):
        found = Jackknife.from_counts(counts, method=method)
        centred = t - t.mean()
        np.testing.assert_allclose(centred @ found.matrix @ centred, value, rtol=1e-12)


@pytest.mark.parametrize("method", ["infinitesimal", "after", "mean"])
def test_the_noise_is_what_unrelated_trees_show(method: str, rng: Rng) -> None:
    """Predictions that have nothing to do with the rows: the form is all noise; the correction leaves 0."""
    n, T = 15, 20
    found = Jackknife.from_counts(bootstrap(n, T, rng), method=method)
    t = rng.normal(size=(40_000, T))
    centred = t - t.mean(axis=1, keepdims=True)
    form = np.einsum("mt,mt->m", centred @ found.matrix, centred)
    left = form - found.noise * t.var(axis=1)
    assert abs(left.mean()) < 4.0 * left.std() / 200.0
    np.testing.assert_allclose(left.var(), found._noise_variance, rtol=0.1)


@pytest.mark.parametrize("method", ["infinitesimal", "after"])
def test_a_bagged_mean_has_the_variance_of_a_mean(method: str, rng: Rng) -> None:
    n = 40
    y = rng.normal(size=n)
    counts = bootstrap(n, 2000, rng)
    found = Jackknife.from_counts(counts, method=method).variance((y @ counts / n)[None, :])
    # The infinitesimal jackknife gives sum (y - mean)^2 / n^2, the other one divides by n (n - 1). Noise:
    # about sqrt(2 n)/T tree variances, each s^2/n here, plus that of the signal, 2/sqrt(T): 5 per cent.
    expected = y.var() / n if method == "infinitesimal" else y.var(ddof=1) / n
    np.testing.assert_allclose(found.sampling[0, 0], expected, rtol=0.15)
    np.testing.assert_allclose(found.monte_carlo[0, 0], y.var() / n / 2000, rtol=0.15)


def test_subsamples_without_replacement(rng: Rng) -> None:
    """The mean of s of n rows, over all subsamples: again the variance of the mean, by the finite factor."""
    n, s, T = 30, 12, 2000
    y = rng.normal(size=n)
    counts = np.zeros((n, T), dtype=int)
    for b in range(T):
        counts[rng.choice(n, s, replace=False), b] = 1
    found = Jackknife.from_counts(counts, replace=False).variance((y @ counts / s)[None, :])
    np.testing.assert_allclose(found.sampling[0, 0], y.var(ddof=1) / n, rtol=0.2)


def test_more_outputs_are_one_after_the_other(rng: Rng) -> None:
    counts = bootstrap(20, 40, rng)
    P = rng.normal(size=(3, 40, 2))
    found = Jackknife.from_counts(counts).variance(P)
    for c in range(2):
        alone = Jackknife.from_counts(counts).variance(P[:, :, c])
        np.testing.assert_allclose(found.sampling[:, c], alone.sampling[:, 0])
    low, high = found.interval(0.9)
    assert (low < found.value).all()
    assert (found.value < high).all()


def test_calibration_draws_towards_the_mean_and_keeps_the_trees_spread(rng: Rng) -> None:
    n, T = 60, 50
    X, y = smooth(n, rng)
    forest = RandomForestRegressor(T, min_samples_leaf=5, random_state=1).fit(X, y)
    counts = draw_counts(forest, n)
    P = np.stack([t.predict(X) for t in forest.estimators_], axis=1)
    plain = Jackknife.from_counts(counts)
    calm = plain.calibrate(P, counts == 0)
    new = np.stack([t.predict(smooth(300, rng)[0]) for t in forest.estimators_], axis=1)
    before, after = plain.variance(new), calm.variance(new)
    assert before.clipped > 0.1
    assert after.clipped < before.clipped / 2
    spread = new.var(axis=1)
    assert np.std(after.sampling[:, 0] / spread) < np.std(before.sampling[:, 0] / spread)
    np.testing.assert_array_equal(before.monte_carlo, after.monte_carlo)


def coverage(n: int, T: int, samples: int, rng: Rng, calibrated: bool = True) -> float:
    """Share of intervals at fixed rows that hold the mean prediction of forests on new samples."""
    rows = rng.uniform(-0.9, 0.9, size=(15, 5))

    def fit(trees: int) -> tuple[NDArray, NDArray, NDArray]:
        X, y = smooth(n, rng)
        forest = RandomForestRegressor(
            trees, min_samples_leaf=5, max_features=2, random_state=rng.integers(2**31)
        ).fit(X, y)
        by_tree = [np.stack([t.predict(Z) for t in forest.estimators_], axis=1) for Z in (rows, X)]
        return draw_counts(forest, n), by_tree[0], by_tree[1]

    truth = np.mean([fit(60)[1].mean(axis=1) for _ in range(4 * samples)], axis=0)
    hits = []
    for _ in range(samples):
        counts, P, own = fit(T)
        jackknife = Jackknife.from_counts(counts)
        if calibrated:
            jackknife = jackknife.calibrate(own, counts == 0)
        low, high = jackknife.variance(P).interval(0.95)
        hits.append(((low[:, 0] <= truth) & (truth <= high[:, 0])).mean())
    return float(np.mean(hits))


@pytest.mark.full
def test_coverage_of_the_expected_prediction(rng: Rng) -> None:
    # 12 samples whose rows go together in part: half the standard error would cover 67 per cent.
    assert coverage(60, 100, 12, rng) >= 0.75


@pytest.mark.slow
def test_coverage_in_many_samples(rng: Rng) -> None:
    assert 0.89 <= coverage(150, 300, 250, rng) <= 0.97
    # Fewer trees without calibration: the honest failure that calibration is for.
    assert coverage(150, 50, 150, rng, calibrated=False) < 0.87


def test_refusals(rng: Rng) -> None:
    counts = bootstrap(10, 5, rng)
    with pytest.raises(ValueError, match="method must be one of mean"):
        Jackknife.from_counts(counts, method="other")
    with pytest.raises(ValueError, match="at least two trees"):
        Jackknife.from_counts(counts[:, :1])
    with pytest.raises(ValueError, match="every tree saw the same rows"):
        Jackknife.from_counts(np.ones((10, 5)))
    with pytest.raises(ValueError, match="with replacement"):
        Jackknife.from_counts(counts, replace=False, method="after")
    with pytest.raises(ValueError, match="predictions of 4 trees"):
        Jackknife.from_counts(counts).variance(np.ones((2, 4)))


def test_the_error_of_few_trees_is_that_of_a_mean(rng: Rng) -> None:
    counts, predictions = rng.multinomial(30, np.full(30, 1.0 / 30.0), size=12).T, rng.normal(size=(7, 12))
    found = Jackknife.from_counts(counts).variance(predictions)
    np.testing.assert_allclose(found.monte_carlo[:, 0], predictions.var(axis=1, ddof=1) / 12, rtol=1e-12)
    # The interval rests on both variances: 1.28 is the quantile 0.9 of the normal law.
    low, high = found.interval(0.8)
    half = 1.2815515655446004 * np.sqrt(found.sampling + found.monte_carlo)
    np.testing.assert_allclose(high - low, 2.0 * half, rtol=1e-12)
