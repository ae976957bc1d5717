"""Every public function that takes row weights takes them as repetitions, and none forgets an exposure.

Each function of ``er`` and ``er.selection`` that takes data is in one of the tables below: its value under
weights is that of repeated rows, or a sentence says why it has none; it refuses a model that was fitted with
an exposure where none is given, by the same sentence, or another sentence says what it does instead.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import empirisk as er

RNG = np.random.default_rng(11)
N = 120
X = RNG.normal(size=(N, 3))
W = RNG.integers(0, 4, size=N).astype(float)
E = RNG.uniform(0.5, 8.0, size=N)
Y = X[:, 0] + 0.5 * X[:, 1] + RNG.normal(size=N)
COUNTS = RNG.poisson(E * np.exp(0.4 * X[:, 0] - 1.0)).astype(float)
AGAIN = np.repeat(np.arange(N), W.astype(int))
Told = dict[str, Any]


def folds(rows: Any) -> list[tuple[Any, Any]]:
    """Return four folds in which copies of a row share one."""
    fold = np.arange(N)[rows] % 4
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]


def plain() -> Any:
    """Return a model of all rows, which count alike in it."""
    return er.LinearRegression().fit(X, Y)


def values(name: str, rows: Any, told: Told) -> Any:
    """Return what one function says about some rows, as plain numbers."""
    Z, y, ridge = X[rows], Y[rows], er.Ridge(alpha=0.1)
    cv = folds(rows)
    if name == "evaluate":
        return er.evaluate(plain(), Z, y, metrics="mse", **told)["mse"].value
    if name == "cross_evaluate":
        return er.cross_evaluate(ridge, Z, y, cv=cv, metrics="mse", **told)["mse"].value
    if name == "compare":
        return er.compare(ridge, er.Ridge(alpha=3.0), Z, y, cv=cv, metric="mse", **told).difference.value
    if name == "compare_fitted":
        two = plain(), er.Ridge(alpha=3.0).fit(X, Y)
        return er.selection.compare_fitted(*two, Z, y, metric="mse", **told).difference.value
    if name == "evaluate_predictions":
        found = er.selection.evaluate_predictions(y, pred=plain().predict(Z), metrics="mse", **told)
        return found["mse"].value
    if name == "diagnose":
        return er.diagnose(ridge, Z, y, cv=cv, random_state=0, **told).decomposition.estimate.value
    if name == "partial_dependence":
        return er.partial_dependence(plain(), Z, 0, grid=[-1.0, 0.0, 1.0], **told).value
    if name == "interaction_strength":
        model = er.GradientBoostingRegressor(n_estimators=20).fit(X, X[:, 0] * X[:, 1] + X[:, 2])
        found = er.interaction_strength(model, Z, [0, 1], max_rows=10_000, n_resamples=1, **told)
        order = np.argsort(found.names)
        return [[found.strength[i].value, found.size[i], found.joint[i]] for i in order]
    if name == "margins":
        model = er.PoissonRegressor(alpha=0.0).fit(X, COUNTS)
        return er.margins(model, Z, **told).to_frame()["value"].to_numpy()
    if name == "path":
        return er.path(er.Lasso(), Z, y, alphas=[0.3, 0.1, 0.01], **told).coefs
    if name == "verify":
        model = er.Ridge(alpha=0.1).fit(X, Y)
        return er.verify(model, Z, y, **told).value
    if name == "equivalent_constraint":
        model = er.Lasso(alpha=0.05, tol=1e-10).fit(Z, y, **told)
        return er.equivalent_constraint(model, Z, y, **told).radius
    if name == "likelihood_ratio":
        small, large = (er.LinearRegression().fit(Z[:, :k], y, **told) for k in (1, 3))
        return er.likelihood_ratio(small, large).statistic
    if name in ("fit_mle", "fit_moments"):
        return [e.value for e in getattr(er, name)("gaussian", y, **told).estimates.values()]
    raise KeyError(name)


# Why a function that takes weights has no row in `values`.
NO_VALUES = {
    "choose_k": "draws boxes without clusters; tests/partitions checks weights in its criteria",
    "compare_partitions": "tests/conformance/test_agreements.py checks every index",
    "conformalize": "scores count once: weights are ratios of densities, sample_weight is for fits",
    "fit_map": "as fit_mle, with a prior that is given in rows",
    "nested_cross_evaluate": "folds within folds differ; tests/search/test_weighted_search.py",
    "tune": "which fits there are depends on draws and folds; tests/search/test_weighted_search.py",
}
VALUED = [
    "evaluate", "cross_evaluate", "compare", "compare_fitted", "evaluate_predictions", "diagnose",
    "partial_dependence", "interaction_strength", "margins", "path", "verify", "equivalent_constraint",
    "likelihood_ratio", "fit_mle", "fit_moments",
]  # fmt: skip


@pytest.mark.parametrize("name", VALUED)
def test_a_weight_is_the_row_so_many_times(name: str) -> None:
    told = np.asarray(values(name, slice(None), {"sample_weight": W}), dtype=float)
    assert np.isfinite(told).all()
    repeated = np.asarray(values(name, AGAIN, {}), dtype=float)
    # Solvers of penalised fits stop at a relative gap of 1e-6.
    assert told == pytest.approx(repeated, rel=1e-4, abs=1e-6)
    ignored = np.asarray(values(name, slice(None), {}), dtype=float)
    assert not np.allclose(told, ignored, rtol=1e-4, atol=1e-6)


def takers(parameter: str) -> set[str]:
    """Return the public functions that take data and a parameter."""
    found: set[str] = set()
    for room in (er, er.selection):
        names = [name for name in getattr(room, "__all__", dir(room)) if not name.startswith("_")]
        made = {name: getattr(room, name) for name in names}
        functions = {name: f for name, f in made.items() if callable(f) and not inspect.isclass(f)}
        found |= {name for name, f in functions.items() if parameter in inspect.signature(f).parameters}
    return found


def test_every_function_that_takes_weights_is_tried_or_says_why_not() -> None:
    known = {*VALUED, *NO_VALUES}
    assert takers("sample_weight") <= known, f"add to VALUED or NO_VALUES: {takers('sample_weight') - known}"


# -- exposures ------------------------------------------------------------------------------------

MODELS: dict[str, Callable[[], Any]] = {
    "PoissonRegressor": lambda: er.PoissonRegressor(alpha=0.1),
    "GeneralizedLinearModel": lambda: er.GeneralizedLinearModel("poisson", alpha=0.1),
    "TweedieRegressor": lambda: er.TweedieRegressor(alpha=0.1),
    "BayesianGLM": lambda: er.BayesianGLM("poisson"),
    "GradientBoostingRegressor": lambda: er.GradientBoostingRegressor(loss="poisson", n_estimators=5),
    "HurdleRegressor": lambda: er.HurdleRegressor(alpha=0.1),
    "ZeroInflatedRegressor": lambda: er.ZeroInflatedRegressor(alpha=0.1),
}
SAME = "was fitted with an exposure or offset, and none is given for the rows that it is asked about"


def in_a_search(model: Any) -> Any:
    """Return a search over one parameter of a model."""
    name = "n_estimators" if "n_estimators" in model.get_params() else "alpha"
    name = name if name in model.get_params() else "prior_precision"
    return er.selection.GridSearch(model, {name: [1, 2]}, random_state=0)


# What is asked of a model that was fitted with an exposure, without one.
ASKED: dict[str, Callable[[Any], Any]] = {
    "evaluate": lambda m: er.evaluate(m, X, COUNTS),
    "compare_fitted": lambda m: er.selection.compare_fitted(m, m, X, COUNTS),
    "compare": lambda m: er.compare(m, m, X, COUNTS, random_state=0),
    "cross_evaluate": lambda m: er.cross_evaluate(m, X, COUNTS, random_state=0),
    "diagnose": lambda m: er.diagnose(m, X, COUNTS, random_state=0),
    "learning_curve": lambda m: er.selection.learning_curve(m, X, COUNTS, sizes=[30, 60]),
    "model_selection_curve": lambda m: er.selection.model_selection_curve(
        m, X, COUNTS, "n_estimators" if "n_estimators" in m.get_params() else "alpha", [1, 2]
    ),
    "GridSearch": lambda m: in_a_search(m).fit(X, COUNTS),
    "tune": lambda m: er.tune(m, X, COUNTS, budget=4),
    "leave_one_out": lambda m: er.selection.leave_one_out(m, X, COUNTS),
    "stability": lambda m: er.selection.stability(m, X, COUNTS),
    "bias_variance": lambda m: er.selection.bias_variance(m, X, COUNTS),
    "conformalize": lambda m: er.conformalize(m, X, COUNTS),
    "risk_bounds": lambda m: er.risk_bounds(m, X, COUNTS),
    "score": lambda m: m.score(X, COUNTS),
}
# What other functions do with such a model.
NOT_REFUSED = {
    "anova": "takes models alone, with what their fits kept of their rows",
    "bayes_error_bracket": "takes no model",
    "bootstrap": "takes a statistic of rows",
    "choose_k": "takes models of groups",
    "debiased_lasso": "takes no model",
    "decision_regions": "takes classifiers, which have no exposures",
    "equivalent_constraint": "refuses: these are not the rows of the fit",
    "formula": "takes no fitted model",
    "interaction_strength": "is about rates, and its title says so",
    "kernel_matrix": "takes no model",
    "likelihood_ratio": "refuses: these are not the rows of the fit",
    "margins": "is about rates, and its title says so",
    "nested_cross_evaluate": "takes a search, whose copies are unfitted",
    "partial_dependence": "is about rates, and its title says so",
    "path": "refuses by the same sentence the only linear models with a path",
    "split_sample_inference": "takes models that choose columns",
    "tree_shap": "explains the raw score, of which an exposure is no part",
    "verify": "says how far from the optimum of these rows the fit is",
    "kneighbors_graph": "takes no model",
    "radius_graph": "takes no model",
    "regression_table": "takes models alone, with what their fits kept of their rows",
    "train_validation_test_split": "takes no model",
}  # fmt: skip


@pytest.fixture(scope="module")
def fitted() -> dict[str, Any]:
    """The models, each fitted with an exposure."""
    return {name: make().fit(X, COUNTS, exposure=E) for name, make in MODELS.items()}


@pytest.mark.parametrize("name", list(MODELS))
@pytest.mark.parametrize("ask", list(ASKED))
def test_an_exposure_of_the_fit_is_not_forgotten(ask: str, name: str, fitted: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=SAME):
        ASKED[ask](fitted[name])


def test_a_path_and_pipelines_forget_none_either(fitted: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=SAME):
        er.path(fitted["PoissonRegressor"], X, COUNTS)
    pipe = make_pipeline(FunctionTransformer(), er.PoissonRegressor(alpha=0.1))
    pipe.fit(X, COUNTS, poissonregressor__exposure=E)
    for ask in ("evaluate", "cross_evaluate", "learning_curve", "conformalize"):
        with pytest.raises(ValueError, match=f"PoissonRegressor {SAME}"):
            ASKED[ask](pipe)


@pytest.mark.parametrize("name", ["PoissonRegressor", "GradientBoostingRegressor", "HurdleRegressor"])
def test_with_the_exposure_all_is_answered(name: str, fitted: dict[str, Any]) -> None:
    model = fitted[name]
    assert er.evaluate(model, X, COUNTS, exposure=E, metrics="mse")["mse"].value == pytest.approx(
        np.mean((COUNTS - model.predict(X, exposure=E)) ** 2)
    )
    bands = er.conformalize(model, X, COUNTS, exposure=E).interval(X, exposure=E)
    assert np.allclose(np.asarray(bands.value), model.predict(X, exposure=E))
    assert model.score(X, COUNTS, exposure=E) > 0.0
    assert model.fit(X, COUNTS).score(X, COUNTS) < 1.0  # a new fit without needs none
    fitted[name] = model.fit(X, COUNTS, exposure=E)


def test_interaction_strength_takes_no_negative_weights() -> None:
    model = er.DecisionTreeRegressor(max_depth=3).fit(X, Y)
    with pytest.raises(ValueError, match="sample_weight is -1 in row 0"):
        er.interaction_strength(model, X, [0, 1], sample_weight=np.append(-1.0, W[1:]))


def test_every_function_that_takes_data_is_asked_or_says_what_it_does() -> None:
    taking = {name for p in ("X", "X_cal", "models", "data") for name in takers(p)}
    known = {*ASKED, *NOT_REFUSED}
    assert taking <= known, f"add to ASKED or NOT_REFUSED: {taking - known}"
