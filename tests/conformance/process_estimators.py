"""The Gaussian process estimators under test, in each of the ways that they can be used."""

from __future__ import annotations

from empirisk.estimators import REGISTRY
from empirisk.estimators.kernel.gaussian_process import GaussianProcess
from empirisk.kernels import Gaussian, Linear
from tests.conformance.estimators import Use, use

# Kernel and noise are taken as they are: the fit is linear algebra, or one concave maximum.
FIXED: list[Use] = [
    use("GaussianProcessRegressor", kernel=Gaussian(gamma=0.3), noise=0.5, method=None),
    use(
        "GaussianProcessRegressor",
        kernel=0.5 * Gaussian(length_scale=1.5) + Linear(),
        noise=0.5,
        method=None,
        normalise_y=False,
    ),
    use("GaussianProcessRegressor", kernel=Gaussian(gamma=0.02), noise=0.5, method=None, inducing=50),
    use("GaussianProcessClassifier", kernel=4.0 * Gaussian(gamma=0.3), method=None),
]
# As users write them: the parameters are learned.
LEARNED: list[Use] = [
    use("GaussianProcessRegressor"),
    use("GaussianProcessRegressor", kernel=1.0 * Gaussian("median"), noise=0.5, restarts=0),
    use("GaussianProcessRegressor", method="leave_one_out", restarts=1),
    use("GaussianProcessRegressor", inducing=15, restarts=0, tol=1e-8),
    use("GaussianProcessClassifier", restarts=0),
]
USES = [*FIXED, *LEARNED]


def registered() -> set[str]:
    """Names of the registered estimators that are Gaussian processes."""
    return {name for name, cls in REGISTRY.items() if issubclass(cls, GaussianProcess)}
