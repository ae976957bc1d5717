"""warm_start: the same optimum from the coefficients before, in fewer steps; never another model."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import empirisk as er
from empirisk.selection import learning_curve


def table(rng, n: int = 2000, p: int = 8, k: int = 2):
    X = rng.normal(size=(n, p))
    scores = X @ rng.normal(size=(p, k)) + rng.gumbel(size=(n, k))
    return X, scores.argmax(axis=1)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(
    "settings", [{}, {"alpha": 0.01, "l1_ratio": 1.0}, {"solver": "lbfgs"}, {"fit_intercept": False}]
)
def test_growing_rows_take_fewer_steps_to_the_same_optimum(k, settings, rng) -> None:
    X, y = table(rng, k=k)
    tight = {"tol": 1e-9, **settings}
    warm = er.LogisticRegression(warm_start=True, **tight)
    steps = {"warm": 0, "cold": 0}
    for m in (250, 500, 1000, 2000):
        cold = er.LogisticRegression(**tight).fit(X[:m], y[:m])
        warm.fit(X[:m], y[:m])
        assert warm.certificate_.within(1e-9)
        np.testing.assert_allclose(warm.predict_proba(X), cold.predict_proba(X), atol=1e-4)
        steps["warm"] += warm.n_iter_
        steps["cold"] += cold.n_iter_
    assert steps["warm"] < steps["cold"]


@pytest.mark.parametrize("k", [2, 3])
def test_at_the_optimum_it_stays(k, rng) -> None:
    X, y = table(rng, k=k)
    model = er.LogisticRegression(warm_start=True).fit(X, y)
    before = model.predict_proba(X)
    assert model.fit(X, y).n_iter_ == 1
    np.testing.assert_allclose(model.predict_proba(X), before, atol=1e-3)


def other_classes(X, y):
    return X, np.array(["a", "b"])[y]


def third_class(X, y):
    return X, np.where(X[:, 0] > 1.0, 2, y)


def fewer_columns(X, y):
    return X[:, :5], y


@pytest.mark.parametrize("change", [other_classes, third_class, fewer_columns])
def test_another_problem_starts_afresh(change, rng) -> None:
    X, y = table(rng)
    model = er.LogisticRegression(warm_start=True).fit(X, y).fit(*change(X, y))
    cold = er.LogisticRegression().fit(*change(X, y))
    np.testing.assert_array_equal(model.coef_, cold.coef_)
    assert model.n_iter_ == cold.n_iter_


def test_a_clone_and_a_failed_fit(rng) -> None:
    X, y = table(rng)
    model = er.LogisticRegression(warm_start=True).fit(X, y)
    assert not hasattr(clone(model), "coef_")
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.zeros(len(y)))
    np.testing.assert_array_equal(model.coef_, before)
    assert model.fit(X, y).n_iter_ == 1


@pytest.mark.parametrize("bad", ["yes", 2, None])
def test_the_flag_is_checked(bad, rng) -> None:
    with pytest.raises((TypeError, ValueError), match="warm_start"):
        er.LogisticRegression(warm_start=bad).fit(*table(rng, 100))


class Cold(er.LogisticRegression):
    """A fit from scratch, whatever the flag says."""

    def _start(self, problem, before):
        return None


@pytest.mark.full
@pytest.mark.parametrize("l1_ratio", [0.0, 1.0])
def test_a_learning_curve_does_not_depend_on_where_its_fits_begin(l1_ratio, rng, monkeypatch) -> None:
    X, y = table(rng, 600)
    count = {er.LogisticRegression: 0, Cold: 0}
    finish = er.LogisticRegression._finish

    def counted(self, problem, solution):
        count[type(self)] += solution.n_steps
        finish(self, problem, solution)

    monkeypatch.setattr(er.LogisticRegression, "_finish", counted)
    curves = [
        learning_curve(
            make_pipeline(StandardScaler(), kind(alpha=0.01, l1_ratio=l1_ratio)), X, y, random_state=0
        )
        for kind in count
    ]
    warm, cold = ([v.value for v in c.validation] for c in curves)
    np.testing.assert_allclose(warm, cold, rtol=1e-4)
    assert count[er.LogisticRegression] < count[Cold]
