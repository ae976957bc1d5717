"""A registered object is taken by every public estimator and function of its kind, without another list.

Each test tries the rows of a registry one by one and says, for a row that is refused, who refused it and in
which words: a dictionary beside the registry, a functor that is missing.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.linear_model import LinearRegression, LogisticRegression

import empirisk as er
from empirisk import bounds, diagnosis, estimators, losses, optimizers, penalties, plots, solvers
from empirisk.bounds.calculator import solvable
from empirisk.data import ArrayBlocks, Design
from empirisk.estimators.trees.tree_base import TreeEstimator
from empirisk.evaluation.intervals import INTERVALS
from empirisk.evaluation.metrics import METRICS, REGRESSION
from empirisk.penalties import ConstraintSet
from empirisk.problems import LinearProblem
from empirisk.resampling.bootstrap import bootstrap
from empirisk.resampling.bootstrap.choose import STATISTICS
from empirisk.search import GridSearch
from empirisk.trees.criteria import REGISTRY as CRITERIA
from empirisk.typing import Capability
from tests.conformance.loss_samples import loss_of

N = 40
RNG = np.random.default_rng(5)
X = np.round(RNG.standard_normal((N, 3)), 1)
LATENT = X[:, 0] - 0.5 * X[:, 1] + 0.7 * RNG.standard_normal(N)


def targets(domain: Any, labels: bool = False) -> Any:
    """Targets inside a domain: labels, shares, positive numbers, or any numbers."""
    if labels:
        return np.where(LATENT > 0.0, "yes", "no")
    if domain.high <= 1.0:
        return 1.0 / (1.0 + np.exp(-LATENT))
    return np.round(np.exp(LATENT / 3.0)) + 1.0 if domain.low >= 0.0 else LATENT


def taken(what: str, by: str, call: Any) -> Any:
    """What the call returns; a refusal becomes a sentence that names both sides."""
    try:
        return call()
    except (ValueError, TypeError, KeyError, NotImplementedError) as error:
        raise AssertionError(
            f"{by} refuses {what}, which is registered: add what it asks for, or take its own list away "
            f"({type(error).__name__}: {error})"
        ) from error


# -- criteria -----------------------------------------------------------------------------------

GROWN = [
    name
    for name, c in estimators.REGISTRY.items()
    if issubclass(c, TreeEstimator) and "criterion" in inspect.signature(c).parameters
]


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("estimator", GROWN)
def test_every_tree_estimator_takes_every_criterion(estimator: str, criterion: str) -> None:
    kind, make = CRITERIA[criterion], estimators.REGISTRY[estimator]
    classes = is_classifier(make())
    wanted = kind.targets == ("classes" if classes else "numbers")
    if not wanted:
        with pytest.raises(ValueError, match="criterion must be"):
            make(criterion=criterion).fit(X, LATENT > 0.0 if classes else LATENT)
        return
    for k in (2, 3) if classes else (0,):
        cuts = [0.0] if k == 2 else [-0.5, 0.5]
        y: Any = np.digitize(LATENT, cuts) if k else LATENT
        y = np.round(np.exp(LATENT)) if kind.non_negative else y
        for name in (kind.name, *kind.aliases):
            for more in ({}, {"max_bins": 16}):
                est = make(criterion=name, **more)
                model = taken(f"criterion={name!r}", estimator, lambda e=est, t=y: e.fit(X, t))
                assert model.score(X, y) > 0.3 or kind.non_negative


def test_gains_of_grown_trees_are_those_of_the_criterion() -> None:
    """Both engines: the first split's gain is the difference of the costs, in the units of the criterion."""
    for name, kind in CRITERIA.items():
        if kind.sums == "order" or kind.targets == "derivatives":
            continue
        classes = kind.targets == "classes"
        y = np.digitize(LATENT, [-0.5, 0.5]).astype(float) if classes else np.round(np.exp(LATENT))
        criterion = kind(3) if classes else kind()
        est = er.DecisionTreeClassifier if classes else er.DecisionTreeRegressor
        for bins in (None, 255):
            tree = est(criterion=name, alpha=None, max_depth=1, max_bins=bins).fit(X, y).tree_
            left = tree.apply(X)[:, 0] == tree.left[0]
            parts = sum(s.sum() * criterion.heterogeneity(y[s], np.ones(s.sum())) for s in (left, ~left))
            gain = N * criterion.heterogeneity(y, np.ones(N)) - parts
            said = f"{name}: the loops' gain is not that of score; change `loop` or `scale` of the criterion"
            assert tree.gain[0] == pytest.approx(gain, rel=1e-9), said
            assert tree.heterogeneity[0] == pytest.approx(criterion.heterogeneity(y, np.ones(N))), said


