"""AdaBoost against plain NumPy, its bounds and certificates against enumeration and linear programming."""

from __future__ import annotations

import json
import pickle
import time
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import empirisk as er
from empirisk.results import Kind
from empirisk.trees.votes import SMOOTHING
from tests.oracles.boosted_stumps import all_sides, boost, samme


def noisy(rng: np.random.Generator, n: int, k: int = 2) -> tuple[Any, Any]:
    """Numbers with ties, a column of categories and missing values; classes that stumps do not separate."""
    X = np.column_stack([rng.standard_normal(n).round(1), rng.standard_normal(n), rng.integers(0, 4, n)])
    X[rng.random(X.shape) < 0.1] = np.nan
    z = np.nan_to_num(X[:, 0] ** 2 - X[:, 1]) + np.isin(X[:, 2], [1, 3]) + rng.standard_normal(n)
    return X, np.digitize(z, np.quantile(z, np.arange(1, k) / k))


@pytest.mark.parametrize("real", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_in_plain_numpy(real: bool, weighted: bool, rng: np.random.Generator) -> None:
    X, y = noisy(rng, 80)
    weight = rng.integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    variant = "real" if real else "discrete"
    model = er.AdaBoostClassifier(25, variant=variant, categorical_features=[2]).fit(X, y, weight)
    twin = boost(all_sides(X, [0, 0, 4]), y, weight, 25, real, SMOOTHING)
    scores = list(model.staged_decision_function(X))
    np.testing.assert_allclose(scores, twin["F"], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(model.estimator_errors_, twin["error"], rtol=1e-9)
    np.testing.assert_allclose(model.training_error_bound_, np.cumprod(twin["Z"]), rtol=1e-9)
    sign, share = np.where(y == 1, 1.0, -1.0), weight / weight.sum()
    losses = [(share * np.exp(-sign * F)).sum() for F in twin["F"]]
    np.testing.assert_allclose([p.objective for p in model.solution_.trace], losses, rtol=1e-9)
    if not real:
        e = model.estimator_errors_
        np.testing.assert_allclose(
            model.training_error_bound_, np.cumprod(2 * np.sqrt(e * (1 - e))), rtol=1e-9
        )


def test_samme_in_plain_numpy(rng: np.random.Generator) -> None:
    X, y = noisy(rng, 70, 4)
    model = er.AdaBoostClassifier(15, categorical_features=[2]).fit(X, y)
    votes = samme(all_sides(X, [0, 0, 4]), y, 4, 15)
    centred = votes - votes.mean(axis=2, keepdims=True)
    np.testing.assert_allclose(list(model.staged_decision_function(X)), centred, rtol=1e-9, atol=1e-11)
    total = model.estimator_weights_.sum()
    others = np.where(np.eye(4, dtype=bool)[y], -np.inf, votes[-1])
    margins = (votes[-1][np.arange(len(y)), y] - others.max(axis=1)) / total
    np.testing.assert_allclose(model.margins_, margins, atol=1e-12)


def test_samme_r_by_the_formulas_of_its_paper(rng: np.random.Generator) -> None:
    X, y = noisy(rng, 90, 3)
    model = er.AdaBoostClassifier(12, variant="real", categorical_features=None).fit(X, y)
    k, w = 3, np.full(len(y), 1 / len(y))
    coded = np.where(np.eye(k, dtype=bool)[y], 1.0, -1.0 / (k - 1))
    total = np.zeros((len(y), k))
    leaf = model.trees_.apply(X)
    for t in range(12):  # the same cuts; shares, weights and scores as in algorithm 4
        mass = np.array(
            [np.bincount(y[leaf[:, t] == v], weights=w[leaf[:, t] == v], minlength=k) for v in (1, 2)]
        )
        p = ((mass + SMOOTHING) / (mass + SMOOTHING).sum(axis=1, keepdims=True))[leaf[:, t] - 1]
        total += (k - 1) * (np.log(p) - np.log(p).mean(axis=1, keepdims=True))
        w *= np.exp(-(k - 1) / k * (coded * np.log(p)).sum(axis=1))
        w /= w.sum()
    np.testing.assert_allclose(model.decision_function(X) * (k - 1), total, rtol=1e-9, atol=1e-11)
    softmax = np.exp(total / (k - 1)) / np.exp(total / (k - 1)).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), softmax, rtol=1e-9)


