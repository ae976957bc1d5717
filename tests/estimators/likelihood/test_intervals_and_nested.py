"""Intervals of means and likelihood-ratio tests of ordered, matched and two-part models."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import empirisk as er

sm: Any = pytest.importorskip("statsmodels.api")


def rows(rng: np.random.Generator, n: int = 300) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Columns, ordered classes, counts with zeros, and exposures."""
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    classes = np.digitize(0.8 * X["a"] - 0.3 * X["b"] + rng.logistic(size=n), [-1.0, 1.0])
    years = rng.uniform(0.5, 2.0, n)
    counts = rng.poisson(years * np.exp(0.6 + 0.4 * X["a"])) * (rng.random(n) < 0.7)
    return X, classes, counts.astype(float), years


@pytest.mark.parametrize("covariance", ["classical", "HC0"])
def test_two_ordered_classes_have_the_intervals_of_logistic_regression(
    covariance: str, rng: np.random.Generator
) -> None:
    X, classes, _, _ = rows(rng)
    y = np.array(["no", "yes"])[(classes > 0).astype(int)]
    found = er.OrderedLogit().fit(X, y).interval(X[:9], covariance=covariance, level=0.9)
    plain = er.LogisticRegression(alpha=0.0, tol=1e-12).fit(X, y)
    right = plain.interval(X[:9], covariance=covariance, level=0.9)
    for name in ("value", "low", "high", "se"):
        own, want = getattr(found, name), getattr(right, name)
        np.testing.assert_allclose(own[:, 1], want[:, 1] if want.ndim > 1 else want, rtol=1e-7)
    np.testing.assert_allclose(found.low[:, 0], 1.0 - found.high[:, 1], rtol=1e-9)
    assert found.to_frame()["class"].tolist()[:2] == ["no", "yes"]


@pytest.mark.parametrize(
    ("make", "target"),
    [
        (lambda: er.OrderedLogit(), "classes"),
        (lambda: er.OrderedLogit("probit"), "classes"),
        (lambda: er.HurdleRegressor(zero_columns=["a"]), "counts"),
        (lambda: er.ZeroInflatedRegressor(zero_columns=["b"]), "counts"),
        (lambda: er.HurdleRegressor("negative_binomial"), "counts"),
    ],
)
def test_standard_errors_are_those_of_derivatives_by_differences(
    make: Any, target: str, rng: np.random.Generator
) -> None:
    X, classes, counts, years = rows(rng)
    if target == "counts" and make().family == "negative_binomial":
        counts = np.floor(counts * rng.gamma(1.0, 1.0, len(counts)))
    known = {} if target == "classes" else {"exposure": years}
    model = make().fit(X, classes if target == "classes" else counts, **known)
    new = {} if target == "classes" else {"exposure": years[:6]}
    found = model.interval(X[:6], **new)
    V = model.summary().covariance
    answer = model.predict_proba if target == "classes" else model.predict
    problem = model._fitted_problem(None, None)
    w, J = model._pack(problem), model._public(problem)[2]

    def at(point: np.ndarray) -> np.ndarray:
        model._set_numbers(problem, point, np.float64)
        return np.asarray(answer(X[:6], **new)).reshape(6, -1)

    slopes = np.stack([(at(w + h) - at(w - h)) / 2e-5 for h in 1e-5 * np.eye(len(w))], axis=-1)
    in_terms = slopes @ np.linalg.inv(J)
    se = np.sqrt(np.einsum("nka,ab,nkb->nk", in_terms, V, in_terms))
    np.testing.assert_allclose(found.se.reshape(6, -1), se, rtol=1e-6)
    value = found.value.reshape(6, -1)
    np.testing.assert_allclose(value, at(w), rtol=1e-12)
    share = value if target == "classes" else np.zeros_like(value)
    shift = stats.norm.ppf(0.975) * se / (value * (1.0 - share))
    low, high = (e / (1.0 - e) if target == "classes" else e[:, None] for e in (found.low, found.high))
    np.testing.assert_allclose(high / low, np.exp(2.0 * shift), rtol=1e-5)


def test_means_of_zero_inflated_counts_have_the_errors_of_a_peer(rng: np.random.Generator) -> None:
    X, _, counts, _ = rows(rng)
    model = er.ZeroInflatedRegressor(zero_columns=["a"]).fit(X[["a", "b"]], counts)
    exog, inflation = sm.add_constant(X[["a", "b"]]), sm.add_constant(X[["a"]])
    peer = sm.ZeroInflatedPoisson(counts, exog, exog_infl=inflation).fit(
        method="newton", maxiter=200, disp=0, tol=1e-12, start_params=[0, 0, 0.5, 0, 0]
    )
    found = model.interval(X[["a", "b"]][:5])

    def mean(point: np.ndarray) -> np.ndarray:
        return np.asarray(peer.model.predict(point, exog[:5], exog_infl=inflation[:5], which="mean"))

    # The covariance that the peer reports leaves out what ties both parts: its likelihood by differences.
    differences = pytest.importorskip("statsmodels.tools.numdiff")
    w = np.asarray(peer.params)
    V = np.linalg.inv(-differences.approx_hess(w, peer.model.loglike))
    slopes = np.stack([(mean(w + h) - mean(w - h)) / 2e-5 for h in 1e-5 * np.eye(len(w))], axis=-1)
    np.testing.assert_allclose(found.value, mean(w), rtol=1e-5)
    np.testing.assert_allclose(found.se, np.sqrt(np.einsum("na,ab,nb->n", slopes, V, slopes)), rtol=1e-4)


