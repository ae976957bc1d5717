"""Conformal scores in every way of calibrating: the definition by brute force, layouts, coverage."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy import stats
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.evaluation.conformal.conformalize import conformalize
from empirisk.evaluation.conformal.scores import REGISTRY
from empirisk.evaluation.conformal.shares import row_shares

LEVEL = 0.8
WAYS = ["split", "folds", "leave-one-out", "groups", "groups left out", "categories", "weights"]


class Lines:
    """Two quantiles by least squares and the mean residual: quick, without tags of scikit-learn."""

    def __init__(self, columns: int = 2) -> None:
        self.columns = columns

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"columns": self.columns}

    def set_params(self, **params: Any) -> Lines:
        self.columns = params.get("columns", self.columns)
        return self

    def fit(self, X: Any, y: Any) -> Lines:
        self.line_ = LinearRegression().fit(X, y)
        self.half_ = float(np.abs(y - self.line_.predict(X)).mean())
        return self

    def predict(self, X: Any) -> Any:
        at = self.line_.predict(X)
        return np.column_stack([at - self.half_, at + self.half_][: self.columns])


def spread_of(X: Any) -> Any:
    return 0.5 + np.abs(np.asarray(X)[:, 0])


def model_for(score: str) -> tuple[Any, dict[str, Any]]:
    """Return an unfitted model that has what the score needs, and the arguments that the score takes."""
    if score == "quantile":
        return Lines(), {}
    if REGISTRY[score].task == "classification":
        return LogisticRegression(C=5.0), {}
    return LinearRegression(), {"spread": spread_of} if score == "normalized" else {}


def data(score: str, n: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = X[:, 0] - X[:, 1] + rng.normal(size=n) * (0.3 + np.abs(X[:, 0]))
    if REGISTRY[score].task == "classification":
        y = np.array(["a", "bb", "ccc"])[np.digitize(y, [-0.8, 0.8])]
    return X, y


def density_ratio(X: Any) -> Any:
    return np.exp(0.7 * np.asarray(X)[:, 0])


def arguments(way: str, X: Any) -> dict[str, Any]:
    """Return what `conformalize` gets for a way of calibrating rows."""
    groups = np.arange(len(X)) // 4
    return {
        "split": {},
        "folds": {"cv": KFold(4)},
        "leave-one-out": {"cv": "leave-one-out"},
        "groups": {"groups": groups},
        "groups left out": {"groups": groups, "cv": "leave-one-out"},
        "categories": {"by": lambda X: np.where(np.asarray(X)[:, 1] > 0.0, "up", "down")},
        "weights": {"weights": density_ratio},
    }[way]


def folds(way: str, n: int) -> list[Any]:
    """Return the test rows of each fit of a way with folds."""
    if way == "folds":
        return [test for _, test in KFold(4).split(np.zeros(n))]
    size = 1 if way == "leave-one-out" else 4
    return [np.arange(i, min(n, i + size)) for i in range(0, n, size)]


def misfit(score: str, model: Any, X: Any, y: Any) -> Any:
    """The score of targets y of rows X by its formula, one row at a time."""
    out = []
    for i in range(len(X)):
        row = X[i : i + 1]
        if REGISTRY[score].task == "classification":
            p = model.predict_proba(row)[0]
            own = p[list(model.classes_).index(y[i])]
            if score == "lac":
                out.append(1.0 - own)
            else:
                share = row_shares(row, 0)[0]
                out.append(sum(q for q in p if q > own) + share * own)
        elif score == "quantile":
            low, high = model.predict(row)[0]
            out.append(max(low - y[i], y[i] - high))
        else:
            unit = spread_of(row)[0] if score == "normalized" else 1.0
            out.append(abs(y[i] - model.predict(row)[0]) / unit)
    return np.array(out)


def fits(score: str, way: str, X: Any, y: Any) -> list[Any]:
    """Return (calibration rows, a model that has not seen them, their scores) for each fit of a way."""
    base, _ = model_for(score)
    n = len(X) // 2
    if way in ("split", "groups", "categories", "weights"):
        fitted = clone(base).fit(X[n:], y[n:])
        return [(np.arange(n), fitted, misfit(score, fitted, X[:n], y[:n]))]
    out = []
    for test in folds(way, len(X)):
        others = np.setdiff1d(np.arange(len(X)), test)
        fitted = clone(base).fit(X[others], y[others])
        out.append((test, fitted, misfit(score, fitted, X[test], y[test])))
    return out


def inside(score: str, way: str, X: Any, y: Any, made: Any, new: Any, candidate: Any) -> bool:
    """Whether a target of one new row is in its set, by the definition."""
    below = total = 0.0
    own = float(density_ratio(new)[0]) if way == "weights" else 1.0
    for test, fitted, scores in made:
        weight = np.full(len(test), 0.25 if way.startswith("groups") else 1.0)
        if way == "categories":
            weight = ((X[test, 1] > 0.0) == (new[0, 1] > 0.0)).astype(float)
        if way == "weights":
            weight = density_ratio(X[test])
        mine = misfit(score, fitted, new, np.array([candidate]))[0]
        below += float(weight[scores < mine].sum())
        total += float(weight.sum())
    return below < LEVEL * (total + own) - 1e-12


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("score", REGISTRY)
def test_targets_inside_are_those_of_the_definition(score: str, way: str) -> None:
    X, y = data(score, 48)
    new = np.array([[0.3, -0.2], [-1.1, 0.9]])
    base, more = model_for(score)
    n = 24 if way in ("split", "groups", "categories", "weights") else 48
    model = base.fit(X[n:], y[n:]) if n < 48 else base
    made = conformalize(model, X[:n], y[:n], score=score, level=LEVEL, **more, **arguments(way, X[:n]))
    fitted = fits(score, way, X, y)
    for i in range(2):
        row = new[i : i + 1]
        if REGISTRY[score].task == "classification":
            sets = made.sets(row)
            told = [inside(score, way, X, y, fitted, row, label) for label in sets.classes]
            assert sets.member[0].tolist() == told
            continue
        found = made.interval(row)
        low, high = float(found.low[0]), float(found.high[0])
        step = 1e-6 * (high - low)
        # Of one model the interval is the set; of folds it holds the set, whose targets lie between its ends.
        for outer in (low - step, high + step):
            assert not inside(score, way, X, y, fitted, row, outer)
        for inner in (low + step, high - step):
            assert inside(score, way, X, y, fitted, row, inner) or len(made.parts) > 1
        assert inside(score, way, X, y, fitted, row, 0.5 * (low + high))


def test_ends_of_folds_are_the_order_statistics_of_the_paper() -> None:
    # Barber et al., definition of CV+: floor(a (n+1)) and ceil((1-a)(n+1)) smallest of mu_-k(i)(x) -+ r_i.
    X, y = data("absolute", 40)
    new = np.array([[0.3, -0.2], [-1.1, 0.9]])
    for cv, tests in ((KFold(4), folds("folds", 40)), ("leave-one-out", folds("leave-one-out", 40))):
        lows, highs = np.empty((2, 40)), np.empty((2, 40))
        for test in tests:
            train = np.setdiff1d(np.arange(40), test)
            fitted = LinearRegression().fit(X[train], y[train])
            residual = np.abs(y[test] - fitted.predict(X[test]))
            lows[:, test] = fitted.predict(new)[:, None] - residual
            highs[:, test] = fitted.predict(new)[:, None] + residual
        for level in ("0.8", "0.9"):
            a = 1 - Fraction(level)
            found = conformalize(LinearRegression(), X, y, cv=cv).interval(new, float(level))
            np.testing.assert_allclose(found.low, np.sort(lows, axis=1)[:, int(a * 41) - 1], rtol=1e-12)
            top = -int(-(1 - a) * 41 // 1) - 1
            np.testing.assert_allclose(found.high, np.sort(highs, axis=1)[:, top], rtol=1e-12)


@pytest.mark.parametrize("layout", ["pandas", "polars", "sparse", "float32", "pipeline", "list"])
@pytest.mark.parametrize("score", ["absolute", "normalized", "lac", "aps"])
def test_layouts_give_the_same_answers(score: str, layout: str) -> None:
    X, y = data(score, 120)
    X = np.round(X * 8.0) / 8.0  # numbers that single precision holds
    base, more = model_for(score)
    plain = base.fit(X[:40], y[:40])

    def shown(part: Any) -> Any:
        return {
            "pandas": lambda: pd.DataFrame(part, columns=["u", "v"]),
            "polars": lambda: pl.DataFrame(part, schema=["u", "v"]),
            "sparse": lambda: sp.csr_array(part),
            "float32": lambda: part.astype(np.float32),
            "list": lambda: part.tolist(),
        }.get(layout, lambda: part)()

    if layout == "sparse" and more:
        more = {"spread": lambda X: 0.5 + np.abs(X.toarray()[:, 0])}
    fitted = clone(base)
    if layout == "pipeline":
        fitted = make_pipeline(StandardScaler(with_mean=False, with_std=False), fitted)
    if layout in ("pandas", "polars"):
        fitted.fit(shown(X[:40]), y[:40])
    else:
        fitted.fit(X[:40], y[:40])
    a = conformalize(plain, X[40:80], y[40:80], score=score, **model_for(score)[1])
    b = conformalize(fitted, shown(X[40:80]), y[40:80], score=score, **more)
    tolerance = 1e-4 if layout == "float32" else 1e-9
    np.testing.assert_allclose(a.rows.scores, b.rows.scores, atol=tolerance)
    if REGISTRY[score].task == "classification":
        assert (a.sets(X[80:]).member == b.sets(shown(X[80:])).member).mean() > 0.98
    else:
        np.testing.assert_allclose(a.interval(X[80:]).low, b.interval(shown(X[80:])).low, atol=tolerance)


@pytest.mark.parametrize("score", ["absolute", "lac"])
def test_the_coverage_of_split_sets_follows_the_beta_law(score: str) -> None:
    # Given the calibration rows the coverage is beta with k and n + 1 - k: here it is known, for the score
    # of a new row has the law of a large sample.  200 draws: a wrong rank is seen by Kolmogorov and Smirnov.
    rng = np.random.default_rng(5)
    X, y = data(score, 20_000, seed=6)
    model = model_for(score)[0].fit(X[:200], y[:200])
    new = conformalize(model, X[200:], y[200:], score=score)
    truth = np.sort(new.rows.scores)
    n, level, told = 30, 0.8, []
    for _ in range(200):
        drawn = rng.choice(np.arange(200, 20_000), size=n, replace=False)
        made = conformalize(model, X[drawn], y[drawn], score=score, level=level)
        k = int(np.ceil((n + 1) * level))
        bound = np.sort(made.rows.scores)[k - 1]
        told.append(np.searchsorted(truth, bound, side="right") / truth.size)
    k = int(np.ceil((n + 1) * level))
    assert stats.kstest(told, stats.beta(k, n + 1 - k).cdf).pvalue > 1e-3
    told_mean = made.expected_coverage(level)
    assert told_mean.value == pytest.approx(k / (n + 1))
    share = np.mean((np.array(told) >= told_mean.low) & (np.array(told) <= told_mean.high))
    assert share == pytest.approx(0.95, abs=0.062)  # four standard errors


def check_coverage(score: str, way: str, samples: int) -> None:
    """Rows of one sample share its luck, so that the error is that of the means of samples."""
    shares = []
    for seed in range(samples):
        X, y = data(score, 120, seed=100 + seed)
        base, more = model_for(score)
        rng = np.random.default_rng(seed)
        if way == "weights":  # new rows are drawn with the ratio as chances
            chance = density_ratio(X[80:])
            at = 80 + rng.choice(40, size=40, p=chance / chance.sum())
        else:
            at = np.arange(80, 120)
        n = 40 if way in ("split", "groups", "categories", "weights") else 80
        model = base.fit(X[n:80], y[n:80]) if n < 80 else base
        given = arguments(way, X[:n]) | ({"infinite": True} if way in ("weights", "categories") else {})
        made = conformalize(model, X[:n], y[:n], score=score, level=LEVEL, **more, **given)
        shares.append(made.coverage(X[at], y[at]).value)
    least = made.claim.least(LEVEL)
    assert least is not None
    error = np.std(shares) / np.sqrt(len(shares))
    assert (
        np.mean(shares) >= LEVEL - 4.0 * error
    )  # jackknife+ and CV+ promise less, and keep this in practice
    assert np.mean(shares) <= 0.95


@pytest.mark.parametrize("way", ["split", "folds", "groups", "categories", "weights"])
def test_new_rows_are_covered_as_often_as_promised(way: str) -> None:
    check_coverage("normalized", way, 40)


@pytest.mark.slow  # minutes: thousands of fits
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("score", REGISTRY)
def test_new_rows_are_covered_as_often_as_promised_in_every_way(score: str, way: str) -> None:
    check_coverage(score, way, 200)


@pytest.mark.parametrize("kind", [er.Ridge, er.RandomForestRegressor, er.KNeighborsRegressor])
def test_our_estimators_with_weights_of_rows(kind: Any) -> None:
    X, y = data("absolute", 120)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=60)
    plain = conformalize(kind(), X[:60], y[:60], cv=3)
    heavy = conformalize(kind(), X[:60], y[:60], cv=3, sample_weight=weight)
    assert not np.allclose(plain.rows.scores, heavy.rows.scores)
    assert 0.7 < heavy.coverage(X[60:], y[60:]).value <= 1.0