# -- losses -------------------------------------------------------------------------------------

SCALAR = [name for name in losses.REGISTRY if loss_of(name).offers and not loss_of(name).vector]
STRENGTHS = {"alpha": 0.1}


def default(name: str) -> Any:
    """The loss that its name stands for, or None when it needs arguments."""
    try:
        return losses.REGISTRY[name]()
    except TypeError:
        return None


NAMED = [name for name in SCALAR if default(name) is not None]


@pytest.mark.parametrize("name", NAMED)
def test_the_regressions_of_any_loss_take_every_loss(name: str) -> None:
    loss = default(name)
    y = np.where(LATENT > 0.0, 1.0, -1.0) if loss.labels else targets(loss.y_domain)
    for make in (er.PenalizedRegressor, er.ConstrainedRegressor):
        more = STRENGTHS if make is er.PenalizedRegressor else {"constraint": "l2_ball"}
        if make is er.ConstrainedRegressor and Capability.GRAD not in loss.offers:
            continue  # projections need a gradient, and the solver says so
        for given in (name, loss):
            est = make(loss=given, **more)
            taken(f"loss={given!r}", make.__name__, lambda e=est: e.fit(X, y))


@pytest.mark.parametrize("name", NAMED)
def test_boosting_takes_every_loss_of_one_score(name: str) -> None:
    loss = default(name)
    make = er.GradientBoostingClassifier if loss.labels else er.GradientBoostingRegressor
    y = targets(loss.y_domain, loss.labels)
    for given in (name, loss):
        est = make(loss=given, n_estimators=2, min_samples_leaf=5)
        taken(f"loss={given!r}", make.__name__, lambda e=est: e.fit(X, y))


@pytest.mark.parametrize("name", NAMED)
def test_stochastic_estimators_take_every_loss_with_compiled_steps(name: str) -> None:
    loss = default(name)
    make = er.SGDClassifier if loss.labels else er.SGDRegressor
    est = make(loss=name, n_epochs=1)
    if not loss.row_slope:
        with pytest.raises(ValueError, match="loss must be one of"):
            est.fit(X, targets(loss.y_domain, loss.labels))
        return
    taken(f"loss={name!r}", make.__name__, lambda: est.fit(X, targets(loss.y_domain, loss.labels)))


# -- penalties and sets -------------------------------------------------------------------------


def by_fields(kind: Any, *names: str) -> bool:
    """Whether a class can be made of these fields alone."""
    needed = {f.name for f in kind.__dataclass_fields__.values() if _required(f)}
    return needed <= set(names)


def _required(field: Any) -> bool:
    import dataclasses

    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


PENALTIES = [n for n, k in penalties.REGISTRY.items() if not issubclass(k, ConstraintSet) and n != "zero"]
SETS = [n for n, k in penalties.REGISTRY.items() if issubclass(k, ConstraintSet)]


@pytest.mark.parametrize("name", [n for n in PENALTIES if by_fields(penalties.REGISTRY[n], "alpha")])
def test_the_penalised_regression_takes_every_penalty_of_a_strength(name: str) -> None:
    est = er.PenalizedRegressor(penalty=name, **STRENGTHS)
    taken(f"penalty={name!r}", "PenalizedRegressor", lambda: est.fit(X, LATENT))


@pytest.mark.parametrize("name", [n for n in SETS if by_fields(penalties.REGISTRY[n], "radius", "total")])
def test_the_constrained_regression_takes_every_set_of_a_size(name: str) -> None:
    est = er.ConstrainedRegressor(constraint=name)
    taken(f"constraint={name!r}", "ConstrainedRegressor", lambda: est.fit(X, LATENT))


# -- solvers, step sizes ------------------------------------------------------------------------


