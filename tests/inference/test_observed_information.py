"""Covariances with the observed information: statsmodels' Hessians and sandwiches, canonical links."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er

sm: Any = pytest.importorskip("statsmodels.api")
L, F = sm.families.links, sm.families
pytestmark = pytest.mark.filterwarnings("ignore:The .* link function does not respect:Warning")

CASES: dict[tuple[str, str], tuple[Any, Any]] = {
    ("poisson", "identity"): (F.Poisson(L.Identity()), lambda r, z: r.poisson(z)),
    ("gamma", "log"): (F.Gamma(L.Log()), lambda r, z: r.gamma(2.0, np.exp(z) / 2.0)),
    ("binomial", "probit"): (F.Binomial(L.Probit()), lambda r, z: r.random(len(z)) < z / 4.0),
    ("binomial", "cauchit"): (F.Binomial(L.Cauchy()), lambda r, z: r.random(len(z)) < z / 4.0),
    ("gaussian", "log"): (F.Gaussian(L.Log()), lambda r, z: r.normal(np.exp(z), 0.3)),
}  # fmt: skip


def drawn(family: str, link: str, rng: np.random.Generator) -> tuple[Any, Any, Any, Any]:
    X = rng.uniform(size=(300, 2))
    y = np.asarray(CASES[family, link][1](rng, 1.5 + X @ [0.8, -0.6]), dtype=float)
    model = er.GeneralizedLinearModel(family, link, tol=1e-11).fit(X, y)
    return X, y, model, sm.GLM(y, sm.add_constant(X), CASES[family, link][0])


@pytest.mark.parametrize(("family", "link"), CASES)
def test_observed_information_is_the_hessian_of_the_peer(
    family: str, link: str, rng: np.random.Generator
) -> None:
    _, _, model, peer = drawn(family, link, rng)
    right = peer.fit(tol=1e-13, maxiter=300)
    hessian = peer.hessian(right.params, scale=right.scale, observed=True)
    found = model.summary(covariance="observed")
    np.testing.assert_allclose(found.covariance, np.linalg.inv(-hessian), rtol=1e-4)
    assert any("observed information" in note for note in found.notes)
    assert np.max(np.abs(found.se / model.summary().se - 1.0)) > 1e-4


@pytest.mark.parametrize(("family", "link"), CASES)
def test_sandwiches_with_it_are_those_of_the_peer(family: str, link: str, rng: np.random.Generator) -> None:
    _, y, model, peer = drawn(family, link, rng)
    right = peer.fit(tol=1e-13, maxiter=300, cov_type="HC0")
    np.testing.assert_allclose(model.summary(covariance="HC0-observed").se, right.bse, rtol=1e-5)
    groups = np.arange(len(y)) // 5
    clustered = peer.fit(
        tol=1e-13, maxiter=300, cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    found = model.summary(covariance="CR0-observed", groups=groups)
    np.testing.assert_allclose(found.se, clustered.bse, rtol=1e-5)


@pytest.mark.parametrize("kind", ["HC0", "HC3", "cluster"])
def test_canonical_links_know_no_difference(kind: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(120, 2))
    more = {"groups": np.arange(120) // 6} if kind == "cluster" else {}
    for model in (er.GeneralizedLinearModel("poisson"), er.LinearRegression()):
        model.fit(X, rng.poisson(np.exp(X[:, 0])))
        a, b = (model.summary(covariance=c, **more) for c in (kind, f"{kind}-observed"))
        np.testing.assert_allclose(a.covariance, b.covariance, rtol=1e-8, atol=1e-14)
        tests = [model.wald_test("x0", covariance=c, **more).statistic for c in (kind, f"{kind}-observed")]
        assert tests[0] == pytest.approx(tests[1], rel=1e-8)
    classes = er.LogisticRegression(alpha=0.0).fit(X, rng.integers(3, size=120))
    if kind == "HC0":
        a, b = (classes.summary(covariance=c) for c in ("HC0", "HC0-observed"))
        np.testing.assert_allclose(a.se, b.se)


def test_groups_belong_to_clusters_alone(rng: np.random.Generator) -> None:
    model = er.GeneralizedLinearModel("poisson").fit(rng.normal(size=(50, 1)), rng.poisson(2.0, size=50))
    with pytest.raises(ValueError, match="groups go together"):
        model.summary(covariance="HC0-observed", groups=np.arange(50))
    with pytest.raises(ValueError, match="covariance must be one of"):
        model.summary(covariance="HC9-observed")
