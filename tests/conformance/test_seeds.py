"""Seeds in every form that NumPy has, in every public callable that draws."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import empirisk as er
from empirisk.estimators import REGISTRY as ESTIMATORS
from empirisk.problems.activations import Tanh
from tests.conformance.estimators import AS_WRITTEN, BY_STEPS, Use, data_for, use
from tests.conformance.kernel_estimators import EVERY as KERNELS
from tests.conformance.neighbor_estimators import USES as NEIGHBORS
from tests.conformance.network_estimators import USES as NETWORKS
from tests.conformance.process_estimators import USES as PROCESSES
from tests.conformance.smoother_estimators import USES as SMOOTHERS
from tests.conformance.tree_estimators import USES as TREES

KINDS = {"generator": np.random.default_rng, "state": np.random.RandomState, "integer": np.int64}
BAGS = [
    use("BaggingClassifier", n_estimators=3),
    use("BaggingRegressor", n_estimators=3),
    use("PlugInClassifier"),
]
EVERY = [*AS_WRITTEN, *BY_STEPS, *TREES, *KERNELS, *NEIGHBORS, *PROCESSES, *NETWORKS, *SMOOTHERS, *BAGS]
DRAWING = [u for u in EVERY if "random_state" in u.make().get_params()]
ONE_OF_EACH = list({u.kind: u for u in reversed(DRAWING)}.values())


# What is no seed, though NumPy takes some of it.
BAD = [
    pytest.param(-1, id="-1"), pytest.param(1.5, id="1.5"), pytest.param("lucky", id="word"),
    pytest.param(True, id="flag"), pytest.param(float("nan"), id="nan"), pytest.param([1, 2], id="list"),
    pytest.param(np.random.SeedSequence(7), id="sequence"),
]  # fmt: skip
# Several fits or paths of penalties a call: tried with every form of a seed in the full suite alone.
LONG_FITS = {"Lasso", "ElasticNet", "LeastAbsoluteDeviations"}
LONG_CALLS = {
    "no_free_lunch", "selection.bias_variance", "selection.nested_cross_evaluate", "selection.RandomSearch",
    "selection.stability",
}  # fmt: skip


def long(names: Any, which: set[str]) -> list[Any]:
    """The same parameters, those of long ones marked `full`."""
    marks = {name: [pytest.mark.full] if str(name).split("(")[0] in which else [] for name in names}
    return [pytest.param(name, id=str(name), marks=marks[name]) for name in names]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("u", long(ONE_OF_EACH, LONG_FITS))
def test_every_form_of_a_seed_is_taken(u: Use, kind: str, rng: np.random.Generator) -> None:
    est, make = u.make(), KINDS[kind]
    d = data_for(est, rng)
    est.set_params(random_state=make(7))
    assert est.get_params()["random_state"] is est.random_state
    # A clone has a copy of the state, and so the same draws; the parameter itself stays what it is.
    twin = clone(est)
    first, second = est.fit(d.X, d.y).predict(d.X), twin.fit(d.X, d.y).predict(d.X)
    np.testing.assert_array_equal(first, second)
    assert type(est.get_params()["random_state"]) is type(make(7))
    # And equal states give equal fits.
    np.testing.assert_array_equal(
        clone(est).set_params(random_state=make(7)).fit(d.X, d.y).predict(d.X), first
    )


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("u", ONE_OF_EACH, ids=str)
def test_what_is_no_seed_is_named(u: Use, bad: Any, rng: np.random.Generator) -> None:
    est = u.make().set_params(random_state=bad)
    d = data_for(est, rng)
    try:
        said = clone(est).fit(d.X, d.y).predict(d.X)
    except ValueError as e:
        assert str(e).startswith("random_state must be an integer >= 0")  # noqa: PT017
        return
    # Where nothing is drawn, the seed is not looked at.
    np.testing.assert_array_equal(said, u.make(random_state=1).fit(d.X, d.y).predict(d.X))
    np.testing.assert_array_equal(said, u.make(random_state=2).fit(d.X, d.y).predict(d.X))


# Longer than the 32 or 64 bits that compiled loops take.
@pytest.mark.parametrize("seed", [2**32, 2**64, 2**70])
@pytest.mark.parametrize("u", long(ONE_OF_EACH, LONG_FITS))
def test_a_seed_may_be_as_long_as_it_likes(u: Use, seed: int, rng: np.random.Generator) -> None:
    est = u.make().set_params(random_state=seed)
    d = data_for(est, rng)
    est.fit(d.X, d.y)


def test_a_generator_moves_on_from_fit_to_fit(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 3))
    y = X[:, 0] + rng.normal(size=80)
    state = np.random.default_rng(3)
    a, b = (er.RandomForestRegressor(4, random_state=state).fit(X, y).predict(X) for _ in range(2))
    assert np.abs(a - b).max() > 0.0


@pytest.mark.full  # two searches and two evaluations, which CALLS has one by one
def test_searches_take_one_too(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 3))
    for state in (np.random.default_rng(0), np.random.RandomState(0)):
        found = er.selection.GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, random_state=state).fit(X, X[:, 0])
        assert found.best_params_
        assert er.cross_evaluate(er.Ridge(), X, X[:, 0], random_state=state)


# -- functions --------------------------------------------------------------------------------------


SEEDS = {"random_state", "seed", "rng"}
# Where the state of random numbers is handed over inside a run, and no user writes a seed.
INSIDE = {
    "convex.ConvexProblem.near": "draws of check_convexity",
    "data.ArrayBlocks.draw": "the contract of row blocks",
    "data.BlockList.draw": "the contract of row blocks",
    "data.RowBlocks.draw": "the contract of row blocks",
    "diagnosis.Context": "made by diagnosis.context, which takes every form",
    "distributions.Distribution.sample": "the contract of distributions",
    "mixtures.Bernoulli.draw": "draws of Mixture.sample, which takes every form",
    "mixtures.Family.draw": "draws of Mixture.sample, which takes every form",
    "mixtures.LinearRegressions.draw": "draws of Mixture.sample, which takes every form",
    "mixtures.Multinomial.draw": "draws of Mixture.sample, which takes every form",
    "mixtures.Poisson.draw": "draws of Mixture.sample, which takes every form",
    "problems.Potential.grad_estimate": "the contract of potentials",
    "samplers.BlockTarget.drawn": "draws of sample, which takes every form",
    "samplers.BlockTarget.started": "draws of sample, which takes every form",
}


def drawing() -> dict[str, Any]:
    """Every public callable with random numbers, by its public name: functions, classes and their methods.

    Estimators of the registry are tried above, by their uses.
    """
    found: dict[Any, str] = {}
    tried = set(ESTIMATORS.values())
    for name in er.__all__:
        thing = getattr(er, name)
        inside = getattr(thing, "__all__", []) if inspect.ismodule(thing) else []
        for noun, f in [(name, thing), *((f"{name}.{n}", getattr(thing, n)) for n in inside)]:
            made = inspect.isclass(f) and f not in tried and not issubclass(f, BaseException)
            new = inspect.isfunction(f) or made
            if new and SEEDS & set(inspect.signature(f).parameters):
                found.setdefault(f, noun)
            for method, g in vars(f).items() if inspect.isclass(f) else ():
                public = inspect.isfunction(g) and not method.startswith("_")
                if public and SEEDS & set(inspect.signature(g).parameters):
                    found.setdefault(g, f"{noun}.{method}")
    return {noun: f for f, noun in found.items()}


def rows(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return random rows of three columns with a target."""
    X = np.random.default_rng(5).normal(size=(n, 3))
    return X, X[:, 0] + np.random.default_rng(6).normal(size=n)