@pytest.mark.parametrize("variant", ["discrete", "real"])
@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("rate", [0.3, 1.0])
def test_the_bound_holds_in_every_round(variant: str, k: int, rate: float, rng: np.random.Generator) -> None:
    X, y = noisy(rng, 150, k)
    model = er.AdaBoostClassifier(60, variant=variant, learning_rate=rate, categorical_features=[2]).fit(X, y)
    errors = np.array([np.mean(said != y) for said in model.staged_predict(X)])
    np.testing.assert_allclose(model.training_error_, errors, atol=1e-12)
    assert (errors <= model.training_error_bound_ * (1 + 1e-12)).all()
    assert model.training_error_bound_[-1] < 1.0 or k > 2
    assert (np.abs(model.margins_) <= 1 + 1e-12).all()
    assert model.margins_.min() == pytest.approx(model.least_margins_[-1], abs=1e-12)


def stump_signs(X: Any, y: Any) -> Any:
    """``y_i h(x_i)`` for every stump h that names class 1 on its left side, shape (n, H)."""
    sign = np.where(y == 1, 1.0, -1.0)
    return np.column_stack([sign * np.where(side, 1.0, -1.0) for side in all_sides(X, [0] * X.shape[1])])


@pytest.mark.parametrize("variant", ["discrete", "real"])
def test_the_gap_to_the_best_vote_of_the_same_weight(variant: str, rng: np.random.Generator) -> None:
    X = rng.standard_normal((60, 2))
    y = (X[:, 0] + X[:, 1] + 1.5 * rng.standard_normal(60) > 0).astype(int)
    A = stump_signs(X, y)
    for rounds in (1, 5, 40):
        model = er.AdaBoostClassifier(rounds, variant=variant).fit(X, y)
        found = model.certificate_
        assert found.kind is Kind.DUALITY_GAP
        loss = np.exp(-np.where(y == 1, 1, -1) * model.decision_function(X)).mean()
        reach = np.abs(model.trees_.value).reshape(-1)
        reach = sum(
            reach[a:b].max() for a, b in zip(model.trees_.start[:-1], model.trees_.start[1:], strict=True)
        )

        def value(
            u: Any, reach: float = reach
        ) -> tuple[float, Any]:  # votes of weight <= reach, in two parts
            v = u[: A.shape[1]] - u[A.shape[1] :]
            e = np.exp(-A @ v) / len(y)
            slope = -A.T @ e
            return e.sum(), np.concatenate([slope, -slope])

        start = np.zeros(2 * A.shape[1])
        limit = {"type": "ineq", "fun": lambda u, r=reach: r - u.sum(), "jac": lambda u: -np.ones(len(u))}
        best = minimize(
            value, start, jac=True, bounds=[(0, None)] * len(start), constraints=limit, method="SLSQP"
        )
        assert -1e-6 <= loss - best.fun <= found.value + 1e-6
        assert found.scale == pytest.approx(loss, rel=1e-9)


def test_margins_against_the_linear_programme(rng: np.random.Generator) -> None:
    X = rng.standard_normal((50, 3))
    y = (X[:, 0] + 0.7 * X[:, 1] - X[:, 2] > 0).astype(int)
    A = stump_signs(X, y)
    n, h = A.shape
    # max rho subject to A v >= rho, ||v||_1 <= 1: v = a - b.
    upper = np.hstack([-A, A, np.ones((n, 1))])
    weight = np.append(np.ones(2 * h), 0.0)[None]
    found = linprog(
        np.append(np.zeros(2 * h), -1.0),
        A_ub=np.vstack([upper, weight]),
        b_ub=np.append(np.zeros(n), 1.0),
        bounds=[(0, None)] * (2 * h) + [(None, None)],
    )
    for variant in ("discrete", "real"):
        model = er.AdaBoostClassifier(300, variant=variant).fit(X, y)
        assert 0.0 < model.margins_.min() <= -found.fun <= model.margin_bound_ + 1e-12
        assert model.certificate_.kind is Kind.EXACT
        assert model.certificate_.value == pytest.approx(
            np.exp(-np.where(y == 1, 1, -1) * model.decision_function(X)).mean(), rel=1e-9
        )


def test_the_json_form_feeds_the_charts(rng: np.random.Generator) -> None:
    X, y = noisy(rng, 3000)
    model = er.AdaBoostClassifier(20).fit(X, y)
    told = json.loads(json.dumps(model.to_dict()))
    assert (told["rounds"], told["n_rows"], len(told["margins"])) == (20, 3000, 1000)
    assert (told["margins"][0], told["margins"][-1]) == (model.margins_.min(), model.margins_.max())
    held = [float(np.mean(said != y)) for said in model.staged_predict(X)]
    assert f"{100 * held[-1]:.0f} %" in er.plots.VoteRoundsDisplay(told, held).title
    assert f"{100 * np.mean(model.margins_ <= 0):.0f} %" in er.plots.MarginsDisplay(told).title
    few = er.AdaBoostClassifier(5, estimator=GaussianNB()).fit(np.nan_to_num(X), y).to_dict()
    assert few["margin_bound"] is None
    assert "no vote" not in er.plots.MarginsDisplay(few).description


