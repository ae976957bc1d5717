"""Constrained and penalised forms of one problem, and regressions with any loss, penalty and set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk.data import ArrayBlocks, Design
from empirisk.losses import user_loss
from empirisk.penalties import (
    AffineSet,
    Box,
    GroupLasso,
    HalfSpace,
    Intersection,
    L2Ball,
    NonNegative,
    Simplex,
    SortedL1,
)
from empirisk.problems import LinearProblem
from empirisk.solvers import solve
from tests.oracles.optimum import Case
from tests.oracles.shapes import optimum_near


def regression(n: int = 60, p: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(12)
    X = rng.normal(size=(n, p)) + 0.4 * rng.normal(size=(n, 1)) + 1.0
    return X, X @ np.linspace(1.0, -0.6, p) + rng.normal(size=n) + 2.0


MODELS = [
    er.ConstrainedRegressor(radius=0.6),
    er.ConstrainedRegressor("l1_ball", radius=0.6, loss="huber"),
    er.ConstrainedRegressor("simplex", fit_intercept=False),
    er.ConstrainedRegressor("non_negative"),
    er.ConstrainedRegressor(Intersection([Box(0.0, 0.8), HalfSpace([1.0] * 5, 1.0)])),
    er.ConstrainedRegressor(AffineSet([[1.0] * 5], [0.2])),
    er.PenalizedRegressor(GroupLasso(0.2, [[0, 1], [2, 3], [4]])),
    er.PenalizedRegressor(SortedL1(0.2, [1.0, 0.8, 0.5, 0.2, 0.1]), loss="huber"),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_certificates_are_true(model: Any) -> None:
    X, y = regression()
    s = np.random.default_rng(3).integers(1, 3, size=60).astype(float)
    model = model.set_params(tol=1e-12).fit(X, y, sample_weight=s)
    problem = model.problem(X, y, sample_weight=s)
    near = solve(problem, "fista", tol=1e-14).w
    case = Case(problem.loss.name, X, y, s, 0.0, 0.0, problem.intercept)
    best = optimum_near(case, problem.penalty, near)
    excess = problem.value(model._pack(problem)) - best.value
    bound = model.certificate_.suboptimality()
    assert -1e-13 <= excess <= (1e-12 if bound is None else bound + model.certificate_.floor)
    np.testing.assert_allclose(model.coef_, best.w[:5], atol=2e-5)


# -- the two forms ------------------------------------------------------------------------------


def kinds() -> dict[str, Any]:
    return {
        "ridge": lambda a: er.Ridge(alpha=a, tol=1e-13),
        "lasso": lambda a: er.Lasso(alpha=a, tol=1e-13),
        "positive lasso": lambda a: er.Lasso(alpha=a, positive=True, tol=1e-13),
        "logistic": lambda a: er.LogisticRegression(alpha=a, tol=1e-13),
        "sparse logistic": lambda a: er.LogisticRegression(alpha=a, l1_ratio=1.0, tol=1e-13),
    }


@pytest.mark.parametrize("kind", list(kinds()))
def test_both_forms_trace_one_path(kind: str) -> None:
    X, y = regression()
    if "logistic" in kind:
        y = (y > np.median(y)).astype(int)
    bounds = []
    for alpha in (0.1, 0.05, 0.02, 0.01):
        est = kinds()[kind](alpha).fit(X, y)
        form = er.equivalent_constraint(est, X, y)
        bounds.append(form.radius)
        # The set, in place of the penalty, has the same solution: w at a distance that the gaps prove.
        penalised = est.problem(X, y)
        constrained = LinearProblem(penalised.loss, form.constraint, penalised.data, penalised.intercept)
        solution = solve(constrained, "projected_gradient", tol=1e-13).require()
        np.testing.assert_allclose(solution.w[:5], np.ravel(est.coef_), atol=3e-6)
        np.testing.assert_allclose(solution.w[5], np.ravel(est.intercept_)[0], atol=2e-5)
        # Its multiplier, from the gradient at its solution: grad f = -multiplier * (normal of the set).
        grad = constrained.evaluate(solution.w).grad[:5]
        w = solution.w[:5]
        normal = w / np.linalg.norm(w) if form.square_multiplier is not None else np.sign(w)
        on = np.abs(w) > 1e-9
        np.testing.assert_allclose(-grad[on], form.multiplier * normal[on], atol=1e-5)
        assert np.all(-grad[~on] <= form.multiplier * (1.0 + 1e-5))
        assert form.measured == pytest.approx(form.multiplier, rel=1e-5)
        if form.square_multiplier is not None:
            assert form.square_multiplier == alpha
            assert form.multiplier == pytest.approx(alpha * form.radius, rel=1e-12)
    assert np.all(np.diff(bounds) > 0.0)  # a weaker penalty is a wider set


@pytest.mark.parametrize("penalty", [GroupLasso(0.2, [[0, 1], [2, 3, 4]]), SortedL1(0.2)], ids=str)
def test_bounds_without_a_set(penalty: Any) -> None:
    X, y = regression()
    est = er.PenalizedRegressor(penalty, tol=1e-13).fit(X, y)
    form = er.equivalent_constraint(est)
    assert form.constraint is None
    assert form.multiplier == 0.2
    assert form.measured == pytest.approx(0.2, rel=1e-6)
    assert form.radius == pytest.approx(penalty.value(est.coef_) / 0.2)
    # No point of the constrained form is better: proposition by weak duality, on many points of the set.
    rng, problem = np.random.default_rng(0), est.problem(X, y)
    best = problem.mean_loss(problem.scores(est._pack(problem)))
    for _ in range(300):
        w = est.coef_ + 0.3 * rng.normal(size=5)
        w *= min(1.0, form.radius / (penalty.value(w) / 0.2))
        b = np.mean(y - X @ w)
        assert problem.mean_loss(X @ w + b) >= best - 1e-12


def test_the_multiplier_of_a_fitted_set_leads_back() -> None:
    X, y = regression()
    form = er.equivalent_constraint(er.ConstrainedRegressor(radius=0.5, tol=1e-13).fit(X, y))
    ridge = er.Ridge(alpha=form.square_multiplier, tol=1e-13).fit(X, y)
    assert np.linalg.norm(ridge.coef_) == pytest.approx(0.5, rel=1e-7)
    ball = er.ConstrainedRegressor("l1_ball", radius=0.5, tol=1e-13).fit(X, y)
    lasso = er.Lasso(alpha=er.equivalent_constraint(ball).multiplier, tol=1e-13).fit(X, y)
    np.testing.assert_allclose(lasso.coef_, ball.coef_, atol=1e-5)
    simplex = er.equivalent_constraint(er.ConstrainedRegressor("simplex", tol=1e-13).fit(X, y))
    pushed = er.Lasso(alpha=max(simplex.multiplier, 0.0), positive=True, tol=1e-13).fit(X, y)
    assert simplex.multiplier > 0.0  # more than 1 in all would fit better
    assert pushed.coef_.sum() == pytest.approx(1.0, abs=1e-5)


def test_no_penalty_no_constraint() -> None:
    X, y = regression()
    with pytest.raises(ValueError, match="no constraint is active"):
        er.equivalent_constraint(er.Ridge(alpha=0.0).fit(X, y))
    with pytest.raises(ValueError, match="is no ball"):
        er.equivalent_constraint(er.ConstrainedRegressor("non_negative").fit(X, y))
    with pytest.raises(ValueError, match="not the rows that the model was fitted on"):
        er.equivalent_constraint(er.Lasso(alpha=0.1).fit(X, y), X[::2], y[::2])


# -- input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"constraint": "cube"}, "constraint must be one of l1_ball, l2_ball, non_negative, simplex"),
        ({"constraint": HalfSpace([1.0, 2.0], 1.0)}, "normal has 2 entries but there are 5"),
        (
            {
                "constraint": Intersection(
                    [NonNegative(), L2Ball(1.0), HalfSpace([1.0] * 5, -10.0)], 1e-13, 200
                )
            },
            r"contradict each other: sets 0 \(non_negative\) and 2 \(half_space\) are \S+ apart",
        ),
        ({"radius": -1.0}, "radius must be a finite number >= 0"),
        ({"constraint": "simplex", "radius": 0.0}, "radius must be a finite number > 0"),
        ({"loss": "nonsense"}, "loss must be one of absolute, .*huber"),
        ({"loss": "softmax"}, "loss must be one of"),
        ({"loss": er.losses.Softmax()}, "needs a vector of scores"),
        ({"loss": "poisson"}, "needs targets in"),
        ({"loss": "absolute"}, "piecewise linear losses of the library are solved with no penalty"),
    ],
    ids=str,
)
def test_bad_input_is_named(params: dict[str, Any], sentence: str) -> None:
    X, y = regression()
    with pytest.raises(ValueError, match=sentence):
        er.ConstrainedRegressor(**params).fit(X, -np.abs(y))


def test_a_loss_of_ones_own() -> None:
    X, y = regression()
    logcosh = user_loss(lambda y, z: np.logaddexp(z - y, y - z) - np.log(2.0), lambda y, z: np.tanh(z - y))
    for model in (
        er.ConstrainedRegressor(loss=logcosh, radius=0.5),
        er.PenalizedRegressor(GroupLasso(0.1, [[0, 1, 2], [3, 4]]), loss=logcosh),
        er.PenalizedRegressor("l1", loss=logcosh, alpha=0.1),
    ):
        fitted = model.fit(X, y)
        assert fitted.certificate_.within(1e-6), fitted.solution_.sentence
        np.testing.assert_allclose(fitted.predict(X), X @ fitted.coef_ + fitted.intercept_)


def test_predictions_go_through_the_link() -> None:
    X, _ = regression()
    y = np.random.default_rng(1).poisson(np.exp(0.3 * X[:, 0])).astype(float)
    model = er.ConstrainedRegressor(loss="poisson", radius=0.5).fit(X, y)
    np.testing.assert_allclose(model.predict(X), np.exp(X @ model.coef_ + model.intercept_))
    assert model.predict(X).mean() == pytest.approx(y.mean(), rel=1e-3)  # b is free


def test_sets_need_no_design_in_memory_order() -> None:
    X, y = regression()
    data = ArrayBlocks(Design(X), y, np.ones(60))
    problem = LinearProblem(er.losses.HalfSquared(), Simplex(), data)
    wide = LinearProblem(problem.loss, Simplex(), ArrayBlocks(Design(np.asfortranarray(X)), y, np.ones(60)))
    np.testing.assert_allclose(solve(problem).w, solve(wide).w, atol=1e-9)
