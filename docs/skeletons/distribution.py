"""The Rayleigh distribution: a copy-me file for a law.

Copy to src/empirisk/distributions/<name>.py, rename, change the formulas, add one row to REGISTRY of that
folder and a sample to SAMPLES of tests/conformance/test_distributions.py.  The tests there then compare it
with its own density: mass, moments, entropy, divergence, draws, derivatives, information, and the largest
likelihood.

A law that is no exponential family derives from ``Distribution`` and owes `maximise`, `score`,
`fisher_information`, `entropy` and `kl` itself; see laplace.py there.  One of d numbers says its `dimension`,
its `coordinates` and `at`; see dirichlet.py.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from empirisk.data.seeds import Seed, generator_of
from empirisk.distributions.base import POSITIVE, check_between, numbers
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.typing import Array, Interval

__all__ = ["Rayleigh"]


@dataclass(frozen=True, eq=False)
class Rayleigh(ExponentialMember):
    """``p(x) = x / s^2 exp(-x^2 / (2 s^2))`` for x > 0: the length of a Gaussian vector in the plane.

    ``phi(x) = x^2``, ``h(x) = x``, ``eta = -1 / (2 s^2)``, ``A(eta) = -log(-2 eta)``.

    Parameters
    ----------
    scale : float, default 1.0
        The standard deviation s of a coordinate, above 0.

    Examples
    --------
    >>> Rayleigh(2.0).log_prob(2.0).round(4)
    array([-1.1931])
    """

    scale: float = 1.0

    name = "rayleigh"
    domains: ClassVar[dict[str, Interval]] = {"scale": POSITIVE}

    def __post_init__(self) -> None:
        check_between(self.name, "scale", self.scale, POSITIVE)

    @property
    def support(self) -> Interval:
        """The numbers above 0, outside of which the law has no mass."""
        return POSITIVE

    @property
    def natural(self) -> Array:
        """``-1 / (2 s^2)``, the natural parameters of this law."""
        return np.array([-0.5 / self.scale**2])

    def from_natural(self, eta: Array) -> Self:
        """Return the law with ``s = sqrt(-1 / (2 eta))`` for these natural parameters."""
        return self.with_parameters(scale=math.sqrt(-0.5 / float(eta[0])))

    def natural_jacobian(self) -> Array:
        """Return ``d eta / d s = 1 / s^3``, the slope of the natural parameters."""
        return np.array([[self.scale**-3]])

    def statistics(self, x: Array) -> Array:
        """Return the square of x, the statistics of each row."""
        return (x * x)[:, None]

    def log_base(self, x: Array) -> Array:
        """Return ``log x``, the logarithm of h for each row."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(x)

    def log_partition(self, eta: Array) -> float:
        """Return ``-log(-2 eta)``, the log-partition at natural parameters eta."""
        return -math.log(-2.0 * float(eta[0]))

    def mean_statistics(self, eta: Array) -> Array:
        """Return ``-1 / eta = 2 s^2``, the mean of the statistics at eta."""
        return np.asarray(-1.0 / eta)

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``1 / eta^2``, the covariance of the statistics at eta."""
        return np.asarray((eta**-2.0)[:, None])

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the law with ``s^2`` half of the mean square: a closed form, so that nothing is left."""
        return self.with_parameters(scale=math.sqrt(0.5 * float(mean[0]))), 0.0

    def matched(self, mean: Any, variance: Any) -> Self:
        """Return the law with this mean, ``s sqrt(pi / 2)``."""
        return self.with_parameters(scale=float(mean) / math.sqrt(0.5 * math.pi))

    def log_prob(self, x: Any) -> Array:
        """Return ``log x - 2 log s - x^2 / (2 s^2)``, the logarithm of the density of each row; -inf for x
        <= 0.
        """
        rows = numbers(x)
        inside = self.support.contains(rows)
        safe = np.where(inside, rows, 1.0)
        log = np.log(safe) - 2.0 * math.log(self.scale) - 0.5 * (safe / self.scale) ** 2
        return np.where(inside, log, -np.inf)

    def sample(self, size: int, random_state: Seed = None) -> Array:
        """Return independent draws of this law, from a seed."""
        return generator_of(random_state).rayleigh(self.scale, size)

    def moments(self) -> tuple[float, float]:
        """Return ``s sqrt(pi / 2)`` and ``(2 - pi / 2) s^2``, the mean and the variance of a draw."""
        return self.scale * math.sqrt(0.5 * math.pi), (2.0 - 0.5 * math.pi) * self.scale**2

    def cdf(self, x: Any) -> Array:
        """Return ``1 - exp(-x^2 / (2 s^2))``, the chance of a draw of at most x."""
        return np.asarray(-np.expm1(-0.5 * (np.maximum(numbers(x), 0.0) / self.scale) ** 2))

    def frozen(self) -> Any:
        """Return ``scipy.stats.rayleigh`` with this scale, which is the same law in SciPy."""
        from scipy import stats

        return stats.rayleigh(scale=self.scale)

    def entropy(self) -> float:
        """Return ``1 + log(s / sqrt(2)) + g / 2``, g Euler's constant, the entropy of the law in nats."""
        return 1.0 + math.log(self.scale / math.sqrt(2.0)) + 0.5 * float(np.euler_gamma)
