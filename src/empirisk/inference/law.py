"""What a loss says as a likelihood: expected information, deviance, dispersion, predictive law."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.losses.base import Loss
from empirisk.typing import Array

__all__ = ["Law", "not_a_likelihood"]


def not_a_likelihood(loss: Loss) -> str:
    """Return why a loss has no likelihood theory; empty when it has."""
    if loss.title:
        return ""
    return (
        f"no standard errors: the loss {loss.name!r} is not the likelihood of an exponential family, which "
        "this theory is about; use er.bootstrap, which needs no likelihood"
    )


@dataclass(frozen=True)
class Law:
    """The exponential dispersion family behind a loss with one score per row.

    ``-log p(y | z) = l(y, z) / phi + c(y, phi)``; with mean m(z) and variance ``phi V(m)`` the derivative is
    ``-(y - m) m' / V`` and its expected slope, the Fisher weight, ``f = m'^2 / V``: so the Pearson residual
    ``(y - m) / sqrt(V)`` is ``-l' / sqrt(f)``, and neither V nor m' is needed apart.

    Parameters
    ----------
    loss : Loss
        A negative log-likelihood.
    """

    loss: Loss

    @property
    def title(self) -> str:
        """The name of the regression, as a heading of its table."""
        return self.loss.title or f"Regression with the loss {self.loss.name!r}"

    @property
    def unit_dispersion(self) -> bool:
        """Whether the dispersion phi is 1 by the definition of the family, so that it is not estimated."""
        return self.loss.unit_dispersion

    def fisher(self, z: Array) -> Array:
        """``E l''(y, z)`` over y of mean m(z): derivatives are affine in y, so that m may stand for y."""
        if self.loss.labels:
            p, ones = self.loss.mean(z), np.ones_like(z)
            return np.asarray(p * self.loss.hess(ones, z) + (1.0 - p) * self.loss.hess(-ones, z))
        return np.asarray(self.loss.hess(np.asarray(self.loss.mean(z), dtype=np.float64), z))

    def mean_slope(self, z: Array) -> Array:
        """``m'(z)``: slopes of the loss in z are affine in y with factor ``-m'/V``, and ``f = m'^2/V``."""
        first, second = (-1.0, 1.0) if self.loss.labels else (0.0, 1.0) if self.loss.shares else (1.0, 2.0)
        ones = np.ones_like(z)
        over = self.loss.grad(first * ones, z) - self.loss.grad(second * ones, z)
        return np.divide(self.fisher(z), over, out=np.zeros_like(ones), where=over != 0.0)

    def pearson(self, y: Array, z: Array, fisher: Array) -> Array:
        """``(y - m) / sqrt(V)``; 0 where the score is so extreme that the information underflows."""
        slope = self.loss.grad(y, z)
        return np.divide(-slope, np.sqrt(fisher), out=np.zeros_like(z), where=fisher > 0.0)

    def deviance(self, y: Array, z: Array) -> Array:
        """Unit deviance of each row, ``2 (l(y, z) - min_t l(y, t)) >= 0``."""
        least = -self.loss.conjugate(y, np.zeros_like(z))
        return np.maximum(2.0 * (self.loss.value(y, z) - least), 0.0)

    def log_likelihood(self, y: Array, z: Array, weight: Array, dispersion: float) -> float:
        """Return ``sum_i s_i log p(y_i | z_i)`` over the rows that have weight."""
        rows = self.loss.value(y, z) / dispersion + self.loss.log_normalizer(y, dispersion)
        live = weight > 0.0
        return -float(weight[live] @ rows[live])
