"""Links that are not a family's own: statsmodels' fits, fits on the end of a link's range, refusals."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import empirisk as er
from empirisk.results import Kind, Status

sm: Any = pytest.importorskip("statsmodels.api")
L: Any = sm.families.links
F: Any = sm.families
pytestmark = pytest.mark.filterwarnings("ignore:The .* link function does not respect:Warning")

PEERS: dict[tuple[str, str], tuple[Any, Any]] = {
    ("gaussian", "log"): (F.Gaussian(L.Log()), lambda z: np.exp(z)),
    ("gaussian", "inverse"): (F.Gaussian(L.InversePower()), lambda z: 1 / z),
    ("poisson", "identity"): (F.Poisson(L.Identity()), lambda z: z),
    ("poisson", "sqrt"): (F.Poisson(L.Sqrt()), lambda z: z**2),
    ("gamma", "inverse"): (F.Gamma(L.InversePower()), lambda z: 1 / z),
    ("gamma", "identity"): (F.Gamma(L.Identity()), lambda z: z),
    ("inverse_gaussian", "inverse_squared"): (F.InverseGaussian(L.InverseSquared()), lambda z: z**-0.5),
    ("inverse_gaussian", "inverse"): (F.InverseGaussian(L.InversePower()), lambda z: 1 / z),
    ("tweedie", "sqrt"): (F.Tweedie(L.Sqrt(), var_power=1.4), lambda z: z**2),
    ("tweedie", "identity"): (F.Tweedie(L.Identity(), var_power=1.4), lambda z: z),
    ("negative_binomial", "identity"): (F.NegativeBinomial(L.Identity(), alpha=0.5), lambda z: z),
    ("binomial", "loglog"): (F.Binomial(L.LogLog()), lambda z: np.exp(-np.exp(-z))),
    ("binomial", "cauchit"): (F.Binomial(L.Cauchy()), lambda z: 0.5 + np.arctan(z) / np.pi),
    ("binomial", "identity"): (F.Binomial(L.Identity()), lambda z: z),
}  # fmt: skip
DRAWS: dict[str, Any] = {
    "gaussian": lambda r, m: r.normal(m, 0.1),
    "poisson": lambda r, m: r.poisson(m),
    "gamma": lambda r, m: r.gamma(3.0, m / 3.0),
    "inverse_gaussian": lambda r, m: r.wald(m, 4.0),
    "tweedie": lambda r, m: r.poisson(3.0 * m) * r.gamma(4.0, 0.1, size=len(m)),
    "negative_binomial": lambda r, m: r.negative_binomial(2.0, 2.0 / (2.0 + m)),
    "binomial": lambda r, m: r.binomial(6, m) / 6.0,
}


def drawn(family: str, link: str, rng: np.random.Generator, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    X = rng.uniform(size=(n, 2))
    z = 1.5 + X @ [0.8, -0.6] if family != "binomial" or link != "identity" else 0.3 + X @ [0.3, -0.1]
    return X, np.asarray(DRAWS[family](rng, PEERS[family, link][1](z)), dtype=float)


@pytest.mark.parametrize(("family", "link"), PEERS)
def test_fits_and_standard_errors_agree_with_statsmodels(
    family: str, link: str, rng: np.random.Generator
) -> None:
    X, y = drawn(family, link, rng)
    weight = np.full(len(y), 6.0) if family == "binomial" else rng.integers(1, 4, size=len(y)).astype(float)
    more = {"power": 1.4} if family == "tweedie" else {"extra_dispersion": 0.5}
    model = er.GeneralizedLinearModel(family, link, tol=1e-11, **more).fit(X, y, sample_weight=weight)
    kind = "var_weights" if family == "binomial" else "freq_weights"
    peer = sm.GLM(y, sm.add_constant(X), PEERS[family, link][0], **{kind: weight})
    right = peer.fit(tol=1e-13, maxiter=500)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), right.params, rtol=2e-6, atol=1e-8)
    assert model.deviance_ == pytest.approx(right.deviance, rel=1e-9)
    summary = model.summary()
    np.testing.assert_allclose(summary.se, right.bse, rtol=2e-6)
    bands = model.interval(X[:9])
    mean = right.get_prediction(sm.add_constant(X)[:9])
    np.testing.assert_allclose(bands.se, mean.se_mean, rtol=2e-6)
    assert np.all((bands.low < bands.value) & (bands.value < bands.high))
    stationary = "stationary point" in model.certificate_.claim
    assert stationary != model.problem(X, y, weight).loss.convex


@pytest.mark.parametrize(
    ("family", "link"), [("poisson", "identity"), ("binomial", "identity"), ("binomial", "log")]
)
def test_means_on_the_end_of_their_range_are_certified_with_multipliers(family: str, link: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(60, 2))
    if family == "poisson":
        y = rng.poisson(np.maximum(3.0 * X[:, 0] + 0.5 * X[:, 1] - 0.3, 0.0)).astype(float)
    else:
        y = (rng.uniform(size=60) < np.clip(1.5 * X[:, 0], 0.0, 1.0)).astype(float)
    model = er.GeneralizedLinearModel(family, link).fit(X, y)
    assert model.solution_.status is Status.CERTIFIED
    assert model.certificate_.kind is Kind.KKT_RESIDUAL
    assert model.certificate_.relative <= 1e-8
    assert er.verify(model, X, y).relative <= 1e-8
    assert "lies on the end" in model.solution_.note
    # The same constrained problem by sequential quadratic programming.
    A = np.column_stack([np.ones(60), X])
    low = -np.inf if link == "log" else 1e-10
    high = {"poisson": np.inf, "binomial": 0.0 if link == "log" else 1.0}[family]
    loss = model.problem(X, y).loss
    room = [
        {"type": "ineq", "fun": lambda b, f=f, at=at: f * (A @ b - at)}
        for f, at in ((1.0, low), (-1.0, high - 1e-10)) if np.isfinite(at)
    ]  # fmt: skip
    start = np.array([float(loss.best_constant(y, np.ones(60))), 0.0, 0.0])
    found = minimize(
        lambda b: float(np.minimum(loss.value(y, A @ b), 1e3).sum()), start, constraints=room, method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )  # fmt: skip
    own = float(loss.value(y, model.predict_linear(X)).sum())
    assert own <= found.fun + 1e-5
    summary = model.summary()
    assert not summary.valid
    assert "lies on the end" in summary.notes[0]
    with pytest.raises(ValueError, match="no interval: the mean of row"):
        model.interval(X)


def test_what_a_link_has_no_mean_for_is_said(rng: np.random.Generator) -> None:
    X, y = drawn("poisson", "identity", rng)
    model = er.GeneralizedLinearModel("poisson", "identity")
    with pytest.raises(ValueError, match="a score of 0 has no mean"):
        er.GeneralizedLinearModel("poisson", "identity", fit_intercept=False).fit(X, y)
    with pytest.raises(ValueError, match="y has the mean 0, which has no score"):
        model.fit(X, 0.0 * y)
    with pytest.raises(ValueError, match="y has the mean -2"):
        er.GeneralizedLinearModel("gaussian", "log").fit(X, y - y.mean() - 2.0)
    with pytest.raises(ValueError, match="exposure needs a link"):
        model.fit(X, y, exposure=np.ones(len(y)))
    with pytest.raises(ValueError, match="link must be 'log', 'inverse'"):
        er.GeneralizedLinearModel("gamma", "cauchit").fit(X, y + 1.0)
    model.fit(X, y)
    with pytest.warns(UserWarning, match="row 1 has the score .* has no mean"):
        assert model.predict([[0.0, 0.0], [-90.0, 0.0]])[1] < 1e-50
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)


@pytest.mark.parametrize(
    ("family", "link"), [("poisson", "identity"), ("gamma", "inverse"), ("inverse_gaussian", "inverse")]
)
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_penalised_convex_pairs_have_a_duality_gap(
    family: str, link: str, l1_ratio: float, rng: np.random.Generator
) -> None:
    X, y = drawn(family, link, rng)
    model = er.GeneralizedLinearModel(family, link, alpha=0.05, l1_ratio=l1_ratio).fit(X, y)
    assert model.certificate_.kind is Kind.DUALITY_GAP
    assert model.certificate_.relative <= 1e-8


def test_offsets_are_parts_of_the_score(rng: np.random.Generator) -> None:
    X, y = drawn("gamma", "inverse", rng)
    offset = rng.uniform(0.0, 0.5, size=len(y))
    model = er.GeneralizedLinearModel("gamma", "inverse", tol=1e-11).fit(X, y, offset=offset)
    right = sm.GLM(y, sm.add_constant(X), F.Gamma(L.InversePower()), offset=offset).fit(tol=1e-13)
    np.testing.assert_allclose(np.append(model.intercept_, model.coef_), right.params, rtol=1e-6)
    np.testing.assert_allclose(model.summary().se, right.bse, rtol=1e-6)


def test_risk_ratios_are_exponentials_of_the_log_binomial_model(rng: np.random.Generator) -> None:
    group = np.repeat([0.0, 1.0], [40, 60])
    y = np.concatenate([np.repeat([1.0, 0.0], [10, 30]), np.repeat([1.0, 0.0], [30, 30])])
    model = er.GeneralizedLinearModel("binomial", "log", tol=1e-12).fit(group[:, None], y)
    ratios = model.summary().ratios()
    assert ratios.kind == "risk ratio"
    assert ratios.value[0] == pytest.approx(2.0, rel=1e-8)  # 30/60 over 10/40
    # The textbook's standard error of log(a/n1 / (c/n0)): 1/a - 1/n1 + 1/c - 1/n0.
    se = np.sqrt(1 / 30 - 1 / 60 + 1 / 10 - 1 / 40)
    assert model.summary().se[1] == pytest.approx(se, rel=1e-7)
