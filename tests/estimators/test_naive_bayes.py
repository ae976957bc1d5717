"""Naive Bayes: counts and chances by brute force, smoothing, zero chances and variances, categories."""

from __future__ import annotations

import itertools
import math
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.stats import norm
from sklearn.base import clone
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, MultinomialNB

import empirisk as er
from empirisk.estimators.trees.tree_base import UnknownCategoryWarning


def test_the_text_example_of_manning_and_others() -> None:
    """Introduction to Information Retrieval, examples 13.1 and 13.2: China or not, by four texts."""
    words = ["Chinese", "Beijing", "Shanghai", "Macao", "Tokyo", "Japan"]
    texts = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao", "Tokyo Japan Chinese"]
    X = np.array(
        [[text.split().count(w) for w in words] for text in [*texts, "Chinese Chinese Chinese Tokyo Japan"]]
    )
    y = ["yes", "yes", "yes", "no"]
    model = er.MultinomialNB().fit(X[:4], y)
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[1, [0, 4, 5]]), [6 / 14, 1 / 14, 1 / 14])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0, [0, 4, 5]]), [2 / 9, 2 / 9, 2 / 9])
    yes, no = 3 / 4 * (3 / 7) ** 3 / 14**2, 1 / 4 * (2 / 9) ** 5
    np.testing.assert_allclose(model.predict_proba(X[4:]), [[no / (no + yes), yes / (no + yes)]])
    presence = er.BernoulliNB().fit(X[:4], y)
    yes = 3 / 4 * 4 / 5 * (1 / 5) ** 2 * (1 - 2 / 5) ** 3
    no = 1 / 4 * (2 / 3) ** 3 * (1 - 1 / 3) ** 3
    np.testing.assert_allclose(presence.predict_proba(X[4:]), [[no / (no + yes), yes / (no + yes)]])
    assert presence.predict(X[4:]) == "no"


def test_smoothed_chances_sum_to_one(rng: np.random.Generator) -> None:
    X, y = rng.poisson(1.0, size=(30, 4)), np.arange(30) % 3
    for alpha in (0.01, 1.0, 7.0):
        chance = np.exp(er.MultinomialNB(alpha).fit(X, y).feature_log_prob_)
        np.testing.assert_allclose(chance.sum(axis=1), 1.0)
        for N in er.CategoricalNB(alpha).fit(X, y).feature_log_prob_:
            np.testing.assert_allclose(np.exp(N).sum(axis=1), 1.0)
        # Of all rows of zeros and ones the chances in a class sum to 1.
        model = er.BernoulliNB(alpha).fit(X, y)
        every = np.array(list(itertools.product([0.0, 1.0], repeat=4)))
        likelihood = np.exp(model._joint(every) - np.log(model.priors_))
        np.testing.assert_allclose(likelihood.sum(axis=0), 1.0)


IMPOSSIBLE = [
    (er.MultinomialNB(0.0), [[1, 2], [0, 3], [2, 1]], "column 0 never occurs in class 'sky'"),
    (er.BernoulliNB(0.0), [[1, 0], [1, 1], [1, 1]], "column 0 is 1 in every row in class 'sea'"),
    (er.BernoulliNB(0.0), [[1, 0], [0, 1], [1, 1]], "column 0 is 0 in every row in class 'sky'"),
    (
        er.CategoricalNB(0.0),
        [[1, 0], [0, 1], [0, 0]],
        "the category 1 of column 0 never occurs in class 'sky'",
    ),
]


@pytest.mark.parametrize(("est", "X", "words"), IMPOSSIBLE, ids=lambda v: str(v)[:30])
def test_a_chance_of_zero_is_refused_because_its_loss_is_infinite(est: Any, X: Any, words: str) -> None:
    with pytest.raises(ValueError, match=rf"^alpha = 0, and {words}: .* infinite; give alpha > 0"):
        est.fit(np.array(X)[[0, 2, 1]], ["sea", "sea", "sky"])