@pytest.mark.parametrize("name", solvers.REGISTRY)
def test_solve_takes_every_solver_by_name(name: str) -> None:
    """A solver is found by its name; what it cannot solve it refuses by its needs, not as unknown."""
    problem = LinearProblem(
        losses.HalfSquared(), penalties.L2(0.1), ArrayBlocks(Design(X), LATENT, np.ones(N))
    )
    if solvers.REGISTRY[name].needs <= problem.capabilities:
        taken(f"solver={name!r}", "er.solve", lambda: er.solve(problem, name, max_steps=3, check_every=1))
        return
    with pytest.raises((ValueError, TypeError), match=name):
        er.solve(problem, name)


@pytest.mark.parametrize("name", optimizers.SCHEDULES)
def test_the_stochastic_estimators_take_every_schedule(name: str) -> None:
    for est in (er.SGDRegressor(alpha=0.5, schedule=name), er.SGDClassifier(alpha=0.5, schedule=name)):
        y = LATENT > 0.0 if is_classifier(est) else LATENT
        taken(f"schedule={name!r}", type(est).__name__, lambda e=est, t=y: e.fit(X, t))


# -- metrics, intervals, statistics -------------------------------------------------------------


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_scores_folds_candidates_and_held_out_rows(name: str) -> None:
    numbers = METRICS[name].task == REGRESSION
    y: Any = np.exp(LATENT / 3.0) if numbers else (LATENT > 0.0).astype(int)
    est: Any = er.PoissonRegressor() if numbers else LogisticRegression()
    for by, call in (
        ("er.evaluate", lambda: er.evaluate(est.fit(X, y), X, y, metrics=name)),
        ("er.cross_evaluate", lambda: er.cross_evaluate(est, X, y, metrics=name, cv=2)),
    ):
        estimate = taken(f"the metric {name!r}", by, call)[name]
        assert np.isfinite(estimate.value), f"{by}: {name} is {estimate.value}: {estimate.reason}"
    grid = {"fit_intercept": [True, False]}
    search = GridSearch(est, grid, metric=name, cv=2)
    taken(f"the metric {name!r}", "GridSearch", lambda: search.fit(X, y))


@pytest.mark.parametrize("name", INTERVALS)
def test_every_interval_can_be_asked_for(name: str) -> None:
    from empirisk import selection

    f = INTERVALS[name]
    assert selection.INTERVALS[name] is f
    told = inspect.getdoc(f) or ""
    assert "level" in inspect.signature(f).parameters, f"add the parameter `level` to {f.__name__}"
    assert ">>> " in told, f"add an example to the docstring of {f.__name__}"


@pytest.mark.parametrize("name", STATISTICS)
def test_bootstrap_takes_every_statistic(name: str) -> None:
    data: Any = LATENT if STATISTICS[name].arrays == 1 else (LATENT, np.abs(X[:, 0]) + 0.1)
    found = taken(f"the statistic {name!r}", "bootstrap", lambda: bootstrap(name, data, n_resamples=400))
    assert found is not None


# -- bounds, findings, charts -------------------------------------------------------------------


@pytest.mark.parametrize("name", bounds.REGISTRY)
def test_every_bound_is_listed_and_exported(name: str) -> None:
    f = bounds.REGISTRY[name]
    assert getattr(er.bounds, f.__name__, None) is f, f"add {f.__name__!r} to er.bounds"
    assert f.__name__ in er.bounds.__all__, f"add {f.__name__!r} to __all__ there"
    if name in solvable(bounds.REGISTRY):
        heads = [line.split()[0] for line in bounds.list_bounds() if line.strip()]
        assert name in heads, f"add {name!r} to what `empirisk bound` lists"


def test_diagnose_asks_every_finding() -> None:
    found = er.diagnose(LinearRegression(), X, LATENT, cv=2, random_state=0)
    asked = [a.code for a in found.answers]
    lacking = sorted(set(diagnosis.REGISTRY) - set(asked))
    assert not lacking, f"er.diagnose does not ask {lacking}, which are registered"


@pytest.mark.parametrize("name", plots.DISPLAYS)
def test_every_chart_is_reached(name: str) -> None:
    assert name in dir(er.plots), f"add {name!r} to DISPLAYS in src/empirisk/plots/__init__.py"
    assert getattr(er.plots, name).__name__ == name
