"""Reports on counts and amounts: the family is offered, judged like the others, explained, saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import statsmodels.api as sm

import empirisk as er
from empirisk.report.fit.candidates import candidates
from empirisk.report.fit.families import FAMILIES
from empirisk.report.fit.final import FinalModel, certificate_json
from empirisk.report.saved.verify_file import verify_file
from empirisk.report.sections.model.coefficients import sandwich
from empirisk.report.sections.model.importance import importances, linear_move
from tests.report.reports import make_report

# Each of them makes a whole report.
pytestmark = pytest.mark.full

VISITS = Path(__file__).parents[2] / "examples" / "data" / "visits.csv"


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """A report on the doctor visits of the RAND experiment."""
    folder = tmp_path_factory.mktemp("visits")
    outcome = make_report(folder, pl.read_csv(VISITS), "mdvis", seed=3, time_limit=7.0)
    return folder, outcome.report


def test_counts_are_offered_a_poisson_regression_that_is_judged_as_the_others(visits) -> None:
    _, report = visits
    names = [c["name"] for c in report["candidates"]]
    assert {"poisson_l1", "poisson_l2", "lasso", "ridge"} < set(names)
    for c in report["candidates"]:
        assert c["score"]["low"] < c["score"]["value"] < c["score"]["high"]
        assert c["certificate"] is None or c["certificate"]["kind"] == "DUALITY_GAP"
    said = " ".join(report["selection"]["notes"])
    assert "Poisson regression (log link) was tried because of the target: it holds counts" in said
    assert "compared by its squared error" in said
    baseline = next(c for c in report["candidates"] if c["role"] == "baseline")
    assert baseline["score"]["value"] > min(c["score"]["value"] for c in report["candidates"])


def test_the_deviance_stands_beside_the_errors_with_an_interval(visits) -> None:
    _, report = visits
    metrics = {m["name"]: m for m in report["test"]["metrics"]}
    assert list(metrics)[:3] == ["mae", "r2", "mse"]
    deviance = metrics["poisson_deviance"]
    assert deviance["label"] == "Poisson deviance"
    assert deviance["model"]["low"] < deviance["model"]["value"] < deviance["model"]["high"]
    assert deviance["difference"]["n"] == report["test"]["n_rows"]


def test_a_chosen_poisson_model_is_explained_certified_and_asked_about_its_dispersion(visits) -> None:
    folder, report = visits
    assert report["verdict"]["model"].startswith("poisson")
    model = report["model"]
    assert "passed through the exponential function" in model["sentence"]
    assert model["coefficients_unit"] == "log of the mean of mdvis"
    assert "multiplies the predicted mean by exp(c)" in model["coefficients_note"]
    assert model["certificate"]["verified"]
    found = next(f for f in report["findings"] if f["code"] == "ER218")
    assert "over-dispersion" in found["sentence"]
    assert "negative binomial" in found["advice"]
    loaded = er.load(folder / "out" / "model.empirisk")
    assert (loaded.predict(VISITS) > 0.0).all()
    assert "Poisson deviance" in (folder / "out" / "report.md").read_text(encoding="utf-8")


def amounts(n: int, zeros: bool) -> pl.DataFrame:
    """Costs with multiplicative effects; a part of them 0 if asked for."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 3))
    mean = np.exp(2.0 + 0.8 * X[:, 0] - 0.5 * X[:, 1])
    y = rng.poisson(2.0, n) * rng.gamma(3.0, mean / 6.0) if zeros else rng.gamma(3.0, mean / 3.0)
    return pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "cost": y})


@pytest.mark.parametrize(("zeros", "family"), [(False, "gamma"), (True, "tweedie")])
def test_amounts_with_multiplicative_effects_get_their_family(
    tmp_path: Path, zeros: bool, family: str
) -> None:
    # With 400 rows a straight line is within one standard error of it, and simpler.
    outcome = make_report(tmp_path, amounts(1200, zeros), "cost")
    report = outcome.report
    assert report["verdict"]["model"].startswith(family)
    assert f"{family}_deviance" in {m["name"] for m in report["test"]["metrics"]}
    assert "ER218" not in {f["code"] for f in report["findings"]}


def final(name: str, X: np.ndarray, y: np.ndarray, alpha: float) -> FinalModel:
    """A fitted family model without encoder."""
    candidate = next(c for c in candidates("regression", family=FAMILIES[name]) if c.name == f"{name}_l2")
    model = FAMILIES[name].estimator(alpha, 0.0).set_params(tol=1e-12).fit(X, y)

    class Train:
        task, n_classes, groups, classes, n = "regression", 0, None, (), y.size
        weights, shift, beside = None, 0.0, {}

    Train.y = y
    return FinalModel(candidate, alpha, [None, model], X, [], Train, X, [])


@pytest.mark.parametrize("name", ["poisson", "gamma"])
def test_standard_errors_are_the_robust_ones_of_maximum_likelihood(
    name: str, rng: np.random.Generator
) -> None:
    """Without a penalty to speak of, against statsmodels (Gamma: with its expected curvature, so closely)."""
    X = rng.normal(size=(4000, 2))
    mean = np.exp(0.5 + X @ [0.4, -0.3])
    y = rng.poisson(mean).astype(float) if name == "poisson" else rng.gamma(2.0, mean / 2.0)
    ours = np.sqrt(np.diag(sandwich(final(name, X, y, 1e-9))))
    family = sm.families.Poisson() if name == "poisson" else sm.families.Gamma(sm.families.links.Log())
    peer = sm.GLM(y, sm.add_constant(X), family=family).fit(cov_type="HC0").bse
    np.testing.assert_allclose(ours, peer[[1, 2, 0]], rtol=1e-3 if name == "poisson" else 0.05)
    assert certificate_json(final(name, X, y, 0.01))["verified"]


def test_importance_goes_through_the_link(rng: np.random.Generator) -> None:
    X, coef = rng.normal(size=(60, 2)), np.array([0.7, 0.0])
    y, z = np.exp(X[:, 0]), X @ coef + 0.2

    def losses(z: np.ndarray) -> np.ndarray:
        return (y - np.exp(z)) ** 2

    found = importances(losses(z), linear_move(X, coef, z, losses), ["a", "b"], repeats=2000)
    pairs = [losses(z - 0.7 * X[:, 0] + 0.7 * v).mean() for v in X[:, 0]]
    rise = np.mean(pairs) - losses(z).mean()
    assert found["a"].value == pytest.approx(rise, rel=0.05)
    assert found["b"].value == 0.0


def test_verify_proves_the_poisson_fit_and_recomputes_its_deviance(visits) -> None:
    folder, report = visits
    model = er.load(folder / "out" / "model.empirisk")
    found = verify_file(model, model.read(folder / "table.csv", labelled=True))
    assert found.proved
    deviance = next(m["model"] for m in report["test"]["metrics"] if m["name"] == "poisson_deviance")
    assert found.metrics["Poisson deviance"].value == pytest.approx(deviance["value"], rel=1e-12)
