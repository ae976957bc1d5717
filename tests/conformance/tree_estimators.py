"""The estimators made of trees under test: every class, in each of the ways that it can be used."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.base import is_classifier

from empirisk.estimators import REGISTRY
from empirisk.estimators.tree_base import TreeEstimator
from tests.conformance.estimators import Use, use

# Deterministic in the data: weights are repetitions.
GREEDY: list[Use] = [
    use("AdaBoostClassifier", n_estimators=12),
    use("AdaBoostClassifier", n_estimators=30, variant="real"),
]
# With draws of rows or columns: the same seed gives the same bits, but weights are no repetitions.
RANDOM: list[Use] = []
USES = [*GREEDY, *RANDOM]


def registered() -> set[str]:
    """Names of the registered estimators that are made of trees."""
    return {name for name, cls in REGISTRY.items() if issubclass(cls, TreeEstimator)}


def each(uses: list[Use], kind: str = "any") -> pytest.MarkDecorator:
    """Run a test on an estimator of each use: "any", "classifier" or "regressor"."""

    def fits(est: Any) -> bool:
        return kind == "any" or is_classifier(est) == (kind == "classifier")

    chosen = [(u.make(), str(u)) for u in uses if fits(u.make())]
    return pytest.mark.parametrize("est", [est for est, _ in chosen], ids=[name for _, name in chosen])