def test_nested_ordered_and_matched_models_have_the_ratio_of_peers(rng: np.random.Generator) -> None:
    X, classes, _, _ = rows(rng)
    ordered = pytest.importorskip("statsmodels.miscmodels.ordinal_model").OrderedModel
    few, more = (er.OrderedLogit().fit(X[c], classes) for c in (["a"], ["a", "b", "c"]))
    fits = [
        ordered(classes, X[c], distr="logit").fit(method="bfgs", disp=0, gtol=1e-8)
        for c in (["a"], ["a", "b", "c"])
    ]
    found = er.anova(few, more)
    assert found.tests[1].statistic == pytest.approx(2.0 * (fits[1].llf - fits[0].llf), rel=1e-6)
    assert found.tests[1].df == 2
    assert found.p[1] == pytest.approx(stats.chi2.sf(found.tests[1].statistic, 2), rel=1e-12)
    assert er.likelihood_ratio(few, more).statistic == found.tests[1].statistic
    sets = np.repeat(np.arange(100), 3)
    case = np.tile([True, False, False], 100)
    matched = [er.ConditionalLogit().fit(X[c], case, groups=sets) for c in (["a"], ["a", "b"])]
    conditional = pytest.importorskip("statsmodels.discrete.conditional_models").ConditionalLogit
    llf = [conditional(case.astype(int), X[c], groups=sets).fit(disp=0).llf for c in (["a"], ["a", "b"])]
    test = er.anova(*matched).tests[1]
    assert test.statistic == pytest.approx(2.0 * (llf[1] - llf[0]), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize("make", [er.HurdleRegressor, er.ZeroInflatedRegressor])
def test_parts_of_counts_are_nested_in_both_scores(make: Any, rng: np.random.Generator) -> None:
    X, _, counts, years = rows(rng)
    few = make(zero_columns=[]).fit(X[["a"]], counts, exposure=years)
    zeros = make(zero_columns=["a"]).fit(X[["a"]], counts, exposure=years)
    whole = make().fit(X[["a", "b"]], counts, exposure=years)
    found = er.anova(few, zeros, whole)
    ll = np.array([m.log_likelihood_ for m in (few, zeros, whole)])
    np.testing.assert_allclose([t.statistic for t in found.tests[1:]], 2.0 * np.diff(ll), rtol=1e-9)
    assert [t.df for t in found.tests[1:]] == [1, 2]
    assert found.deviance == pytest.approx(list(-2.0 * ll))
    other = make(zero_columns=["b"]).fit(X[["a", "b", "c"]], counts, exposure=years)
    with pytest.raises(ValueError, match="a column of the small model is no combination"):
        er.anova(make(zero_columns=["a"]).fit(X[["a"]], counts, exposure=years), other)
    with pytest.raises(ValueError, match="the models differ in offset"):
        er.anova(make(zero_columns=[]).fit(X[["a"]], counts), zeros)
    with pytest.raises(ValueError, match="nothing to test"):
        er.anova(few, few)


def test_what_has_no_interval_or_ratio_says_why(rng: np.random.Generator) -> None:
    X, classes, counts, _ = rows(rng)
    matched = er.ConditionalLogit().fit(X, np.tile([1, 0, 0], 100), groups=np.repeat(np.arange(100), 3))
    with pytest.raises(ValueError, match="no interval of a mean of ConditionalLogit"):
        matched.interval(X)
    ordered, penalised = er.OrderedLogit().fit(X, classes), er.OrderedLogit(alpha=0.1).fit(X, classes)
    with pytest.raises(ValueError, match="no standard errors: the L2 penalty shrinks"):
        penalised.interval(X)
    with pytest.raises(TypeError, match="has no exposure"):
        ordered.interval(X, exposure=np.ones(len(X)))
    twice = X.assign(d=X["a"] + X["b"])
    with pytest.raises(ValueError, match="no interval: the rows do not determine"):
        er.OrderedLogit().fit(twice, classes).interval(twice)
    hurdle = er.HurdleRegressor().fit(X, counts)
    for models, options, words in (
        ((ordered, hurdle), {}, "the models are of two kinds"),
        ((er.OrderedLogit("probit").fit(X[["a"]], classes), ordered), {}, "the models differ in link"),
        ((penalised, ordered), {}, "no standard errors: the L2 penalty"),
        ((er.OrderedLogit().fit(X[:200], classes[:200]), ordered), {}, "the models differ in codes"),
        ((ordered,), {"kind": "II"}, "are for linear models and GLMs"),
        ((ordered,), {"terms": {"a": ["a"]}}, "are for linear models and GLMs"),
    ):
        with pytest.raises(ValueError, match=words):
            er.anova(*models, **options)
    with pytest.raises(TypeError, match="models must be fitted linear models"):
        er.anova(er.LinearRegression().fit(X, counts), ordered)
    with pytest.raises(ValueError, match="keeps the rows of its fit"):
        er.likelihood_ratio(ordered, ordered, X, classes)
