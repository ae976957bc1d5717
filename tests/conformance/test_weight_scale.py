"""The scale of the weights changes no choice and no fit: folds, leave-one-out, early stopping, sizes,
steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

from empirisk.losses import REGISTRY as LOSSES
from tests.conformance.estimators import AS_WRITTEN, FIXED, Use, use
from tests.conformance.neighbor_estimators import USES as NEIGHBORS
from tests.conformance.network_estimators import USES as NETWORKS
from tests.conformance.smoother_estimators import USES as SMOOTHERS
from tests.conformance.tree_estimators import GREEDY, RANDOM, SMALL

SCALES = (1e-6, 1.0 / 90.0, 2.0, 1000.0)
# Every use that chooses something by the rows; alpha="1/n" is 1/S by definition, l2 and min_gain are on the
# scale of a sum.
CHOOSE = [
    *(u for u in AS_WRITTEN if dict(u.params).get("alpha") == "cv"),
    *GREEDY,
    *NEIGHBORS,
    *NETWORKS,
    *SMOOTHERS,
    *(u for u in RANDOM if "Boosting" in u.kind or u.kind == "DecisionTreeClassifier"),
    use("Ridge", alpha="cv", rule="one_se"),
    use("ElasticNet", alpha="cv", alphas=10),
    use("GammaRegressor", alpha="cv", alphas=8),
    use("DecisionTreeRegressor", criterion="poisson", alpha="cv"),
    use("GradientBoostingClassifier", early_stopping=True, n_iter_no_change=3, **SMALL),
    use("GradientBoostingRegressor", loss="gamma", early_stopping=True, **SMALL),
    use("AdaBoostClassifier", n_estimators=20, early_stopping="validation"),
    use("RandomForestRegressor", n_estimators=20, min_samples_leaf=3),
    use("ExtraTreesClassifier", n_estimators=20),
]
CHOICES = ("alpha_", "n_iter_", "n_estimators_", "bandwidth_", "n_neighbors_")


def rows(est: Any, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    X = rng.standard_normal((90, 4))
    z = X[:, 0] - 0.7 * X[:, 1] + 0.8 * rng.standard_normal(90)
    return X, (z > 0.3).astype(int) if is_classifier(est) else np.exp(0.4 * z), rng.integers(1, 4, 90) * 1.0


def answer(est: Any, X: Any) -> Any:
    # The rows that smoothing adds are rows of weight 1: only the class does not depend on the scale.
    smoothed = getattr(est, "smoothing", 0.0) > 0.0
    for name in ("predict_proba", "decision_function", "predict")[2 if smoothed else 0 :]:
        if hasattr(est, name):
            return np.asarray(getattr(est, name)(X), dtype=float)
    raise AssertionError


def size(est: Any) -> list[Any]:
    chosen: list[Any] = []
    for name in CHOICES:
        value = getattr(est, name, None)
        if value is not None and not (name == "n_iter_" and hasattr(est, "coef_")):  # steps of a solver
            chosen.append(value)
    return [*chosen, est.get_n_leaves()] if hasattr(est, "get_n_leaves") else chosen


def ids(uses: list[Use]) -> Any:
    uses = list(dict.fromkeys(uses))
    return pytest.mark.parametrize("est", [u.make() for u in uses], ids=[str(u) for u in uses])


@ids(CHOOSE)
@pytest.mark.parametrize("equal", [True, False], ids=["equal", "unequal"])
def test_no_choice_depends_on_the_scale_of_the_weights(
    est: Any, equal: bool, rng: np.random.Generator
) -> None:
    X, y, w = rows(est, rng)
    w = np.ones(90) if equal else w
    first = clone(est).fit(X, y, sample_weight=w)
    plain = clone(est).fit(X, y) if equal else first
    for c in SCALES:
        other = clone(est).fit(X, y, sample_weight=c * w)
        for one in (first, plain):
            np.testing.assert_allclose(size(other), size(one), rtol=1e-9)
            np.testing.assert_allclose(answer(other, X), answer(one, X), rtol=2e-5, atol=2e-6)


@ids([u for u in FIXED if "1/n" not in dict(u.params).values()])
def test_no_fit_depends_on_the_scale_of_the_weights(est: Any, rng: np.random.Generator) -> None:
    X, y, w = rows(est, rng)
    first = answer(clone(est).fit(X, y, sample_weight=w), X)
    for c in SCALES:
        other = answer(clone(est).fit(X, y, sample_weight=c * w), X)
        np.testing.assert_allclose(other, first, rtol=1e-4, atol=1e-5 * np.abs(first).max())


# Losses with kinks: their best constants and leaves are decided by shares of the weight, here ties of halves
# and tenths, and their minima need not be unique.
KINKED = [
    use("GradientBoostingRegressor", loss="absolute", n_estimators=30, min_samples_leaf=3),
    use("GradientBoostingRegressor", loss="quantile", q=0.5, n_estimators=30, min_samples_leaf=3),
    use("GradientBoostingRegressor", loss="quantile", q=(0.1, 0.5, 0.9), n_estimators=20, min_samples_leaf=3),
    use("GradientBoostingRegressor", loss="huber", n_estimators=30, min_samples_leaf=3),
    use("QuantileRegressor", q=0.3, alpha="cv", alphas=10),
    use("LeastAbsoluteDeviations", alpha="cv", alphas=10),
    use("LinearSVR", alpha="cv", alphas=8),
    use("LinearSVC", alpha="cv", alphas=8),
]


@ids(KINKED)
@pytest.mark.parametrize("seed", [0, 1])
def test_rounding_of_equal_weights_decides_no_tie(est: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 4))
    y = X[:, 0] - X[:, 1] + rng.standard_normal(60)
    y = (y > 0.0).astype(int) if is_classifier(est) else y
    plain = clone(est).fit(X, y)
    for c in (1.0 / 60.0, 1.0 / 7.0, 1000.0):
        other = clone(est).fit(X, y, sample_weight=np.full(60, c))
        np.testing.assert_allclose(size(other), size(plain), rtol=1e-9)
        np.testing.assert_allclose(answer(other, X), answer(plain, X), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_no_best_constant_depends_on_the_scale_of_the_weights(name: str) -> None:
    if name in ("softmax", "one_versus_rest"):
        y = np.arange(60) % 3
    else:
        y = np.where(np.arange(60) % 2, 1.0, -1.0) if LOSSES[name]().labels else 0.5 + np.arange(60) % 7
    y = y / 8.0 if name == "bernoulli" else y
    loss = LOSSES[name]()
    for w in (np.ones(60), 1.0 + np.arange(60) // 2 % 3):
        first = loss.best_constant(y, w)
        for c in (1.0 / 60.0, 1.0 / 7.0, 0.1, 1000.0):
            np.testing.assert_allclose(loss.best_constant(y, c * w), first, rtol=1e-9, atol=1e-9)
