"""Naive Bayes over columns of several kinds, against densities of SciPy and models of one kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import empirisk as er
from empirisk.results import Kind
from empirisk.typing import Array

KINDS = {"events": "poisson", "word": "multinomial", "other word": "multinomial"}


def table(rng: np.random.Generator, n: int = 90) -> tuple[pd.DataFrame, Array]:
    """Return columns of all kinds that depend on one of three classes."""
    k = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "size": rng.normal(k, 1.0 + k),
            "events": rng.poisson(1.0 + 2.0 * k),
            "sold": rng.random(n) < 0.2 + 0.3 * k,
            "tone": pd.Categorical(np.array(["dark", "pale", "red"])[(k + (rng.random(n) < 0.4)) % 3]),
            "word": rng.poisson(1.0 + k),
            "town": np.array(["Oslo", "Rome"])[rng.integers(0, 2, n)],
            "other word": rng.poisson(3.0 - k),
        }
    )
    return frame, np.array(["ash", "birch", "elm"])[k]


def by_hand(X: pd.DataFrame, y: Array, weight: Array, alpha: float) -> Array:
    """Return the chances of the classes by SciPy's densities and shares of rows, shape (n, 3)."""
    labels = np.unique(y)
    logs = np.zeros((len(X), len(labels)))
    for k, label in enumerate(labels):
        s = weight * (y == label)
        logs[:, k] = np.log(s.sum() / weight.sum())
        size = X["size"].to_numpy()
        mean = np.average(size, weights=s)
        spread = np.sqrt((s * (size - mean) ** 2).sum() / (s.sum() - 1.0))
        logs[:, k] += stats.norm(mean, spread).logpdf(size)
        count = X["events"].to_numpy()
        rate = (s @ count + alpha * np.average(count, weights=weight)) / (s.sum() + alpha)
        logs[:, k] += stats.poisson(rate).logpmf(count)
        sold = X["sold"].to_numpy()
        logs[:, k] += stats.bernoulli((s @ sold + alpha) / (s.sum() + 2.0 * alpha)).logpmf(sold)
        for name in ("tone", "town"):
            values = X[name].astype(str).to_numpy()
            levels = np.unique(values)
            share = {a: (s[values == a].sum() + alpha) / (s.sum() + alpha * len(levels)) for a in levels}
            logs[:, k] += np.log([share[a] for a in values])
        words = X[["word", "other word"]].to_numpy()
        share = (s @ words + alpha) / (s @ words + alpha).sum()
        logs[:, k] += stats.multinomial(words.sum(axis=1), share).logpmf(words)
    return np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
@pytest.mark.parametrize("weighted", [False, True])
def test_likelihoods_of_all_kinds_are_multiplied(kind: Any, weighted: bool, rng: np.random.Generator) -> None:
    X, y = table(rng)
    s = rng.integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    given = X if kind is pd.DataFrame else pl.from_pandas(X)
    model = er.MixedNB(KINDS, alpha=0.7, var_smoothing=0.0).fit(given, y, s)
    wanted = ("gaussian", "poisson", "bernoulli", "categorical", "multinomial", "categorical", "multinomial")
    assert model.kinds_ == wanted
    np.testing.assert_allclose(model.predict_proba(given), by_hand(X, y, s, 0.7), rtol=1e-9, atol=1e-13)
    assert er.verify(model, given, y, s).kind is Kind.EXACT
    assert er.verify(model, given, y[::-1], s).kind is Kind.NONE


def test_one_kind_is_the_model_of_that_kind(rng: np.random.Generator) -> None:
    X = rng.integers(0, 2, (80, 3)).astype(float)
    y = np.where(X[:, 0] + rng.normal(size=80) > 0.5, "a", "b")
    plain = {
        "gaussian": er.GaussianNB(),
        "bernoulli": er.BernoulliNB(binarize=None),
        "categorical": er.CategoricalNB(),
        "multinomial": er.MultinomialNB(),
    }
    for kind, alone in plain.items():
        mixed = er.MixedNB([kind] * 3).fit(X, y)
        told = alone.fit(X, y).predict_log_proba(X)
        np.testing.assert_allclose(mixed.predict_log_proba(X), told, rtol=1e-10, atol=1e-12)


def test_kinds_are_read_off_the_types_of_columns(rng: np.random.Generator) -> None:
    X, y = table(rng)
    found = ("gaussian", "gaussian", "bernoulli", "categorical", "gaussian", "categorical", "gaussian")
    for rows in (X, pl.from_pandas(X)):
        assert er.MixedNB().fit(rows, y).kinds_ == found
    # Arrays of objects: text makes a column one of categories, truth values alone one of these.
    assert er.MixedNB().fit(X.to_numpy(dtype=object), y).kinds_ == found
    assert er.MixedNB({2: "categorical"}).fit(X, y).kinds_[2] == "categorical"
    for bad, told in (
        ("by type", "kinds must be"),
        (["gaussian"], "one kind for each of the 7 columns"),
        ({"height": "gaussian"}, "kinds names 'height', which X does not have"),
        ({7: "gaussian"}, "kinds names 7"),
        ({"size": "normal"}, "kinds must be"),
    ):
        with pytest.raises(ValueError, match=told):
            er.MixedNB(bad).fit(X, y)


