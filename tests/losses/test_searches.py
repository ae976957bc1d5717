"""Searched conjugates and quantiles: what a search leaves open never makes a claim too good."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk.losses import Logistic, Loss, Poisson, Tweedie, slopes
from empirisk.losses.quantile import middle_quantile, weighted_quantile
from empirisk.losses.slopes import conjugate_by_search


@pytest.mark.parametrize("iterations", [1, 2, 4, 8])
@pytest.mark.parametrize("loss", [Logistic(), Poisson()], ids=lambda loss: loss.name)
def test_a_search_that_is_cut_short_returns_too_much_and_not_too_little(
    loss: Loss, iterations: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    y = np.where(rng.random(200) < 0.5, 1.0, -1.0) if loss.labels else rng.integers(0, 4, 200).astype(float)
    z = rng.normal(size=200)
    u = loss.grad(y, z)
    # Fenchel and Young: equality where u is the slope at z.
    exact = u * z - loss.value(y, z)
    # Brackets that are too wide, as for losses about which little is known.
    low, high = z - rng.exponential(size=200), z + 2.0 * rng.exponential(size=200)
    monkeypatch.setattr(slopes, "ITERATIONS", iterations)
    found = conjugate_by_search(loss, y, u, low, high)
    rounding = 1e-14 * (1.0 + np.abs(exact))
    assert np.all(found >= exact - rounding)
    if iterations == 1:
        assert np.any(found > exact + 1e-6), "the search was not cut short: the test says nothing"


@pytest.mark.parametrize("spread", [1.0, 8.0])  # of the scores and of the logarithms of the targets
@pytest.mark.parametrize("power", [1.001, 1.2, 1.5, 1.9, 1.999])
def test_conjugates_of_tweedie_losses_are_those_of_fenchel_and_young(
    power: float, spread: float, rng: np.random.Generator
) -> None:
    """Slopes at known scores, where ``l*(u) = u z - l(z)``: usual ones, and some beyond the table."""
    loss = Tweedie(power)
    y, z = np.exp(spread * rng.normal(size=500)), spread * rng.normal(size=500)
    y[::50] = 0.0
    u = loss.grad(y, z)
    exact, found = u * z - loss.value(y, z), loss.conjugate(y, u)
    terms = np.abs(u * z) + np.abs(loss.value(y, z))
    assert np.all(np.abs(found - exact) <= 1e-13 * terms)
    assert np.all(found >= exact - 1e-14 * terms)


@pytest.mark.parametrize("scale", [1.0, 0.1, 1.0 / 3.0, 1e-7])
def test_the_scale_of_the_weights_decides_no_tie(scale: float) -> None:
    # A share of exactly k of n rows is reached by the k-th row, however q n and the sums are rounded.
    for n in (10, 49, 60, 100):
        for k in range(1, n):
            assert weighted_quantile(np.arange(float(n)), np.full(n, scale), k / n) == k - 1


@pytest.mark.parametrize("weight", [None, 1.0, 0.1, 1.0 / 3.0])
def test_the_middle_quantile_of_equal_weights_is_that_of_no_weights(
    weight: float | None, rng: np.random.Generator
) -> None:
    for n in (1, 2, 7, 10, 60, 101):
        y = rng.normal(size=n)
        s = None if weight is None else np.full(n, weight)
        assert middle_quantile(y, s, 0.5) == np.median(y)
        for k in range(1, n):
            wanted = np.sort(y)[k - 1 : k + 1].mean()  # NumPy rounds k / n before it looks for a tie
            assert middle_quantile(y, s, k / n) == pytest.approx(wanted, abs=1e-15)


def test_a_weight_is_a_repetition_and_zero_is_absence_in_the_middle_quantile(
    rng: np.random.Generator,
) -> None:
    for _ in range(50):
        y, s = rng.normal(size=12), rng.integers(0, 4, 12)
        if s.any():
            assert middle_quantile(y, s.astype(float), 0.5) == np.median(np.repeat(y, s))
