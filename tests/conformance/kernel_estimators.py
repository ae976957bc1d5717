"""The estimators over a kernel under test: every class, in each of the ways that it can be used."""

from __future__ import annotations

from empirisk.estimators import REGISTRY
from empirisk.estimators.kernel.kernel_base import KernelEstimator
from empirisk.kernels import Gaussian, Linear
from tests.conformance.estimators import Use, use

# With a number as strength and a kernel of known width: one convex problem, or one for each pair of classes.
FIXED: list[Use] = [
    use("SVC", alpha=0.02, kernel=Gaussian(gamma=0.3)),
    use("SVC", alpha=0.02, kernel=Gaussian(gamma=0.3), multi_class="one_vs_rest", probability=True),
    use("SVC", alpha=0.05, kernel="linear"),
    use("SVR", alpha=0.01, kernel=Gaussian(gamma=0.3)),
    use("SVR", alpha=0.01, kernel=0.5 * Gaussian(length_scale=1.5) + Linear(), epsilon=0.3),
    use("KernelRidge", alpha=0.002, kernel=Gaussian(gamma=0.3)),
    use("KernelRidge", alpha=0.02, kernel="linear", fit_intercept=False),
    use("KernelRidge", alpha=0.005, kernel=Gaussian(gamma=0.3), solver="kernel_cg"),
    use("KernelLogisticRegression", alpha=0.01, kernel=Gaussian(gamma=0.3)),
    use("KernelQuantile", alpha=0.002, kernel=Gaussian(gamma=0.3), q=0.3),
]
# As users write them; here "1/n", "cv" and widths that are learned come in.
AS_WRITTEN: list[Use] = [
    use("SVC"),
    use("SVC", probability=True, class_weight="balanced"),
    use("SVC", alpha="cv", alphas=4, multi_class="one_vs_rest"),
    use("SVR"),
    use("SVR", alpha="cv", alphas=4),
    use("KernelRidge"),
    use("KernelRidge", alpha="cv", kernel=Gaussian("median"), alphas=5),
    use("KernelRidge", alpha="cv", cv=3, alphas=4),
    use("KernelLogisticRegression"),
    use("KernelLogisticRegression", alpha="cv", alphas=4),
    use("KernelQuantile"),
]
USES = [*FIXED, *AS_WRITTEN]
# Means over a number of steps: no tolerance is promised, and the order of the rows matters; equal draws have
# equal answers.
GIVEN_STEPS: list[Use] = [
    use("KernelSGDClassifier", alpha=0.02, kernel=Gaussian(gamma=0.3), n_draws=3_000),
    use("KernelSGDClassifier", alpha=0.05, kernel=0.5 * Gaussian(length_scale=1.5), n_draws=2_000),
]
BY_STEPS: list[Use] = [
    *GIVEN_STEPS,
    use("KernelSGDClassifier"),
    use("KernelSGDClassifier", class_weight="balanced", cache_size=1e-6),
]
EVERY = [*USES, *BY_STEPS]


def registered() -> set[str]:
    """Names of the registered estimators that stand on a kernel."""
    return {name for name, cls in REGISTRY.items() if issubclass(cls, KernelEstimator)}
