"""The rule of a known law: its risk against algebra, quadrature and enumeration, answers, refusals."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.special import expit, ndtr
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import empirisk as er
from empirisk.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Exponential,
    Gamma,
    Gaussian,
    Laplace,
    Multinomial,
    MultivariateGaussian,
    Poisson,
    StudentT,
    Uniform,
)
from empirisk.estimators.bayes.bayes_risk import by_cells, drawn
from empirisk.results import Kind
from empirisk.typing import Array

TWO = {0: MultivariateGaussian([0.0, 0.0]), 1: MultivariateGaussian([1.0, 1.0])}
# What scikit-learn asks of learners: fits to columns and labels that are not those of the model.
NOT_LEARNED = {
    f"check_{name}": "the model is known, and rows of other columns or labels are refused"
    for name in (
        "all_zero_sample_weights_error", "classifier_data_not_an_array", "classifiers_classes",
        "classifiers_one_label", "classifiers_regression_target",
        "classifiers_one_label_sample_weights",
        "classifiers_train", "dict_unchanged", "dont_overwrite_parameters", "dtype_object",
        "estimators_dtypes", "estimators_fit_returns_self", "estimators_nan_inf",
        "estimators_overwrite_params", "estimators_pickle", "f_contiguous_array_estimator", "fit2d_1feature",
        "fit2d_1sample", "fit2d_predict1d", "fit_score_takes_y", "methods_sample_order_invariance",
        "methods_subset_invariance", "n_features_in_after_fitting", "pipeline_consistency",
        "positive_only_tag_during_fit", "readonly_memmap_input", "sample_weight_equivalence_on_dense_data",
        "sample_weights_list", "sample_weights_not_an_array", "sample_weights_not_overwritten",
        "sample_weights_pandas_series", "sample_weights_shape", "supervised_y_2d",
    )
}  # fmt: skip


@parametrize_with_checks([er.BayesClassifier(TWO)], expected_failed_checks=lambda est: NOT_LEARNED)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def rule(model: Any, **more: Any) -> Any:
    """The fitted rule of a model."""
    return er.BayesClassifier(model, **more).fit()


@pytest.mark.parametrize("pi", [0.5, 0.2, 0.999])
def test_two_gaussians_have_the_risk_of_the_formula(pi: float) -> None:
    """In fifty digits: the masses beyond the point where both weighed densities are equal."""
    with mpmath.workdps(50):
        m, s = mpmath.mpf(1.5), mpmath.mpf(2)
        cut = m / 2 + s**2 / m * mpmath.log(pi / (1 - mpmath.mpf(pi)))
        wanted = pi * mpmath.ncdf(-cut / s) + (1 - mpmath.mpf(pi)) * mpmath.ncdf((cut - m) / s)
    found = rule({"a": Gaussian(0.0, 4.0), "b": Gaussian(1.5, 4.0)}, priors=[pi, 1.0 - pi])
    assert found.bayes_risk_.value == pytest.approx(float(wanted), rel=1e-13)
    assert found.certificate_.kind is Kind.EXACT
    d = math.sqrt(2.0)
    flat = rule(TWO).bayes_risk_
    assert flat.value == pytest.approx(ndtr(-0.5 * d), rel=1e-14)
    assert (flat.low, flat.high, flat.method) == (flat.value, flat.value, "closed form")


def gaps(model: dict[str, Any], priors: Array) -> float:
    """One less the integral of the largest weighed density, panel by panel of a fine grid with its kinks."""
    tail = np.logspace(-12.0, -3.0, 2_001)
    levels = np.concatenate([tail, np.linspace(1e-3, 1.0 - 1e-3, 20_001), 1.0 - tail])
    ends = np.unique(np.concatenate([p.quantile(levels) for p in model.values()]))
    x, w = np.polynomial.legendre.leggauss(6)
    half = 0.5 * np.diff(ends)[:, None]
    at = (ends[:-1, None] + half * (x + 1.0)).ravel()
    top = np.max([pi * np.exp(p.log_prob(at)) for pi, p in zip(priors, model.values(), strict=True)], axis=0)
    return 1.0 - float((half * w).ravel() @ top)


@pytest.mark.parametrize(
    "model",
    [
        {"a": Gaussian(0.0, 1.0), "b": Gaussian(0.5, 4.0)},
        {"a": Gaussian(0.0, 1.0), "b": Gaussian(1.0, 1.0), "c": Gaussian(3.0, 1.0)},
        {"a": StudentT(3.0, 0.0, 1.0), "b": StudentT(5.0, 1.0, 2.0)},
        {"a": Gamma(2.0, 1.0), "b": Exponential(1.0)},
        {"a": Beta(2.0, 5.0), "b": Beta(3.0, 3.0)},
        {"a": Laplace(0.0, 1.0), "b": Laplace(1.0, 1.0)},
        {"a": Uniform(0.0, 1.0), "b": Uniform(0.5, 2.0)},
        {"a": Gaussian(0.0, 1.0), "b": Gaussian(0.0, 1.0), "c": Uniform(-1.0, 1.0)},
    ],
    ids=lambda model: "-".join(p.name for p in model.values()),
)
def test_laws_of_one_number_have_the_risk_of_quadrature(model: dict[str, Any]) -> None:
    priors = np.arange(1.0, len(model) + 1.0)[::-1] / sum(range(len(model) + 1))
    found = rule(model, priors=priors)
    assert found.bayes_risk_.method == "masses of cells"
    assert found.certificate_.value < 1e-11
    assert found.bayes_risk_.value == pytest.approx(gaps(model, priors), abs=2e-7)


def test_cells_find_what_algebra_says() -> None:
    """Exact: the overlap of uniform laws, Laplace's laws, and a Gaussian pair without its formula."""
    flat = rule({0: Uniform(0.0, 1.0), 1: Uniform(0.5, 2.0)})
    assert flat.bayes_risk_.value == pytest.approx(1 / 6, abs=1e-14)
    wanted = 0.5 * math.exp(-0.75)
    assert rule({0: Laplace(0.0), 1: Laplace(1.5)}).bayes_risk_.value == pytest.approx(wanted, abs=1e-14)
    pair = rule({0: Gaussian(-1.0), 1: Gaussian(1.0)}, priors=[0.3, 0.7])
    estimate, certificate = by_cells(pair._law, pair.costs_)  # type: ignore[misc]
    assert certificate.value < 1e-13
    assert estimate.value == pytest.approx(pair.bayes_risk_.value, abs=1e-14)
    # Two bumps of one class around the other: the boundaries lie where the densities 1 and 1.5 x^2 cross.
    found = rule({0: Uniform(-1.0, 1.0), 1: TwoBumps()})
    r = 1.0 / math.sqrt(3.0)
    assert found.bayes_risk_.value == pytest.approx(0.5 * (r**3 + (1.0 - r)), abs=1e-13)


