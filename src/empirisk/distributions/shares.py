"""What laws with k chances that sum to 1 share: one number too many, so that they move along a plane only.

The natural parameters are the logarithms of the chances; a number that is added to all of them changes
nothing.  Derivatives in the chances are those along the plane of unchanged sum: its projector is
``P = I - 1 1' / k``, and the Fisher information of one trial ``P diag(1/p) P`` has the pseudo-inverse
``diag(p) - p p'``, the covariance of the estimates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp, softmax

from empirisk.distributions.exact import clopper_pearson
from empirisk.distributions.exponential_member import ExponentialMember
from empirisk.distributions.parameters import check_vector
from empirisk.distributions.stirling import deviance
from empirisk.typing import Array, Interval

__all__ = ["SharesMember", "check_vector"]

# How far a sum of chances may be from 1: rows in float32 have rounded ones.
ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class SharesMember(ExponentialMember):
    """A law whose parameters are chances ``p_1, ..., p_k`` of k classes, for ``trials`` of them."""

    p: Any = (0.5, 0.5)

    conjugate = "dirichlet"

    def __post_init__(self) -> None:
        p = check_vector(self.name, "p", self.p, Interval(0.0, 1.0), 2)
        if abs(p.sum() - 1.0) > ROUNDING:
            raise ValueError(f"p of the {self.name} distribution must sum to 1, and sums to {p.sum():.8g}")
        object.__setattr__(self, "p", p)

    @property
    def trials(self) -> int:
        """How often a class is drawn for one row."""
        return 1

    @property
    def coordinates(self) -> dict[str, tuple[float, Interval]]:
        """The chances, by class, in the order in which a fit estimates them."""
        return {f"p[{j}]": (float(v), Interval(0.0, 1.0)) for j, v in enumerate(self.p)}

    def at(self, theta: Array) -> Self:
        """Return the law with these chances."""
        return self.with_parameters(p=np.asarray(theta))

    @property
    def tangent(self) -> Array:
        """``I - 1 1' / k``: the sum stays 1 along every direction that is left."""
        k = len(self.p)
        return np.eye(k) - 1.0 / k

    @property
    def natural(self) -> Array:
        """The logarithms of the chances; -inf for a class that does not occur."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.p))

    def from_natural(self, eta: Array) -> Self:
        """Return the law with chances ``e^eta_j / sum e^eta_i``."""
        return self.with_parameters(p=softmax(eta))

    def natural_jacobian(self) -> Array:
        """Return ``diag(1/p) P``, infinite where a class does not occur."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.tangent / self.p[:, None])

    def log_partition(self, eta: Array) -> float:
        """Return ``n log sum e^eta_j``, n the number of trials."""
        return float(self.trials * logsumexp(eta))

    def mean_statistics(self, eta: Array) -> Array:
        """Return n p, the mean of the statistics at eta."""
        return np.asarray(self.trials * softmax(eta))

    def covariance_statistics(self, eta: Array) -> Array:
        """Return ``n (diag(p) - p p')``, the covariance of the statistics at eta."""
        p = softmax(eta)
        return np.asarray(self.trials * (np.diag(p) - np.outer(p, p)))

    def inverse_information(self) -> Array:
        """Return ``(diag(p) - p p') / n``, also where classes do not occur."""
        return np.asarray((np.diag(self.p) - np.outer(self.p, self.p)) / self.trials)

    def fisher_information(self) -> Array:
        """Return ``n P diag(1/p) P``; a class of chance 0 has infinite information and is refused."""
        if not (self.p > 0.0).all():
            j = int(np.argmin(self.p))
            raise ValueError(
                f"class {j} of the {self.title} has the chance 0, where the Fisher information is infinite: "
                "leave the class out, or give it a chance, as fit_map does"
            )
        return np.asarray(self.trials * (self.tangent / self.p) @ self.tangent)

    def score(self, x: Any) -> Array:
        """Return ``P (x / p)`` of each row, x its counts of the classes; 0 for classes that do not occur."""
        counts = self.statistics(self._rows(x))
        ratio = np.divide(counts, self.p, out=np.zeros_like(counts), where=self.p > 0.0)
        return np.asarray(ratio @ self.tangent)

    def exact_intervals(self, n: float, level: float) -> dict[str, tuple[float, float, str]]:
        """Return Clopper and Pearson's interval of each chance: the count of a class is a binomial number."""
        trials = n * self.trials
        found = {}
        for name, (p, _) in self.coordinates.items():
            found[name] = (*clopper_pearson(trials * p, trials, level), "Clopper and Pearson")
        return found

    def kl(self, other: Any) -> float:
        """Return ``n sum p_j log(p_j / q_j)``; infinite where q has no chance of a class that p has, and for
        other numbers of trials.
        """
        if self.trials != other.trials:
            return float("inf")
        # Of terms that are all >= 0, for sums of exactly 1; rows in float32 have rounded ones.
        return float(self.trials * deviance(self.p / self.p.sum(), other.p / other.p.sum()).sum())

    def _rows(self, x: Any) -> Array:
        """Return the rows as numbers in the shape of the law."""
        raise NotImplementedError

    def likeliest(self, mean: Array) -> tuple[Self, float]:
        """Return the law whose chances are the shares of the classes."""
        return self.with_parameters(p=np.clip(mean / mean.sum(), 0.0, 1.0)), 0.0

    def updated(self, prior: Any, n: float, sums: Array) -> Any:
        """Return the Dirichlet law with the counts added to its concentrations."""
        if len(prior.concentration) != len(self.p):
            raise ValueError(
                f"prior has {len(prior.concentration)} concentrations and the law {len(self.p)} classes; "
                "give one concentration for each class"
            )
        return prior.with_parameters(concentration=prior.concentration + sums)
