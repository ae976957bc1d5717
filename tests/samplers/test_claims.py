"""What certificates of draws claim, where the truth is known: bias, modes, tails, single chains, runaways."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import empirisk as er
from empirisk.plots.trace import agreement
from empirisk.samplers import REGISTRY, SGLD, ULA, FunctionTarget, sample
from empirisk.samplers.claims import claims
from empirisk.samplers.draws import Draws
from empirisk.samplers.stein import spread_of
from empirisk.samplers.tails import pareto_shape, tail_shape
from empirisk.typing import Array

OF_FUNCTIONS = [name for name, row in REGISTRY.items() if not (row.draws_rows or row.by_blocks)]
KNOWN = "Each mean is known to"


def normal(w: Array) -> tuple[float, Array]:
    """The potential of the standard normal law, and its gradient."""
    with np.errstate(over="ignore"):
        return 0.5 * float(w @ w), w


def of(draws: Array, **more: Any) -> Draws:
    """Return draws (chains, n, d) of a made sampler, of which nothing else is known."""
    names = [f"w{j}" for j in range(draws.shape[2])]
    told = np.zeros((*draws.shape[:2], 7))
    told[:, :, 6] = np.nan
    return Draws(draws, told, names, "made", True, 0, "made draws", "do nothing", **more)


def independent(chains: int = 4, n: int = 1000, d: int = 1) -> Array:
    """Return independent draws of a standard normal law, (chains, n, d)."""
    return np.random.default_rng(5).normal(size=(chains, n, d))


@pytest.mark.parametrize("factor", [0.5, 1.0, 4.0])
def test_the_ratio_of_variances_is_measured_by_gradients(factor: float) -> None:
    # Draws of N(0, factor C) beside the target N(0, C).
    rng = np.random.default_rng(1)
    root = np.array([[1.0, 0.0], [0.8, 0.3]])
    precision = np.linalg.inv(root @ root.T)
    draws = math.sqrt(factor) * rng.normal(size=(4, 2000, 2)) @ root.T
    found = spread_of(lambda w: (0.5 * float(w @ precision @ w), precision @ w), draws, 400.0)()
    assert (abs(found.ratios - factor) <= 4.0 * found.errors).all()
    assert (found.errors < 0.25 * factor).all()
    assert found.off == (factor != 1.0)


@pytest.mark.parametrize("step", [0.1, 1.5])
def test_a_claim_of_unadjusted_steps_counts_their_bias(step: float) -> None:
    # The variance of w' = (1 - h) w + sqrt(2 h) z is 1 / (1 - h / 2).
    found = sample(FunctionTarget(normal, np.zeros(2)), method=ULA(step), draws=3000, thin=1, random_state=1)
    wanted = 1.0 / (1.0 - 0.5 * step)
    spread: Any = found.spread
    assert (abs(spread.ratios - wanted) <= 4.0 * spread.errors).all()
    claim = found.certificate.claim
    assert "bias" in claim
    if step > 1.0:
        assert math.isinf(found.certificate.value)
        assert KNOWN not in claim
        assert "times that of the target" in claim
    else:
        share = (found.mcse / found.deviation).max() * math.sqrt(spread.mean)
        assert found.certificate.value == pytest.approx(share)
        assert claim.startswith(KNOWN)


@pytest.fixture(scope="module")
def model() -> Any:
    """Return a logistic regression of 60 rows."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 4))
    return er.LogisticRegression(alpha=0.01).fit(X, X[:, 0] + rng.logistic(size=60) > 0.0)


def test_batches_of_one_row_with_long_steps_are_not_certified(model: Any) -> None:
    found = sample(model, method=SGLD(step=1.9, batch=1), thin=1)
    exact = sample(model)
    assert (found.deviation > 3.0 * exact.deviation).all()
    assert math.isinf(found.certificate.value)
    assert KNOWN not in found.certificate.claim


@pytest.mark.parametrize("sampler", [ULA(2.0), SGLD(step=3.0)], ids=["ula", "sgld"])
def test_steps_that_no_gaussian_settles_with_are_refused(sampler: Any, model: Any) -> None:
    with pytest.raises(ValueError, match="must be below 2 in units of the covariance"):
        sample(model, method=sampler)


def test_draws_that_ran_away_are_not_advised_to_go_on() -> None:
    found = sample(FunctionTarget(normal, np.zeros(2)), method=ULA(3.0), thin=1)
    claim = found.certificate.claim
    assert "diverged" in claim
    assert "more draw" not in claim
    assert math.isinf(found.certificate.value)
    told = np.zeros((2, 400, 7))
    told[:, :, 4] = -np.exp(np.linspace(1.0, 40.0, 400))
    fallen = Draws(-told[:, :, 4:5], told, ["w0"], "made", True, 0, "made draws", "do nothing")
    assert fallen.certificate.claim.startswith("U falls along every chain")
    assert "more draw" not in fallen.certificate.claim


def test_one_chain_has_no_other_to_agree_with() -> None:
    claim = of(independent(1, 4000)).certificate.claim
    assert "the chains agree" not in claim
    assert "no other to agree with" in claim
    assert "the chains agree" in of(independent()).certificate.claim


@pytest.mark.parametrize("chains", [1, 4])
def test_few_draws_are_not_said_to_agree(chains: int) -> None:
    found = of(independent(chains, 5))
    assert KNOWN not in found.certificate.claim
    assert "agree:" not in found.certificate.claim
    assert math.isinf(found.certificate.value)


