"""Values of a parameter that an estimator says it fits together: the models are those of single fits."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import empirisk as er
from empirisk.data.deadline import OutOfTime
from empirisk.estimators import REGISTRY
from empirisk.estimators.kernel.kernel_base import KernelEstimator
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.evaluation.parts import each_value, parts_of, together
from empirisk.solvers import path as path_module
from tests.conformance.estimators import ALL, BY_STEPS, Use, data_for, use
from tests.conformance.kernel_estimators import EVERY as KERNELS
from tests.conformance.neighbor_estimators import USES as NEIGHBORS
from tests.conformance.network_estimators import USES as NETWORKS
from tests.conformance.process_estimators import USES as PROCESSES
from tests.conformance.smoother_estimators import USES as SMOOTHERS
from tests.conformance.tree_estimators import SMALL, USES, registered

# Not sorted, with a value twice, and on both sides of what the estimators have by default.
VALUES: tuple[list[Any], ...] = ([0.02, 0.3, 0.1, 0.3], [5, 12, 1, 5])
MORE = [
    use("GradientBoostingClassifier", early_stopping=False, **SMALL),
    use(
        "GradientBoostingClassifier", early_stopping=False, calibration_fraction=0.2, calibrate="temperature"
    ),
    use("GradientBoostingClassifier", early_stopping=False, subsample=0.7, max_features=2, **SMALL),
    use("GradientBoostingRegressor", early_stopping=False, loss="poisson", subsample=0.6, **SMALL),
    use("GradientBoostingRegressor", early_stopping=False, loss="quantile", q=(0.2, 0.8), **SMALL),
    use("GradientBoostingRegressor", early_stopping=False, calibration_fraction=0.2, **SMALL),
    use("DecisionTreeClassifier", smoothing=0.5),
    use("DecisionTreeRegressor", optimal=2),
]
TRIED: list[Use] = list(
    dict.fromkeys([*ALL, *BY_STEPS, *USES, *KERNELS, *NEIGHBORS, *PROCESSES, *NETWORKS, *SMOOTHERS, *MORE])
)
ASKED = [(u, name, values) for u in TRIED for name in u.make().get_params(deep=False) for values in VALUES]
YES = [(u, name, values) for u, name, values in ASKED if u.make()._values_together(name, values)]


def rows(est: Any, rng: np.random.Generator) -> tuple[Any, Any, dict[str, Any]]:
    data, taken = data_for(est, rng, n=80), inspect.signature(est.fit).parameters
    more = {"sample_weight": rng.integers(0, 3, 80) + 0.5} if "sample_weight" in taken else {}
    loss = getattr(est, "loss", "")
    rates = est._rates() if hasattr(est, "_rates") else loss == "poisson"
    if "exposure" in taken and rates:
        more["exposure"] = rng.uniform(0.5, 2.0, 80)
    return data.X, np.abs(data.y) if loss == "poisson" else data.y, more


def said(model: Any, X: Any) -> Any:
    name = next(k for k in ("predict_proba", "decision_function", "predict") if hasattr(model, k))
    return getattr(model, name)(X)


def check_same_optimum(model: Any, own: Any, X: Any, y: Any, more: dict[str, Any]) -> None:
    """Both are within their gaps of one optimum, problem by problem, and one certificate is the other's
    kind.
    """
    assert model.solution_.status.ok
    assert model.alpha_ == own.alpha_
    rows = own._encoded(X, y, more.get("sample_weight"), fitting=False)
    for k, problem in enumerate(own._problems(rows, own.alpha_)):
        values, gaps = [], []
        for fit in (model, own):
            a = np.zeros(problem.n)
            a[fit.support_] = fit.dual_coef_[k]
            w = problem.join(a, float(np.ravel(fit.intercept_)[k]))
            values.append(problem.objective(w, problem.evaluate(w)))
            gaps.append(min(problem.certify(w, None, 0.0, t).value for t in (problem.dual_of(a), None)))
        assert abs(values[0] - values[1]) <= sum(gaps)
        assert max(gaps) <= 2.0 * own.tol * problem.scale()


@pytest.mark.parametrize(("using", "name", "values"), YES, ids=lambda v: str(v))
def test_the_models_are_those_of_single_fits(
    using: Use, name: str, values: list[Any], rng: np.random.Generator
) -> None:
    est = using.make()
    X, y, more = rows(est, rng)
    before = est.get_params()
    models = list(est._fit_each(X, y, name, values, **more))
    assert est.get_params() == before
    assert len(models) == len(values)
    for value, model in zip(values, models, strict=True):
        own = clone(est).set_params(**{name: value}).fit(X, y, **more)
        assert model.get_params() == own.get_params()
        assert vars(model).keys() == vars(own).keys()
        if isinstance(est, LinearEstimator):
            assert model.solution_.status.ok
            assert model.alpha_ == own.alpha_
            problem = own.problem(X, y, **more)
            near, gaps = [], []
            for fit in (model, own):
                certificate = problem.certify(problem.near(fit._pack(problem))[1], theta=fit.solution_.dual)
                near.append(problem.value(fit._pack(problem)))
                gaps.append(max(certificate.value, fit.certificate_.value) + certificate.floor)
                # Twice: traces of coefficients are set to 0 at up to the price of the certificate.
                assert fit.certificate_.value <= 2 * fit.tol * fit.certificate_.scale + certificate.floor
            assert abs(near[0] - near[1]) <= sum(gaps)
        elif isinstance(est, KernelEstimator):
            check_same_optimum(model, own, X, y, more)
        else:
            assert np.array_equal(said(model, X), said(own, X))
            assert model.certificate_.claim == own.certificate_.claim
            assert model.solution_.n_steps == own.solution_.n_steps
            assert len(model.solution_.trace) == len(own.solution_.trace)
            for fact in ("train_loss_", "n_estimators_", "alpha_", "feature_importances_"):
                assert np.array_equal(getattr(model, fact, None), getattr(own, fact, None))


def test_every_kind_of_answer_occurs() -> None:
    """Linear models and kernels answer for alpha, trees too, boosting for n_estimators, neighbours for
    theirs.
    """
    assert {name for _, name, _ in YES} == {"alpha", "n_estimators", "n_neighbors"}
    linear = {name for name, cls in REGISTRY.items() if issubclass(cls, LinearEstimator)}
    found = {u.kind for u, _, _ in YES}
    walks = {
        "LinearRegression", "HalfspaceClassifier", "Perceptron", "ConstrainedRegressor", "BayesianGLM",
    }  # fmt: skip
    assert linear - found == walks | {"SGDClassifier", "SGDRegressor"}
    assert found & registered() == {
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
        "GradientBoostingClassifier",
        "GradientBoostingRegressor",
    }


@pytest.mark.parametrize(
    ("est", "name", "values"),
    [
        (er.Ridge(), "alpha", [0.1, 0.0]),
        (er.Ridge(), "alpha", [0.1, "cv"]),
        (er.Ridge(), "alpha", [True, 0.1]),
        (er.Ridge(), "tol", [0.1, 0.2]),
        (er.HuberRegressor(scale="joint"), "alpha", [0.1, 0.2]),
        (er.SGDRegressor(), "alpha", [0.1, 0.2]),
        (er.DecisionTreeClassifier(optimal=1), "alpha", [0.1, 0.2]),
        (er.DecisionTreeClassifier(), "alpha", [0.1, None]),
        (er.GradientBoostingRegressor(), "n_estimators", [1, 2]),
        (er.GradientBoostingRegressor(early_stopping=True), "n_estimators", [1, 2]),
        (er.GradientBoostingRegressor(early_stopping=False), "n_estimators", [1, 2.0]),
        (er.RandomForestRegressor(), "n_estimators", [1, 2]),
    ],
)
def test_no_is_said_where_single_fits_would_differ_or_fail(est: Any, name: str, values: list[Any]) -> None:
    assert not est._values_together(name, values)


def test_who_says_no_fits_each_by_itself(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    models = list(er.Ridge()._fit_each(X, X[:, 0], "fit_intercept", [True, False]))
    assert [m.intercept_ == 0.0 for m in models] == [False, True]


@pytest.mark.parametrize("est", [er.Lasso(), er.PoissonRegressor()])
def test_a_strength_is_solved_when_it_is_asked_for(
    est: Any, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    """What stops the third fit leaves two models."""
    solve, calls = path_module.solve, []

    def limited(*given: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) == 3:
            raise OutOfTime
        return solve(*given, **more)

    monkeypatch.setattr(path_module, "solve", limited)
    X, found = rng.normal(size=(40, 3)), []
    models = est._fit_each(X, np.exp(X[:, 0]), "alpha", [1.0, 0.1, 0.01, 0.001])
    for done in (1, 2):
        found.append(next(models).alpha_)
        assert len(calls) == done
    with pytest.raises(OutOfTime):
        next(models)
    assert found == [1.0, 0.1]


@pytest.mark.parametrize(("using", "name", "values"), YES, ids=lambda v: str(v))
def test_a_fit_that_is_overridden_is_called_for_each_value(
    using: Use, name: str, values: list[Any], rng: np.random.Generator
) -> None:
    """So is a fit whose inner part is overridden; a subclass that overrides no method is fitted together."""
    est, seen = using.make(), []
    kind = type(est)

    def fit(self: Any, X: Any, y: Any, *rest: Any, **more: Any) -> Any:
        seen.append(self.get_params(deep=False)[name])
        return kind.fit(self, X, y, *rest, **more)

    inner = "_solve" if hasattr(kind, "_solve") else "_fit"
    told = est.get_params(deep=False)
    named = type(kind.__name__, (kind,), {})
    deep = type(kind.__name__, (kind,), {inner: getattr(kind, inner)})
    own = type(kind.__name__, (kind,), {"fit": fit})
    mixed = type(kind.__name__, (type("Mixed", (), {"fit": fit}), kind), {})
    assert together(parts_of(named(**told), name), values)
    assert not together(parts_of(deep(**told), name), values)
    X, y, more = rows(est, rng)
    for cls in (own, mixed):
        seen.clear()
        assert not together(parts_of(cls(**told), name), values)
        models = each_value(cls(**told), X, y, name, values[:2], **more)
        assert [type(next(models)), type(next(models))] == [cls, cls]
        assert seen == values[:2]


def test_who_says_anew_how_values_are_fitted_is_believed() -> None:
    class Own(er.Ridge):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            return super().fit(X, y, sample_weight)

        _fit_each = er.Ridge._fit_each

    assert together(parts_of(Own(), "alpha"), [0.1, 1.0])


def test_a_search_scores_the_fit_that_is_overridden(rng: np.random.Generator) -> None:
    class Clipped(er.Ridge):
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            return super().fit(X, np.clip(y, -0.5, 0.5), sample_weight)

    X = rng.normal(size=(60, 3))
    y, alphas = 3.0 * X[:, 0], [0.1, 1.0]
    cv = [(np.arange(40), np.arange(40, 60))]
    search = er.selection.GridSearch(Clipped(), {"alpha": alphas}, metric="mse", cv=cv).fit(X, y)
    wanted = min(
        float(np.mean((Clipped(alpha=a).fit(X[:40], y[:40]).predict(X[40:]) - y[40:]) ** 2)) for a in alphas
    )
    assert search.naive_score_.value == pytest.approx(wanted, rel=1e-6)
