"""Formulas: the fits of statsmodels, transforms that remember their rows, and what is refused."""

from __future__ import annotations

import pickle
import re
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy.interpolate import BSpline
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV

import empirisk as er
from empirisk.estimators.formulas.formula_columns import split_formula


@pytest.fixture
def data(rng: np.random.Generator) -> pd.DataFrame:
    n = 120
    table = pd.DataFrame(
        {
            "region": rng.choice(list("abc"), n),
            "age": rng.normal(50.0, 10.0, n),
            "bmi": rng.uniform(18.0, 40.0, n),
            "t": rng.uniform(1.0, 2.0, n),
        }
    )
    table["deaths"] = rng.poisson(np.exp(0.01 * table["age"]) * table["t"])
    table["cost"] = table["age"] + rng.normal(size=n)
    return table


def test_counts_with_an_offset_as_statsmodels(data: pd.DataFrame) -> None:
    words = "deaths ~ C(region) * age + bs(bmi, 5)"
    model = er.formula(f"{words} + offset(log(t))", data, er.PoissonRegressor(alpha=0.0, tol=1e-12))
    offset = np.log(data["t"])
    peer = smf.glm(words, data, family=sm.families.Poisson(), offset=offset).fit(tol=1e-12)
    np.testing.assert_allclose(model.predict(data), peer.predict(data, offset=offset), rtol=1e-7)
    np.testing.assert_allclose(model.predict(data[5:9]), model.predict(data)[5:9], rtol=1e-12)
    assert model.terms_groups_["C(region):age"] == (8, 9)
    rates = er.formula("deaths ~ age + exposure(t)", data, er.PoissonRegressor(alpha=0.0))
    plain = er.PoissonRegressor(alpha=0.0).fit(data[["age"]], data["deaths"], exposure=data["t"])
    np.testing.assert_allclose(
        rates.predict(data), plain.predict(data[["age"]], exposure=data["t"]), rtol=1e-10
    )
    assert rates.score(data) == pytest.approx(plain.score(data[["age"]], data["deaths"], exposure=data["t"]))
    assert rates.interval(data[:2]).value == pytest.approx(rates.predict(data[:2]))


def test_least_squares_as_statsmodels(data: pd.DataFrame) -> None:
    words = "log(cost) ~ region * age + scale(bmi) + center(t) - 1"
    model = er.formula(words, data)
    peer = smf.ols(words.replace("log", "np.log"), data).fit()
    np.testing.assert_allclose(model.predict(data), peer.predict(data), rtol=1e-10)
    np.testing.assert_allclose(model.predict(data[:7]), peer.predict(data)[:7], rtol=1e-10)
    assert model.estimator_.intercept_ == 0.0
    one = er.formula("cost ~ region * age", data)
    table = smf.ols("cost ~ region * age", data).fit()
    test = one.wald_test("region:age")
    assert test.statistic == pytest.approx(
        float(table.f_test("region[T.b]:age = 0, region[T.c]:age = 0").fvalue)
    )
    assert one.summary().se[0] == pytest.approx(table.bse["Intercept"], rel=1e-8)


def test_splines_are_those_of_their_knots(data: pd.DataFrame) -> None:
    """Three inner knots at the quartiles for six functions, of which the first leaves for the intercept."""
    model = er.formula("cost ~ bs(bmi, 6)", data)
    x = data["bmi"].to_numpy()
    inner = np.quantile(x, [0.25, 0.5, 0.75])
    knots = np.r_[[x.min()] * 4, inner, [x.max()] * 4]
    B = BSpline.design_matrix(np.clip(x, x.min(), x.max()), knots, 3).toarray()
    fitted = B @ np.linalg.lstsq(B, data["cost"].to_numpy(), rcond=None)[0]
    np.testing.assert_allclose(model.predict(data), fitted, rtol=1e-8)


def test_any_estimator_polars_searches_and_pickles(data: pd.DataFrame) -> None:
    recipe = er.FormulaModel("~ C(region) * age", er.Ridge())
    assert er.cross_evaluate(recipe, data, data["cost"].to_numpy()).losses("mse").shape[1] == len(data)
    search = GridSearchCV(recipe, {"estimator__alpha": [0.1, 1.0]}).fit(data, data["cost"])
    assert "estimator__alpha" in search.best_params_
    model = clone(recipe).fit(data, data["cost"])
    table = pl.from_pandas(data)
    other = clone(recipe).fit(table, data["cost"])
    np.testing.assert_array_equal(other.predict(table), model.predict(data))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(data), model.predict(data))
    labels = data.assign(old=np.where(data["cost"] > 50.0, "yes", "no"))
    classes = er.formula("old ~ bmi + region", labels, er.LogisticRegression())
    assert is_classifier(classes)
    assert classes.classes_.tolist() == ["no", "yes"]
    assert classes.predict_proba(labels).shape == (120, 2)
    forest = er.formula("cost ~ region + age", data, er.RandomForestRegressor(3, random_state=0))
    assert not hasattr(forest, "summary")
    assert forest.score(data) > 0.8


