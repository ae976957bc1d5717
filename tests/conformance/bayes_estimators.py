"""The classifiers by Bayes' rule under test: every class, in each of the ways that it can be used."""

from __future__ import annotations

from empirisk.estimators import REGISTRY
from empirisk.estimators.discriminant.base import BayesRule
from tests.conformance.estimators import Use, use

USES: list[Use] = [
    use("LinearDiscriminantAnalysis"),
    use("LinearDiscriminantAnalysis", shrinkage="ledoit_wolf", n_components=1),
    use("LinearDiscriminantAnalysis", shrinkage=0.1),
    use("QuadraticDiscriminantAnalysis"),
    use("QuadraticDiscriminantAnalysis", shrinkage="oas"),
    use("QuadraticDiscriminantAnalysis", shrinkage="ledoit_wolf"),
    use("GaussianNB"),
    use("GaussianNB", var_smoothing=0.0),
    use("MultinomialNB"),
    use("MultinomialNB", alpha=0.1),
    use("BernoulliNB"),
    use("BernoulliNB", alpha=0.5, binarize=1.0),
    use("CategoricalNB"),
    use("MixedNB"),
    use("MixedNB", kinds={0: "categorical"}, alpha=0.5),
]
# Refuse sparse rows in words (tests/conformance/test_bayes_estimators.py).
DENSE_ALONE = {
    "CategoricalNB",
    "GaussianNB",
    "LinearDiscriminantAnalysis",
    "MixedNB",
    "QuadraticDiscriminantAnalysis",
}


def registered() -> set[str]:
    """Names of the registered estimators that predict by Bayes' rule."""
    return {name for name, cls in REGISTRY.items() if issubclass(cls, BayesRule)}
