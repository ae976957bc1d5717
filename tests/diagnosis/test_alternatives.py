"""The alternatives that findings try: simpler and richer models, halves of the rows, a step beyond a grid."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
from scipy import special
from sklearn.base import clone, is_classifier
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import (
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Ridge,
    RidgeCV,
)
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import all_estimators

import empirisk as er
from empirisk.diagnosis import context
from empirisk.diagnosis.answer import NotRun
from empirisk.diagnosis.grid_edge import edges, next_outside
from empirisk.diagnosis.more_rows import _halves, last_doubling
from empirisk.diagnosis.noise_ceiling import _bayes
from empirisk.diagnosis.richer import coded_table, richer
from empirisk.diagnosis.simpler import MOVES, simpler
from empirisk.diagnosis.unstable_folds import blocks, unstable_folds

KNOWN = {**dict(all_estimators()), "Ridge": er.Ridge, "SklearnRidge": Ridge, "Elastic": er.ElasticNet}


@pytest.fixture
def numbers(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    X = rng.normal(size=(200, 3))
    return X, X[:, 0] + rng.normal(size=200)


# -- simpler ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(MOVES) & set(KNOWN)))
def test_every_move_gives_another_model_that_fits(name: str, rng: np.random.Generator) -> None:
    est = KNOWN[name]()
    moved = simpler(est, 64)
    assert moved is not None
    model, words = moved
    assert type(model) is type(est)
    assert model.get_params() != est.get_params()
    assert words.partition("=")[0] in est.get_params()
    X = np.abs(rng.normal(size=(80, 2)))
    model.fit(X, (X[:, 0] > 0.5).astype(int) if is_classifier(model) else X[:, 0] + 1.0)


@pytest.mark.parametrize("est", [Lasso(0.5), KNeighborsRegressor(1), DecisionTreeRegressor(random_state=0),
                                 LinearRegression(), er.Ridge(alpha=0.01), er.LinearRegression(),
                                 er.KernelSmoother(0.2), er.KernelSmoother(0.5, degree=0, window="tricube"),
                                 RandomForestRegressor(20, random_state=0)])  # fmt: skip
def test_the_simpler_version_fits_its_own_rows_worse(
    est: Any, numbers: tuple[np.ndarray, np.ndarray]
) -> None:
    X, y = numbers
    moved = simpler(make_pipeline(StandardScaler(), est), 200)
    assert moved is not None
    before = np.mean((make_pipeline(StandardScaler(), clone(est)).fit(X, y).predict(X) - y) ** 2)
    assert np.mean((moved[0].fit(X, y).predict(X) - y) ** 2) > before
    assert len(moved[0].steps) >= 2


def test_words_of_moves() -> None:
    assert simpler(LogisticRegression(C=2.0), 99)[1] == "C=0.2"
    assert simpler(LogisticRegression(C=np.inf), 99)[1] == "C=1"
    assert simpler(LogisticRegression(C=1e6), 99)[1] == "C=1"
    assert simpler(KNeighborsClassifier(7), 99)[1] == "n_neighbors=21"
    assert simpler(er.LogisticRegression(), 50)[1] == "alpha=0.2"
    assert simpler(er.Lasso(), 50) is None  # tunes its own penalty
    assert simpler(RidgeCV(), 50) is None
    assert simpler(er.KernelSmoother(0.2), 50)[1] == "bandwidth=0.6"
    assert simpler(er.KernelSmoother(), 50) is None  # has looked for it


# -- richer -------------------------------------------------------------------------------------


def test_linear_models_get_squares_and_products(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    rich = richer(context(make_pipeline(StandardScaler(), er.Ridge()), *numbers, random_state=0))
    assert rich.X is None
    model = rich.model.fit(*numbers)
    assert model.steps[-1][1].coef_.shape == (9,)


def test_crowded_least_squares_get_trees(rng: np.random.Generator) -> None:
    X = rng.normal(size=(150, 6))  # 27 coefficients of a quadratic on 120 training rows
    y = X[:, 0] + rng.normal(size=150)
    assert "trees" in richer(context(LinearRegression(), X, y)).words
    assert "squares" in richer(context(Ridge(), X, y)).words


def test_trees_see_ten_thousand_rows_at_most(rng: np.random.Generator) -> None:
    X = rng.normal(size=(15_000, 1))
    rich = richer(context(KNeighborsRegressor(50), X, X[:, 0], random_state=0))
    assert rich.plan is not None
    train, test = rich.plan.splits[0]
    assert (train.size, np.intersect1d(train, test).size) == (10_000, 0)
    assert "10,000 rows" in rich.words


@pytest.mark.parametrize("classes", [False, True])
def test_trees_see_the_strongest_of_many_columns(classes: bool, rng: np.random.Generator) -> None:
    X = rng.normal(size=(90, 300))
    X[3, 7] = np.nan
    y = X[:, 11] - X[:, 250] + 0.1 * rng.normal(size=90)
    y = np.where(y > 0, "high", "low") if classes else y
    est = DummyClassifier() if classes else DummyRegressor()
    rich = richer(context(est, X, y, random_state=0))
    assert "50 strongest columns" in rich.words
    kept = rich.model.fit(rich.X, y).steps[0][1].kept_
    code = (y == "high").astype(float) if classes else y
    by_numpy = np.abs([np.corrcoef(np.where(np.isnan(c), np.nanmean(c), c), code)[0, 1] for c in X.T])
    assert set(kept) == set(np.argsort(-by_numpy)[:50])


def test_levels_are_coded_by_rank_and_missing_ones_by_nan() -> None:
    X = np.array([["b", 1.0], ["a", None], [None, 3.0], ["b", 4.0]] * 5, dtype=object)
    table = coded_table(context(DummyRegressor(), X, np.arange(20.0)))
    np.testing.assert_array_equal(table[:4, 0], [1.0, 0.0, np.nan, 1.0])
    np.testing.assert_array_equal(table[:4, 1], [1.0, np.nan, 3.0, 4.0])


# -- more rows ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["rows", "classes", "groups"])
def test_halves_are_disjoint_and_whole(kind: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 2))
    y, g = X[:, 0] + rng.normal(size=300), None
    est: Any = Ridge()
    if kind == "classes":
        y, est = (rng.random(300) < 0.1).astype(int), LogisticRegression()
    if kind == "groups":
        g = np.repeat(np.arange(60), 5)
    ctx = context(est, X, y, groups=g, random_state=0)
    first, second = _halves(ctx)
    for (a, test), (b, same), (train, held) in zip(first.splits, second.splits, ctx.plan.splits, strict=True):
        np.testing.assert_array_equal(np.sort(np.concatenate([a, b])), train)
        np.testing.assert_array_equal(test, held)
        np.testing.assert_array_equal(same, held)
        if kind == "classes":
            assert abs(int(y[a].sum()) - int(y[b].sum())) <= 1
        if g is not None:
            assert not np.intersect1d(g[a], g[b]).size
        else:
            assert abs(a.size - b.size) <= 1


@pytest.mark.full  # simulated
def test_the_last_doubling_of_least_squares_is_what_theory_says() -> None:
    # E risk = sigma^2 (1 + p/(r - p - 1)) on Gaussian columns without an intercept, r training rows.
    rng, p, n, gains = np.random.default_rng(5), 5, 100, []
    for _ in range(120):
        X = rng.normal(size=(n, p))
        ctx = context(LinearRegression(fit_intercept=False), X, rng.normal(size=n), random_state=rng)
        gains.append(last_doubling(ctx).d.gain)
    full, half = p / (80 - p - 1), p / (40 - p - 1)
    assert np.mean(gains) == pytest.approx(half - full, abs=4 * np.std(gains) / math.sqrt(120))


@pytest.mark.parametrize(("rows", "columns", "factor"), [(100, 40, 0.0), (100, 32, 0.125), (1000, 4, 0.25)])
def test_factor_of_the_next_doubling(
    rows: int, columns: int, factor: float, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(rows, columns))
    made = last_doubling(context(Ridge(), X, rng.normal(size=rows), random_state=0))
    assert made.factor == pytest.approx(factor)
    assert made.ratio == pytest.approx(0.8 * rows / columns)


# -- folds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 7])
def test_blocks_are_rows_of_one_fold_and_class(size: int, rng: np.random.Generator) -> None:
    fold, stratum = rng.integers(4, size=500), rng.integers(3, size=500)
    made = blocks(fold, stratum, size, rng)
    assert np.unique(made).size == made.size
    assert 500 - made.size <= 12 * (size - 1)
    for labels in (fold, stratum):
        assert (labels[made] == labels[made][:, :1]).all()


def test_blocks_find_what_rows_find(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    X = rng.normal(size=(600, 1))
    y = X[:, 0] + rng.normal(size=600)
    y[480:] *= 2.0
    ctx = context(Ridge(), X, y, cv=KFold(5), random_state=0)
    assert unstable_folds(ctx).p < 0.001
    monkeypatch.setattr(sys.modules[unstable_folds.__module__], "MOST_UNITS", 100)
    assert unstable_folds(ctx).p < 0.001


# -- grid edge ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "tried", "beyond"),
    [
        (1e-3, [1e-3, 1e-2, 1.0], 1e-4),
        (1.0, [1e-3, 1e-2, 1.0], 100.0),
        (0.0, [0.0, 0.5, 1.0], None),
        (20, [5, 10, 20], 40),
        (1, [1, 3, 5], None),
        ("l1", ["l1", "l2"], None),
        (3.0, [3.0], None),
        (None, [None, 3, 5], None),
        (-2.0, [-2.0, -1.0], -3.0),
    ],
)
def test_next_value_outside(value: Any, tried: list[Any], beyond: Any) -> None:
    found = next_outside(value, tried)
    assert found == (beyond if beyond is None else pytest.approx(beyond))
    assert type(found) is type(beyond)


@pytest.mark.parametrize(
    ("est", "name", "beyond"),
    [
        (RidgeCV([1e3, 1e4]), "alpha", 1e2),
        (GridSearchCV(KNeighborsRegressor(), {"n_neighbors": [1, 2]}, cv=3), "n_neighbors", 4),
        (GridSearchCV(make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": [1e5, 1e6]}, cv=3),
         "ridge__alpha", 1e4),
        (make_pipeline(StandardScaler(), RidgeCV([1e3, 1e4])), "alpha", 1e2),
        (LassoCV(alphas=[0.3, 0.6], cv=3), "alpha", 0.15),
        (er.Ridge(alpha="cv", alphas=[10.0, 100.0]), "alpha", 1.0),
    ],
)  # fmt: skip
def test_winners_at_the_edge(
    est: Any, name: str, beyond: Any, numbers: tuple[np.ndarray, np.ndarray]
) -> None:
    found = edges(context(est, *numbers, random_state=0))
    assert [e.name for e in found] == [name]
    assert found[0].beyond == pytest.approx(beyond)
    for model, value in ((found[0].winner, found[0].value), (found[0].extended, found[0].beyond)):
        settings = model.get_params()
        assert value in [v for k, v in settings.items() if k.endswith(name)]
        model.fit(*numbers)


def test_logistic_path_at_the_edge(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = numbers
    found = edges(
        context(
            LogisticRegressionCV(Cs=[1e-6, 1e-5], cv=3, scoring="neg_log_loss"),
            X,
            (y > 0).astype(int),
            random_state=0,
        )
    )
    assert found[0].beyond == pytest.approx(1e-4)


def test_no_edge(numbers: tuple[np.ndarray, np.ndarray]) -> None:
    assert edges(context(RidgeCV(np.logspace(-6, 6, 13)), *numbers, random_state=0)) == []
    with pytest.raises(NotRun, match="does not search"):
        edges(context(Ridge(), *numbers, random_state=0))


# -- noise --------------------------------------------------------------------------------------


@pytest.mark.parametrize("c", [2, 3, 5])
def test_disagreement_brackets_the_bayes_error_of_any_law(c: int, rng: np.random.Generator) -> None:
    # A population of points x with class probabilities eta(x): D and L* are averages over it.
    for concentration in (0.1, 1.0, 10.0):
        eta = rng.dirichlet(np.full(c, concentration), size=(50, 20))
        disagreement = 1.0 - (eta**2).sum(axis=2).mean(axis=1)
        bayes = 1.0 - eta.max(axis=2).mean(axis=1)
        for d, best in zip(disagreement, bayes, strict=True):
            low, high = _bayes(d, d, c)
            assert low - 1e-12 <= best <= high + 1e-12


def test_entropy_lies_between_the_two_functions_of_the_disagreement(rng: np.random.Generator) -> None:
    for a in (0.1, 1.0, 5.0):
        eta = rng.beta(a, a, size=(200, 20))
        d = 2.0 * (eta * (1.0 - eta)).mean(axis=1)
        entropy = -(special.xlogy(eta, eta) + special.xlogy(1.0 - eta, 1.0 - eta)).mean(axis=1)
        assert (2.0 * math.log(2.0) * d <= entropy + 1e-12).all()
        assert (entropy <= math.log(2.0) * np.sqrt(2.0 * d) + 1e-12).all()
