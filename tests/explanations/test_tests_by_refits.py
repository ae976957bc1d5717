"""Tests of all terms by fits without them: a peer's tables, deviances of a peer's fits, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import empirisk as er

sm: Any = pytest.importorskip("statsmodels.api")
smf: Any = pytest.importorskip("statsmodels.formula.api")
pytest.importorskip("formulaic")


def table(rng: np.random.Generator, n: int = 150) -> pd.DataFrame:
    """Two factors of unequal frequencies, a third, a number, a time, and targets of several kinds."""
    d = pd.DataFrame({
        "a": rng.choice(list("xyz"), n, p=[0.5, 0.3, 0.2]), "b": rng.choice(["u", "v"], n),
        "c": rng.choice(["k", "l"], n), "t": rng.normal(size=n), "years": rng.uniform(0.5, 3.0, n),
    })  # fmt: skip
    z = 0.3 * d.t + 0.4 * (d.a == "y") + 0.5 * (d.a == "z") * (d.b == "v")
    d["y"] = z + rng.normal(size=n)
    d["k"] = rng.poisson(d.years * np.exp(z)).astype(float)
    d["g"] = rng.gamma(2.0, np.exp(z) / 2.0)
    d["s"] = (rng.random(n) < 1.0 / (1.0 + np.exp(-z))).astype(float)
    return d


@pytest.mark.parametrize(("kind", "typ"), [("II", 2), ("III", 3)])
@pytest.mark.parametrize("right", ["a * b + t", "a * b * c", "C(a, contr.sum) * C(b, contr.sum)", "a + t"])
def test_least_squares_has_the_table_of_a_peer(
    kind: str, typ: int, right: str, rng: np.random.Generator
) -> None:
    d = table(rng)
    found = er.anova(er.formula(f"y ~ {right}", d), kind=kind).to_frame().set_index("term")
    words = right.replace("contr.sum", "Sum")
    want = sm.stats.anova_lm(smf.ols(f"y ~ {words}", d).fit(), typ=typ)
    want.index = [name.replace("Sum", "contr.sum") for name in want.index]
    np.testing.assert_allclose(found["fall_of_deviance"], want.loc[found.index, "sum_sq"], rtol=1e-7)
    np.testing.assert_allclose(found["F"], want.loc[found.index, "F"], rtol=1e-7)
    np.testing.assert_allclose(found["p"], want.loc[found.index, "PR(>F)"], rtol=1e-6)
    assert len(found) == len(want) - (2 if typ == 3 else 1)  # without its residuals and its intercept


# For each term of a * b + t: the terms that do not contain it.
BESIDE = {"a": "b + t", "b": "a + t", "t": "a * b", "a:b": "a + b + t"}
FAMILIES: dict[str, tuple[Any, Any, str]] = {
    "k": (lambda: er.PoissonRegressor(alpha=0.0, tol=1e-10), sm.families.Poisson(), "years"),
    "g": (lambda: er.GammaRegressor(alpha=0.0, tol=1e-10), sm.families.Gamma(sm.families.links.Log()), ""),
    "s": (lambda: er.LogisticRegression(alpha=0.0, tol=1e-10), sm.families.Binomial(), ""),
}


@pytest.mark.parametrize("target", FAMILIES)
def test_other_families_have_the_deviances_of_a_peers_fits(target: str, rng: np.random.Generator) -> None:
    d = table(rng, 250)
    make, family, years = FAMILIES[target]
    known = f" + exposure({years})" if years else ""
    found = er.anova(er.formula(f"{target} ~ a * b + t{known}", d, make()), kind="II")

    def fitted(right: str) -> Any:
        more = {"exposure": d[years]} if years else {}
        return smf.glm(f"{target} ~ {right}", d, family=family, **more).fit(tol=1e-13)

    whole = fitted("a * b + t")
    for name, test in zip(found.names, found.tests, strict=True):
        assert test is not None
        fall = fitted(BESIDE[name]).deviance - fitted(f"{BESIDE[name]} + {name}").deviance
        if target == "g":
            f = fall / test.df / (whole.pearson_chi2 / whole.df_resid)
            want = (f, stats.f.sf(f, test.df, whole.df_resid))
        else:
            want = (fall, stats.chi2.sf(fall, test.df))
        assert (test.statistic, test.p) == pytest.approx(want, rel=1e-6), name


def test_models_without_a_formula_test_their_columns(rng: np.random.Generator) -> None:
    d = table(rng)
    model = er.LinearRegression().fit(d[["a", "b", "t"]], d["y"])
    one, two = er.anova(model, kind="II"), er.anova(model, kind="III")
    want = sm.stats.anova_lm(smf.ols("y ~ a + b + t", d).fit(), typ=2)
    np.testing.assert_allclose([t.statistic for t in one.tests], want["F"][:3], rtol=1e-8)
    assert one.p == two.p
    # A model with one term is compared with the one without columns.
    alone = er.anova(er.PoissonRegressor(alpha=0.0).fit(d[["t"]], d["k"], exposure=d["years"]), kind="II")
    peer = smf.glm("k ~ t", d, family=sm.families.Poisson(), exposure=d["years"]).fit(tol=1e-13)
    assert alone.tests[0].statistic == pytest.approx(peer.null_deviance - peer.deviance, rel=1e-7)
    through_0 = er.anova(er.LinearRegression(fit_intercept=False).fit(d[["t"]], d["y"]), kind="II")
    slope = sm.OLS(d["y"], d["t"]).fit()
    assert through_0.tests[0].statistic == pytest.approx(slope.fvalue, rel=1e-9)


def test_weights_are_repetitions_and_p_values_are_adjusted(rng: np.random.Generator) -> None:
    d = table(rng, 80)
    s = rng.integers(1, 3, size=80)
    twice = d.loc[np.repeat(np.arange(80), s)].reset_index(drop=True)
    one = er.anova(er.formula("y ~ a * b", d, sample_weight=s), kind="II", adjust="holm")
    two = er.anova(er.formula("y ~ a * b", twice), kind="II", adjust="holm")
    np.testing.assert_allclose(one.falls, two.falls, rtol=1e-9)
    np.testing.assert_allclose(one.p, two.p, rtol=1e-9)
    assert one.title == "3 tests of terms (type II, by refits), p-values by Holm"


def test_what_has_no_test_says_why(rng: np.random.Generator) -> None:
    d = table(rng)
    X, y = d[["a", "b", "t"]], d["y"]
    model = er.LinearRegression().fit(X, y)
    for models, options, words in (
        ((model,), {"kind": "I"}, "kind must be 'II' or 'III', got 'I'"),
        ((model, model), {"kind": "II"}, "give one model, without names, terms, covariance"),
        ((model,), {"kind": "II", "terms": {"a": "t"}}, "give one model, without names, terms, covariance"),
        ((model,), {"kind": "II", "covariance": "HC3"}, "takes robust covariances, by Wald's statistic"),
        ((er.Ridge(alpha=1.0).fit(X, y),), {"kind": "II"}, "no analysis of variance: the L2 penalty shrinks"),
        ((er.PoissonRegressor().fit(X, d["k"]),), {"kind": "III"}, "no analysis of variance: the L2 penalty"),
        ((er.formula("y ~ t + I(2 * t)", d),), {"kind": "II"}, "the term 't' has no free coefficient beside"),
        ((er.LogisticRegression(alpha=0.0).fit(X, pd.cut(y, 3, labels=False)),), {"kind": "II"}, "classes"),
    ):
        with pytest.raises(ValueError, match=words):
            er.anova(*models, **options)
    with pytest.raises(TypeError, match="DecisionTreeRegressor"):
        er.anova(er.DecisionTreeRegressor().fit(X[["t"]], y), kind="II")
