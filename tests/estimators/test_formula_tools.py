"""The statistician's tools take models with a formula: each equals the same on columns made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.interpolate import BSpline

import empirisk as er

pytest.importorskip("formulaic")


def people(rng: np.random.Generator) -> pd.DataFrame:
    n = 300
    frame = pd.DataFrame(
        {
            "age": rng.uniform(20.0, 70.0, n),
            "arm": rng.choice(["a", "b", "c"], n),
            "years": rng.uniform(1, 3, n),
        }
    )
    rate = np.exp(-2.0 + 0.02 * frame["age"] + 0.5 * (frame["arm"] == "b")) * frame["years"]
    return frame.assign(falls=rng.poisson(rate), note="unused")


def by_hand(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": frame["age"],
            "b": (frame["arm"] == "b") * 1.0,
            "c": (frame["arm"] == "c") * 1.0,
            "age:b": frame["age"] * (frame["arm"] == "b"),
            "age:c": frame["age"] * (frame["arm"] == "c"),
        }
    )


@pytest.fixture
def both(rng: np.random.Generator) -> tuple[pd.DataFrame, Any, Any]:
    frame = people(rng)
    model = er.formula("falls ~ age * arm + exposure(years)", frame, er.PoissonRegressor(alpha=0, tol=1e-12))
    plain = er.PoissonRegressor(alpha=0, tol=1e-12).fit(
        by_hand(frame), frame["falls"], exposure=frame["years"]
    )
    return frame, model, plain


def test_tables_of_several_models_hold_formulas(both: Any) -> None:
    frame, model, plain = both
    few = er.formula("falls ~ age + exposure(years)", frame, er.PoissonRegressor(alpha=0))
    table = er.regression_table([few, model, plain], names=["few", "formula", "plain"], covariance="HC1")
    found = table.to_frame()
    column = {name: found[found["model"] == name] for name in ("formula", "plain")}
    assert sorted(column["formula"]["se"]) == pytest.approx(sorted(column["plain"]["se"]), rel=1e-6)


def test_tests_of_terms_and_of_nested_models(both: Any) -> None:
    frame, model, plain = both
    by_term = er.anova(model, terms={"slopes": ["age:arm"]}, covariance="HC1")
    assert by_term.p == pytest.approx(
        er.anova(plain, terms={"slopes": ["age:b", "age:c"]}, covariance="HC1").p
    )
    few = er.formula("falls ~ age + arm + exposure(years)", frame, er.PoissonRegressor(alpha=0, tol=1e-12))
    nested = er.anova(few, model)
    assert nested.p[1] == pytest.approx(er.likelihood_ratio(few, model).p)
    hand = er.PoissonRegressor(alpha=0, tol=1e-12).fit(
        by_hand(frame)[["age", "b", "c"]], frame["falls"], exposure=frame["years"]
    )
    assert nested.p[1] == pytest.approx(er.anova(hand, plain).p[1], rel=1e-6)
    with pytest.raises(ValueError, match="leave X, y"):
        er.likelihood_ratio(few, model, frame, frame["falls"])


def test_average_predictions_have_the_errors_of_the_delta_method(both: Any) -> None:
    frame, model, plain = both
    found = er.margins(model, frame, contrast="arm", at={"age": [30.0, 60.0]})
    assert "delta" in found.method
    for age, column in [(age, column) for age in (30.0, 60.0) for column in ("b", "c")]:
        row = found.to_frame().query(f"age == {age} and change == '{column} - a'").squeeze()
        ends = []
        for arm in ("a", column):
            changed = frame.assign(age=age, arm=arm)
            rows = np.column_stack([np.ones(len(frame)), by_hand(changed)])
            mean = np.exp(rows @ np.r_[plain.intercept_, plain.coef_]) * frame["years"].to_numpy()
            ends.append((mean.mean(), (mean[:, None] * rows).mean(axis=0)))
        gradient = ends[1][1] - ends[0][1]
        assert row["value"] == pytest.approx(ends[1][0] - ends[0][0], rel=1e-6)
        V = plain.summary().covariance
        assert row["se"] == pytest.approx(np.sqrt(gradient @ V @ gradient), rel=1e-5)


def test_effects_are_of_the_columns_that_the_formula_reads(both: Any) -> None:
    frame, model, _ = both
    found = er.margins(model, frame, effects="all").to_frame()
    assert set(found["column"]) == {"age", "arm", "years"}


def test_slopes_through_splines_are_their_derivatives(rng: np.random.Generator) -> None:
    """The steps of the differences leave the training rows, beyond which formulaic has no spline."""
    frame = people(rng)
    model = er.formula("falls ~ bs(age, 5) + arm", frame)
    state = model.columns_.specs["columns"].transform_state["bs(age, 5)"]
    # formulaic leaves out the first function of the basis, whose coefficient is 0.
    coefficients = np.r_[0.0, model.estimator_.coef_[[t.startswith("bs(") for t in model.estimator_.terms_]]]
    curve = BSpline(np.sort(np.asarray(state["knots"], dtype=float)), coefficients, 3)
    want = curve.derivative()(frame["age"]).mean()
    found = er.margins(model, frame, effects=["age"])
    assert found.value[0] == pytest.approx(want, rel=1e-6)
    with pytest.raises(ValueError, match=r"bs\(...\) gets 95 in row 1, and its training rows lie between 20"):
        model.predict(frame[:3].assign(age=[30.0, 95.0, 40.0]))
    far = er.formula("falls ~ bs(age, 5, extrapolation='clip')", frame).predict(
        frame[:2].assign(age=[95.0, 400.0])
    )
    assert far[0] == far[1]


def test_a_point_means_all_other_columns(rng: np.random.Generator) -> None:
    frame = people(rng).drop(columns="note").rename(columns={"age": "age at entry"})
    model = er.formula("falls ~ . + exposure(years)", frame, er.PoissonRegressor(alpha=0))
    assert model.estimator_.terms_ == ("age at entry", "arm[T.b]", "arm[T.c]")
    fewer = er.formula("log(falls + 1.5) ~ . - arm", frame)
    assert fewer.estimator_.terms_ == ("age at entry", "years")
    with pytest.raises(ValueError, match=r"means all other columns by '\.', and the data have none"):
        er.formula("falls ~ .", frame[["falls"]])


def test_a_factor_is_tested_by_the_name_of_its_column(rng: np.random.Generator) -> None:
    frame = people(rng)
    X = frame[["age", "arm"]]
    model = er.PoissonRegressor(alpha=0).fit(X, frame["falls"])
    parts = [t for t in model.terms_ if t.startswith("arm[")]
    whole = model.wald_test(parts)
    assert model.wald_test("arm").p == whole.p
    assert model.wald_test(["arm", "age"]).df == 3
    assert er.anova(model, terms=["age", "arm"]).tests[1].p == whole.p
    assert er.anova(model, terms={"treatment": "arm"}).tests[0].p == whole.p
    ordered = er.OrderedLogit().fit(X, np.minimum(frame["falls"], 2))
    assert ordered.wald_test("arm").p == ordered.wald_test([t for t in ordered.terms_ if "arm" in t]).p


def test_likelihood_ratios_of_estimated_laws(rng: np.random.Generator) -> None:
    """The statistic from probabilities of the fits, by SciPy and by their predictions."""
    frame = people(rng)
    X, y = frame[["age", "arm"]], rng.negative_binomial(1.5, 1.5 / (1.5 + np.exp(0.03 * frame["age"] - 0.5)))
    few, full = (
        er.GeneralizedLinearModel("negative_binomial", extra_dispersion="ml", tol=1e-12).fit(X[c], y)
        for c in (["age"], ["age", "arm"])
    )
    logs = []
    for model, c in ((few, ["age"]), (full, ["age", "arm"])):
        r, mean = 1.0 / model.extra_dispersion_, model.predict(X[c])
        logs.append(stats.nbinom.logpmf(y, r, r / (r + mean)).sum())
    for test in (er.likelihood_ratio(few, full), er.anova(few, full).tests[1]):
        assert test.df == 2
        assert test.statistic == pytest.approx(2.0 * (logs[1] - logs[0]), rel=1e-7)
    fixed = er.GeneralizedLinearModel("negative_binomial", extra_dispersion=0.5).fit(X[["age"]], y)
    with pytest.raises(ValueError, match="the loss 'negative_binomial' with different parameters"):
        er.likelihood_ratio(fixed, full)

    grade = np.digitize(y, [1, 4])
    small, large = er.OrderedLogit().fit(X[["age"]], grade), er.OrderedLogit().fit(X, grade)
    chance = [
        np.log(m.predict_proba(X[c])[np.arange(len(y)), grade]).sum()
        for m, c in ((small, ["age"]), (large, ["age", "arm"]))
    ]
    found = er.likelihood_ratio(small, large)
    assert (found.df, found.statistic) == (2, pytest.approx(2.0 * (chance[1] - chance[0]), rel=1e-7))
    for other, words in [
        (er.OrderedLogit("probit").fit(X[["age"]], grade), "differ in link"),
        (er.OrderedLogit().fit(X[["age"]][1:], grade[1:]), "differ in codes"),
        (er.OrderedLogit().fit(frame[["years"]], grade), "are not nested"),
        (large, "nothing to test"),
    ]:
        with pytest.raises(ValueError, match=words):
            er.likelihood_ratio(other, large)
    parts = [er.HurdleRegressor(zero_columns=z).fit(X, y) for z in (["age"], None)]
    assert er.likelihood_ratio(*parts).df == 2


def test_targets_on_another_scale_than_the_predictions_are_refused(rng: np.random.Generator) -> None:
    frame = people(rng)
    logs = er.formula("log(falls + 1) ~ age", frame)
    with pytest.raises(ValueError, match=r"predicts log\(falls \+ 1\), and y holds 'falls' as it is"):
        er.evaluate(logs, frame, frame["falls"])
    with pytest.raises(ValueError, match="and y holds 'falls' as it is"):
        logs.score(frame, frame["falls"])
    told = er.evaluate(logs, frame, np.log(frame["falls"] + 1.0))
    assert told["r2"].value == pytest.approx(logs.score(frame))
