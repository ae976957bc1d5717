"""The scale of the weights changes no choice and no fit: folds, leave-one-out, early stopping, sizes,
steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier

from tests.conformance.estimators import AS_WRITTEN, FIXED, Use, use
from tests.conformance.tree_estimators import GREEDY, RANDOM, SMALL

SCALES = (1e-6, 1.0 / 90.0, 2.0, 1000.0)
# Every use that chooses something by the rows; alpha="1/n" is 1/S by definition, l2 and min_gain are on the
# scale of a sum.
CHOOSE = [
    *(u for u in AS_WRITTEN if dict(u.params).get("alpha") == "cv"),
    *GREEDY,
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
CHOICES = ("alpha_", "n_iter_", "n_estimators_")


def rows(est: Any, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    X = rng.standard_normal((90, 4))
    z = X[:, 0] - 0.7 * X[:, 1] + 0.8 * rng.standard_normal(90)
    return X, (z > 0.3).astype(int) if is_classifier(est) else np.exp(0.4 * z), rng.integers(1, 4, 90) * 1.0


def answer(est: Any, X: Any) -> Any:
    for name in ("predict_proba", "decision_function", "predict"):
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
