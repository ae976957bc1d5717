"""A family under a link that is not its own: the same likelihood in other scores.

``l(y, z) = base(y, t(z))``: the mean of the base's score ``t(z)`` is the mean that the link gives to z.
Where the link gives none (a negative mean of a count) the loss is +inf, which every line search stays away
from. Wedderburn 1976, Biometrika 63 (on the existence and uniqueness of the estimates).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.losses.base import SMOOTH, Loss, ScalarLoss
from empirisk.losses.links import Change, Link, Power
from empirisk.losses.slopes import conjugate_by_search
from empirisk.typing import Array, Capability, IndexArray, Interval

__all__ = ["Linked"]


@dataclass(frozen=True)
class Linked(ScalarLoss):
    """``l(y, z) = base(y, t(z))``, +inf where the link has no mean for z.

    Of a family with variance ``dispersion * mean^p`` and the link ``mean^k`` it is convex for all y >= 0
    exactly when ``1 - p <= k <= 2 - p`` (k = 0 the logarithm).  Shares are convex under log, identity and
    loglog, not under cauchit.  Conjugate of a convex one: found by a search whose result is never too small;
    of the others known at 0 alone.

    Parameters
    ----------
    base : Loss
        A likelihood with the own link of its family: HalfSquared, a loss with a log link, Bernoulli or
        Logistic.
    link : Link
        A link of ``LINKS``.

    Examples
    --------
    >>> from empirisk.losses import Poisson
    >>> Linked(Poisson(), Power("identity", 1.0)).grad(np.array([3.0, 3.0]), np.array([1.0, 3.0])).round(6)
    array([-2.,  0.])
    """

    base: Loss
    link: Link

    def __post_init__(self) -> None:
        if self.own not in self.link.own:
            raise ValueError(f"the link {self.link.name!r} is not made for the loss {self.base.name!r}")

    @property
    def name(self) -> str:
        """The names of the family's loss and of the link."""
        return f"{self.base.name}_{self.link.name}"

    @property
    def own(self) -> str:
        """What the score of the base is: "mean", "log" or "odds"."""
        return "odds" if self._probability else "log" if self.base.log_link else "mean"

    @property
    def _probability(self) -> bool:
        return self.base.shares or self.base.labels

    @property
    def y_domain(self) -> Interval:
        """The targets of the family, whatever the link."""
        return self.base.y_domain

    @property
    def labels(self) -> bool:
        """Whether the base is about labels."""
        return self.base.labels

    @property
    def shares(self) -> bool:
        """Whether the base is about shares of trials."""
        return self.base.shares

    @property
    def counts(self) -> bool:
        """Whether the base is about counts."""
        return self.base.counts

    @property
    def unit_dispersion(self) -> bool:
        """Whether the family has no dispersion to estimate."""
        return self.base.unit_dispersion

    @property
    def nuisances(self) -> int:
        """How many parameters of the family were estimated."""
        return self.base.nuisances

    @property
    def likelihood(self) -> bool:
        """Whether the family's density has a normaliser here; links do not change it."""
        return self.base.likelihood

    @property
    def predictive(self) -> bool:
        """Whether the law of a new target has a distribution function here."""
        return self.base.predictive

    @property
    def convex(self) -> bool:
        """Convex in the score for every admissible target, by the rule of the class."""
        if self._probability:
            return self.link.name != "cauchit"
        power = getattr(self.base, "variance_power", None)
        if power is None or not isinstance(self.link, Power):
            return False
        return bool(1.0 - power <= self.link.exponent <= 2.0 - power)

    @property
    def curvature(self) -> tuple[float, float]:
        """From 0 for convex losses; nothing else is claimed."""
        return (0.0 if self.convex else -np.inf, np.inf)

    @property
    def lipschitz(self) -> float:
        """Infinite: no bound of the slope is claimed."""
        return np.inf

    @property
    def offers(self) -> frozenset[Capability]:
        """Curvatures that are negative in places are of no use to methods that invert them."""
        return SMOOTH if self.convex else frozenset({Capability.GRAD, Capability.CONJUGATE})

    @property
    def escape(self) -> str:
        """Separable classes send the scores of links with every score away, zeros those of log(p)."""
        if not self._probability or np.isfinite(self.link.low):
            return ""
        return "zeros" if np.isfinite(self.link.high) else "classes"

    @property
    def log_link(self) -> bool:
        """Whether the mean is the exponential of the score."""
        return self.link.name == "log"

    @property
    def ratio(self) -> str:
        """Exponentials of coefficients are ratios under the log link alone."""
        return ("risk ratio" if self._probability else "mean ratio") if self.log_link else ""

    @property
    def title(self) -> str:
        """The family, and the link that is not its own."""
        own = "Binomial regression" if self._probability else self.base.title
        family = "Gaussian regression" if self.base.quadratic else own
        return f"{family} with the link {self.link.name}"

    @property
    def shifts(self) -> bool:
        """Dual values are balanced, as a shift of scores can leave the interval of the link."""
        return False

    def labelled(self, y: Array) -> tuple[Loss, IndexArray | None, Array] | None:
        """Return what the base says, with this link; links whose scores end have no twin of labels."""
        found = self.base.labelled(y) if self.escape == "classes" else None
        return None if found is None else (Linked(found[0], self.link), found[1], found[2])

    # -- values ---------------------------------------------------------------------------------------

    def outside(self, z: Array) -> Array:
        """Return -1 for scores below the link's interval, 1 above it and 0 inside."""
        return np.asarray((z >= self.link.high) * 1.0 - (z <= self.link.low) * 1.0)

    def inward(self, y: Array, share: float) -> Array | None:
        """Return shares between `share` and 1 minus it, and counts of at least `share` times their mean."""
        if self.labels or self.escape == "classes" or (self.link.low == -np.inf and not self._probability):
            return None
        if self._probability:
            return np.clip(y, share if np.isfinite(self.link.low) else 0.0, 1.0 - share)
        return np.maximum(y, share * float(np.mean(y))) if self.base.y_domain.low == 0.0 else None

    def _inside(self, z: Array) -> Array:
        """Return the nearest scores that have a mean which the format can hold."""
        info, low, high = np.finfo(z.dtype), self.link.low, self.link.high
        nearest = float(np.cbrt(info.tiny))  # whose square and inverse square are no overflow
        if high <= 1.0:
            high = high - (float(info.epsneg) if high else nearest)
        return np.clip(z, low + nearest if np.isfinite(low) else low, high).astype(z.dtype, copy=False)

    def _change(self, z: Array) -> Change:
        return self.link.change(self.own, self._inside(np.asarray(z)))

    def value(self, y: Array, z: Array) -> Array:
        with np.errstate(over="ignore", invalid="ignore"):
            rows = self.base.value(y, self._change(z).t)
        return np.where(self.outside(z) == 0.0, rows, np.inf)

    def grad(self, y: Array, z: Array) -> Array:
        """Return the derivative; outside the interval a large number that points back."""
        at, out = self._change(z), self.outside(z)
        with np.errstate(over="ignore", invalid="ignore"):
            rows = self.base.grad(y, at.t) * at.first
        return np.where(out == 0.0, rows, out * np.sqrt(np.finfo(at.t.dtype).max)).astype(
            at.t.dtype, copy=False
        )

    def hess(self, y: Array, z: Array) -> Array:
        at = self._change(z)
        with np.errstate(over="ignore", invalid="ignore"):
            rows = self.base.hess(y, at.t) * at.first**2 + self.base.grad(y, at.t) * at.second
        if self.convex:  # what rounding makes negative is 0
            rows = np.maximum(rows, 0.0)
        return np.asarray(rows)

    def conjugate(self, y: Array, u: Array) -> Array:
        least = self.base.conjugate(y, np.zeros_like(u))
        out = np.where(u == 0.0, least, np.inf).astype(u.dtype, copy=False)
        live = u != 0.0
        if self.convex and live.any():
            out[live] = conjugate_by_search(_Inner(self), y[live], u[live])
        return out

    def mean(self, z: Array) -> Array:
        """Return the mean; that of the nearest score with one where z has none."""
        return self.base.mean(self._change(np.asarray(z)).t)

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        return self.base.log_normalizer(y, dispersion)

    def cdf(self, y: Array, mean: Array, dispersion: float) -> Array:
        return self.base.cdf(y, mean, dispersion)

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return the link of the weighted mean target, which is the best constant mean of every family."""
        share = 0.5 * (y + 1.0) if self.labels else y
        mean = float(weighted_sum(s, share)) / float(s.sum())
        with np.errstate(invalid="ignore"):
            return np.asarray(self.link.score(mean), dtype=np.float64)


class _Inner:
    """The same loss with finite values outside its interval, which searches may touch on their way."""

    def __init__(self, loss: Linked) -> None:
        self.loss, self.offers = loss, loss.offers
        self.grad, self.hess = loss.grad, loss.hess

    def value(self, y: Array, z: Array) -> Any:
        """Return the loss at the nearest score that has a mean."""
        return self.loss.value(y, self.loss._inside(z))
