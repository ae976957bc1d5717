"""R-hat, effective sample sizes and Monte-Carlo errors: ArviZ's numbers, and chains whose times are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import lfilter

from empirisk.samplers.diagnostics import ess_bulk, ess_mean, ess_quantile, ess_tail, mcse_mean, r_hat
from empirisk.typing import Array


def autoregressive(phi: float, n: int = 500, chains: int = 4, seed: int = 0) -> Array:
    """Return ``z_t = phi z_(t-1) + e_t``, e uniform on (-1/2, 1/2) by PCG64, whose stream NumPy keeps."""
    e = np.random.Generator(np.random.PCG64(seed)).random((chains, n)) - 0.5
    return np.asarray(lfilter([1.0], [1.0, -phi], e, axis=1))


CHAINS = {
    "slow": autoregressive(0.8),
    "alternating": autoregressive(-0.5, seed=1),
    "apart": autoregressive(0.0, seed=2) + 0.1 * np.arange(4)[:, None],
    "heavy": np.tan(np.pi * 0.999 * autoregressive(0.0, seed=3)),
    "odd": autoregressive(0.5, n=101, chains=2, seed=4),
    "alone": autoregressive(0.3, n=80, chains=1, seed=5),
}

# From ArviZ 0.23.4: az.rhat(x, method="rank"), az.ess(x, method="bulk"), "tail", "mean", az.mcse(x,
# method="mean") and az.ess(x, method="quantile", prob=0.3), for the chains above; it has no R-hat of one
# chain.
ARVIZ = {
    "slow": (1.0358985436868815, 147.42884197338196, 375.94933822756906, 147.3891162017808,
             0.040609457308768374, 294.8875545597236),
    "alternating": (0.9994594498975283, 6298.928548563869, 1909.676868754838, 6012.364490820638,
                    0.004256713613866404, 3406.9365497053186),
    "apart": (1.0878180266192916, 30.917237858099924, 94.93033856141462, 37.851732999367584,
              0.0503607381842154, 150.61349693163135),
    "heavy": (1.0009273257953408, 2095.3271920352413, 1920.746343747742, 2061.4771960465328,
              0.44725844922466934, 2027.463937726738),
    "odd": (1.020802771736386, 80.13367330400683, 98.6538159743088, 85.36758767153279,
            0.03250832020347614, 133.90720712609027),
    "alone": (math.nan, 43.00252883004562, 42.250810733758605, 44.254316160237856,
              0.04471599646466539, 97.1284727835385),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CHAINS))
def test_the_numbers_of_arviz(name: str) -> None:
    x, (ratio, *rest) = CHAINS[name], ARVIZ[name]
    found = [ess_bulk(x), ess_tail(x), ess_mean(x), mcse_mean(x), ess_quantile(x, 0.3)]
    np.testing.assert_allclose(found, rest, rtol=1e-9)
    if not math.isnan(ratio):
        # The two draws in the middle are equally far from the median up to rounding, which decides their
        # ranks.
        assert r_hat(x) == pytest.approx(ratio, rel=2e-6)


@pytest.mark.parametrize("phi", [0.9, 0.5, 0.0, -0.4])
def test_autoregressive_chains_have_their_known_time(phi: float) -> None:
    # The integrated time of z_t = phi z_(t-1) + e_t is (1 + phi) / (1 - phi); a sum up to lag m has the
    # relative variance 2 (2 m + 1) / n (Madras and Sokal, Journal of Statistical Physics 50, 1988).
    n, chains = 20_000, 4
    time = (1.0 + phi) / (1.0 - phi)
    lags = 1 if phi == 0.0 else math.ceil(math.log(0.003) / math.log(abs(phi)))
    error = math.sqrt(2.0 * (2.0 * lags + 1.0) / (chains * n))
    x = autoregressive(phi, n, chains, seed=7)
    assert ess_mean(x) == pytest.approx(chains * n / time, rel=4.0 * error)
    deviation = math.sqrt(1.0 / 12.0 / (1.0 - phi**2))
    assert mcse_mean(x) == pytest.approx(deviation * math.sqrt(time / (chains * n)), rel=2.0 * error + 0.02)
    assert r_hat(x) < 1.01


def test_chains_in_different_places_are_seen() -> None:
    # Means d apart of chains of variance v: R-hat tends to the root of 1 + between / within, here of the
    # ranks.
    x = autoregressive(0.0, 4000, 2, seed=8)
    assert r_hat(x) < 1.005
    assert r_hat(x + np.array([[0.0], [0.2]])) > 1.02
    # The same place and other widths: the folded ranks see it, and means do not.
    assert r_hat(x * np.array([[1.0], [1.5]])) > 1.02


def test_what_does_not_move_and_what_is_short() -> None:
    still = np.ones((4, 10))
    assert r_hat(still) == 1.0
    assert ess_mean(still) == 40.0
    assert r_hat(still * np.arange(4)[:, None]) == math.inf
    assert math.isnan(ess_mean(np.ones((4, 4))[:, :3]))
    assert math.isnan(ess_mean(np.array([[1.0, math.nan, 2.0, 3.0, 1.0, 2.0, 3.0, 4.0]])))