class TwoBumps:
    """A user's law: the density ``3 x^2 / 2`` between -1 and 1."""

    def log_prob(self, x: Any) -> Array:
        """Return the logarithm of the density of each row."""
        x = np.asarray(x).ravel()
        with np.errstate(divide="ignore"):
            return np.where(np.abs(x) <= 1.0, np.log(1.5 * x * x), -np.inf)

    def sample(self, size: int, random_state: Any = None) -> Array:
        """Return draws by inversion of the distribution function."""
        return np.asarray(self.quantile(np.random.default_rng(random_state).random(size)))

    def cdf(self, x: Any) -> Array:
        """Return the chance of at most x."""
        return np.asarray(0.5 * (np.clip(x, -1.0, 1.0) ** 3 + 1.0))

    def quantile(self, u: Any) -> Array:
        """Return the number with this chance of no more."""
        return np.asarray(np.cbrt(2.0 * np.asarray(u) - 1.0))


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        ({"a": Bernoulli(0.2), "b": Bernoulli(0.7)}, np.arange(2.0)),
        ({"a": Binomial(6, 0.3), "b": Binomial(6, 0.5), "c": Binomial(4, 0.9)}, np.arange(7.0)),
        ({"a": Poisson(2.0), "b": Poisson(5.0)}, np.arange(200.0)),
        ({"a": Categorical([0.1, 0.2, 0.7]), "b": Categorical([0.5, 0.5, 0.0])}, np.arange(3.0)),
        (
            {"a": Multinomial([0.2, 0.3, 0.5], 4), "b": Multinomial([0.6, 0.3, 0.1], 4)},
            np.array([r for r in itertools.product(range(5), repeat=3) if sum(r) == 4], dtype=float),
        ),
    ],
    ids=lambda v: v["a"].name if isinstance(v, dict) else "",
)
def test_laws_of_whole_numbers_are_summed_up(model: dict[str, Any], rows: Array) -> None:
    found = rule(model)
    chance = np.exp([p.log_prob(rows) for p in model.values()]) / len(model)
    assert found.bayes_risk_.value == pytest.approx(1.0 - chance.max(axis=0).sum(), abs=1e-14)
    assert found.certificate_.value < 1e-13
    assert found.bayes_risk_.method == "sum over all rows"


