"""A loss whose score has a known part: targets in the first column, offsets in the second.

``l(y, z + o)``: pointwise, so that problems, solvers and certificates need not know of offsets.  Losses of a
difference ``z - y`` do without: there an offset is a change of the target (:func:`with_offset`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from empirisk.losses.abilities import Kink, PassSums
from empirisk.losses.base import Loss, ScalarLoss
from empirisk.losses.linked import Linked
from empirisk.losses.log_link import LogLink, exponential
from empirisk.losses.negative_binomial import NegativeBinomial
from empirisk.losses.poisson import Poisson
from empirisk.typing import Array, Capability, Interval

__all__ = ["Offset", "with_extra_dispersion", "with_offset", "without_offset"]


@dataclass(frozen=True)
class Offset(ScalarLoss):
    """``l(y, z) = base(y_1, z + y_2)`` for targets of two columns.  Conjugate: ``base*(y_1, u) - u y_2``.

    Parameters
    ----------
    base : Loss
        A loss of one score per row.

    Examples
    --------
    >>> from empirisk.losses import Poisson
    >>> y = np.array([[2.0, np.log(10.0)], [1.0, np.log(20.0)]])  # 2 events in 10 years, 1 in 20
    >>> float(Offset(Poisson()).best_constant(y, np.ones(2)).round(4))  # log(3 / 30)
    -2.3026
    """

    base: Loss

    name = "offset"

    @property
    def y_domain(self) -> Interval:
        """The domain of the targets, which stand in the first column; the offsets in the second are free."""
        return self.base.y_domain

    @property
    def labels(self) -> bool:
        """Whether the first column holds labels."""
        return self.base.labels

    @property
    def convex(self) -> bool:
        """Whether the base is convex; a shift of the score does not change that."""
        return self.base.convex

    @property
    def curvature(self) -> tuple[float, float]:
        """The bounds of the base; a shift of the score does not change them."""
        return self.base.curvature

    @property
    def lipschitz(self) -> float:
        """The constant of the base; a shift of the score does not change it."""
        return self.base.lipschitz

    @property
    def offers(self) -> frozenset[Capability]:
        """As the base, without the dual step, which does not know offsets."""
        return self.base.offers - {Capability.DUAL_STEP}

    @property
    def escape(self) -> str:
        """How a minimum of the base can escape to infinity: offsets move no infimum."""
        return self.base.escape

    @property
    def ratio(self) -> str:
        """The ratio of the base; with a log link and an exposure it is one of rates."""
        return "rate ratio" if self.base.log_link else self.base.ratio

    @property
    def title(self) -> str:
        """The title of the base; offsets change neither the model nor its name."""
        return self.base.title

    @property
    def unit_dispersion(self) -> bool:
        """Whether the base has no dispersion to estimate; an offset moves means alone."""
        return self.base.unit_dispersion

    @property
    def likelihood(self) -> bool:
        """Whether the base is a likelihood; a shift of the score does not change that."""
        return self.base.likelihood

    @property
    def concordance(self) -> float:
        """The constant of the base; a shift of the score does not change it."""
        return self.base.concordance

    def plain(self, y: Array) -> tuple[Loss, Array]:
        """Return the base and its targets, without the offsets."""
        return self.base, y[:, 0]

    def offset(self, y: Array) -> Array:
        """Return the second column of the targets."""
        return y[:, 1]

    def kinks(self, y: Array) -> list[Kink]:
        """Return the kinks of the base, moved by the offset."""
        return [(at - y[:, 1], low, high) for at, low, high in self.base.kinks(y[:, 0])]

    def repair(self, sums: PassSums) -> tuple[float, Array] | None:
        """Return what the base says, which is told of the offsets."""
        return self.base.repair(sums)

    def value(self, y: Array, z: Array) -> Array:
        return self.base.value(y[:, 0], z + y[:, 1])

    def grad(self, y: Array, z: Array) -> Array:
        return self.base.grad(y[:, 0], z + y[:, 1])

    def hess(self, y: Array, z: Array) -> Array:
        return self.base.hess(y[:, 0], z + y[:, 1])

    def conjugate(self, y: Array, u: Array) -> Array:
        return self.base.conjugate(y[:, 0], u) - u * y[:, 1]

    def mean(self, z: Array) -> Array:
        """Return the mean that the base gives: z is the whole score, offset included."""
        return self.base.mean(z)

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        return self.base.log_normalizer(y[:, 0], dispersion)

    def balance(self, y: Array, theta: Array, s: Array) -> Array:
        return self.base.balance(y[:, 0], theta, s)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Closed for families with a log link and variance ``mean^p``, whose offsets are weights.

        ``l(y, z + o) = e^((2-p) o) l(y e^-o, z)`` but for a term without z.
        """
        power = self.base.variance_power if isinstance(self.base, LogLink) else None
        if power is not None:
            weight, rate = s * exponential((2.0 - power) * y[:, 1]), y[:, 0] * exponential(-y[:, 1])
            with np.errstate(over="ignore", invalid="ignore"):
                found = self.base.best_constant(rate, weight)
            if not np.isnan(found):
                return found
        return super().best_constant(y, s)


def with_offset(loss: Loss, y: Array, offset: Array | None) -> tuple[Loss, Array]:
    """Return the loss and the targets that stand for ``loss(y, z + offset)``.

    Examples
    --------
    >>> from empirisk.losses import HalfSquared
    >>> with_offset(HalfSquared(), np.array([3.0, 4.0]), np.array([1.0, 0.5]))
    (HalfSquared(), array([2. , 3.5]))
    """
    if offset is None:
        return loss, y
    if loss.absorbs_offset:
        return loss, y - offset
    return Offset(loss), np.asfortranarray(np.column_stack([y, offset]))


def without_offset(loss: Loss, y: Array, z: Array) -> tuple[Loss, Array, Array]:
    """Return the loss, its targets and the whole scores of what :func:`with_offset` made, for means of
    rows.

    Examples
    --------
    >>> from empirisk.losses import Poisson
    >>> without_offset(*with_offset(Poisson(), np.array([3.0]), np.array([0.5])), np.array([1.0]))
    (Poisson(), array([3.]), array([1.5]))
    """
    return (loss.base, y[:, 0], z + y[:, 1]) if isinstance(loss, Offset) else (loss, y, z)


def with_extra_dispersion(loss: Loss, a: float) -> Loss:
    """Return the loss of counts with this extra dispersion, estimated; the Poisson loss for 0.

    Examples
    --------
    >>> from empirisk.losses import NegativeBinomial
    >>> with_extra_dispersion(NegativeBinomial(1.0), 0.5)
    NegativeBinomial(a=0.5)
    """
    if isinstance(loss, Offset | Linked):
        return replace(loss, base=with_extra_dispersion(loss.base, a))
    return NegativeBinomial(a, estimated=True) if a > 0.0 else Poisson()
