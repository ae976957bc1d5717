"""Margins of models with factors and products of factors: a peer's numbers, and algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import empirisk as er
from empirisk.codings import Helmert, Sum

pytest.importorskip("formulaic")


def table() -> pd.DataFrame:
    """120 rows without any draw: two factors of unequal frequencies, a number, labels and counts."""
    i = np.arange(120)
    d = pd.DataFrame({
        "a": np.array(list("xyz"))[(i * i + i // 7) % 3], "b": np.array(["u", "v"])[(i // 3 + i // 11) % 2],
        "t": ((i * 37) % 101) / 50 - 1.0,
    })  # fmt: skip
    z = 0.4 * d.t + 0.8 * (d.a == "y") - 0.5 * (d.b == "v") + 0.9 * ((d.a == "z") & (d.b == "v"))
    d["s"] = ((((i * 53) % 97) / 97) < 1.0 / (1.0 + np.exp(-z))).astype(int)
    d["k"] = np.floor(np.exp(z) * (0.3 + ((i * 29) % 83) / 60))
    return d


# marginaleffects for Python on fits of statsmodels (`glm("s ~ a*b + t")`, and of k), whose standard errors
# are by forward differences: avg_comparisons(variables={"a": "reference"}) of the rows, by b, and of the rows
# with t = 0.5; avg_predictions(by="a"); avg_slopes(variables="t", by="a").
PEER: dict[str, dict[str, tuple[list[float], list[float]]]] = {
    "s": {
        "contrast": ([0.07549998591, 0.01395465949], [0.09909550689, 0.1035627161]),
        "by": (
            [0.08914512387, 0.06139230089, -0.1445233375, 0.177804792],
            [0.1267520282, 0.1534554367, 0.1421555049, 0.1515629651],
        ),
        "at": ([0.07299602489, 0.01955617768], [0.09813743855, 0.103099076]),
        "predictions": ([0.5454545455, 0.6111111111, 0.55], [0.06837531723, 0.07214424432, 0.07804356945]),
        "slopes": ([0.05622585683, 0.05121422152, 0.06659152141], []),
    },
    "k": {
        "contrast": ([0.8923106997, 0.4596117772], [0.2007591859, 0.1650029848]),
        "by": (
            [1.344154985, 0.4251496593, 0.05766971706, 0.875178992],
            [0.3480163428, 0.1932675398, 0.221902432, 0.2448794657],
        ),
        "at": ([1.190708061, 0.6129465596], [0.2730855292, 0.224187011]),
        "predictions": ([0.3181818182, 1.222222222, 0.75], [0.08503766788, 0.1842569328, 0.1369306394]),
        "slopes": ([0.2357229623, 0.9054755058, 0.5556326968], []),
    },
}
ASKED: dict[str, dict[str, Any]] = {
    "contrast": {"contrast": "a"},
    "by": {"contrast": {"a": ["x", "y", "z"]}, "by": "b"},
    "at": {"contrast": "a", "at": {"t": 0.5}},
    "predictions": {"by": "a"},
    "slopes": {"effects": "t", "by": "a"},
}
MODELS: dict[str, Any] = {
    "s": lambda: er.LogisticRegression(alpha=0.0, tol=1e-12),
    "k": lambda: er.PoissonRegressor(alpha=0.0, tol=1e-12),
}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("target", MODELS)
def test_products_of_factors_have_the_margins_of_a_peer(target: str, asked: str) -> None:
    d = table()
    model = er.formula(f"{target} ~ a * b + t", d, MODELS[target]())
    found, (value, se) = er.margins(model, d, **ASKED[asked]), PEER[target][asked]
    np.testing.assert_allclose(found.value, value, rtol=1e-7)
    np.testing.assert_allclose(found.se, se or slope_errors(target, d), rtol=1e-4 if se else 1e-6)


def slope_errors(target: str, d: pd.DataFrame) -> np.ndarray:
    """By the delta method with derivatives by hand; the peer's are differences of differences."""
    sm, smf = pytest.importorskip("statsmodels.api"), pytest.importorskip("statsmodels.formula.api")
    family = sm.families.Binomial() if target == "s" else sm.families.Poisson()
    fit = smf.glm(f"{target} ~ a * b + t", d, family=family).fit(tol=1e-14)
    X, m, place = fit.model.exog, fit.fittedvalues.to_numpy(), list(fit.params.index).index("t")
    first = m * (1.0 - m) if target == "s" else m
    second = first * (1.0 - 2.0 * m) if target == "s" else m
    out = []
    for level in "xyz":
        rows = (d["a"] == level).to_numpy()
        gradient = float(fit.params["t"]) * (second[rows, None] * X[rows]).mean(axis=0)
        gradient[place] += first[rows].mean()
        out.append(float(np.sqrt(gradient @ fit.cov_params().to_numpy() @ gradient)))
    return np.array(out)


@pytest.mark.parametrize("coding", [None, {"a": "z"}, {"a": Sum()}, {"a": Helmert()}])
def test_contrasts_of_levels_are_differences_of_coefficients(coding: Any) -> None:
    """The differences of a linear model, whatever its coding and reference, with the errors of a test."""
    d = table()
    how = "from_dtype" if coding is None else coding
    model = er.LinearRegression(categorical_features=how).fit(d[["a", "b", "t"]], d["k"])
    plain = er.LinearRegression(categorical_features={"a": "x"}).fit(d[["a", "b", "t"]], d["k"])
    coef = dict(zip(plain.terms_, plain.coef_, strict=True))
    X = d[["a", "b", "t"]]
    found = er.margins(model, X, contrast={"a": ["x", "y", "z"]})
    np.testing.assert_allclose(found.value, [coef["a[y]"], coef["a[z]"]], rtol=1e-9)
    table_ = plain.summary()
    errors = dict(zip(table_.terms, table_.se, strict=True))
    np.testing.assert_allclose(found.se, [errors["a[y]"], errors["a[z]"]], rtol=1e-8)
    every = er.margins(model, X, contrast="a", pairs=True)
    np.testing.assert_allclose(every.value[2], coef["a[z]"] - coef["a[y]"], rtol=1e-9)
    test = plain.wald_test({"a[z]": 1.0, "a[y]": -1.0})
    assert (every.value[2] / every.se[2]) ** 2 == pytest.approx(test.statistic, rel=1e-8)


def test_averages_by_a_factor_are_those_of_its_rows(rng: np.random.Generator) -> None:
    """A model with an indicator of each level has the mean of y in it, with the error of a mean."""
    d = table()
    model = er.LinearRegression().fit(d[["a"]], d["k"])
    found = er.margins(model, d[["a"]], by="a")
    groups = d.groupby("a")["k"]
    np.testing.assert_allclose(found.value, groups.mean(), rtol=1e-12)
    rest = float(((d["k"] - groups.transform("mean")) ** 2).sum()) / (len(d) - 3)
    np.testing.assert_allclose(found.se, np.sqrt(rest / groups.size()), rtol=1e-9)
    # Setting every row to a level is the same as its own rows, where nothing else is in the model.
    placed = er.margins(model, d[["a"]], at={"a": ["x", "y", "z"]})
    np.testing.assert_allclose(placed.value, found.value, rtol=1e-12)
    with pytest.raises(ValueError, match="'w'"):
        er.margins(model, d[["a"]], contrast={"a": ["x", "w"]})
