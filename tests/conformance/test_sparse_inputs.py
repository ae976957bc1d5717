"""A sparse matrix is its dense form, however SciPy holds it: repeated, unsorted, zero cells, long indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

import empirisk as er
from empirisk.estimators import REGISTRY
from empirisk.evaluation.evaluate import evaluate
from tests.conformance.bayes_estimators import DENSE_ALONE
from tests.conformance.bayes_estimators import USES as BAYES
from tests.conformance.estimators import ALL, BY_STEPS, Use, data_for, parameters, use
from tests.conformance.kernel_estimators import EVERY as KERNELS
from tests.conformance.likelihood_estimators import COUNTS, SETS
from tests.conformance.likelihood_estimators import USES as LIKELIHOODS
from tests.conformance.neighbor_estimators import USES as NEIGHBORS
from tests.conformance.network_estimators import USES as NETWORKS
from tests.conformance.posterior_estimators import APPROXIMATE
from tests.conformance.process_estimators import USES as PROCESSES
from tests.conformance.smoother_estimators import USES as SMOOTHERS
from tests.conformance.sparse_layouts import LAYOUTS, dyadic, make
from tests.conformance.tree_estimators import USES as TREES
from tests.oracles.complete import complete

BAGS = [
    use("PlugInClassifier"),
    use("BaggingClassifier", n_estimators=4, random_state=0),
    use("BaggingRegressor", estimator=er.Ridge(), n_estimators=4, random_state=0),
]
EVERY = [
    *ALL,
    *BY_STEPS,
    *TREES,
    *KERNELS,
    *NEIGHBORS,
    *PROCESSES,
    *NETWORKS,
    *SMOOTHERS,
    *BAYES,
    *LIKELIHOODS,
    *COUNTS,
    *SETS,
    *APPROXIMATE,
    *BAGS,
]
EVERY = [u for u in EVERY if u.kind not in DENSE_ALONE]
ONE_OF_EACH = list({u.kind: u for u in reversed(EVERY)}.values())
QUICK = [
    ("repeated", "csr", True),
    ("repeated", "csc", False),
    ("repeated", "coo", False),
    ("repeated", "bsr", True),
    ("unsorted", "csr", False),
    ("int64", "csc", True),
    ("explicit zeros", "csr", True),
    ("stale flags", "csr", False),
]
# Refuse sparse rows in words (tests/conformance/test_regression_mixtures.py, test_posterior_estimators.py).
DENSE = {"BayesianLinearRegression", "RegressionMixture", *DENSE_ALONE}
# What users call on rows.
METHODS = (
    "predict",
    "predict_proba",
    "decision_function",
    "apply",
    "decision_path",
    "staged_predict",
    "predict_quantiles",
    "monte_carlo_error",
)


def rows_for(est: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Exact numbers with empty rows, and targets that suit the estimator."""
    D = dyadic(rng, 60, 5)
    D = np.abs(D) if get_tags(est).input_tags.positive_only else D
    return D, data_for(est, rng).y


def answers(fitted: Any, X: Any) -> dict[str, Any]:
    """All that the estimator says about rows."""
    out = {}
    for name in METHODS:
        if callable(getattr(fitted, name, None)):
            said = getattr(fitted, name)(X)
            if name == "decision_path" and isinstance(said, tuple):
                said = said[0]
            said = list(said) if name.startswith("staged") else said
            out[name] = said.toarray() if sp.issparse(said) else np.asarray(said)
    return out


def assert_same(a: dict[str, Any], b: dict[str, Any], rtol: float) -> None:
    assert a.keys() == b.keys()
    decided = rows_decided(a, rtol)
    for name, value in a.items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(value, b[name], rtol=rtol, atol=rtol, err_msg=name)
        else:
            chosen = decided if name == "predict" else slice(None)
            np.testing.assert_array_equal(value[chosen], b[name][chosen], err_msg=name)


def rows_decided(told: dict[str, Any], rtol: float) -> Any:
    """The rows whose class follows from scores that are known to `rtol`; all where there are no scores.

    Two classes for which a row lies on the margin have scores of -1 both, which rounding tells apart; how the
    class follows from the scores themselves is tested to the last bit elsewhere.
    """
    score = told.get("decision_function")
    if score is None or told["predict"].dtype.kind == "f":
        return slice(None)
    top = np.sort(score if score.ndim == 2 and score.shape[1] > 1 else np.c_[0.0 * score, score], axis=1)
    # Either score may be off by what the comparison of scores allows.
    return top[:, -1] - top[:, -2] > 2.0 * rtol * (1.0 + np.abs(top).max(axis=1))