def test_alpha_of_zero_is_the_shares_where_all_occur() -> None:
    X = np.array([[1, 2], [3, 1], [2, 2], [5, 5]])
    model = er.MultinomialNB(0.0).fit(X, [0, 0, 1, 1])
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), [[4 / 7, 3 / 7], [0.5, 0.5]])
    for bad in (-1.0, math.nan, "1", None):
        with pytest.raises(ValueError, match="alpha must be a finite number >= 0"):
            er.MultinomialNB(bad).fit(X, [0, 0, 1, 1])


def test_gaussian_posteriors_are_those_of_the_densities(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(60, 3)) * [1e-6, 1.0, 1e6] + 3.0, np.arange(60) % 2
    model = er.GaussianNB(0.0).fit(X, y)
    joint = np.stack(
        [
            norm(X[y == k].mean(axis=0), X[y == k].std(axis=0, ddof=1)).logpdf(X).sum(axis=1) + math.log(0.5)
            for k in (0, 1)
        ],
        axis=1,
    )
    expected = np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None])
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9)
    smoothed = er.GaussianNB().fit(X, y)
    np.testing.assert_allclose(smoothed.predict_proba(X), expected, rtol=1e-6)
    np.testing.assert_allclose(smoothed.var_ - model.var_, np.tile(1e-9 * X.var(axis=0), (2, 1)), rtol=1e-6)


def test_variances_of_zero_are_named(rng: np.random.Generator) -> None:
    X = pd.DataFrame(
        {"height": rng.normal(size=20), "wing": np.repeat([1.5, 2.5], 10) + 1e-3 * np.arange(20)}
    )
    X.loc[:9, "wing"] = 1.5
    y = np.repeat(["cat", "owl"], 10)
    with pytest.raises(
        ValueError, match=r"^column 'wing' does not vary in class 'cat', and var_smoothing is 0"
    ):
        er.GaussianNB(0.0).fit(X, y)
    said = er.GaussianNB().fit(X, y).certificate_.claim
    assert "1 of them would be 0 without smoothing, the first that of column 'wing' in class 'cat'" in said
    X["flat"] = 4.0
    model = er.GaussianNB().fit(X, y)
    assert "column 'flat' is constant and says nothing" in model.certificate_.claim
    np.testing.assert_allclose(
        model.predict_proba(X),
        er.GaussianNB().fit(X[["height", "wing"]], y).predict_proba(X[["height", "wing"]]),
    )
    with pytest.raises(ValueError, match="class 'owl' has rows of weight 1"):
        er.GaussianNB().fit(X[:11], y[:11])


def test_what_is_no_count_is_refused() -> None:
    frame = pd.DataFrame({"sea": [1.0, 0.0], "sky": [0.0, -2.0]})
    words = "^Negative values in data passed to MultinomialNB: X holds -2 in column 'sky', row 1"
    with pytest.raises(ValueError, match=words):
        er.MultinomialNB().fit(frame, [0, 1])
    with pytest.raises(ValueError, match="X holds -2 in column 1, row 1"):
        er.MultinomialNB().fit(sp.csr_array(frame.to_numpy()), [0, 1])
    with pytest.raises(ValueError, match="binarize=None takes 0 and 1 alone, X holds -2"):
        er.BernoulliNB(binarize=None).fit(frame, [0, 1])
    with pytest.raises(
        ValueError, match=r"binarize = -1 makes 1 of the cells that a sparse X does not store"
    ):
        er.BernoulliNB(binarize=-1.0).fit(sp.csr_array(frame.to_numpy()), [0, 1])


def test_text_categories_empty_cells_and_new_ones(rng: np.random.Generator) -> None:
    X = pd.DataFrame({"colour": ["red", "red", "green", None, "green"], "size": ["s", "l", "l", "s", "s"]})
    y = ["apple", "apple", "melon", "melon", "melon"]
    model = er.CategoricalNB().fit(X, y)
    np.testing.assert_array_equal(model.category_count_[0], [[0, 2], [2, 0]])  # green, red
    new = pd.DataFrame({"colour": ["blue", None, "red"], "size": ["s", "s", "xl"]})
    with pytest.warns(UnknownCategoryWarning, match=r"column 'colour' \(1 rows\), 'size' \(1 rows\)"):
        told = model.predict_proba(new)
    size_alone = np.array([2 / 5 * 2 / 4, 3 / 5 * 3 / 5])
    colour_alone = np.array([2 / 5 * 3 / 4, 3 / 5 * 1 / 4])
    np.testing.assert_allclose(told[0], size_alone / size_alone.sum())
    np.testing.assert_allclose(told[1], told[0])
    np.testing.assert_allclose(told[2], colour_alone / colour_alone.sum())


