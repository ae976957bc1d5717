"""Weights of rows and classes among neighbours: votes by the definition, absence, refits without a row."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.results import Kind


def drawn(rng: np.random.Generator, n: int = 50) -> tuple[Any, Any, Any, Any]:
    """Return rows with ties and copies, classes, numbers, and weights of which some are 0."""
    X = rng.integers(0, 6, (n, 2)).astype(float)
    return X, rng.integers(0, 3, n), rng.normal(size=n), rng.integers(0, 4, n) * 0.7


def vote(q: Any, X: Any, Y: Any, w: Any, k: int, distance: bool = False) -> Any:
    """Return the weighted mean of Y over the k nearest rows of positive weight, one row at a time."""
    d = [math.dist(q, x) for x in X]
    near = sorted((i for i in range(len(X)) if w[i] > 0.0), key=lambda i: (d[i], i))[:k]
    share = {i: w[i] for i in near}
    if distance:
        at = [i for i in near if d[i] == 0.0]
        share = {i: w[i] for i in at} if at else {i: w[i] / d[i] for i in near}
    return sum(s * Y[i] for i, s in share.items()) / sum(share.values())


def balanced(y: Any, w: Any) -> Any:
    """Return the weights with which every class has the same total."""
    return np.array([w[i] / w[y == y[i]].sum() if w[i] > 0.0 else 0.0 for i in range(len(y))])


@pytest.mark.parametrize("distance", [False, True])
@pytest.mark.parametrize("k", [1, 2, 7])
def test_votes_are_those_of_the_definition(k: int, distance: bool, rng: np.random.Generator) -> None:
    X, y, z, w = drawn(rng)
    Q = rng.integers(0, 12, (20, 2)) / 2.0
    how = {"weights": "distance" if distance else "uniform"}
    numbers = er.KNeighborsRegressor(k, **how).fit(X, z, sample_weight=w)
    np.testing.assert_allclose(numbers.predict(Q), [vote(q, X, z, w, k, distance) for q in Q], rtol=1e-12)
    for class_weight, weight in (
        (None, w),
        ({0: 3.0, 2: 0.25}, w * np.array([3.0, 1.0, 0.25])[y]),
        ({1: 0.0}, w * (y != 1)),
        ("balanced", balanced(y, w)),
    ):
        classes = er.KNeighborsClassifier(k, class_weight=class_weight, **how).fit(X, y, sample_weight=w)
        wanted = [vote(q, X, np.eye(3)[y], weight, k, distance) for q in Q]
        np.testing.assert_allclose(classes.predict_proba(Q), wanted, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("layout", ["dense", "sparse", "precomputed", "kd_tree"])
def test_a_row_of_weight_zero_is_absent(layout: str, rng: np.random.Generator) -> None:
    X, y, z, w = drawn(rng, 80)
    live, Q = np.flatnonzero(w), rng.normal(3.0, 2.0, (15, 2))
    X[w == 0.0] = 1e6
    how: dict[str, Any] = {"algorithm": "kd_tree"} if layout == "kd_tree" else {}
    store: Any = sp.csr_array if layout == "sparse" else np.asarray
    rows, fewer, new, new_fewer = store(X), store(X[live]), store(Q), store(Q)
    if layout == "precomputed":
        D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
        new = np.sqrt(((Q[:, None] - X) ** 2).sum(axis=2))
        rows, fewer, new_fewer, how = D, D[np.ix_(live, live)], new[:, live], {"metric": "precomputed"}
    for kind, t in ((er.KNeighborsClassifier, y), (er.KNeighborsRegressor, z)):
        for k in (3, "cv"):
            whole = kind(k, **how).fit(rows, t, sample_weight=w)
            part = kind(k, **how).fit(fewer, t[live], sample_weight=w[live])
            assert whole.n_neighbors_ == part.n_neighbors_
            assert whole.n_samples_fit_ == len(live)
            answer = "predict_proba" if kind is er.KNeighborsClassifier else "predict"
            np.testing.assert_array_equal(getattr(whole, answer)(new), getattr(part, answer)(new_fewer))
            np.testing.assert_array_equal(getattr(whole, answer)(None)[live], getattr(part, answer)(None))
            found, other = whole.kneighbors(new), part.kneighbors(new_fewer)
            np.testing.assert_array_equal(found[1], live[other[1]])
            np.testing.assert_array_equal(found[0], other[0])
            dead = np.flatnonzero(w == 0.0)
            np.testing.assert_array_equal(
                getattr(whole, answer)(None)[dead], getattr(whole, answer)(rows[dead])
            )


@pytest.mark.parametrize("smoothing", [0.0, 0.4])
@pytest.mark.parametrize("weights", ["uniform", "distance", lambda d: (d < 1.5) * 1.0], ids=["u", "d", "f"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {1: 5.0}], ids=str)
def test_leave_one_out_is_that_of_refits(
    class_weight: Any, weights: Any, smoothing: float, rng: np.random.Generator
) -> None:
    X, y, z, w = drawn(rng, 40)
    how = {"class_weight": class_weight, "weights": weights, "smoothing": smoothing}
    classes = er.KNeighborsClassifier(4, **how).fit(X, y, sample_weight=w)
    numbers = er.KNeighborsRegressor(4, weights=weights).fit(X, z, sample_weight=w)
    for i in range(40):
        others = np.arange(40) != i
        # A row of positive weight leaves with its copies; no two targets of the regressor are equal.
        others[(w > 0.0) & (X[i] == X).all(axis=1) & (y == y[i])] &= w[i] == 0.0
        refit = er.KNeighborsClassifier(4, **how).fit(X[others], y[others], sample_weight=w[others])
        others = np.arange(40) != i
        again = er.KNeighborsRegressor(4, weights=weights).fit(X[others], z[others], sample_weight=w[others])
        np.testing.assert_allclose(classes.predict_proba(None)[i], refit.predict_proba(X[[i]])[0], rtol=1e-12)
        np.testing.assert_allclose(numbers.predict(None)[i], again.predict(X[[i]])[0], rtol=1e-12)
    if class_weight is not None:
        found = er.selection.leave_one_out(er.KNeighborsClassifier(4, **how), X, y)
        assert found.shortcut
        others = (X[0] != X).any(axis=1) | (y != y[0])
        plain = er.KNeighborsClassifier(4, **how).fit(X[others], y[others]).predict_proba(X[:1])[0]
        np.testing.assert_allclose(found.predictions.output("proba")[0], plain, rtol=1e-12)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_the_number_of_neighbours_has_the_least_weighted_loss(
    class_weight: Any, rng: np.random.Generator
) -> None:
    X, y, z, w = drawn(rng, 40)
    live = w > 0.0
    lost = {}
    for k in range(1, 11):
        proba = er.KNeighborsClassifier(k, class_weight=class_weight).fit(X, y, sample_weight=w)
        lost[k] = (proba.predict(None) != y).astype(float)
    model = er.KNeighborsClassifier("cv", class_weight=class_weight).fit(X, y, sample_weight=w)
    s = balanced(y, w) if class_weight else w
    for k, losses in lost.items():
        mean = np.average(losses, weights=s)
        # The sum of s (l - m) has the variance of independent rows; n/(n - 1) as without weights.
        n = live.sum()
        error = np.sqrt(n / (n - 1) * (s**2 * (losses - mean) ** 2).sum()) / s.sum()
        np.testing.assert_allclose(model.selection_.loss[k - 1], mean, rtol=1e-12)
        np.testing.assert_allclose(model.selection_.se[k - 1], error, rtol=1e-12)
    assert model.selection_.loss[model.n_neighbors_ - 1] == pytest.approx(model.selection_.loss.min())
    equal = er.KNeighborsRegressor("cv").fit(X, z, sample_weight=np.full(40, 0.3)).selection_
    plain = er.KNeighborsRegressor("cv").fit(X, z).selection_
    np.testing.assert_array_equal(equal.loss, plain.loss)
    left = [
        er.KNeighborsRegressor(3).fit(np.delete(X, i, 0), np.delete(z, i)).predict(X[[i]])[0]
        for i in range(40)
    ]
    half = 0.5 * (np.array(left) - z) ** 2
    np.testing.assert_allclose(plain.loss[2], half.mean(), rtol=1e-12)
    np.testing.assert_allclose(plain.se[2], half.std(ddof=1) / np.sqrt(40), rtol=1e-12)


def test_a_weight_of_two_is_not_the_row_twice() -> None:
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([3.0, 0.0, 9.0])
    weighted = er.KNeighborsRegressor(2).fit(X, y, sample_weight=[2.0, 1.0, 1.0])
    twice = er.KNeighborsRegressor(2).fit(X[[0, 0, 1, 2]], y[[0, 0, 1, 2]])
    assert weighted.predict([[0.1]])[0] == 2.0  # two votes for 3 and one for 0
    assert twice.predict([[0.1]])[0] == 3.0  # both places are taken by the copies


def test_members_of_an_ensemble_see_their_draws_as_copies(rng: np.random.Generator) -> None:
    X, _, z, w = drawn(rng, 40)
    bag = er.BaggingRegressor(er.KNeighborsRegressor(3), 4, random_state=0).fit(X, z)
    assert [m.n_samples_fit_ for m in bag.estimators_] == [40] * 4
    whole = er.BaggingRegressor(er.KNeighborsRegressor(3), 1, bootstrap=False, random_state=0)
    one = er.KNeighborsRegressor(3).fit(X, z, sample_weight=w)
    np.testing.assert_allclose(whole.fit(X, z, sample_weight=w).predict(X + 0.2), one.predict(X + 0.2))


def test_weights_are_checked_told_and_verified(rng: np.random.Generator) -> None:
    X, y, _, w = drawn(rng)
    model = er.KNeighborsClassifier(3).fit(X, y, sample_weight=w)
    assert er.verify(model, X, y, 1e3 * w).kind is Kind.EXACT
    assert "weights" in er.verify(model, X, y).claim
    assert er.verify(model, X, y, w[::-1]).kind is Kind.NONE
    few = np.arange(50) < 6
    words = "n_neighbors = 7 exceeds the number of training rows with positive weight, n_samples = 6"
    with pytest.raises(ValueError, match=words):
        er.KNeighborsRegressor(7).fit(X, 1.0 * y, sample_weight=few)
    with pytest.raises(ValueError, match=r"only one class .* has rows with positive sample_weight"):
        er.KNeighborsClassifier(1).fit(X, y, sample_weight=y == 1)
    with pytest.raises(ValueError, match="sample_weight must be finite and >= 0, got -1 in row 4"):
        er.KNeighborsClassifier(1).fit(X, y, sample_weight=np.where(np.arange(50) == 4, -1.0, 1.0))
    with pytest.raises(ValueError, match="class_weight names 7, which is not a class"):
        er.KNeighborsClassifier(1, class_weight={7: 2.0}).fit(X, y)
    told = er.risk_bounds(er.KNeighborsClassifier(3, class_weight={0: 2.0}).fit(X, y), X, y).rows
    assert sum("the rows have weights" in str(row) for row in told) == 2