def test_every_registered_estimator_is_here() -> None:
    complete({u.kind for u in ONE_OF_EACH}, set(REGISTRY) - DENSE, "a use", "tests/conformance/estimators.py")


def check(u: Use, layouts: list[tuple[str, str, bool]], rng: np.random.Generator) -> None:
    est = u.make()
    D, y = rows_for(est, rng)
    fits = {kind: clone(est).fit(kind(D), y) for kind in (sp.csr_array, sp.csc_array)}
    told = answers(fits[sp.csr_array], D)
    for layout in layouts:
        A = make(D, *layout)
        assert_same(answers(fits[sp.csr_array], A), told, 1e-9)
        same = fits[sp.csc_array if A.format == "csc" else sp.csr_array]
        again = clone(est).fit(A, y)
        assert_same(answers(again, D), answers(same, D), 1e-7)
        if hasattr(again, "coef_"):
            np.testing.assert_allclose(parameters(again), parameters(same), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("u", ONE_OF_EACH, ids=str)
def test_fit_and_predict_read_the_dense_form(u: Use, rng: np.random.Generator) -> None:
    check(u, QUICK, rng)


@pytest.mark.slow
@pytest.mark.parametrize("u", EVERY, ids=str)
def test_fit_and_predict_read_the_dense_form_in_every_layout(u: Use, rng: np.random.Generator) -> None:
    check(u, LAYOUTS, rng)


@pytest.mark.parametrize("layout", QUICK, ids=str)
def test_problems_certificates_and_scores_read_the_dense_form(
    layout: tuple[str, str, bool], rng: np.random.Generator
) -> None:
    D, y = dyadic(rng, 60, 5), rng.normal(size=60)
    A, labels = make(D, *layout), np.where(D[:, 0] + 0.5 * y > 0.0, "yes", "no")
    ridge, vote = er.Ridge(0.1).fit(D, y), er.LogisticRegression(0.1, tol=1e-12).fit(D, labels)
    np.testing.assert_allclose(ridge.problem(A, y).value(np.ones(6)), ridge.problem(D, y).value(np.ones(6)))
    assert er.verify(ridge, A, y).within(1e-6)
    assert ridge.score(A, y) == pytest.approx(ridge.score(D, y), rel=1e-12)
    for est, target in ((ridge, y), (vote, labels)):
        ours, dense = evaluate(est, A, target), evaluate(est, D, target)
        for name in dense:
            assert ours[name].value == pytest.approx(dense[name].value, rel=1e-9), name
        assert (er.cross_evaluate(clone(est), A, target, random_state=0)[name].value) == pytest.approx(
            er.cross_evaluate(clone(est), D, target, random_state=0)[name].value, rel=1e-6
        )
    np.testing.assert_allclose(ridge.summary(A, y).se, ridge.summary(D, y).se, rtol=1e-6)
    grid = {"alpha": [0.01, 1.0]}
    a, b = (er.selection.GridSearch(er.Ridge(), grid, random_state=0).fit(X, y) for X in (A, D))
    assert a.best_score_.value == pytest.approx(b.best_score_.value, rel=1e-6)
    np.testing.assert_allclose(a.predict(A), b.predict(D), rtol=1e-6)
    assert is_classifier(vote)


def test_words_renamed_after_counting(rng: np.random.Generator) -> None:
    """Columns joined by renaming their numbers: SciPy's flags stay true, the fit is that of the sums."""
    D = np.asarray(rng.integers(0, 4, size=(80, 6)), dtype=float)
    A = sp.csr_matrix(D)
    assert A.has_canonical_format
    A.indices = np.array([0, 1, 2, 0, 1, 5], dtype=A.indices.dtype)[A.indices]
    joined = np.column_stack(
        [D[:, 0] + D[:, 3], D[:, 1] + D[:, 4], D[:, 2], 0 * D[:, 0], 0 * D[:, 0], D[:, 5]]
    )
    y = joined @ np.arange(6.0) + rng.normal(size=80)
    np.testing.assert_allclose(er.Ridge(0.1).fit(A, y).coef_, er.Ridge(0.1).fit(joined, y).coef_, rtol=1e-6)
