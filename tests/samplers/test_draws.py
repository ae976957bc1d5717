"""What draws are asked for: tables, predictions, charts, ArviZ."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import empirisk as er
from empirisk.losses import Gamma, HalfSquared, InverseGaussian, Logistic, NegativeBinomial, Poisson
from empirisk.samplers import FunctionTarget, sample
from empirisk.samplers.diagnostics import ess_mean
from empirisk.samplers.draws import Draws
from empirisk.samplers.likelihood import Likelihood
from empirisk.typing import Array


@pytest.fixture(scope="module")
def found() -> Draws:
    """Draws of a logistic model of two columns."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    model = er.LogisticRegression(alpha=0.05).fit(X, X[:, 0] + rng.logistic(size=80) > 0.0)
    return sample(model, draws=250, random_state=1)


MEAN, SPREAD = 2.5, 0.4
LAWS: dict[str, tuple[Any, Any]] = {
    "half_squared": (HalfSquared(), stats.norm(MEAN, math.sqrt(SPREAD))),
    "gamma": (Gamma(), stats.gamma(1.0 / SPREAD, scale=MEAN * SPREAD)),
    "inverse_gaussian": (InverseGaussian(), stats.invgauss(MEAN * SPREAD, scale=1.0 / SPREAD)),
    "poisson": (Poisson(), stats.poisson(MEAN)),
    "negative_binomial": (NegativeBinomial(0.5), stats.nbinom(2.0, 1.0 / (1.0 + 0.5 * MEAN))),
}


@pytest.mark.parametrize("name", list(LAWS))
def test_new_targets_have_the_law_of_the_loss(name: str) -> None:
    loss, law = LAWS[name]
    likelihood = Likelihood(loss, SPREAD, 1, False)
    rng = np.random.default_rng(3)
    y = likelihood.draw(np.full((4, 2000), MEAN), rng)
    # Inversion: each target is the quantile of the uniform number that it came from.
    u = np.random.default_rng(3).random((4, 2000))
    np.testing.assert_allclose(y, law.ppf(u), rtol=1e-8, atol=1e-8)


def test_labels_are_drawn_with_their_probability() -> None:
    likelihood = Likelihood(Logistic(), 1.0, 1, False)
    p = np.full((1, 20_000), 0.3)
    y = likelihood.draw(p, np.random.default_rng(1))
    assert set(np.unique(y)) == {-1.0, 1.0}
    assert abs((y > 0).mean() - 0.3) <= 5.0 * math.sqrt(0.21 / 20_000)


def test_predictions_hold_the_noise_of_parameters_and_of_targets() -> None:
    # For squared errors of variance s the predictive variance of a row x is s + x' C x, C the posterior
    # covariance.
    rng = np.random.default_rng(4)
    X, s = rng.normal(size=(15, 2)), 0.8
    y = X @ [1.0, -1.0] + rng.normal(size=15)
    model = er.LinearRegression().fit(X, y)
    draws = sample(model, draws=5000, dispersion=s, random_state=5)
    row = np.array([[2.0, 1.0]])
    design = np.column_stack([X, np.ones(15)])
    at = np.append(row[0], 1.0)
    spread = s * float(at @ np.linalg.solve(design.T @ design, at))
    mean = float(model.predict(row)[0])
    means, new = draws.means(row)[:, :, 0], draws.predictive(row, random_state=2)[:, :, 0]
    assert means.var() == pytest.approx(spread, rel=0.08)
    assert new.var() == pytest.approx(spread + s, rel=0.08)
    assert abs(new.mean() - mean) <= 5.0 * math.sqrt((spread + s) / 10_000)
    shifted = draws.means(row, offset=[1.0])[:, :, 0]
    np.testing.assert_allclose(shifted, means + 1.0, rtol=1e-12)


def test_means_of_a_classifier_average_to_its_posterior_probability(found: Draws) -> None:
    X = np.array([[0.0, 0.0], [2.0, 0.0]])
    chance = found.means(X)
    assert chance.shape == (4, 250, 2)
    z = found.draws @ np.append(X[1], 1.0)
    np.testing.assert_allclose(chance[:, :, 1], 1.0 / (1.0 + np.exp(-z)), rtol=1e-12)


