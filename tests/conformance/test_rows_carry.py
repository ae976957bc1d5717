"""Weights, exposures and offsets of rows reach fits, predictions and scores by every route."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.linear_model import LinearRegression
from sklearn.linear_model import LogisticRegression as Logistic
from sklearn.metrics import precision_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import empirisk as er
from empirisk.evaluation.evaluate import evaluate_predictions
from empirisk.evaluation.metrics import CLASSIFICATION, METRICS
from empirisk.evaluation.metrics.predictions import Predictions, classification, regression

RNG = np.random.default_rng(7)
N = 160
X = RNG.normal(size=(N, 3))
W = RNG.integers(0, 4, size=N).astype(float)
AGAIN = np.repeat(np.arange(N), W.astype(int))
TARGETS = {
    "binary": (X[:, 0] + RNG.normal(size=N) > 0).astype(int),
    "multiclass": np.digitize(X[:, 0] + 0.5 * RNG.normal(size=N), [-0.5, 0.5]),
    "numbers": np.exp(0.3 * X[:, 0] + 0.2 * RNG.normal(size=N)),
}
ROUTES = ("evaluate", "cross_evaluate", "compare", "compare_fitted")


def kinds(name: str) -> list[str]:
    """Return the kinds of targets that a metric is for."""
    if METRICS[name].task != CLASSIFICATION:
        return ["numbers"]
    return ["binary", "multiclass"]


CASES = [(name, kind) for name in METRICS for kind in kinds(name)]


def models(kind: str) -> tuple[Any, Any]:
    """Return two models for which a weight is the repetition of the row, with positive predictions."""
    if kind == "numbers":
        return er.GammaRegressor(alpha=0.0), er.GammaRegressor(alpha=1.0)
    return er.LogisticRegression(alpha=0.01), er.LogisticRegression(alpha=1.0)


def score(route: str, name: str, kind: str, rows: Any = slice(None), **told: Any) -> Any:
    """Return the estimate of one metric by one route; folds go by row, so copies stay together."""
    a, b = models(kind)
    Z, y = X[rows], TARGETS[kind][rows]
    fold = np.arange(N)[rows] % 4
    cv = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(4)]
    if route == "evaluate":
        return er.evaluate(a.fit(X, TARGETS[kind]), Z, y, metrics=name, **told)[name]
    if route == "cross_evaluate":
        return er.cross_evaluate(a, Z, y, cv=cv, metrics=name, **told)[name]
    if route == "compare":
        return er.compare(a, b, Z, y, cv=cv, metric=name, **told).difference
    fitted = (m.fit(X, TARGETS[kind]) for m in (a, b))
    return er.selection.compare_fitted(*fitted, Z, y, metric=name, **told).difference


def numbers_of(e: Any) -> list[float]:
    """Return the value and the ends of an estimate, those that it has."""
    return [v for v in (e.value, e.low, e.high) if v is not None]


def skip_unavailable(name: str, kind: str) -> None:
    """Skip what the metric itself refuses, such as average precision of three classes."""
    y = TARGETS[kind]
    if kind == "numbers":
        p = regression(y, y, weights=W)
    else:
        p = classification(y, proba=np.eye(int(y.max()) + 1)[y], weights=W)
    if METRICS[name].unavailable(p):
        pytest.skip(METRICS[name].unavailable(p))


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_equal_weights_are_no_weights(name: str, kind: str, route: str) -> None:
    skip_unavailable(name, kind)
    plain, told = (score(route, name, kind, **more) for more in ({}, {"sample_weight": np.full(N, 3.0)}))
    # The fits of a penalised model see sums of weights, whose rounding differs.
    assert numbers_of(told) == pytest.approx(numbers_of(plain), rel=1e-5, abs=1e-9)
    assert told.method == plain.method


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_weight_is_the_row_so_many_times_and_its_scale_is_nothing(name: str, kind: str, route: str) -> None:
    skip_unavailable(name, kind)
    told = score(route, name, kind, sample_weight=W)
    assert told.value == pytest.approx(score(route, name, kind, AGAIN).value, rel=1e-4, abs=1e-6)
    scaled = score(route, name, kind, sample_weight=W * 1e-5)
    assert numbers_of(scaled) == pytest.approx(numbers_of(told), rel=1e-4, abs=1e-6)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_influence_values_are_the_slopes_of_the_weighted_score(name: str, kind: str) -> None:
    """A little more weight on a row moves the score by its influence, by differences of the score itself."""
    skip_unavailable(name, kind)
    metric = METRICS[name]
    if not hasattr(metric, "influence"):
        pytest.skip("a mean of row losses has no influence values of its own")
    if name == "lift":
        pytest.skip("its influence smooths the rate of positive rows at the cut")
    y, w = TARGETS[kind], W + 0.5
    if kind == "numbers":
        p = regression(y, y * RNG.uniform(0.8, 1.2, size=N), weights=w)
    else:
        proba = RNG.dirichlet(np.ones(int(y.max()) + 1), size=N)
        p = classification(y, proba=proba, weights=w)
    influence, h = metric.influence(p), 1e-6 * float(w.sum())
    for i in range(0, N, 16):
        up, down = (value_at(metric, p, w + s * h * (np.arange(N) == i)) for s in (1.0, -1.0))
        # d score / d w_i = IF_i / sum w, and the influence has the weight over its mean as a factor.
        slope = (up - down) / (2.0 * h) * w.sum() * w[i] / w.mean()
        assert influence[i] == pytest.approx(slope, rel=1e-4, abs=1e-6)


def value_at(metric: Any, p: Predictions, weights: Any) -> float:
    """Return the metric of the same predictions under other weights."""
    return float(metric.value(replace(p, weights=weights / weights.mean())))


class Spy(RegressorMixin, BaseEstimator):
    """Means times exposures, and a record of what each fit and each prediction was told."""

    seen: ClassVar[list[tuple[str, Any]]] = []

    def __init__(self, times: float = 1.0) -> None:
        self.times = times

    def fit(self, X: Any, y: Any, sample_weight: Any = None, exposure: Any = None, offset: Any = None) -> Any:
        known = np.ones(len(y)) if exposure is None else exposure
        self._keep("fit", X, sample_weight, exposure, offset)
        self.rate_ = self.times * np.sum(y) / np.sum(known)
        return self

    def predict(self, X: Any, exposure: Any = None, offset: Any = None) -> Any:
        self._keep("predict", X, None, exposure, offset)
        return self.rate_ * (np.ones(len(X)) if exposure is None else exposure)

    def _keep(self, what: str, X: Any, *told: Any) -> None:
        for name, values in zip(("sample_weight", "exposure", "offset"), told, strict=True):
            if values is not None:
                # Each row carries its own number in its first column, so that a mix-up of rows shows.
                assert np.array_equal(np.asarray(values), X[:, 0] + 1.0), (what, name)
                self.seen.append((what, name))


def routes() -> dict[str, Any]:
    """Return the ways in which rows with exposures, offsets and weights are scored, by name."""
    Z = np.column_stack([np.arange(60.0), RNG.normal(size=60)])
    y, own = RNG.poisson(Z[:, 0] + 1.0).astype(float), Z[:, 0] + 1.0
    told = {"sample_weight": own, "exposure": own, "offset": own}
    known = {"exposure": own, "offset": own}
    pipe = make_pipeline(FunctionTransformer(), Spy())
    return {
        "evaluate": lambda: er.evaluate(Spy().fit(Z, y, **told), Z, y, **told),
        "evaluate a pipeline": lambda: er.evaluate(
            pipe.fit(Z, y, **{f"spy__{k}": v for k, v in told.items()}), Z, y, **told
        ),
        "cross_evaluate": lambda: er.cross_evaluate(Spy(), Z, y, random_state=0, **told),
        "cross_evaluate a pipeline": lambda: er.cross_evaluate(pipe, Z, y, random_state=0, **told),
        "scorer": lambda: er.cross_evaluate(
            Spy(), Z, y, metrics="neg_mean_squared_error", random_state=0, **told
        ),
        "compare": lambda: er.compare(Spy(), pipe, Z, y, random_state=0, **told),
        "learning_curve": lambda: er.selection.learning_curve(
            Spy(), er.selection.Sample(Z, y, weights=own, **known), sizes=[10, 40], random_state=0
        ),
        "compare_fitted": lambda: er.selection.compare_fitted(
            *(Spy().fit(Z, y, **told) for _ in "ab"), Z, y, metric="mse", **known
        ),
    }


@pytest.mark.parametrize("route", list(routes()))
def test_what_rows_carry_reaches_fits_and_predictions(route: str) -> None:
    Spy.seen.clear()
    routes()[route]()
    assert set(Spy.seen) == {
        *((("fit", name)) for name in ("sample_weight", "exposure", "offset")),
        *((("predict", name)) for name in ("exposure", "offset")),
    }


@pytest.mark.parametrize(
    "search", ["GridSearch", "RandomSearch", "racing", "learning_curve", "model_selection_curve"]
)
def test_searches_and_curves_hand_on_exposures(search: str) -> None:
    Spy.seen.clear()
    Z = np.column_stack([np.arange(60.0), RNG.normal(size=60)])
    y, own = RNG.poisson(Z[:, 0] + 1.0).astype(float), Z[:, 0] + 1.0
    known: dict[str, Any] = {"exposure": own, "offset": own}
    if search == "learning_curve":
        er.selection.learning_curve(Spy(), Z, y, sizes=[10, 40], random_state=0, **known)
    elif search == "model_selection_curve":
        er.selection.model_selection_curve(Spy(), Z, y, "times", [0.5, 1.0], random_state=0, **known)
    else:
        made = er.selection.RandomSearch if search == "RandomSearch" else er.selection.GridSearch
        more: dict[str, Any] = {"n_iter": 2} if search == "RandomSearch" else {}
        more |= {"racing": 0.1} if search == "racing" else {}
        found = made(Spy(), {"times": [0.5, 1.0]}, random_state=0, **more).fit(Z, y, **known)
        assert found.best_params_ == {"times": 1.0}
        assert np.array_equal(found.predict(Z, **known), found.best_estimator_.rate_ * own)
        assert er.evaluate(found, Z, y, **known)["mse"].value > 0.0
    names = ("exposure", "offset")
    assert set(Spy.seen) == {(what, name) for what in ("fit", "predict") for name in names}


def counts() -> tuple[Any, Any, Any]:
    """Return columns, counts and the exposures that these are counts of."""
    e = np.random.default_rng(1).uniform(0.5, 20.0, size=N)
    return X, np.random.default_rng(2).poisson(e * np.exp(0.3 * X[:, 0])).astype(float), e


MAKE = {
    "PoissonRegressor": lambda: er.PoissonRegressor(alpha=0.1),
    "GeneralizedLinearModel": lambda: er.GeneralizedLinearModel(family="poisson", alpha=0.1),
    "BayesianGLM": lambda: er.BayesianGLM(family="poisson"),
    "GradientBoostingRegressor": lambda: er.GradientBoostingRegressor(loss="poisson", n_estimators=5),
}


@pytest.mark.parametrize("name", list(MAKE))
def test_a_model_fitted_with_exposures_is_not_scored_without(name: str) -> None:
    Z, y, e = counts()
    model = MAKE[name]().fit(Z, y, exposure=e)
    for ask in (er.evaluate, lambda *a: er.selection.compare_fitted(model, *a)):
        with pytest.raises(ValueError, match="fitted with an exposure or offset, and none is given"):
            ask(model, Z, y)
    told = er.evaluate(model, Z, y, exposure=e, metrics="mse")["mse"].value
    assert told == pytest.approx(np.mean((model.predict(Z, exposure=e) - y) ** 2))
    assert er.evaluate(model.fit(Z, y), Z, y)["mse"].value > 0.0  # a new fit without needs none


def test_models_and_metrics_that_take_nothing_of_the_kind_are_refused_by_name() -> None:
    Z, y, e = counts()
    with pytest.raises(TypeError, match=r"LinearRegression\.predict takes no exposure: leave exposure out"):
        er.evaluate(LinearRegression().fit(Z, y), Z, y, exposure=e)
    with pytest.raises(TypeError, match=r"LinearRegression\.fit takes no exposure"):
        er.cross_evaluate(LinearRegression(), Z, y, exposure=e)
    fitted = LinearRegression().fit(Z, y)
    for metric in ("neg_max_error", lambda est, X, y: 1.0):
        with pytest.raises(TypeError, match="takes no sample_weight, which these rows have"):
            er.evaluate(fitted, Z, y, sample_weight=e, metrics=metric)
    for bad, why in ((-e, "is -"), (0.0 * e, "is zero in all rows"), (e[:3], "has 3 rows but y has")):
        with pytest.raises(ValueError, match=f"sample_weight {why}"):
            er.evaluate(fitted, Z, y, sample_weight=bad)


def test_scorers_of_others_are_weighted() -> None:
    Z, y = X, TARGETS["binary"]
    model = Logistic().fit(Z, y, sample_weight=W)
    found = er.evaluate(model, Z, y, sample_weight=W, metrics="precision_macro")["precision_macro"]
    assert found.value == pytest.approx(
        precision_score(y, model.predict(Z), sample_weight=W, average="macro")
    )
    assert found.low < found.value < found.high
    pipe = make_pipeline(StandardScaler(), Logistic())
    crossed = er.cross_evaluate(pipe, Z, y, sample_weight=W, metrics=["accuracy", "precision_macro"])
    assert crossed["accuracy"].low < crossed["accuracy"].value


def test_predictions_alone_take_weights() -> None:
    y, pred = TARGETS["numbers"], np.ones(N)
    found = evaluate_predictions(y, pred=pred, sample_weight=W)
    assert found["mse"].value == pytest.approx(np.average((y - pred) ** 2, weights=W))
