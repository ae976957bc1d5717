"""Coefficient tables and influence against numbers that R and Stata printed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm

import empirisk as er

DATA = Path(__file__).parents[1] / "data" / "glm" / "lbw.csv"

# R 4.2.2, hatvalues(), cooks.distance() and the sum of squared (residuals / (1 - hatvalues)) of
# lm(stack.loss ~ ., stackloss); the data are those of Brownlee (1960).
LEVERAGE = [
    0.301555468936332, 0.317840958442736, 0.174615005418759, 0.12850524308117, 0.0522203296009138,
    0.0774873621306793, 0.219236759496692, 0.219236759496692, 0.140183634553837, 0.200044262107832,
    0.155033184783584, 0.217175965323307, 0.157531459364408, 0.205822877536238, 0.190464863296062,
    0.13107370179327, 0.41212349785786, 0.160592724636663, 0.174536629243102, 0.0801858501745155,
    0.284533462725347,
]  # fmt: skip
COOK = [
    0.153710372368208, 0.0596830916088585, 0.126414084448642, 0.130542041798747, 0.00404767116833357,
    0.0195652010027901, 0.0488015931020983, 0.0165019247698018, 0.0445558051362618, 0.0119296885072389,
    0.0358659715982545, 0.0650658451206589, 0.010764802405339, 1.97778055153089e-05, 0.0385157164458709,
    0.00337943615127677, 0.0654730783940473, 0.00112183576045343, 0.00217878590396403, 0.0044916529968568,
    0.691999916339509,
]  # fmt: skip
PRESS = 291.868931729693

LBW = {  # Stata: logit low age lwt i.race smoke ptl ht ui
    "intercept": (0.46122388, 1.204574885),
    "age": (-0.02710031, 0.036449917),
    "lwt": (-0.01515082, 0.006925765),
    "race_black": (1.26264728, 0.526405169),
    "race_other": (0.86207916, 0.439146744),
    "smoke": (0.92334482, 0.400820976),
    "ptl": (0.54183656, 0.346246857),
    "ht": (1.8325178, 0.691623875),
    "ui": (0.75851348, 0.459373871),
}

CPUNISH = {  # R: glm(y ~ ., poisson), data of Gill (2001)
    "intercept": (-6.80148, 4.14685),
    "INCOME": (0.0002611017, 5.187132e-05),
    "PERPOVERTY": (0.07781801, 0.07940193),
    "PERBLACK": (-0.09493111, 0.02291926),
    "VC100k96": (0.2969349, 0.4375164),
    "SOUTH": (2.301183, 0.4283826),
    "DEGREE": (-18.72207, 4.283961),
}


def lbw():
    table = np.genfromtxt(DATA, delimiter=",", names=True)
    names = [name for name in LBW if name != "intercept"]
    return np.column_stack([table[name] for name in names]), table["y"], names


def test_influence_on_stackloss_as_r_prints_it():
    data = sm.datasets.stackloss.load_pandas()
    X, y = data.exog.astype(float), data.endog.astype(float)
    found = er.LinearRegression().fit(X, y).influence(X, y)
    np.testing.assert_allclose(found.leverage, LEVERAGE, rtol=1e-11)
    np.testing.assert_allclose(found.cook, COOK, rtol=1e-9)
    assert found.press == pytest.approx(PRESS, rel=1e-11)
    # Row 21 is the outlier of the textbooks.
    assert int(np.abs(found.studentised).argmax()) == 20
    assert "row" in repr(found)


def test_low_birth_weight_as_stata_prints_it():
    X, y, names = lbw()
    model = er.GeneralizedLinearModel("binomial", tol=1e-12).fit(X, y)
    table = model.summary(X, y)
    wanted = np.array([LBW["intercept"], *(LBW[name] for name in names)])
    np.testing.assert_allclose(table.coef, wanted[:, 0], rtol=1e-6)
    np.testing.assert_allclose(table.se, wanted[:, 1], rtol=5e-5)
    assert table["deviance"] == pytest.approx(201.4479911325021, rel=1e-10)
    assert table["null_deviance"] == pytest.approx(234.671996193219, rel=1e-10)
    assert table["log_likelihood"] == pytest.approx(-100.7239955662511, rel=1e-10)
    assert table["aic"] == pytest.approx(219.447991133, rel=1e-10)
    assert table["pearson_chi2"] == pytest.approx(182.023342493558, rel=1e-6)
    assert table["df"] == 180
    logistic = er.LogisticRegression(alpha=0.0, tol=1e-12).fit(X, y).summary(X, y)
    np.testing.assert_allclose(logistic.se, table.se, rtol=1e-7)


def test_executions_as_r_prints_them():
    data = sm.datasets.cpunish.load_pandas()
    X, y = data.exog.assign(VC100k96=np.log(data.exog["VC100k96"])), data.endog
    model = er.PoissonRegressor(alpha=0.0, tol=1e-12).fit(X, y)
    table = model.summary(X, y)
    wanted = np.array([CPUNISH["intercept"], *(CPUNISH[name] for name in X.columns)])
    np.testing.assert_allclose(table.coef, wanted[:, 0], rtol=1e-6)
    np.testing.assert_allclose(table.se, wanted[:, 1], rtol=2e-5)
    assert table["deviance"] == pytest.approx(18.591641759528944, rel=1e-10)
    assert table["null_deviance"] == pytest.approx(136.57281747225, rel=1e-10)
    assert table["log_likelihood"] == pytest.approx(-31.92732869482515, rel=1e-10)
    assert table["aic"] == pytest.approx(77.8546573896503, rel=1e-10)
    assert table["pearson_chi2"] == pytest.approx(24.75374835, rel=1e-6)