def test_what_cannot_be_predicted_is_refused(found: Draws) -> None:
    with pytest.raises(ValueError, match="X has 5 features"):
        found.means(np.ones((3, 5)))
    with pytest.raises(ValueError, match="offset must have shape"):
        found.means(np.ones((3, 2)), offset=[1.0])
    normal = sample(FunctionTarget(lambda w: (0.5 * float(w @ w), w), np.zeros(1)), draws=10, warm_up=10)
    with pytest.raises(ValueError, match="has no rows"):
        normal.predictive(np.ones((1, 1)))


@pytest.mark.parametrize("kind", ["trace", "ranks", "density"])
def test_charts_of_a_parameter(found: Draws, kind: str) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra: pip install 'empirisk[report]'")
    ax = found.plot("x1", kind=kind).axes
    assert "x1" in ax.get_xlabel() + ax.get_ylabel()
    assert found.plot(kind=kind).axes.get_title(loc="left")
    if kind == "trace":
        np.testing.assert_array_equal(ax.lines[2].get_ydata(), found.draws[2, :, 1])
    if kind == "density":
        low, high = np.quantile(found.draws[:, :, 1], [0.05, 0.95])
        np.testing.assert_allclose(ax.lines[1].get_xdata(), [low, high])


def test_charts_of_what_is_not_there_are_refused(found: Draws) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra: pip install 'empirisk[report]'")
    with pytest.raises(ValueError, match="kind must be 'trace', 'ranks', 'density' or 'energy'"):
        found.plot(kind="pie")
    for parameter in ("x9", 7, True):
        with pytest.raises(ValueError, match="parameter must be a name of the draws"):
            found.plot(parameter)


def test_ranks_of_all_chains_are_counted(found: Draws) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra: pip install 'empirisk[report]'")
    ax = found.plot(0, kind="ranks").axes
    x = found.draws[:, :, 0]
    ranks = stats.rankdata(x, method="ordinal").reshape(x.shape)
    heights = [patch.get_data().values for patch in ax.patches]
    assert sum(map(sum, heights)) == x.size
    share = np.histogram(ranks[0], bins=np.linspace(0.5, x.size + 0.5, len(heights[0]) + 1))[0]
    np.testing.assert_array_equal(heights[0], share)


STATS = {"acceptance_rate", "n_steps", "tree_depth", "diverging", "lp", "step_size", "energy"}


def test_arviz_gets_the_same_numbers(found: Draws) -> None:
    arviz = pytest.importorskip("arviz", reason="needs the extra: pip install 'empirisk[bayes]'")
    data = found.to_arviz()
    np.testing.assert_array_equal(data.posterior["x1"], found.draws[:, :, 1])
    assert set(data.sample_stats) == STATS
    np.testing.assert_allclose(np.ravel(arviz.bfmi(data)), found.bfmi, rtol=1e-10)
    for function, ours in ((arviz.rhat, found.r_hat), (arviz.ess, found.ess_bulk)):
        theirs = function(data)
        for j, name in enumerate(found.names):
            assert float(theirs[name]) == pytest.approx(ours[j], rel=1e-9)


def test_the_summary_of_arviz_is_ours(found: Draws) -> None:
    arviz = pytest.importorskip("arviz", reason="needs the extra: pip install 'empirisk[bayes]'")
    theirs = arviz.summary(found.to_arviz(), round_to="none")
    ours = found.summary().to_frame().set_index("parameter")
    same = {"mean": "mean", "sd": "sd", "mcse_mean": "mcse", "ess_bulk": "ess_bulk", "ess_tail": "ess_tail"}
    for there, here in {**same, "r_hat": "r_hat"}.items():
        np.testing.assert_allclose(theirs[there], ours.loc[theirs.index, here], rtol=1e-9, err_msg=here)


def test_arviz_gets_what_a_sampler_knows() -> None:
    pytest.importorskip("arviz", reason="needs the extra: pip install 'empirisk[bayes]'")
    normal = FunctionTarget(lambda w: (0.5 * float(w @ w), w), np.zeros(1))
    data = sample(normal, draws=20, warm_up=20, method="mala").to_arviz()
    assert set(data.sample_stats) == STATS - {"energy"}
    X = np.random.default_rng(0).normal(size=(50, 1))
    data = sample(
        er.Ridge(alpha=0.1).fit(X, X[:, 0]), draws=20, warm_up=5, method="sgld", dispersion=1.0
    ).to_arviz()
    assert set(data.sample_stats) == STATS - {"energy", "lp", "acceptance_rate"}


