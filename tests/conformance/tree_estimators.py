"""The estimators made of trees under test: every class, in each of the ways that it can be used."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import is_classifier

from empirisk.estimators import REGISTRY
from empirisk.estimators.trees.tree_base import TreeEstimator
from tests.conformance.estimators import Use, use

SMALL: dict[str, Any] = {"n_estimators": 15, "learning_rate": 0.3, "max_leaf_nodes": 6, "min_samples_leaf": 1}

# Deterministic in the data: weights are repetitions.
GREEDY: list[Use] = [
    use("DecisionTreeClassifier"),
    use("DecisionTreeClassifier", alpha=None, criterion="entropy", smoothing=0.5),
    use("DecisionTreeClassifier", risk="criterion", rule="min", max_bins=255),
    use("DecisionTreeRegressor", rule="min"),
    use("DecisionTreeRegressor", alpha=0.01, criterion="absolute_error"),
    use("DecisionTreeRegressor", criterion="poisson", max_leaf_nodes=12),
    use("AdaBoostClassifier", n_estimators=12),
    use("AdaBoostClassifier", n_estimators=30, variant="real"),
    use("AdaBoostClassifier", n_estimators=10, max_depth=2),
    use("AdaBoostRegressor", n_estimators=12),
    use("AdaBoostRegressor", n_estimators=12, loss="square", max_depth=2, learning_rate=0.5),
    use("GradientBoostingClassifier", **SMALL),
    use("GradientBoostingRegressor", **SMALL),
    use("GradientBoostingRegressor", loss="absolute", **SMALL),
    use("GradientBoostingRegressor", loss="poisson", **SMALL),
]
# With draws of rows or columns: the same seed gives the same bits, but weights are no repetitions.
RANDOM: list[Use] = [
    use("DecisionTreeClassifier", alpha=None, max_features=2, random_state=0),
    use("RandomForestClassifier", n_estimators=25),
    use("RandomForestClassifier", n_estimators=25, criterion="entropy", max_leaf_nodes=40, max_features=None),
    use("RandomForestRegressor", n_estimators=25),
    use("RandomForestRegressor", n_estimators=25, criterion="poisson", max_features=0.5),
    use("RandomForestRegressor", n_estimators=25, criterion="absolute_error"),
    use("RandomForestClassifier", n_estimators=25, class_weight="balanced_subsample"),
    use("ExtraTreesClassifier", n_estimators=25, smoothing=1.0),
    use("ExtraTreesRegressor", n_estimators=25, max_samples=0.8, bootstrap=True),
    use("AdaBoostRegressor", n_estimators=12, loss="exponential", resample=True),
    use("GradientBoostingClassifier", subsample=0.7, max_features=2, **SMALL),
    use("GradientBoostingRegressor", loss="quantile", q=0.6, early_stopping=True, **SMALL),
    use("GradientBoostingRegressor", loss="huber", calibration_fraction=0.2, **SMALL),
]
USES = [*GREEDY, *RANDOM]
# Numbers alone, without missing values: other searches are refused.
OPTIMAL: list[Use] = [
    use("DecisionTreeClassifier", optimal=1, alpha=0.02),
    use("DecisionTreeClassifier", optimal=2),
    use("DecisionTreeClassifier", optimal=2, alpha=0.01, max_bins=6),
    use("DecisionTreeClassifier", optimal=3, alpha=0.01, max_bins=8, class_weight="balanced"),
    use("DecisionTreeRegressor", optimal=1),
    use("DecisionTreeRegressor", optimal=2, alpha=0.002),
    use("DecisionTreeRegressor", optimal=3, max_bins=5),
]


def registered() -> set[str]:
    """Names of the registered estimators that are made of trees."""
    return {name for name, cls in REGISTRY.items() if issubclass(cls, TreeEstimator)}


def each(uses: list[Use], kind: str = "any") -> pytest.MarkDecorator:
    """Run a test on an estimator of each use: "any", "classifier" or "regressor"."""

    def fits(est: Any) -> bool:
        return kind == "any" or is_classifier(est) == (kind == "classifier")

    chosen = [(u.make(), str(u)) for u in uses if fits(u.make())]
    return pytest.mark.parametrize("est", [est for est, _ in chosen], ids=[name for _, name in chosen])