COSTS = np.array([[0.0, 5.0], [1.0, 0.2]])


@pytest.mark.parametrize("costs", [COSTS, COSTS[::-1], COSTS - 3.0, [[0.0, 0.0], [1.0, 0.0]]])
@pytest.mark.parametrize(
    "model",
    [{0: Gaussian(-1.0), 1: Gaussian(0.5)}, {0: Poisson(2.0), 1: Poisson(3.0)}, TWO],
    ids=["line", "counts", "plane"],
)
def test_costs_are_those_of_the_answers(model: Any, costs: Any) -> None:
    """The stated risk is the mean cost of the answers on draws with labels, and no threshold does better."""
    costs = np.asarray(costs)
    found = rule(model, costs=costs, priors={0: 0.6, 1: 0.4})
    X, y = found.sample(40_000, 3)
    said = found.predict(X)
    paid = costs[y, said]
    assert abs(paid.mean() - found.bayes_risk_.value) < 5.0 * paid.std() / 200.0 + 1e-9
    others = [found.decision_function(X) > t for t in (-0.5, -0.1, 0.1, 0.5)]
    least = min(costs[y, other.astype(int)].mean() for other in others)
    assert paid.mean() < least + 5.0 * costs.std() / 200.0
    P = found.predict_proba(X[:50])
    np.testing.assert_array_equal(said[:50], (P @ costs).argmin(axis=1))


def test_draws_agree_with_the_exact_risk_and_need_no_labels() -> None:
    exact = rule(TWO, priors=[0.3, 0.7])
    inside = 0
    for seed in range(20):
        estimate, certificate = drawn(exact._law, exact.costs_, 4_000, 0.95, seed)
        assert certificate.kind is Kind.MONTE_CARLO
        assert abs(estimate.value - exact.bayes_risk_.value) < 5.0 * certificate.value
        inside += estimate.low <= exact.bayes_risk_.value <= estimate.high  # type: ignore[operator]
    assert inside == 20  # each misses with a chance below 5 %, and these bounds are wide
    X, y = exact.sample(4_000, 1)
    errors = (exact.predict(X) != y).std() / math.sqrt(4_000)
    assert certificate.value < 0.8 * errors


def test_draws_where_nothing_is_exact() -> None:
    wide = rule(
        {"a": MultivariateGaussian([0.0, 0.0]), "b": MultivariateGaussian([0.0, 0.0], 9.0 * np.eye(2))}
    )  # |x|^2 is exponential with means 2 and 18; the likelihoods are equal at 18 log(9) / 8.
    cut = 2.0 * math.log(9.0) * 9.0 / 8.0
    wanted = 0.5 * (math.exp(-cut / 2.0) + 1.0 - math.exp(-cut / 18.0))
    assert wide.certificate_.kind is Kind.MONTE_CARLO
    assert abs(wide.bayes_risk_.value - wanted) < 4.5 * wide.certificate_.value
    assert wide.bayes_risk_.low < wanted < wide.bayes_risk_.high
    assert rule(wide.model, random_state=0).bayes_risk_ == wide.bayes_risk_
    with pytest.raises(TypeError, match="luck of a random draw"):
        er.verify(wide, np.zeros((1, 2)), ["a"])


def test_answers_are_bayes_rule(rng: np.random.Generator) -> None:
    model = {"c": Gaussian(2.0, 0.5), "a": StudentT(4.0, 0.0, 1.0), "b": Laplace(-1.0, 2.0)}
    found = rule(model, priors={"a": 0.2, "b": 0.5, "c": 0.3})
    assert found.classes_.tolist() == ["a", "b", "c"]
    X = rng.normal(size=(40, 1)) * 3.0
    dens = np.stack([
        0.2 * stats.t(4.0).pdf(X[:, 0]), 0.5 * stats.laplace(-1.0, 2.0).pdf(X[:, 0]),
        0.3 * stats.norm(2.0, math.sqrt(0.5)).pdf(X[:, 0]),
    ], axis=1)  # fmt: skip
    np.testing.assert_allclose(found.predict_proba(X), dens / dens.sum(axis=1, keepdims=True), rtol=1e-10)
    np.testing.assert_array_equal(found.predict(X), found.classes_[dens.argmax(axis=1)])
    two = rule({0: Gaussian(-1.0), 1: Gaussian(1.0)})
    np.testing.assert_allclose(two.predict_proba(X)[:, 1], expit(2.0 * X[:, 0]), rtol=1e-10)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.predict_proba(X), found.predict_proba(X))
    assert clone(found).fit().bayes_risk_ == found.bayes_risk_