@pytest.mark.parametrize("method", ["hmc", "nuts"])
def test_energies_are_those_of_the_place_with_its_momentum(method: str) -> None:
    # Of a standard normal law in d dimensions, H = (|w|^2 + |p|^2) / 2 has the Gamma law of shape d.
    d = 3
    normal = FunctionTarget(lambda w: (0.5 * float(w @ w), w), np.zeros(d), covariance=np.eye(d))
    found = sample(normal, method=method, draws=1500, random_state=2)
    energy, potential = found.told[:, :, 6], found.told[:, :, 4]
    np.testing.assert_allclose(potential, 0.5 * (found.draws**2).sum(axis=2), rtol=1e-12)
    assert (energy >= potential).all()
    for x, wanted in ((energy, d), ((energy - d) ** 2, d), (energy - potential, 0.5 * d)):
        assert abs(x.mean() - wanted) <= 5.0 * x.std() / math.sqrt(ess_mean(x))
    assert (found.bfmi > 0.7).all()


def test_energies_that_move_slowly_are_said() -> None:
    # Independent normal energies have a mean square change of twice their variance; a random walk hardly any.
    told = np.zeros((2, 500, 7))
    told[:, :, 6] = np.random.default_rng(1).normal(size=(2, 500))
    data = Draws(spread()[:2], told, ["a"], "nuts", True, 0, "made draws", "do nothing")
    assert (abs(data.bfmi - 2.0) < 0.3).all()
    assert "E-BFMI" not in data.certificate.claim
    told[1, :, 6] = told[1, :, 6].cumsum()
    assert (
        "The energy of chain 2 changes little"
        in Draws(spread()[:2], told, ["a"], "nuts", True, 0, "made draws", "do nothing").certificate.claim
    )


def test_the_chart_of_energies(found: Draws) -> None:
    pytest.importorskip("matplotlib", reason="charts need the extra: pip install 'empirisk[report]'")
    ax = found.plot(kind="energy").axes
    assert f"{found.bfmi.min():.2f}" in ax.get_title(loc="left")
    for patch in ax.patches:
        values, edges, _ = patch.get_data()
        assert float(values @ np.diff(edges)) == pytest.approx(1.0)
    normal = FunctionTarget(lambda w: (0.5 * float(w @ w), w), np.zeros(1))
    with pytest.raises(ValueError, match=r"the draws of mala have no energies"):
        sample(normal, draws=20, warm_up=20, method="mala").plot(kind="energy")


def test_without_arviz_the_extra_is_named(found: Draws, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match=r"pip install 'empirisk\[bayes\]'"):
        found.to_arviz()


def test_the_summary_is_a_table(found: Draws) -> None:
    told = found.summary(level=0.5)
    frame = told.to_frame()
    assert list(frame["parameter"]) == ["x0", "x1", "intercept"]
    assert {"q25", "q75", "mean", "mcse", "ess_tail", "r_hat"} <= set(frame)
    np.testing.assert_allclose(frame["q25"], np.quantile(found.draws, 0.25, axis=(0, 1)))
    assert "4 chains of 250 draws by nuts" in repr(found)
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        found.summary(level=1.0)


def test_the_advice_is_the_number_of_draws_that_reaches_one_percent() -> None:
    data = Draws(spread(), np.zeros((4, 500, 7)), ["a"], "nuts", True, 0, "made draws", "do nothing")
    value = data.certificate.value
    more = math.ceil(500 * ((value / 0.01) ** 2 - 1.0))
    assert f"{more:,} more draws of each chain" in data.certificate.claim
    apart = Draws(
        spread() + np.arange(4.0)[:, None, None], np.zeros((4, 500, 7)), ["a"], "nuts", True, 0, "made", "do"
    )
    assert "do not agree yet" in apart.certificate.claim


def spread() -> Array:
    """Return four chains of independent normal draws of one quantity."""
    return np.random.default_rng(1).normal(size=(4, 500, 1))
