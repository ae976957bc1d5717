"""The smoothers under test, in each of the ways that they can be used."""

from __future__ import annotations

from tests.conformance.estimators import Use, use

# With a number as bandwidth: no choice hangs on how the rows are left out.
FIXED: list[Use] = [
    use("KernelSmoother", bandwidth=0.7),
    use("KernelSmoother", bandwidth=0.7, degree=0),
    use("KernelSmoother", bandwidth=2.5, window="tricube", degree=0),
    use("KernelSmoother", bandwidth=3.0, window="epanechnikov"),
    use("KernelSmoother", bandwidth=5.0, window="boxcar", degree=0, standardise=False),
]
USES: list[Use] = [
    use("KernelSmoother"),
    *FIXED,
    use("KernelSmoother", degree=0, rule="one_se", bandwidths=12),
    use("KernelSmoother", window="tricube", bandwidths=(1.5, 3.0, 6.0)),
    use("KernelSmoother", window="boxcar", empty="error", bandwidths=8),
]
