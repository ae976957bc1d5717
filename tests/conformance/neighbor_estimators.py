"""The estimators made of neighbours under test: every class, in each of the ways that it can be used."""

from __future__ import annotations

from empirisk.estimators import REGISTRY
from empirisk.estimators.neighbors.neighbors_base import NeighborsBase
from tests.conformance.estimators import Use, use

USES: list[Use] = [
    use("KNeighborsClassifier"),
    use("KNeighborsClassifier", n_neighbors=3, weights="distance", smoothing=0.5),
    use("KNeighborsClassifier", n_neighbors="cv", metric="manhattan"),
    use("KNeighborsClassifier", algorithm="kd_tree"),
    use("KNeighborsClassifier", n_neighbors="cv", class_weight="balanced"),
    use("KNeighborsRegressor"),
    use("KNeighborsRegressor", algorithm="kd_tree", metric="manhattan"),
    use("KNeighborsRegressor", n_neighbors=3, weights="distance", metric="chebyshev"),
    use("KNeighborsRegressor", n_neighbors="cv", rule="one_se"),
]


def registered() -> set[str]:
    """Names of the registered estimators that are made of neighbours."""
    return {name for name, cls in REGISTRY.items() if issubclass(cls, NeighborsBase)}
