"""`predict` is the class of the largest value of `decision_function` and of `predict_proba`, ties
included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.utils import get_tags

from empirisk.estimators.agreement import agreeing, largest
from tests.conformance.bayes_estimators import USES as BAYES
from tests.conformance.estimators import ALL, BY_STEPS
from tests.conformance.kernel_estimators import EVERY as KERNELS
from tests.conformance.likelihood_estimators import USES as LIKELIHOODS
from tests.conformance.neighbor_estimators import USES as NEIGHBORS
from tests.conformance.network_estimators import USES as NETWORKS
from tests.conformance.process_estimators import USES as PROCESSES
from tests.conformance.smoother_estimators import USES as SMOOTHERS
from tests.conformance.tree_estimators import USES

EVERY = dict.fromkeys(
    [*ALL, *BY_STEPS, *USES, *KERNELS, *NEIGHBORS, *PROCESSES, *NETWORKS, *SMOOTHERS, *BAYES, *LIKELIHOODS]
)
CLASSIFIERS = [u for u in EVERY if is_classifier(u.make())]


def named(values: Any) -> Any:
    return (values > 0.0).astype(int) if values.ndim == 1 else values.argmax(axis=1)


CASES = [(u, k) for u in CLASSIFIERS for k in (2, 3) if k == 2 or u.kind != "HalfspaceClassifier"]


@pytest.mark.parametrize(("use", "k"), CASES, ids=str)
def test_predict_is_the_class_of_the_largest_value(use: Any, k: int, rng: np.random.Generator) -> None:
    # Symmetric tables of few cells: half of the rows lie where scores tie, but for rounding.
    for seed in range(4):
        g = np.random.default_rng(seed)
        X = g.integers(-1, 2, (12 * k, 2)).astype(float)
        X = np.vstack([X, -X, np.zeros((2, 2))])
        y = np.arange(len(X)) % k
        est = clone(use.make())
        X = X + 1.0 if get_tags(est).input_tags.positive_only else X
        est.fit(X, y)
        new = np.vstack([X, 1e-9 * X, g.standard_normal((20, 2))])
        new = np.abs(new) if get_tags(est).input_tags.positive_only else new
        said = est.predict(new)
        if hasattr(est, "decision_function"):
            np.testing.assert_array_equal(said, est.classes_[named(est.decision_function(new))])
        if hasattr(est, "predict_proba"):
            proba = est.predict_proba(new)
            np.testing.assert_array_equal(said, est.classes_[proba.argmax(axis=1)])
            np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-6)


def test_probabilities_that_tie_by_rounding_follow_the_scores() -> None:
    z = np.array([[0.0, 1e-17, 0.0], [0.0, 0.0, -1.0], [3.0, 3.0, 3.0 + 1e-15]])
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    assert (largest(p) != largest(z)).any()
    told = agreeing(p.copy(), z)
    np.testing.assert_array_equal(told.argmax(axis=1), z.argmax(axis=1))
    np.testing.assert_allclose(told, p, rtol=1e-15)