def draws_of(law: Any) -> Callable[[Any], Any]:
    """A call that draws from the law with the parameters that it has by default."""
    return lambda s: law().sample(4, s)


X, Y = rows()
# What all three solvers that draw take: their order of the rows shows after a step.
DUAL = er.Ridge(0.1).problem(X, Y)


@cache
def forest() -> Any:
    """Return a fitted forest for the explanations to explain."""
    return er.RandomForestRegressor(10).fit(X, Y)


def layers() -> Any:
    """Return a network of one hidden layer of two units."""
    return er.problems.Layers.of((X.shape[1], 2, 1), Tanh())


def network(seed: Any) -> Any:
    """Return the problem of that network on the rows."""
    return er.problems.NetworkProblem(layers(), DUAL.loss, DUAL.data, seed=seed)


@cache
def drawn() -> Any:
    """Return a few draws of coefficients for the draws of targets."""
    return er.sample(DUAL, chains=1, draws=4, warm_up=20, dispersion=1.0, random_state=0)


def known_rule(**options: Any) -> Any:
    """Return the rule of two known laws whose risk comes from draws."""
    laws = {k: er.distributions.MultivariateGaussian([k, 0.0], [[k + 1.0, 0.0], [0.0, 1.0]]) for k in (0, 1)}
    return er.BayesClassifier(laws, n_draws=100, **options).fit()


