"""One problem per class, as one loss: the sum over the classes of a loss of labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from empirisk.losses.abilities import Abilities
from empirisk.losses.base import Loss
from empirisk.losses.logistic import Logistic
from empirisk.typing import Array, Capability, Interval

__all__ = ["OneVersusRest"]


@dataclass(frozen=True)
class OneVersusRest(Abilities):
    """``l(y, z) = sum_k base(+1 if k = y else -1, z_k)``, ``y`` a class code, ``z`` of shape (n, k).

    Conjugate: the sum of the base's.  With a penalty that is a sum over the classes, as L1, L2 and the
    elastic net are, a problem with this loss is k separate problems of two classes, and its duality gap the
    sum of theirs.

    Parameters
    ----------
    base : Loss, default Logistic()
        A loss of the labels -1 and +1.
    k : int, default 3
        Number of classes.

    Examples
    --------
    >>> from empirisk.losses import Hinge
    >>> OneVersusRest(Hinge()).value(np.array([0]), np.array([[2.0, -0.5, -1.0]]))
    array([0.5])
    """

    base: Loss = field(default_factory=Logistic)
    k: int = 3

    name = "one_versus_rest"
    y_domain = Interval(0.0, math.inf)
    vector = True
    labels = False
    escape = ""

    def __post_init__(self) -> None:
        if not getattr(self.base, "labels", False):
            raise ValueError(
                f"base must be a loss of the labels -1 and +1 (hinge, logistic ...), got {self.base!r}"
            )

    @property
    def convex(self) -> bool:
        """Whether the base is convex; a sum over the classes keeps that."""
        return self.base.convex

    @property
    def offers(self) -> frozenset[Capability]:
        """What the base offers of derivatives and conjugates; what is for one score a row is not kept."""
        return self.base.offers & {Capability.GRAD, Capability.HESS, Capability.CONJUGATE}

    @property
    def curvature(self) -> tuple[float, float]:
        """As the base: the second derivative is diagonal."""
        return self.base.curvature

    @property
    def lipschitz(self) -> float:
        """The base's for every class at once."""
        return self.base.lipschitz * math.sqrt(self.k)

    @property
    def by_class(self) -> Loss:
        """The loss of one class against the rest."""
        return self.base

    def signs(self, y: Array) -> Array:
        """Return the labels of every class's own problem, shape (n, k)."""
        return np.where(np.asarray(y, dtype=np.intp)[:, None] == np.arange(self.k), 1.0, -1.0)

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(self.base.value(self._like(y, z), z).sum(axis=1))

    def grad(self, y: Array, z: Array) -> Array:
        return self.base.grad(self._like(y, z), z)

    def hess(self, y: Array, z: Array) -> Array:
        return self.base.hess(self._like(y, z), z)

    def conjugate(self, y: Array, u: Array) -> Array:
        return np.asarray(self.base.conjugate(self._like(y, u), u).sum(axis=1))

    def mean(self, z: Array) -> Array:
        """Return the base's probability of each class, divided by their sum (all equal when every one is
        0).
        """
        q = self.base.mean(z)
        total = q.sum(axis=1, keepdims=True)
        return np.where(total > 0.0, q / np.where(total > 0.0, total, 1.0), 1.0 / q.shape[1])

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        """Refuse: the sum is the likelihood of no law of the class."""
        raise TypeError("the loss 'one_versus_rest' is not a negative log-likelihood: it has no normaliser")

    def balance(self, y: Array, theta: Array, s: Array) -> Array:
        """Return the balanced dual values of every class, each computed as if its problem stood alone."""
        signs = self._like(y, theta)
        columns = [self.base.balance(signs[:, c], theta[:, c], s) for c in range(theta.shape[1])]
        return np.stack(columns, axis=1)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return the best constant score of every class, each computed as if its problem stood alone."""
        return np.array([float(self.base.best_constant(column, s)) for column in self.signs(y).T])

    def _like(self, y: Array, z: Array) -> Array:
        return self.signs(y).astype(z.dtype, copy=False)
