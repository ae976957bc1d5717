"""Wald tests and intervals of quantile regressions, by algebra on the covariance of their tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import empirisk as er


def rows(rng: np.random.Generator, n: int = 150) -> tuple[pd.DataFrame, np.ndarray]:
    X = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "g": rng.choice(list("xyz"), n)})
    return X, (X["a"] + 0.5 * (X["g"] == "y") + (1.0 + 0.5 * X["a"] ** 2) * rng.normal(size=n)).to_numpy()


@pytest.mark.parametrize("covariance", ["classical", "kernel", "bootstrap"])
@pytest.mark.parametrize("make", [lambda: er.QuantileRegressor(0.3, alpha=0.0), er.LeastAbsoluteDeviations])
def test_tests_and_intervals_have_the_covariance_of_the_table(
    make: Any, covariance: str, rng: np.random.Generator
) -> None:
    X, y = rows(rng)
    model = make().fit(X, y)
    how: dict[str, Any] = {"covariance": covariance}
    if covariance == "bootstrap":
        how |= {"random_state": 0, "n_resamples": 8}
    table = model.summary(**how)
    assert table.valid
    b, V, df = table.coef, table.covariance, len(y) - 5
    one = model.wald_test("a", **how)
    assert one.statistic == pytest.approx(table.statistic[1] ** 2, rel=1e-10)
    assert one.p == pytest.approx(table.p[1], rel=1e-9)
    levels = [t for t in table.terms if t.startswith("g[")]
    at = [table.terms.index(t) for t in levels]
    both = model.wald_test(levels, **how)
    want = b[at] @ np.linalg.inv(V[np.ix_(at, at)]) @ b[at] / 2.0
    assert (both.statistic, both.df, both.df_denominator) == pytest.approx((want, 2, df), rel=1e-9)
    assert both.p == pytest.approx(stats.f.sf(want, 2, df), rel=1e-9)
    shifted = model.wald_test({"a": 1.0, "b": -1.0}, 0.5, **how)
    d = np.array([0.0, 1.0, -1.0, 0.0, 0.0])
    assert shifted.statistic == pytest.approx((d @ b - 0.5) ** 2 / (d @ V @ d), rel=1e-9)
    new = X[:7]
    found = model.interval(new, level=0.9, **how)
    codes = np.column_stack([(new["g"] == t[2:-1]).to_numpy(float) for t in levels])
    D = np.column_stack([np.ones(7), new[["a", "b"]], codes])
    se = np.sqrt(np.einsum("ij,jk,ik->i", D, model.summary(**how, level=0.9).covariance, D))
    half = stats.t.ppf(0.95, df) * se
    np.testing.assert_allclose(found.value, model.predict(new), rtol=1e-12)
    np.testing.assert_allclose([found.low, found.high], [D @ b - half, D @ b + half], rtol=1e-9, atol=1e-12)
    assert found.title == "90 % confidence intervals of the quantile"


def test_the_median_of_one_column_of_nothing_has_the_interval_of_its_intercept(
    rng: np.random.Generator,
) -> None:
    y = rng.normal(size=101)
    model = er.QuantileRegressor(0.5, alpha=0.0).fit(np.zeros((101, 1)) + np.arange(101)[:, None] % 2, y)
    table = model.summary()
    found = model.interval(np.array([[0.0]]))
    assert (found.low[0], found.high[0]) == pytest.approx((table.low[0], table.high[0]))


def test_what_has_no_test_says_why(rng: np.random.Generator) -> None:
    X, y = rows(rng)
    for make, words in (
        (lambda: er.QuantileRegressor(0.5, alpha=0.1), "no test: the L2 penalty shrinks|no test: .*penalty"),
        (lambda: er.QuantileRegressor([0.1, 0.9], alpha=0.0), "no test for several levels: fit one quantile"),
    ):
        with pytest.raises(ValueError, match=words):
            make().fit(X, y).wald_test("a")
    with pytest.raises(ValueError, match="no interval for several levels"):
        er.QuantileRegressor([0.1, 0.9], alpha=0.0).fit(X, y).interval(X)
    model = er.QuantileRegressor(0.5, alpha=0.0).fit(X, y)
    with pytest.raises(ValueError, match=r"fit two quantiles, such as q=\[0.05, 0.95\]"):
        model.interval(X, kind="prediction")
    with pytest.raises(ValueError, match="no term 'age'"):
        model.wald_test("age")
    with pytest.raises(ValueError, match="leave groups and weights out"):
        model.wald_test("a", groups=np.arange(len(y)))
    with pytest.raises(ValueError, match="pass all rows of the fit or none"):
        model.wald_test("a", training=(X, None))
    twice = X[["a", "b"]].assign(c=X["a"] - X["b"])
    with pytest.raises(ValueError, match="no interval: the rows do not determine"):
        er.QuantileRegressor(0.5, alpha=0.0).fit(twice, y).interval(twice)