def test_batches_take_new_categories_in() -> None:
    X = np.array([["a"], ["b"], ["c"], ["c"]], dtype=object)
    y = np.array([0, 1, 0, 1])
    model = er.CategoricalNB().partial_fit(X[:2], y[:2], classes=[0, 1]).partial_fit(X[2:], y[2:])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_allclose(model.predict_proba(X), er.CategoricalNB().fit(X, y).predict_proba(X))


def test_agreement_with_scikit_learn(rng: np.random.Generator) -> None:
    X, y = rng.poisson(0.7, size=(200, 6)), np.arange(200) % 4
    for ours, peer in (
        (er.MultinomialNB(0.3), MultinomialNB(alpha=0.3)),
        (er.BernoulliNB(0.3), BernoulliNB(alpha=0.3)),
        (er.CategoricalNB(0.3), CategoricalNB(alpha=0.3)),
    ):
        expected = peer.fit(X, y).predict_proba(X)
        np.testing.assert_allclose(ours.fit(X, y).predict_proba(X), expected, rtol=1e-10)
    sparse = sp.csr_array(X)
    np.testing.assert_allclose(
        er.MultinomialNB(0.3).fit(sparse, y).predict_proba(sparse),
        MultinomialNB(alpha=0.3).fit(sparse, y).predict_proba(sparse),
        rtol=1e-10,
    )


STREAMS = [
    (er.GaussianNB(), [[1.0], [2.0], [5.0]], ["a", "a", "b"], [[6.0]], "class 'b' has rows of weight 1"),
    (er.GaussianNB(0.0), [[1.0], [2.0], [5.0], [5.0]], ["a", "a", "b", "b"], [[6.0]], "does not vary"),
    (er.MultinomialNB(0.0), [[1, 2], [0, 1]], ["a", "b"], [[2, 0]], "column 0 never occurs in class 'b'"),
    (er.CategoricalNB(0.0), [[1], [2], [1]], ["a", "a", "b"], [[2]], "the category 2 of column 0 never"),
    (er.GaussianNB(priors=[0.5, 0.5]), [[1.0], [2.0]], ["a", "a"], [[6.0], [7.0]], "has no row of positive"),
]


@pytest.mark.parametrize(("est", "X", "y", "more", "words"), STREAMS, ids=[str(s[0]) for s in STREAMS])
def test_a_stream_keeps_rows_that_decide_no_law_yet(est: Any, X: Any, y: Any, more: Any, words: str) -> None:
    rows, new = np.array(X), np.array(more)
    model = clone(est).partial_fit(rows, y, classes=["a", "b"])
    with pytest.raises(ValueError, match=f"^partial_fit has not seen enough rows yet: .*{words}"):
        model.predict(rows)
    assert model.certificate_.kind is er.results.Kind.NONE
    model.partial_fit(new, ["b"] * len(new))
    whole = clone(est).fit(np.vstack([rows, new]), [*y, *["b"] * len(new)])
    np.testing.assert_allclose(model.predict_proba(rows), whole.predict_proba(rows), rtol=1e-9)


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB", "CategoricalNB"])
def test_smoothing_beyond_what_sums_hold_is_refused_and_the_most_makes_all_alike(name: str) -> None:
    X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 1.0]]), np.array([0, 1, 0, 1])
    with pytest.raises(ValueError, match=r"^alpha must be a finite number >= 0 and <= 1e\+300, got 1e\+308$"):
        getattr(er, name)(alpha=1e308).fit(X, y)
    model = getattr(er, name)(alpha=1e300).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), 0.5, rtol=1e-12)