def test_an_empty_cell_says_nothing(rng: np.random.Generator) -> None:
    """A row without a cell has the chances of a model without the column, fitted on the other rows' cells."""
    X, y = table(rng)
    names = ["size", "events", "sold", "tone"]
    kinds = {"events": "poisson"}
    for name in names:
        gaps = X[names].astype(object)
        gaps.loc[::4, name] = None
        fit = er.MixedNB({**kinds, "size": "gaussian", "sold": "bernoulli", "tone": "categorical"}).fit(
            gaps, y
        )
        rest = [other for other in names if other != name]
        alone = er.MixedNB({k: v for k, v in kinds.items() if k != name}).fit(X[rest], y)
        np.testing.assert_allclose(
            fit.predict_proba(gaps)[::4], alone.predict_proba(X[rest])[::4], rtol=1e-9, atol=1e-12
        )
        one = {k: v for k, v in kinds.items() if k == name}
        column = er.MixedNB(one, priors=alone.priors_).fit(
            X.loc[X.index % 4 > 0, [name]], y[np.arange(90) % 4 > 0]
        )
        told = fit.predict_log_proba(gaps)[1:4] - alone.predict_log_proba(X[rest])[1:4]
        wanted = column.predict_log_proba(X[[name]])[1:4] - np.log(column.priors_)
        np.testing.assert_allclose(told - told[:, :1], wanted - wanted[:, :1], rtol=1e-7, atol=1e-9)
        assert er.verify(fit, gaps, y).kind is Kind.EXACT


def test_streams_take_new_categories_and_gaps_in(rng: np.random.Generator) -> None:
    X, y = table(rng)
    X.loc[::7, "size"] = np.nan
    model = er.MixedNB(KINDS)
    order = np.argsort(X["tone"].astype(str), kind="stable")  # the last tone comes with the last batch
    for at in np.split(order, [20, 50]):
        part = X.iloc[at].assign(tone=X["tone"].iloc[at].astype(str).astype("category"))
        model.partial_fit(part, y[at], classes=["ash", "birch", "elm"])
    whole = er.MixedNB(KINDS).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X), rtol=1e-9, atol=1e-12)
    assert er.verify(model, X, y).kind is Kind.EXACT
    with pytest.warns(
        UserWarning, match="ER003: X holds categories that training did not have in column 'tone'"
    ):
        told = whole.predict_proba(X.assign(tone="blue"))
    without = er.MixedNB(KINDS).fit(X.drop(columns="tone"), y)
    np.testing.assert_allclose(told, without.predict_proba(X.drop(columns="tone")), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"events": 1.5},
            r"column 'events' of X is poisson, and holds 1.5 in row 3: each cell must be a whole",
        ),
        ({"events": -1.0}, r"column 'events' of X is poisson, and holds -1 in row 3"),
        ({"word": -1.0}, r"column 'word' of X is multinomial, and holds -1 in row 3: .*a number >= 0"),
        ({"word": np.nan}, r"column 'word' of X is multinomial, and holds nan in row 3"),
        ({"size": np.inf}, r"infinity \(inf\) in column 'size', row 3"),
    ],
)
def test_cells_outside_of_their_kind_are_named(change: Any, told: str, rng: np.random.Generator) -> None:
    X, y = table(rng)
    model = er.MixedNB(KINDS).fit(X, y)
    other = X.astype(dict.fromkeys(change, float))
    for name, value in change.items():
        other.loc[3, name] = value
    for ask in (lambda: er.MixedNB(KINDS).fit(other, y), lambda: model.predict(other)):
        with pytest.raises(ValueError, match=told):
            ask()


def test_laws_that_rows_do_not_decide_are_named(rng: np.random.Generator) -> None:
    X, y = table(rng)
    for changed, told in (
        (
            X.assign(size=np.where(y == "elm", np.nan, X["size"])),
            "column 'size' is empty in every row of class 'elm'",
        ),
        (
            X.assign(events=np.where(y == "elm", 0, X["events"])),
            "alpha = 0, and column 'events' is 0 in every row",
        ),
    ):
        with pytest.raises(ValueError, match=told):
            er.MixedNB({"events": "poisson"}, alpha=0.0).fit(changed, y)
    numbers = X[["size", "events"]].to_numpy(dtype=float)
    numbers[y == "elm", 1] = 0.0
    with pytest.raises(ValueError, match="alpha = 0, and column 1 is 0 in every row in class 'elm'"):
        er.MixedNB({1: "poisson"}, alpha=0.0).fit(numbers, y)