# How each is called, with a seed; what it returns is compared by its printed form, or by these numbers.
CALLS: dict[str, Callable[[Any], Any]] = {
    "BayesianGLM.sample_posterior": lambda s: (
        er.BayesianGLM().fit(X, Y > 0.0).sample_posterior(5, random_state=s).coef
    ),
    "selection.Evaluation.threshold": lambda s: (
        er.evaluate(er.LogisticRegression().fit(X, Y > 0.0), X, Y > 0.2)
        .threshold({"false_positive": 1.0, "false_negative": 2.0}, random_state=s)
        .cost.value
    ),
    "selection.tune": lambda s: (
        er.tune(er.BaggingRegressor(n_estimators=3), X, Y, budget=12, random_state=s).score.value
    ),
    "sample": lambda s: er.sample(DUAL, chains=1, draws=4, warm_up=20, dispersion=1.0, random_state=s).draws,
    "samplers.Draws.predictive": lambda s: drawn().predictive(X[:4], random_state=s),
    "samplers.Draws.predictive_check": lambda s: drawn().predictive_check(
        X, Y, replications=20, random_state=s
    ),
    "BayesClassifier": lambda s: known_rule(random_state=s).bayes_risk_.value,
    "BayesClassifier.sample": lambda s: known_rule().sample(4, s)[0],
    "distributions.NormalInverseWishart.sample": lambda s: er.distributions.NormalInverseWishart(
        [0.0, 0.0]
    ).sample(4, s),
    "SpectralClustering": lambda s: (
        er.SpectralClustering("eigengap", n_resamples=2, random_state=s).fit(X).n_clusters_resampled_
    ),
    "DivisiveClustering": lambda s: er.DivisiveClustering(4, random_state=s).fit(X).labels_,
    "GaussianMixture": lambda s: er.GaussianMixture(3, n_init=1, random_state=s).fit(X).means_,
    "KMeans": lambda s: er.KMeans(4, n_init=1, random_state=s).fit(X).cluster_centers_,
    "KMedoids": lambda s: er.KMedoids(4, init="random", n_init=1, random_state=s).fit(X).medoid_indices_,
    "MiniBatchKMeans": lambda s: er.MiniBatchKMeans(4, random_state=s).fit(X).cluster_centers_,
    "Mixture": lambda s: er.Mixture(3, family="vvi", n_init=1, random_state=s).fit(X).means_,
    "PCA": lambda s: er.PCA(1, method="randomized", random_state=s).fit(X).components_,
    "RandomProjection": lambda s: er.RandomProjection(2, random_state=s).fit(X).transform(X),
    "RandomProjection.distortion_report": lambda s: (
        er.RandomProjection(2, random_state=0).fit(X).distortion_report(X, n_pairs=50, random_state=s)
    ),
    "choose_k": lambda s: er.choose_k(
        er.KMeans(n_init=1), X, [1, 2], n_draws=19, n_subsamples=5, random_state=s
    ),
    "compare_partitions": lambda s: er.compare_partitions(
        X[:, 0] > 0.0, X[:, 1] > 0.0, n_permutations=99, n_resamples=99, random_state=s
    ),
    "partitions.Regrouped": lambda s: er.partitions.Regrouped(er.KMeans(3), random_state=s)(X),
    "partitions.Silhouette": lambda s: er.partitions.Silhouette(max_rows=20, random_state=s).estimate(
        X, X[:, 0] > 0.0
    ),
    "partitions.partition_stability": lambda s: er.partitions.partition_stability(
        er.KMeans(2), X, n_resamples=20, random_state=s
    ),
    "KernelDensity.sample": lambda s: er.KernelDensity(0.5).fit(X).sample(4, s),
    "Nystroem": lambda s: er.Nystroem(n_components=5, random_state=s).fit(X).transform(X),
    "RandomFourierFeatures": lambda s: (
        er.RandomFourierFeatures(n_components=6, random_state=s).fit(X).transform(X)
    ),
    "RandomReluFeatures": lambda s: er.RandomReluFeatures(n_components=6, random_state=s).fit(X).transform(X),
    "bootstrap": lambda s: er.bootstrap("mean", Y, n_resamples=400, random_state=s),
    "bounds.complexity_simulated": lambda s: er.bounds.complexity_simulated(
        lambda rows, signs: np.full(len(signs), np.sign(signs.sum())), X[:, :1], random_state=s
    ),
    "bounds.coins": lambda s: er.bounds.coins(3, 0.8, 0.2, 0.2, random_state=s),
    "bounds.hardest_coins": lambda s: er.bounds.hardest_coins(2, 0.3, 0.3, random_state=s),
    "bounds.hardest_rare": lambda s: er.bounds.hardest_rare(2, 0.3, 0.3, random_state=s),
    "bounds.rare": lambda s: er.bounds.rare(3, 0.1, 0.2, 0.2, random_state=s),
    "bounds.sample_sizes": lambda s: er.bounds.sample_sizes(vc=2, epsilon=0.3, delta=0.3, random_state=s),
    "compare": lambda s: er.compare(er.Ridge(), er.Lasso(0.1), X, Y, random_state=s),
    "conformalize": lambda s: er.conformalize(er.Ridge(), X, Y, cv=4, random_state=s).interval(X[:5]),
    "convex.check_convexity": lambda s: er.convex.check_convexity(
        lambda x: float(np.sin(x[0])), 0.0, 6.0, samples=50, random_state=s
    ),
    "cross_evaluate": lambda s: er.cross_evaluate(er.Ridge(), X, Y, random_state=s),
    "diagnose": lambda s: er.diagnose(er.Ridge(), X, Y, random_state=s).findings,
    "diagnosis.context": lambda s: er.diagnosis.context(er.Ridge(), X, Y, random_state=s).seed,
    "estimators_risk": lambda s: er.estimators_risk(
        ["mean"], "exponential", [1.0], n=20, n_samples=1000, random_state=s
    ),
    "interaction_strength": lambda s: er.interaction_strength(
        forest(), X, max_rows=20, n_resamples=30, random_state=s
    ),
    "no_free_lunch": lambda s: er.no_free_lunch(
        er.hypotheses.NearestNeighbours(), domain_size=12, m=6, budget=200, random_state=s
    ),
    "partial_dependence": lambda s: er.partial_dependence(forest(), X, 0, max_rows=30, random_state=s),
    "selection.best_of": lambda s: er.selection.best_of(
        np.random.default_rng(1).random((60, 3)), 5, random_state=s
    ),
    "selection.bias_variance": lambda s: er.selection.bias_variance(er.Ridge(), X, Y, random_state=s),
    "selection.learning_curve": lambda s: er.selection.learning_curve(
        er.Ridge(), X, Y, sizes=[0.5, 1.0], random_state=s
    ),
    "selection.model_selection_curve": lambda s: er.selection.model_selection_curve(
        er.Ridge(), X, Y, "alpha", [0.1, 1.0], random_state=s
    ),
    "selection.nested_cross_evaluate": lambda s: er.selection.nested_cross_evaluate(
        er.selection.GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, random_state=0), X, Y, random_state=s
    ),
    "selection.stability": lambda s: er.selection.stability(er.Ridge(), X, Y, random_state=s),
    "selection.train_validation_test_split": lambda s: [
        part.rows for part in er.selection.train_validation_test_split(X, Y, random_state=s)
    ],
    "split_sample_inference": lambda s: er.split_sample_inference(
        er.Lasso(0.1), X, Y, n_splits=3, random_state=s
    ),
    "optimizers.Langevin": lambda s: [
        rule.update(rule.init(np.zeros(3)), np.zeros(3), np.zeros(3))
        for rule in [er.optimizers.Langevin(er.optimizers.Constant(0.1), s)]
    ],
    "selection.CrossValidatedEnsemble": lambda s: (
        er.selection.CrossValidatedEnsemble(er.Ridge(), random_state=s).fit(X, Y).predict(X)
    ),
    "selection.GridSearch": lambda s: (
        er.selection.GridSearch(er.Ridge(), {"alpha": [0.1, 1.0]}, random_state=s).fit(X, Y).predict(X)
    ),
    "selection.LogUniform.rvs": lambda s: er.selection.LogUniform(0.1, 10.0).rvs(s),
    "selection.RandomSearch": lambda s: (
        er.selection.RandomSearch(
            er.Ridge(), {"alpha": er.selection.LogUniform(0.1, 10.0)}, n_iter=3, random_state=s
        )
        .fit(X, Y)
        .predict(X)
    ),
    "selection.Sample.plan": lambda s: [
        str(split) for split in er.selection.Sample(X, Y).plan(5, random_state=s).splits
    ],
    "selection.StructuralRiskMinimizer": lambda s: (
        er.selection.StructuralRiskMinimizer(
            [er.hypotheses.Thresholds(), er.hypotheses.Intervals()], method="validation", random_state=s
        )
        .fit(X[:, :1], X[:, 0] > 0.3)
        .risk_certificate_.value
    ),
    "ExponentialFamily.sample": lambda s: er.ExponentialFamily().sample(4, s),
    **{
        f"distributions.{law.__name__}.sample": draws_of(law)
        for law in er.distributions.REGISTRY.values()
        if law is not er.ExponentialFamily
    },
    "distributions.goodness_of_fit": lambda s: (
        er.goodness_of_fit("gaussian", Y, n_resamples=19, random_state=s).p_value
    ),
    "distributions.kl": lambda s: er.kl(
        er.distributions.Gaussian(), er.distributions.Laplace(), n_draws=1000, random_state=s
    ),
    "margins": lambda s: er.margins(
        er.DecisionTreeRegressor().fit(X, Y), X, training=(X, Y), n_boot=20, random_state=s
    ),
    "problems.Layers.draw": lambda s: layers().draw(s),
    "problems.NetworkProblem": lambda s: network(s).start(),
    "problems.NetworkProblem.gradient_check": lambda s: network(0).gradient_check(seed=s),
    "solvers.SDCA": lambda s: er.solve(DUAL, er.solvers.SDCA(s), max_steps=1).w,
    "solvers.SGD": lambda s: er.solve(DUAL, er.solvers.SGD(n_epochs=2, seed=s), max_steps=1).w,
    "solvers.SVRG": lambda s: er.solve(DUAL, er.solvers.SVRG(seed=s), max_steps=1).w,
}