def test_modes_that_were_not_met_are_outside_of_the_claim() -> None:
    def two(w: Array) -> tuple[float, Array]:
        # Halves of N(-6, 1) and N(6, 1): U = (w^2 + 36) / 2 - log cosh(6 w), but for a constant.
        a = 6.0 * float(w[0])
        return 0.5 * float(w @ w) - (abs(a) + math.log1p(math.exp(-2.0 * abs(a)))), w - 6.0 * np.tanh([a])

    near = sample(FunctionTarget(two, [0.5]), method="mala", random_state=1)
    assert "Modes that none of the chains met are outside of this claim" in near.certificate.claim
    apart = sample(FunctionTarget(two, [[-6.0], [6.0]]), method="mala", random_state=1)
    assert apart.draws[0].mean() < -5.0 < 5.0 < apart.draws[1].mean()
    assert "do not agree" in apart.certificate.claim
    normal_model = er.Ridge(alpha=0.1).fit(np.eye(5), np.arange(5.0))
    assert "Modes" not in sample(normal_model, dispersion=1.0, draws=20, warm_up=20).certificate.claim


def test_the_shape_of_a_tail_is_that_of_its_law() -> None:
    # 2000 excesses know a shape to about (1 + k) / sqrt(2000), and the prior moves it to 1/2 by 10 of 2010.
    for k in (-0.3, 0.0, 0.5, 1.0, 2.0):
        x = np.sort(stats.genpareto(k, scale=3.0).rvs(2000, random_state=7))
        assert abs(pareto_shape(x) - k) <= 4.0 * (1.0 + k) / math.sqrt(2000) + abs(k - 0.5) / 200.0
    assert math.isnan(tail_shape(np.zeros(100)))


def test_tails_too_heavy_for_a_mean_are_said() -> None:
    heavy = of(np.random.default_rng(1).standard_cauchy((4, 1000, 1)))
    assert math.isinf(heavy.certificate.value)
    assert "too heavy for errors of a mean" in heavy.certificate.claim
    assert KNOWN not in heavy.certificate.claim
    for law in (stats.norm, stats.expon, stats.laplace, stats.t(5)):
        for seed in range(20):
            x = law.rvs(size=(4, 1000, 1), random_state=seed)
            assert "too heavy" not in of(x).certificate.claim


def test_a_claim_never_leads_with_a_mean_where_many_transitions_diverged() -> None:
    found = of(independent())
    found.told[:, :, 3] = 1.0
    assert found.certificate.claim.startswith("4,000 transitions of 4,000 diverged")
    assert math.isinf(found.certificate.value)


def test_places_without_a_number_are_counted() -> None:
    def half(w: Array) -> tuple[float, Array]:
        return (math.nan if w[0] < 0.0 else float(w[0])), np.ones(1)

    claim = sample(FunctionTarget(half, np.ones(1)), method="mala", draws=50, warm_up=50).certificate.claim
    assert "U was NaN at" in claim


@pytest.mark.parametrize("name", [name for name, row in REGISTRY.items() if row.exact and not row.by_blocks])
def test_a_default_run_is_believed(name: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 3)) @ np.array([[1.0, 0.5, 0.2], [0.0, 1.0, -0.4], [0.0, 0.0, 0.3]])
    model = er.Ridge(alpha=0.01).fit(X, X[:, 0] + rng.normal(size=80))
    found = [sample(model, method=name, dispersion=1.0, random_state=seed) for seed in range(3)]
    assert [run.doubts for run in found] == [[], [], []]


@pytest.mark.parametrize("name", OF_FUNCTIONS)
def test_more_chains_change_none_of_a_function(name: str) -> None:
    target = FunctionTarget(normal, np.zeros(2))
    options: dict[str, Any] = {"method": name, "draws": 20, "warm_up": 200, "random_state": 3}
    four, six = sample(target, chains=4, **options), sample(target, chains=6, **options)
    np.testing.assert_array_equal(four.draws, six.draws[:4])


def test_charts_state_no_probability_that_is_not_known() -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra: pip install 'empirisk[report]'")
    apart = independent() + np.array([-6.0, 6.0, -6.0, 6.0])[:, None, None]
    assert "probability" not in of(apart).plot(kind="density").axes.get_title(loc="left")
    assert "probability" in of(independent()).plot(kind="density").axes.get_title(loc="left").replace(
        "\n", " "
    )
    for kind in ("trace", "ranks"):
        said = of(independent(1, 4000)).plot(kind=kind).axes.get_title(loc="left").replace("\n", " ")
        assert "there is no other chain" in said
    assert "too few to tell" in agreement({"name": "w0", "r_hat": 0.9, "ess": 9.0}, 4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"start": "a"}, "start must be an array of real numbers, got 'a'"),
        ({"start": [1j]}, "start must be an array of real numbers"),
        ({"start": {}}, "start must be an array of real numbers"),
        ({"start": [[1.0, 2.0], [3.0]]}, "start must be an array of real numbers"),
        ({"start": [0.0], "covariance": "a"}, "covariance must be an array of real numbers"),
        ({"start": [0.0], "covariance": [[math.nan]]}, "covariance must hold finite numbers"),
        ({"start": [0.0, 0.0], "covariance": [[1.0, 2.0], [0.0, 1.0]]}, "must be symmetric, and is not"),
    ],
)
def test_starts_and_covariances_that_are_none_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        FunctionTarget(normal, **options)


def test_a_ratio_just_above_the_limit_is_told_from_it() -> None:
    found = of(independent())
    found._sizes["r_hat"][:] = 1.0100004
    claim = " ".join(claims(found, found._share, found.doubts))
    assert "R-hat 1.0100004" in claim
