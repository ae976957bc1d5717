"""The estimators by maximum likelihood under test, in each of the ways that they can be used."""

from __future__ import annotations

from empirisk.estimators import REGISTRY
from empirisk.estimators.likelihood.base import LikelihoodEstimator
from tests.conformance.estimators import Use, use

# With a penalty the few rows of scikit-learn's checks have a fit, whatever their classes are.
USES: list[Use] = [
    use("OrderedLogit", alpha="1/n"),
    use("OrderedLogit", link="probit", alpha=0.05),
]
# Counts: most of scikit-learn's checks have targets without a zero, which these refuse.
COUNTS: list[Use] = [
    use("HurdleRegressor", alpha=0.05),
    use("ZeroInflatedRegressor", alpha=0.05, n_init=2),
]
# Predictions are about the set that a row stands in, and weights about whole sets.
SETS: list[Use] = [use("ConditionalLogit", alpha="1/n")]


def registered() -> set[str]:
    """Names of the registered estimators on the base of maximum likelihood."""
    return {name for name, cls in REGISTRY.items() if issubclass(cls, LikelihoodEstimator)}