def test_every_drawing_callable_has_a_call() -> None:
    known = {**CALLS, **INSIDE}.keys()
    missing, gone = drawing().keys() - known, known - drawing().keys()
    assert not missing, f"add a call to CALLS of tests/conformance/test_seeds.py: {sorted(missing)}"
    assert not gone, f"no such public callables: {sorted(gone)}"


def told(result: Any) -> str:
    """What a result says, arrays in full."""
    with np.printoptions(threshold=100_000):
        return repr(result)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", CALLS)
def test_functions_name_what_is_no_seed(name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=r"(random_state|seed) must be an integer >= 0, a NumPy Generator"):
        CALLS[name](bad)


@pytest.mark.parametrize("seed", [2**32, 2**64])
@pytest.mark.parametrize("name", [name for name in CALLS if name.startswith("solvers.")])
def test_solvers_take_long_seeds(name: str, seed: int) -> None:
    assert np.abs(CALLS[name](seed) - CALLS[name](seed + 1)).max() > 0.0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", long(CALLS, LONG_CALLS))
def test_functions_take_every_form_of_a_seed(name: str, kind: str) -> None:
    make, call = KINDS[kind], CALLS[name]
    assert told(call(make(7))) == told(call(make(7)))


@pytest.mark.parametrize("name", long(CALLS, LONG_CALLS))
def test_functions_take_none(name: str) -> None:
    assert told(CALLS[name](None))
