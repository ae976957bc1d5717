"""The mixtures of regressions under test, in each of the ways that they can be used."""

from __future__ import annotations

from tests.conformance.estimators import Use, use

# One line alone has a fit on the few rows of scikit-learn's checks, whatever they are.
ONE: list[Use] = [use("RegressionMixture", n_components=1)]
USES: list[Use] = [
    *ONE,
    use("RegressionMixture", n_init=6),
    use("RegressionMixture", n_components=[1, 2], criterion="icl", n_init=4),
]
