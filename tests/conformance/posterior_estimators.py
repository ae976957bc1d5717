"""The Bayesian regressions under test, in each of the ways that they can be used."""

from __future__ import annotations

from tests.conformance.estimators import Use, use

# With a number as precision: the posterior is linear algebra, on any rows.
FIXED: list[Use] = [
    use("BayesianLinearRegression", prior_precision=2.0),
    use("BayesianLinearRegression", prior_precision=0.5, fit_intercept=False),
    use("BayesianLinearRegression", prior_precision=0.0, noise_shape=2.0, noise_scale=1.5),
]
# As users write them: the precision is learned.
LEARNED: list[Use] = [
    use("BayesianLinearRegression"),
    use("BayesianLinearRegression", noise_shape=2.0, noise_scale=1.0),
]
CONJUGATE = [*FIXED, *LEARNED]
# Normal laws at a mode; shares, and flat priors, are in tests/estimators/bayes/test_bayesian_glm.py.
APPROXIMATE: list[Use] = [
    use("BayesianGLM", family="poisson"),
    use("BayesianGLM", family="poisson", prior_precision=3.0, fit_intercept=False),
]
USES = [*CONJUGATE, *APPROXIMATE]