def test_a_learner_is_no_better_than_the_rule(rng: np.random.Generator) -> None:
    best = rule(TWO)
    X, y = best.sample(20_000, 5)
    error = float(np.mean(best.predict(X) != y))
    assert abs(error - best.bayes_risk_.value) < 5.0 * math.sqrt(0.25 / 20_000)
    learnt = er.LinearDiscriminantAnalysis().fit(X[:400], y[:400])
    assert np.mean(learnt.predict(X[400:]) != y[400:]) > best.bayes_risk_.value - 0.015
    assert best.fit(pd.DataFrame(X, columns=["u", "v"]), y).feature_names_in_.tolist() == ["u", "v"]
    assert er.verify(best, X, y).kind is Kind.EXACT
    best.bayes_risk_ = rule({0: Gaussian(0.0), 1: Gaussian(1.0)}).bayes_risk_
    assert er.verify(best, X, y).kind is Kind.NONE


@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        (None, {}, "model must be a mapping from at least 2 labels to the laws of their rows"),
        ({"a": Gaussian()}, {}, "model must be a mapping from at least 2 labels"),
        ([Gaussian(), Gaussian()], {}, "model must be a mapping"),
        ({"a": Gaussian(), 1: Gaussian()}, {}, "labels of several types"),
        ({"a": Gaussian(), "b": Gaussian}, {}, "the law of 'b' must be an object with log_prob"),
        ({"a": Gaussian(), "b": 3.0}, {}, "the law of 'b' must be an object with log_prob"),
        ({"a": Gaussian(), "b": MultivariateGaussian([0.0, 0.0])}, {}, "unlike lengths: {'a': 1, 'b': 2}"),
        ({"a": Gaussian(), "b": Poisson()}, {}, "model mixes laws with densities and laws of whole numbers"),
        (TWO, {"priors": [0.5, 0.6]}, "priors must be 2 chances >= 0 that sum to 1"),
        (TWO, {"priors": {0: 0.5, 2: 0.5}}, r"priors must have the labels of the classes, \[0, 1\]"),
        (TWO, {"costs": [1.0, 2.0]}, "costs must be 2 by 2 finite numbers"),
        (TWO, {"costs": [[0.0, math.nan], [1.0, 0.0]]}, "costs must be 2 by 2 finite numbers"),
        (TWO, {"n_draws": 1}, "n_draws must be"),
        (TWO, {"level": 1.0}, "level must lie"),
        (TWO, {"random_state": "lucky"}, "random_state must be"),
    ],
)
def test_what_is_no_model_is_refused_in_words(model: Any, more: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        rule(model, **more)


def test_rows_that_the_model_is_not_about_are_refused() -> None:
    est = er.BayesClassifier(TWO)
    with pytest.raises(ValueError, match="X has 3 columns and the laws of model have rows of 2 numbers"):
        est.fit(np.zeros((2, 3)), [0, 1])
    with pytest.raises(ValueError, match="label 7 in row 1, which is no class of the model"):
        est.fit(np.zeros((2, 2)), [0, 7])
    with pytest.raises(ValueError, match="y has 3 labels and X 2 rows"):
        est.fit(np.zeros((2, 2)), [0, 1, 1])
    with pytest.raises(ValueError, match="row 1 of X has the density 0 in every class of the model"):
        rule({0: Uniform(0.0, 1.0), 1: Uniform(0.5, 2.0)}).predict([[0.2], [3.0]])
    with pytest.raises(ValueError, match="log_prob of the law of 1 returned NaN"):
        rule({0: TwoBumps(), 1: Broken()})


class Broken(TwoBumps):
    """A user's law with a mistake: its densities are not numbers."""

    def log_prob(self, x: Any) -> Array:
        """Return what are no numbers, as a wrong formula does."""
        return np.full(np.size(x), np.nan)