def test_a_perfect_member_ends_the_rounds() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    for variant in ("discrete", "real"):
        model = er.AdaBoostClassifier(50, variant=variant).fit(X, [0, 0, 1, 1])
        assert model.n_estimators_ == 1
        assert "makes no error" in model.solution_.note
        assert model.certificate_.kind is Kind.EXACT
        assert model.predict_proba(X)[0, 0] > 0.99


def test_no_member_better_than_guessing_ends_the_rounds() -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    for variant in ("discrete", "real"):
        model = er.AdaBoostClassifier(50, variant=variant).fit(X, [0, 1, 1, 0])  # exclusive or
        assert "weak learning assumption fails" in model.solution_.note
        assert model.estimator_weights_.tolist() == [0.0]
        np.testing.assert_array_equal(model.predict_proba(X), 0.5)
        # Nothing can be done with stumps: the loss 1 of no vote is the least, and the certificate knows it.
        assert model.certificate_.value == 0.0


@pytest.mark.parametrize("stopping", ["margin", "validation"])
@pytest.mark.parametrize("variant", ["discrete", "real"])
def test_early_stopping_keeps_the_best_round(stopping: str, variant: str, rng: np.random.Generator) -> None:
    X, y = noisy(rng, 400)
    settings = {"variant": variant, "categorical_features": [2], "random_state": 3}
    model = er.AdaBoostClassifier(200, early_stopping=stopping, n_iter_no_change=8, **settings).fit(X, y)
    kept = model.n_estimators_
    assert kept < 200
    assert len(model.trees_) == kept == len(model.estimator_weights_) == len(model.solution_.trace)
    assert f"kept {kept} of" in model.solution_.note
    held = np.isnan(model.margins_)
    assert held.any() == (stopping == "validation")
    again = er.AdaBoostClassifier(kept, **settings).fit(X[~held], y[~held])
    np.testing.assert_allclose(again.decision_function(X), model.decision_function(X), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(again.margins_, model.margins_[~held], atol=1e-11)
    assert again.certificate_.value == pytest.approx(model.certificate_.value, rel=1e-8)
    if stopping == "validation":
        told = model.validation_
        assert told.n_rounds == kept
        assert told.loss.value == pytest.approx(np.mean(model.predict(X[held]) != y[held]))
    else:
        longer = er.AdaBoostClassifier(kept + 8, **settings).fit(X, y)
        assert longer.least_margins_[kept:].max() <= longer.least_margins_[kept - 1] + 1e-3


class BruteStump(ClassifierMixin, BaseEstimator):
    """The stump with the least weighted error, by enumeration."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        self.classes_ = np.unique(y)
        best = -1.0
        for j in range(X.shape[1]):
            values = np.unique(X[:, j])
            for cut in [*(values[1:] + values[:-1]) / 2, np.inf]:
                left = X[:, j] <= cut
                mass = [[sample_weight[p & (y == c)].sum() for c in self.classes_] for p in (left, ~left)]
                right = sum(map(max, mass))
                if right > best + 1e-12:
                    best, self.cut_ = right, (j, cut, int(np.argmax(mass[0])), int(np.argmax(mass[1])))
        return self

    def predict(self, X: Any) -> Any:
        j, cut, left, right = self.cut_
        return self.classes_[np.where(X[:, j] <= cut, left, right)]


@pytest.mark.parametrize("k", [2, 3])
def test_members_of_another_kind(k: int, rng: np.random.Generator) -> None:
    X = rng.standard_normal((60, 2))
    y = np.array(["a", "b", "c"])[np.minimum((X[:, 0] + X[:, 1] ** 2 > 0.5) * 1 + (X[:, 1] > 1.0), k - 1)]
    other = er.AdaBoostClassifier(12, estimator=BruteStump()).fit(X, y)
    ours = er.AdaBoostClassifier(12).fit(X, y)
    np.testing.assert_allclose(other.decision_function(X), ours.decision_function(X), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(other.margins_, ours.margins_, atol=1e-11)
    np.testing.assert_array_equal(list(other.staged_predict(X)), list(ours.staged_predict(X)))
    assert other.certificate_.kind in (Kind.NONE, Kind.EXACT)
    tree = DecisionTreeClassifier(max_depth=2, max_features=1)
    deep = [er.AdaBoostClassifier(8, estimator=tree, variant="real", random_state=4).fit(X, y) for _ in "ab"]
    np.testing.assert_array_equal(deep[0].decision_function(X), deep[1].decision_function(X))
    assert deep[0].score(X, y) > 0.9
    assert pickle.loads(pickle.dumps(deep[0])).score(X, y) == deep[0].score(X, y)
    bayes = er.AdaBoostClassifier(5, estimator=GaussianNB(), variant="real").fit(X, y)
    assert bayes.training_error_[-1] <= bayes.training_error_bound_[-1]


def test_refusals_name_what_is_wrong(rng: np.random.Generator) -> None:
    X, y = rng.standard_normal((20, 2)), np.arange(20) % 2
    for params, words in (
        ({"variant": "gentle"}, "variant must be 'discrete' or 'real'"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"n_estimators": 0}, "n_estimators"),
        ({"early_stopping": "loss"}, "early_stopping must be None"),
        ({"early_stopping": "validation", "validation_fraction": 1.5}, "validation_fraction"),
        ({"estimator": KNeighborsClassifier()}, "must take sample_weight"),
    ):
        with pytest.raises(ValueError, match=words):
            er.AdaBoostClassifier(**params).fit(X, y)
    with pytest.raises(TypeError, match="must be a classifier"):
        er.AdaBoostClassifier(estimator=er.Ridge()).fit(X, y)
    with pytest.raises(ValueError, match="one class only"):
        er.AdaBoostClassifier().fit(X[:1], y[:1])

    class Broken(BruteStump):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise RuntimeError("no")

    with pytest.raises(RuntimeError) as caught:
        er.AdaBoostClassifier(estimator=Broken()).fit(X, y)
    assert caught.value.__notes__ == ["while fitting member 0 of the vote, a Broken"]


def test_ten_thousand_categories_and_an_empty_column(rng: np.random.Generator) -> None:
    n = 30_000
    codes = rng.integers(0, 10_000, n).astype(float)
    X = np.column_stack([codes, np.full(n, np.nan), np.ones(n)])
    y = (rng.random(n) < np.where(codes % 3 == 0, 0.9, 0.2)).astype(int)
    start = time.process_time()
    model = er.AdaBoostClassifier(5, categorical_features=[0]).fit(X, y)
    assert time.process_time() - start < 60  # no search over sets
    assert model.score(X, y) > 0.75
    assert set(model.trees_.feature) <= {0, -1}
    assert model.feature_importances_.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize("variant", ["discrete", "real"])
@pytest.mark.parametrize("k", [2, 3])
def test_deeper_trees(variant: str, k: int, rng: np.random.Generator) -> None:
    X, y = noisy(rng, 200, k)
    model = er.AdaBoostClassifier(15, max_depth=2, variant=variant, categorical_features=[2]).fit(X, y)
    assert model.trees_.depth.max() == 2
    np.testing.assert_allclose(
        model.training_error_, [np.mean(p != y) for p in model.staged_predict(X)], atol=1e-12
    )
    assert (model.training_error_ <= model.training_error_bound_ * (1 + 1e-12)).all()
    w = np.full(200, 1 / 200)  # the weights of the rounds again, from the scores
    for t, score in enumerate([np.zeros(200), *model.staged_decision_function(X)][:-1] if k == 2 else []):
        w = np.exp(-np.where(y == 1, 1, -1) * score)
        said = model.trees_[t].predict(X)[:, 0] > 0
        assert model.estimator_errors_[t] == pytest.approx(w[said != y].sum() / w.sum(), rel=1e-9)
    xor = er.AdaBoostClassifier(5, max_depth=2, variant=variant)
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert xor.fit(X, [0, 1, 1, 0]).score(X, [0, 1, 1, 0]) == 1.0
    assert "makes no error" in xor.solution_.note


@pytest.mark.filterwarnings("ignore:overflow encountered in exp:RuntimeWarning")
@pytest.mark.parametrize("variant", ["discrete", "real"])
def test_steps_beyond_the_range_of_exp_leave_no_nan(variant: str, rng: np.random.Generator) -> None:
    X, y = noisy(rng, 80)
    model = er.AdaBoostClassifier(10, learning_rate=1e10, variant=variant).fit(X, y)
    assert np.isfinite(model.margins_).all()
    assert np.isfinite(model.edges_).all()
    assert model.margins_.min() <= model.margin_bound_ <= 1.0
    assert "nan" not in model.certificate_.claim
