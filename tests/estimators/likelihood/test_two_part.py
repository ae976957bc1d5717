"""Hurdles and zero-inflated counts: laws that sum to 1, peers, exact relations, margins and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import empirisk as er
from empirisk.problems.likelihoods import Hurdle, ZeroInflated
from empirisk.problems.likelihoods.count_pieces import count_piece

KINDS = {"inflated": er.ZeroInflatedRegressor, "hurdle": er.HurdleRegressor}
FAMILIES = ("poisson", "negative_binomial")
each = pytest.mark.parametrize("kind", KINDS)
family_of = pytest.mark.parametrize("family", FAMILIES)


def rows(rng: np.random.Generator, n: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """Return two columns, one of them far from 0, and overdispersed counts with more zeros."""
    X = rng.normal(size=(n, 2)) + np.array([5.0, 0.0])
    mean = np.exp(-2.0 + X @ np.array([0.5, -0.3]))
    none = rng.random(n) < 1.0 / (1.0 + np.exp(0.5 - X[:, 1]))
    return X, np.where(none, 0, rng.negative_binomial(2, 2 / (2 + mean))).astype(float)


@pytest.mark.parametrize("law", [ZeroInflated, Hurdle])
@pytest.mark.parametrize("k", [None, -0.7])
def test_probabilities_sum_to_one_and_have_the_stated_mean(law: Any, k: float | None) -> None:
    y, none = np.arange(400.0), np.empty((0, 0))
    model = law(none, none, y[:0], y[:0], y[:0], k is not None)
    z, t = np.full(400, 0.6), np.full(400, -0.4)
    chance = np.exp(model._rows(z, t, k, y)[0])
    assert chance.sum() == pytest.approx(1.0, abs=1e-12)
    mean, by_z, by_t, by_k = (float(v[0]) for v in model.mean(z, t, k))
    assert mean == pytest.approx(chance @ y, rel=1e-10)
    assert model.chance_of_zero(z, t, k)[0] == pytest.approx(chance[0], rel=1e-12)
    h = 1e-6
    assert by_z == pytest.approx(
        (model.mean(z + h, t, k)[0][0] - model.mean(z - h, t, k)[0][0]) / (2 * h), rel=1e-6
    )
    assert by_t == pytest.approx(
        (model.mean(z, t + h, k)[0][0] - model.mean(z, t - h, k)[0][0]) / (2 * h), rel=1e-6
    )
    if k is not None:
        ends = [model.mean(z, t, k + s)[0][0] for s in (h, -h)]
        assert by_k == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-5, abs=1e-9)


def test_counts_have_the_law_of_scipy() -> None:
    from scipy import stats

    y = np.arange(6.0)
    np.testing.assert_allclose(
        count_piece(y, np.full(6, 0.3), None).value, stats.poisson.logpmf(y, np.exp(0.3))
    )
    r, m = np.exp(0.7), np.exp(0.3)
    np.testing.assert_allclose(
        count_piece(y, np.full(6, 0.3), -0.7).value, stats.nbinom.logpmf(y, r, r / (r + m))
    )


@family_of
def test_a_hurdle_is_a_logistic_regression_of_the_zeros(family: str, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    model = er.HurdleRegressor(family).fit(X, y)
    zero = er.LogisticRegression(alpha=0, tol=1e-13).fit(X, y == 0.0)
    np.testing.assert_allclose(model.zero_coef_, zero.coef_[0], rtol=1e-5)
    assert model.zero_intercept_ == pytest.approx(zero.intercept_[0], rel=1e-5)
    table = model.summary()
    at = [table.terms.index(t) for t in ("zero: intercept", "zero: x0", "zero: x1")]
    np.testing.assert_allclose(table.se[at], zero.summary().se, rtol=1e-5)
    assert model.predict_zero(X).mean() == pytest.approx((y == 0.0).mean(), rel=1e-6)


@pytest.mark.full  # the peer takes a second
@family_of
def test_statsmodels_has_the_same_zero_inflated_table(family: str, rng: np.random.Generator) -> None:
    from statsmodels.discrete.count_model import ZeroInflatedNegativeBinomialP, ZeroInflatedPoisson
    from statsmodels.tools.numdiff import approx_hess

    X, y = rows(rng)
    peer = {"poisson": ZeroInflatedPoisson, "negative_binomial": ZeroInflatedNegativeBinomialP}[family]
    C = np.column_stack([np.ones(len(y)), X])
    model = er.ZeroInflatedRegressor(family).fit(X, y)
    start = [model.zero_intercept_, *model.zero_coef_, model.intercept_, *model.coef_]
    start += [model.dispersion_] if family != "poisson" else []
    # Its optimiser does not get there from its own start: it goes on from rounded numbers.
    found = peer(y, C, exog_infl=C).fit(
        start_params=np.round(start, 1), disp=0, maxiter=500, method="bfgs", gtol=1e-8
    )
    assert model.log_likelihood_ >= found.llf - 1e-8
    assert model.log_likelihood_ == pytest.approx(found.llf, rel=1e-7)
    np.testing.assert_allclose(found.params[:6], start[:6], rtol=1e-3, atol=1e-3)
    table = model.summary()
    at = [table.terms.index(t) for t in ("zero: intercept", "zero: x0", "zero: x1", "intercept", "x0", "x1")]
    # Its errors of Poisson counts are not those of its own log-likelihood, which is differenced here.
    H = approx_hess(found.params, found.model.loglike)
    np.testing.assert_allclose(table.se[at], np.sqrt(np.diag(np.linalg.inv(-H)))[:6], rtol=5e-3)


@each
@family_of
def test_no_point_nearby_is_likelier_and_the_claim_is_local(
    kind: str, family: str, rng: np.random.Generator
) -> None:
    X, y = rows(rng, 300)
    model = KINDS[kind](family).fit(X, y)
    problem, w = model.problem(X, y), model.solution_.w
    here = problem.objective(w, problem.evaluate(w))
    for _ in range(50):
        moved = w + 1e-3 * rng.normal(size=len(w))
        assert problem.objective(moved, problem.evaluate(moved)) > here
    assert -here * len(y) == pytest.approx(model.log_likelihood_, rel=1e-12)
    assert ("local" in model.certificate_.claim) is not (kind == "hurdle" and family == "poisson")
    assert er.verify(model, X, y).within(1e-12)
    assert len(model.starts_) == model.n_init
    assert (model.starts_ >= model.starts_[0]).all()


@each
@family_of
def test_margins_have_the_gradients_of_their_averages(
    kind: str, family: str, rng: np.random.Generator
) -> None:
    X, y = rows(rng)
    model = KINDS[kind](family, zero_columns=[1]).fit(X, y)
    shares = np.full((1, len(y)), 1.0 / len(y))
    mean, gradient = model._averages(X, shares)
    assert mean[0, 0] == pytest.approx(model.predict(X).mean(), rel=1e-12)
    terms = model._public(None)[0]
    assert terms[:5] == ["x0", "x1", "intercept", "zero: x1", "zero: intercept"]
    where = [("coef_", 0), ("coef_", 1), ("intercept_", None), ("zero_coef_", 0), ("zero_intercept_", None)]
    for j, (name, at) in enumerate(where):
        ends = []
        for step in (1e-6, -1e-6):
            held = getattr(model, name)
            moved = held + step if at is None else held + step * (np.arange(len(held)) == at)
            setattr(model, name, moved)
            ends.append(model.predict(X).mean())
            setattr(model, name, held)
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(gradient[0, 0, j], rel=1e-5)
    assert len(er.margins(model, X, effects="all").value) == 2


@each
def test_weights_exposures_and_origins(kind: str, rng: np.random.Generator) -> None:
    X, y = rows(rng)
    times = rng.integers(0, 3, len(y))
    weighted = KINDS[kind]().fit(np.where((times > 0)[:, None], X, 1e3), y, sample_weight=times)
    repeated = KINDS[kind]().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6)
    np.testing.assert_allclose(weighted.summary().se, repeated.summary().se, rtol=1e-5)
    plain, double = KINDS[kind]().fit(X, y), KINDS[kind]().fit(X, y, exposure=np.full(len(y), 2.0))
    assert double.intercept_ == pytest.approx(plain.intercept_ - np.log(2.0), abs=1e-6)
    np.testing.assert_allclose(double.predict(X, exposure=2.0), plain.predict(X), rtol=1e-6)
    far = KINDS[kind]().fit(X + 1e4, y)
    np.testing.assert_allclose(far.coef_, plain.coef_, rtol=1e-5)
    np.testing.assert_allclose(far.summary().se[:2], plain.summary().se[:2], rtol=1e-5)


def test_factors_formulas_and_zero_columns_by_name(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    frame = pd.DataFrame({"dose": X[:, 0], "arm": np.where(X[:, 1] > 0.0, "drug", "none"), "y": y})
    model = er.HurdleRegressor(zero_columns=["arm"], categorical_features={"arm": "none"})
    model.fit(frame[["dose", "arm"]], y)
    assert model._public(None)[0] == ["dose", "arm[drug]", "intercept", "zero: arm[drug]", "zero: intercept"]
    by_formula = er.formula("y ~ dose + arm", frame, er.HurdleRegressor())
    assert by_formula.predict(frame).mean() == pytest.approx(y.mean(), rel=0.02)
    ratios = model.summary().ratios()
    assert ratios.terms == ["dose", "arm[drug]", "zero: arm[drug]"]
    assert len(er.regression_table([model, er.PoissonRegressor(alpha=0).fit(X, y)]).terms) == 7


@each
@pytest.mark.parametrize(
    ("targets", "words"),
    [
        (np.array([1.0, 2.0, 3.0, 1.0]), "y holds no zero"),
        (np.zeros(4), "y holds zeros alone"),
        (np.array([0.0, -1.0, 2.0, 1.0]), r"y must hold counts >= 0, got -1 in row 1"),
    ],
)
def test_targets_that_are_refused(kind: str, targets: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        KINDS[kind]().fit(np.arange(4.0)[:, None], targets)


@each
def test_what_runs_off_is_named(kind: str, rng: np.random.Generator) -> None:
    x = rng.normal(size=(400, 1))
    y = rng.poisson(np.exp(0.2 + 0.3 * x[:, 0])).astype(float)
    with pytest.raises(
        ValueError, match=r"family must be one of 'poisson', 'negative_binomial', got 'gamma'"
    ):
        KINDS[kind]("gamma").fit(x, y)
    with pytest.raises(ValueError, match=r"zero_columns names 'age', which is no column"):
        KINDS[kind](zero_columns=["age"]).fit(x, y)
    spread = y + (rng.random(400) < 0.5)  # fewer zeros than Poisson counts have
    if kind == "inflated":
        with pytest.raises(ValueError, match="chance of additional zeros runs off to 0"):
            er.ZeroInflatedRegressor(zero_columns=[]).fit(x, spread)
    even = np.where(rng.random(400) < 0.3, 0.0, 3.0 + (rng.random(400) < 0.5))
    with pytest.raises(ValueError, match="dispersion runs off to 0"):
        KINDS[kind]("negative_binomial", zero_columns=[]).fit(x, even)