def test_rows_with_empty_cells_are_refused_or_dropped_and_counted(data: pd.DataFrame) -> None:
    holes = data.assign(age=data["age"].where(data.index >= 8))
    with pytest.raises(ValueError, match=r"empty cell in column 'age', row 0 \(8 such rows in all\)"):
        er.formula("cost ~ age", holes)
    model = er.formula("cost ~ age", holes, missing="drop", sample_weight=np.ones(120))
    assert model.n_dropped_ == 8
    np.testing.assert_allclose(
        model.predict(data), er.formula("cost ~ age", data[8:]).predict(data), rtol=1e-12
    )
    with pytest.raises(ValueError, match=r"empty cell in column 'age', row 0"):
        model.predict(holes)
    assert er.formula("cost ~ bmi", holes).n_dropped_ == 0  # a column that is not read


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("cost ~ agee", r"'agee', which is no column .*mean 'age'"),
        ("costs ~ age", r"'costs', which is no column .*mean 'cost'"),
        ("cost ~ age + foo(t)", r"'foo', which is no column"),
        ("cost ~ age +* t", r"cannot be read.*Operator"),
        ("cost ~ age + offset(t)", r"has offset\(\.\.\.\), and LinearRegression takes none"),
        ("cost ~ age + offset(t", r"bracket of the formula does not close"),
        ("cost ~ offset(t) + offset(t)", r"two terms offset"),
        ("cost ~ age + offset(t):age", r"must be a term of its own"),
        ("~ age", r"has no left side: pass y"),
        ("cost ~ 1", r"no columns but the intercept"),
    ],
)
def test_formulas_that_are_refused(words: str, said: str, data: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=said):
        er.formula(words, data)


def test_other_refusals(data: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    model = er.formula("cost ~ C(region) + age", data)
    with pytest.raises(ValueError, match=r"column 'region' holds the level 'z' in row 2, .*'a', 'b', 'c'"):
        model.predict(data[:3].assign(region=["a", "b", "z"]))
    with pytest.raises(ValueError, match=r"'age', which is no column"):
        model.predict(data[["region"]])
    with pytest.raises(ValueError, match="has a left side, and y was given"):
        er.FormulaModel("cost ~ age", er.Ridge()).fit(data, data["cost"])
    with pytest.raises(TypeError, match="reads a data frame, got ndarray"):
        er.formula("cost ~ age", data.to_numpy())
    with pytest.raises(ValueError, match="missing must be 'raise' or 'drop'"):
        er.formula("cost ~ age", data, missing="omit")
    monkeypatch.setitem(sys.modules, "formulaic", None)
    with pytest.raises(ImportError, match=r"pip install 'empirisk\[formula\]'"):
        er.formula("cost ~ age", data)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("y ~ a + offset(log(t)) + b", ("y", "a + b", {"offset": "log(t)"})),
        ("y ~ offset(t) + a", ("y", "a", {"offset": "t"})),
        ("y ~ offset(t)", ("y", "1", {"offset": "t"})),
        (
            "~ a - 1 + exposure((t + 1) * 2) + offset(o)",
            (None, "a - 1", {"exposure": "(t + 1) * 2", "offset": "o"}),
        ),
    ],
)
def test_parts_of_formulas(words: str, parts: Any) -> None:
    assert split_formula(words) == parts


@pytest.mark.parametrize(
    ("right", "column", "level", "where"),
    [
        ("region", "region", "z", "column 'region' holds the level 'z' in row 2"),
        ("C(region, contr.sum)", "region", "z", "column 'region' holds the level 'z' in row 2"),
        ("C(region, levels=['a', 'b', 'c'])", "region", "z", "column 'region' holds the level 'z' in row 2"),
        ("C(region):bmi", "region", "z", "column 'region' holds the level 'z' in row 2"),
        ("region * C(old)", "old", 7, "column 'old' holds the level 7 in row 2"),
        ("bs(bmi, 4):region", "region", "z", "column 'region' holds the level 'z' in row 2"),
        ("C(`two words`)", "two words", "z", "column 'two words' holds the level 'z' in row 2"),
        ("C(region + sex)", "region", "z", "the factor C(region + sex) holds the level 'zm' in row 2"),
        ("C(region.str.upper()) * bmi", "region", "z", "the factor C(region.str.upper()) holds the level"),
        ("C(np.floor(bmi))", "bmi", 99.5, "the factor C(np.floor(bmi)) holds the level 99"),
        ("C(old + 1)", "old", 7, "the factor C(old + 1) holds the level 8 in row 2"),
        ("bmi", "bmi", "much", "column 'bmi' holds the text"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_unseen_levels_are_named_in_every_kind_of_term(
    right: str, column: str, level: Any, where: str, library: str
) -> None:
    data = pd.DataFrame({
        "region": list("abcabcabcabc"), "sex": list("mmmfffmmmfff"), "old": [0, 1, 2] * 4,
        "bmi": np.arange(12) / 4.0, "cost": np.arange(12.0) % 5, "two words": list("ababab") * 2,
    })  # fmt: skip
    if library == "polars" and ".str." in right:
        pytest.skip("formulaic takes polars columns by other names of methods")
    new = data[:4].copy()
    new[column] = new[column].astype(object)
    new.loc[2, column] = level
    if library == "polars":
        data = pl.DataFrame(data.to_dict("list"))
        new = pl.DataFrame({k: pl.Series(k, v, strict=False) for k, v in new.to_dict("list").items()})
    model = er.formula(f"cost ~ {right}", data)
    with pytest.raises(ValueError, match=re.escape(where)):
        model.predict(new)
    assert np.isfinite(model.predict(data[:4])).all()
