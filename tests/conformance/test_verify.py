"""`verify` over the registries: whoever claims something is verified, and nothing that is not so is."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

import empirisk as er
from empirisk.estimators import REGISTRY
from empirisk.estimators.kernel.kernel_base import KernelEstimator
from empirisk.hypotheses import REGISTRY as CLASSES
from empirisk.hypotheses import DecisionStumps, FiniteClass, Intervals, Thresholds
from empirisk.results import Certificate, Kind
from empirisk.selection import DictionarySelector, StructuralRiskMinimizer
from tests.conformance import bayes_estimators as bayes
from tests.conformance import estimators as linear
from tests.conformance import kernel_estimators as kernels
from tests.conformance import likelihood_estimators as likelihoods
from tests.conformance import mixture_estimators as mixtures
from tests.conformance import neighbor_estimators as neighbors
from tests.conformance import network_estimators as networks
from tests.conformance import posterior_estimators as posteriors
from tests.conformance import process_estimators as processes
from tests.conformance import smoother_estimators as smoothers
from tests.conformance import tree_estimators as trees
from tests.conformance.estimators import Use, use

# Certificates of these kinds say nothing about an optimum.
NO_CLAIM = (Kind.NONE, Kind.MONTE_CARLO)
BAGS = [
    use("BaggingClassifier", n_estimators=8),
    use("BaggingRegressor", n_estimators=8),
    use("PlugInClassifier"),
]
TABLE = np.array([[0, 0, 1, 1, 0], [1, 0, 1, 0, 0], [0, 1, 1, 0, 1], [1, 1, 1, 1, 0]])


@dataclass(frozen=True)
class Case:
    """An unfitted estimator with rows, and weights where it takes them."""

    name: str
    est: Any
    data: Callable[[Any, np.random.Generator], tuple[Any, Any]]
    weighted: bool = True

    def rows(self, rng: np.random.Generator) -> tuple[Any, Any, dict[str, Any]]:
        """X, y, and weights of which some are zero."""
        X, y = self.data(self.est, rng)
        return X, y, {"sample_weight": rng.integers(0, 3, len(y)).astype(float)} if self.weighted else {}


def along(est: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    d = linear.data_for(est, rng)
    return d.X, d.y


def along_many(est: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """So many rows that those of each class with positive weight are more than the columns."""
    d = linear.data_for(est, rng, n=150)
    return d.X, d.y


def apart(est: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """Two classes on either side of a gap."""
    X = rng.normal(size=(60, 3))
    X[:, 0] += np.where(X[:, 0] > 0.0, 1.0, -1.0)
    return X, np.where(X[:, 0] > 0.0, "up", "down")


def crossed(est: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """What cuts find and sums do not, with noise."""
    X = rng.normal(size=(50, 3)).round(2)
    z = (X[:, 0] > 0.0) ^ (X[:, 1] > 0.3)
    if hasattr(est, "predict_proba"):
        return X, np.array(["a", "b"])[(z ^ (rng.random(50) < 0.15)).astype(int)]
    return X, np.exp(z + 0.3 * rng.normal(size=50))


def on_the_domain(c: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """Points of a hypothesis class with noisy labels; copies among them."""
    n = 14
    if c.name == "finite_class":
        X = rng.integers(0, TABLE.shape[1], size=(n, 1)).astype(float)
    elif c.name == "conjunctions":
        X = rng.integers(0, 2, size=(n, 3)).astype(float)
    elif c.name == "sine":
        X = rng.integers(-8, 9, size=(n, 1)).astype(float)
    else:
        X = rng.integers(-4, 5, size=(n, c._dimension() or 2)) / 4.0
    return X, np.where(rng.random(n) < 0.5, "no", "yes")


def _cases() -> list[Case]:
    def many(uses: list[Use], data: Any, weighted: bool = True, tag: str = "") -> list[Case]:
        return [Case(f"{u}{tag}", u.make(), data, weighted) for u in uses]

    adaboost = [u for u in trees.USES if u.kind == "AdaBoostClassifier"]
    named: list[Any] = [
        FiniteClass(TABLE) if name == "finite_class" else make() for name, make in CLASSES.items()
    ]
    named += [Thresholds(two_sided=True), Intervals(k=2)]
    return [
        *many(linear.ALL, along),
        *many(posteriors.USES, along),
        *many(linear.BY_STEPS, along, weighted=False),
        *many(linear.BY_STEPS, apart, weighted=False, tag="-apart"),
        *many([use("HalfspaceClassifier")], apart, tag="-apart"),
        *many(trees.USES, crossed),
        *many(kernels.EVERY, along),
        *many([*likelihoods.USES, *likelihoods.COUNTS], along),
        *many(likelihoods.SETS, along, weighted=False),
        *many(mixtures.USES, along),
        *many(neighbors.USES, along),
        *many(networks.USES, along),
        *many(bayes.USES, along_many),
        *many(processes.USES, along),
        *many(smoothers.USES, along),
        *many(adaboost, apart, tag="-apart"),
        *many([use("AdaBoostClassifier", n_estimators=20, early_stopping="validation")], crossed),
        *many([use("AdaBoostClassifier", n_estimators=20, early_stopping="margin")], crossed),
        *many(
            [use("AdaBoostClassifier", n_estimators=5, estimator=er.DecisionTreeClassifier(max_depth=4))],
            apart,
        ),
        *many(trees.OPTIMAL, crossed),
        *many(BAGS, crossed, weighted=False),
        *[Case(repr(c)[:40], c, on_the_domain) for c in named],
        Case("srm", StructuralRiskMinimizer([Thresholds(), Intervals()]), _line, weighted=False),
        Case("dictionaries", DictionarySelector({"rules": RULES, "stumps": DecisionStumps()}), _line, False),
        Case("rules", DictionarySelector({"rules": RULES}), _line, weighted=False),
    ]


RULES = [lambda x: (x[:, 0] > 0.5).astype(int), lambda x: (x[:, 0] > 0.2).astype(int)]


def _line(est: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    x = rng.uniform(size=(200, 1))
    return x, ((x[:, 0] > 0.2) ^ (rng.random(200) < 0.1)).astype(int)


CASES = _cases()
each = pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)


def certificate(model: Any) -> Certificate | None:
    """What the fit claims; the choosers claim what the fit that they chose does, or all members tried."""
    return model.certificate_ if hasattr(model, "certificate_") else None


def confirmed(again: Certificate, stated: Certificate | None, tol: float) -> bool:
    """Whether the recomputed claim is of the stated kind and as strong, or within the tolerance."""
    if stated is None:
        return again.kind is Kind.EXACT and again.value <= 1e-12
    slack = max(again.floor, stated.floor, 1e-14)
    return (again.kind is stated.kind and np.isfinite(again.value)) and (
        again.value <= stated.value * (1.0 + 1e-3) + slack or again.within(tol)
    )


def test_every_registered_class_is_among_the_cases() -> None:
    tested = {type(c.est).__name__ for c in CASES}
    lacking = sorted((set(REGISTRY) | {make.__name__ for make in CLASSES.values()}) - tested)
    assert not lacking, f"add a case of each to CASES in tests/conformance/test_verify.py: {lacking}"


@each
def test_whatever_is_claimed_is_verified(case: Case, rng: np.random.Generator) -> None:
    X, y, weight = case.rows(rng)
    model = clone(case.est).fit(X, y, **weight)
    stated = certificate(model)
    if stated is None or stated.kind not in NO_CLAIM:
        again = er.verify(model, X, y, **weight)
        assert confirmed(again, stated, getattr(model, "tol", None) or 0.0), again.claim
        return
    if hasattr(model, "coef_"):  # a measure on these rows, whatever the fit could say
        assert isinstance(er.verify(model, X, y, **weight), Certificate)
        return
    with pytest.raises(TypeError, match=f"^{type(model).__name__} ") as refused:
        er.verify(model, X, y, **weight)
    assert stated.claim.removeprefix("none: ") in str(refused.value)


@each
def test_centred_columns_are_verified(case: Case, rng: np.random.Generator) -> None:
    """Means of such columns are rounding, whose share of themselves says nothing."""
    X, y, weight = case.rows(rng)
    if not isinstance(X, np.ndarray) or get_tags(case.est).input_tags.pairwise or X.min(initial=0.0) >= 0.0:
        pytest.skip("the rows are no plain numbers of both signs")
    X = X - np.average(X, axis=0, weights=weight.get("sample_weight"))
    model = clone(case.est).fit(X, y, **weight)
    stated = certificate(model)
    if stated is None or stated.kind not in NO_CLAIM:
        again = er.verify(model, X, y, **weight)
        assert confirmed(again, stated, getattr(model, "tol", None) or 0.0), again.claim


def broken(model: Any, rng: np.random.Generator) -> list[Any]:
    """Copies with another parameter each: a coefficient, a vote, a leaf, a rule."""
    out = []
    if hasattr(model, "coef_"):
        for change in (0.01, -0.03):
            other = copy.copy(model)
            other.coef_ = -model.coef_ if model.certificate_.kind is Kind.EXACT else model.coef_ + change
            out.append(other)
    if hasattr(model, "coefs_"):
        for layer in range(len(model.coefs_)):
            other = copy.copy(model)
            other.coefs_ = [c + 0.01 * (k == layer) for k, c in enumerate(model.coefs_)]
            out.append(other)
    for name in ("means_", "theta_", "feature_count_", "_counts"):  # of the classes by Bayes' rule
        if hasattr(model, name) and hasattr(model, "priors_"):
            other = copy.copy(model)
            setattr(other, name, getattr(model, name) + 0.01)
            out.append(other)
    for at, part in enumerate(getattr(model, "parts_", ())):  # of columns of several kinds
        for name in ("theta_", "feature_count_"):
            if hasattr(part.law, name):
                law = copy.copy(part.law)
                setattr(law, name, getattr(law, name) + 0.01)
                other = copy.copy(model)
                other.parts_ = (*model.parts_[:at], replace(part, law=law), *model.parts_[at + 1 :])
                out.append(other)
    if hasattr(model, "_votes"):
        other = copy.copy(model)
        other._votes = model._votes[::-1]
        out.append(other)
    if hasattr(model, "dual_coef_"):
        # The mean of a number of steps is not at the optimum: a small change may be for the better.
        for change in (0.9, 1.1) if hasattr(model, "tol") else (0.2, 5.0):
            other = copy.copy(model)
            other.dual_coef_ = change * model.dual_coef_
            out.append(other)
    if hasattr(model, "estimators_"):
        other = copy.copy(model)
        other.estimator_weights_ = 1.01 * model.estimator_weights_
        out.append(other)
    for name in ("trees_", "tree_"):
        if hasattr(model, name):
            forest = getattr(model, name)
            leaves = np.flatnonzero(forest.feature < 0)
            for leaf in (leaves[0], leaves[-1]):
                value = np.array(forest.value)
                value[leaf] = value[leaf][::-1] if value.shape[1] > 1 else 1.01 * value[leaf] + 1e-3
                other = copy.copy(model)
                setattr(other, name, forest.with_values(value))
                out.append(other)
    if hasattr(model, "hypothesis_"):
        other = copy.copy(model)
        other.hypothesis_ = lambda points: ~model.hypothesis_(points)
        out.append(other)
    if hasattr(model, "estimator_"):
        for inner in broken(model.estimator_, rng):
            other = copy.copy(model)
            other.estimator_ = inner
            out.append(other)
    if hasattr(model, "index_"):
        other = copy.copy(model)
        other.index_ = (model.index_ + 1) % len(model.members)
        out.append(other)
    return out


@each
def test_changed_parameters_are_not_confirmed(case: Case, rng: np.random.Generator) -> None:
    X, y, weight = case.rows(rng)
    model = clone(case.est).fit(X, y, **weight)
    stated = certificate(model)
    if stated is not None and stated.kind in NO_CLAIM:
        return
    others = broken(model, rng)
    assert others
    for other in others:
        again = er.verify(other, X, y, **weight)
        assert not confirmed(again, stated, min(getattr(model, "tol", None) or 0.0, 1e-6)), again.claim


@each
def test_other_rows_are_not_confirmed(case: Case, rng: np.random.Generator) -> None:
    X, y, weight = case.rows(rng)
    model = clone(case.est).fit(X, y, **weight)
    stated = certificate(model)
    if stated is not None and stated.kind in NO_CLAIM:
        return
    again = er.verify(model, X, np.roll(y, len(y) // 3), **weight)
    assert not confirmed(again, stated, getattr(model, "tol", None) or 0.0), again.claim


@pytest.mark.parametrize("more", [False, True], ids=["fewer", "more"])
@each
def test_another_number_of_rows_is_answered(case: Case, more: bool, rng: np.random.Generator) -> None:
    X, y, _ = case.rows(rng)
    model = clone(case.est).fit(X, y)
    stated = certificate(model)
    if stated is not None and stated.kind in NO_CLAIM:
        return
    rows = np.concatenate([np.arange(len(y)), np.arange(5)]) if more else np.arange(len(y) - 5)
    again = er.verify(model, X[rows], y[rows])
    assert isinstance(again, Certificate)
    if isinstance(model, KernelEstimator | er.KernelPCA):
        assert again.kind is Kind.NONE
        assert f"{len(rows)} rows" in again.claim
        assert f"had {len(y)}" in again.claim


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["gaussian", "linear", "precomputed"])
def test_kernel_components_are_verified(kernel: str, weighted: bool, rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    X = X @ X.T if kernel == "precomputed" else X
    weight = rng.integers(0, 3, 40).astype(float) if weighted else None
    model = er.KernelPCA(kernel, 2).fit(X, sample_weight=weight)
    again = er.verify(model, X, None, weight)
    assert again.kind is Kind.EIGEN_RESIDUAL
    assert again.within(1e-10)
    model.explained_variance_ = model.explained_variance_ * [1.0, 0.9]
    assert not er.verify(model, X, None, weight).within(1e-6)
    assert er.verify(model, X[::-1, ::-1].copy(), None, weight).kind is Kind.NONE


def test_a_lesser_component_is_not_confirmed(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    whole, one = (er.KernelPCA("gaussian", k).fit(X) for k in (2, 1))
    one._dual, one.explained_variance_ = whole._dual[:, 1:], whole.explained_variance_[1:]
    assert er.verify(one, X, None).kind is Kind.NONE  # an eigenvector, and not the leading one


def test_a_bound_by_enumeration_is_below_every_tree(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    model = er.DecisionTreeClassifier(optimal=2).fit(X, y)
    best = model.certificate_.scale
    shown = []
    for budget in (0.0, 2e3, 5e3, 1e4, 2e4, 1e8):
        monkeypatch.setattr("empirisk.estimators.trees.verify_tree.BUDGET", budget)
        again = er.verify(model, X, y)
        assert again.scale == pytest.approx(best)
        assert again.scale - again.value <= best * (1.0 + 1e-12)
        assert ("stopped" in again.claim) == (not again.at_floor)
        shown.append(again.value)
    assert shown[0] > 0.0
    assert again.at_floor


def test_a_bound_by_blocks_is_below_every_hypothesis(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = rng.normal(size=(24, 1)), rng.integers(0, 2, 24)
    model = Intervals(k=2).fit(x, y)
    for at_once, total in itertools.product((100, 2_000, 10**7), (0, 300, 10**9)):
        monkeypatch.setattr("empirisk.hypotheses.verify.AT_ONCE", at_once)
        monkeypatch.setattr("empirisk.hypotheses.verify.BUDGET", total)
        again = er.verify(model, x, y)
        assert again.kind is Kind.EXACT
        assert 0.0 <= model.training_error_ - again.value <= model.training_error_
    assert again.value == 0.0


def test_streams_are_measured_on_rows_that_are_given(rng: np.random.Generator) -> None:
    X, y = rng.normal(size=(300, 3)), rng.normal(size=300)
    stream = er.SGDRegressor(alpha=0.1, tol=None)
    for _ in range(5):
        stream.partial_fit(X, y)
    assert stream.certificate_.kind is Kind.NONE
    gap = er.verify(stream, X, y)
    assert gap.kind is Kind.DUALITY_GAP
    problem = stream.problem(X, y)
    best = problem.value(er.Ridge(alpha=0.1, tol=1e-13).fit(X, y).solution_.w)
    assert problem.value(stream._pack(problem)) - best <= gap.value * (1.0 + 1e-9)


def test_a_pipeline_is_verified_behind_its_steps(rng: np.random.Generator) -> None:
    X, y = crossed(er.AdaBoostClassifier(), rng)
    model = make_pipeline(StandardScaler(), er.AdaBoostClassifier(n_estimators=10)).fit(X, y)
    assert confirmed(er.verify(model, X, y), model[-1].certificate_, 0.0)


def test_what_is_no_estimator_of_ours_is_refused() -> None:
    with pytest.raises(TypeError, match="verify needs a fitted empirisk estimator, got StandardScaler"):
        er.verify(StandardScaler(), np.zeros((2, 1)), [0, 1])


def test_whatever_fits_is_verified_or_refused_by_name(rng: np.random.Generator) -> None:
    X = np.abs(rng.normal(size=(60, 3)))
    for name in er.__all__:
        made = getattr(er, name)
        if not (isinstance(made, type) and hasattr(made, "fit") and made.__module__.startswith("empirisk")):
            continue
        try:
            model = made().fit(X, (X[:, 0] > 0.5).astype(int))
        except (TypeError, ValueError):  # needs a parameter, or other targets
            continue
        try:
            assert isinstance(er.verify(model, X, (X[:, 0] > 0.5).astype(int)), Certificate)
        except TypeError as refused:
            assert name in str(refused)  # noqa: PT017 - both answers are right
