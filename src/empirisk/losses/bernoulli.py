"""The Bernoulli loss of proportions, with any of the links that labels have."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit, xlogy

from empirisk.losses.base import SMOOTH, Loss, ScalarLoss, only_unit_dispersion
from empirisk.losses.logistic import Logistic
from empirisk.losses.slopes import conjugate_by_search
from empirisk.typing import Array, IndexArray, Interval

__all__ = ["Bernoulli"]


@dataclass(frozen=True)
class Bernoulli(ScalarLoss):
    """``l(y, z) = y base(+1, z) + (1 - y) base(-1, z)`` for a share ``y`` in [0, 1].

    With m trials as the weight of a row it is the negative log-likelihood of ``m y`` successes, but for the
    binomial coefficient.  Conjugate for the logit link, with ``q = u + y``: ``q log q + (1-q) log(1-q)`` for
    ``0 <= q <= 1``, else +inf; for the others found by a search whose result is never too small.

    Parameters
    ----------
    base : Loss, default Logistic()
        A likelihood of the labels -1 and +1 (logistic, probit, cloglog), which gives the link.

    Examples
    --------
    >>> Bernoulli().value(np.array([0.0, 0.25, 1.0]), np.zeros(3)).round(4)
    array([0.6931, 0.6931, 0.6931])
    >>> float(Bernoulli().best_constant(np.array([0.5, 1.0]), np.array([3.0, 1.0])).round(4))
    0.5108
    """

    base: Loss = field(default_factory=Logistic)

    name = "bernoulli"
    shares = True
    unit_dispersion = True
    y_domain = Interval(0.0, 1.0)
    offers = SMOOTH
    escape = "classes"

    def __post_init__(self) -> None:
        if not getattr(self.base, "labels", False) or self.base.escape != "classes":
            raise ValueError(
                f"base must be a likelihood of labels (logistic, probit, cloglog), got {self.base!r}"
            )

    @property
    def curvature(self) -> tuple[float, float]:
        """The bounds of the base: the loss of a proportion is an average of the base's losses of both
        labels.
        """
        return self.base.curvature

    @property
    def lipschitz(self) -> float:
        """The constant of the base: the loss of a proportion is an average of the base's losses of both
        labels.
        """
        return self.base.lipschitz

    @property
    def logit(self) -> bool:
        """Whether the link is the logit, whose formulas are closed."""
        return isinstance(self.base, Logistic)

    @property
    def ratio(self) -> str:
        """What the base says: shares have the ratios of their labels."""
        return self.base.ratio

    @property
    def title(self) -> str:
        """The title of the base; proportions in place of labels do not change the model."""
        return self.base.title

    @property
    def concordance(self) -> float:
        """The constant of the logit link; for the other links none is known."""
        return self.base.concordance if self.logit else math.inf

    @property
    def fused(self) -> bool:
        """Whether the link is the logit: compiled passes know no other."""
        return self.logit

    def labelled(self, y: Array) -> tuple[Loss, IndexArray | None, Array]:
        """Return labels: a share strictly between 0 and 1 stands for a success and a failure."""
        success, failure = np.flatnonzero(y > 0.0), np.flatnonzero(y < 1.0)
        if len(success) + len(failure) == len(y):
            return self.base, None, np.where(y > 0.0, 1.0, -1.0)
        labels = np.repeat([1.0, -1.0], [len(success), len(failure)])
        return self.base, np.concatenate([success, failure]), labels

    def _mix(self, y: Array, of_success: Array, of_failure: Array) -> Array:
        """``y a + (1 - y) b``: the average over both labels, in which 0 times infinity counts as 0."""
        out = np.multiply(y, of_success, out=np.zeros_like(of_success), where=y > 0.0)
        return np.asarray(out + (1.0 - y) * np.where(y < 1.0, of_failure, 0.0))

    def value(self, y: Array, z: Array) -> Array:
        if self.logit:
            return np.log1p(np.exp(-np.abs(z))) + np.where(z > 0.0, (1.0 - y) * z, -y * z)
        one = np.ones_like(z)
        return self._mix(y, self.base.value(one, z), self.base.value(-one, z))

    def grad(self, y: Array, z: Array) -> Array:
        if self.logit:
            return np.where(z > 0.0, (1.0 - y) - expit(-z), expit(z) - y)
        one = np.ones_like(z)
        return self._mix(y, self.base.grad(one, z), self.base.grad(-one, z))

    def hess(self, y: Array, z: Array) -> Array:
        one = np.ones_like(z)
        if self.logit:
            return self.base.hess(one, z)
        return self._mix(y, self.base.hess(one, z), self.base.hess(-one, z))

    def conjugate(self, y: Array, u: Array) -> Array:
        if self.logit:
            q, rest = u + y, (1.0 - y) - u
            inside = (q >= 0.0) & (rest >= 0.0)
            q, rest = np.maximum(q, 0.0), np.maximum(rest, 0.0)
            return np.where(inside, xlogy(q, q) + xlogy(rest, rest), np.inf).astype(u.dtype, copy=False)
        out, label = np.empty_like(u), (y == 0.0) | (y == 1.0)
        if label.any():
            out[label] = self.base.conjugate(np.where(y[label] > 0.5, 1.0, -1.0), u[label])
        if not label.all():
            out[~label] = conjugate_by_search(self, y[~label], u[~label])
        return out

    def mean(self, z: Array) -> Array:
        return self.base.mean(z)

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        only_unit_dispersion(self, dispersion)
        return np.zeros_like(y)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return the best constant score of the base, for as many successes and failures as the shares come
        to.
        """
        successes = float(np.multiply(s, y).sum())
        failures = float(np.multiply(s, 1.0 - y).sum())
        return self.base.best_constant(np.array([1.0, -1.0]), np.array([successes, failures]))
