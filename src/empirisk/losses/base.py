"""The contract of a loss: pointwise in the score z, never summed, never weighted.

A loss is a frozen dataclass without state, so that it can be cloned, compared, pickled and put into an
estimator's parameters.  Sums and weights belong to :class:`empirisk.problems.LinearProblem`.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from empirisk.losses.abilities import Abilities, Kink, PassSums
from empirisk.losses.slopes import conjugate_by_search, constant_by_bisection, curvature_by_differences
from empirisk.typing import Array, Capability, IndexArray, Interval

__all__ = ["SMOOTH", "Loss", "ScalarLoss", "check_targets"]


@runtime_checkable
class Loss(Protocol):
    """``l(y, z)``: pointwise in the score ``z``, and convex in it but for a few that say so.

    Attributes
    ----------
    name : str
        Registry name.
    y_domain : Interval
        Admissible targets.
    labels : bool
        Whether targets are the two labels -1 and +1.
    convex : bool
        Convex in z.
    curvature : (float, float)
        Infimum and supremum of the second derivative in z (of its eigenvalues when z is a vector).
    lipschitz : float
        Supremum of the norm of the derivative in z (infinite when unbounded).
    vector : bool
        Whether a row has a vector of scores (shape (n, k)) instead of one score.
    offers : frozenset of Capability
        What solvers may ask of it: GRAD (no kinks), HESS, CONJUGATE, PIECEWISE_LINEAR, DUAL_STEP
        (then it has ``dual_rows``).
    escape : str
        Without a penalty the minimum may lie at infinity: where "classes" are separable, where rows of
        target 0 ("zeros") can be driven to mean 0; "" when that cannot happen or is not known.

    Notes
    -----
    What further can be asked is described, and answered by default, in
    :class:`empirisk.losses.abilities.Abilities`.
    """

    @property
    def name(self) -> str: ...
    @property
    def y_domain(self) -> Interval: ...
    @property
    def labels(self) -> bool: ...
    @property
    def convex(self) -> bool: ...
    @property
    def curvature(self) -> tuple[float, float]: ...
    @property
    def lipschitz(self) -> float: ...
    @property
    def vector(self) -> bool: ...
    @property
    def offers(self) -> frozenset[Capability]: ...
    @property
    def escape(self) -> str: ...
    @property
    def quadratic(self) -> bool: ...
    @property
    def of_difference(self) -> bool: ...
    @property
    def absorbs_offset(self) -> bool: ...
    @property
    def multinomial(self) -> bool: ...
    @property
    def log_link(self) -> bool: ...
    @property
    def log_odds(self) -> bool: ...
    @property
    def tells_probability(self) -> bool: ...
    @property
    def ratio(self) -> str: ...
    @property
    def shares(self) -> bool: ...
    @property
    def counts(self) -> bool: ...
    @property
    def title(self) -> str: ...
    @property
    def unit_dispersion(self) -> bool: ...
    @property
    def likelihood(self) -> bool: ...
    @property
    def concordance(self) -> float: ...
    @property
    def exact_leaves(self) -> bool: ...
    @property
    def quantile_level(self) -> float | None: ...
    @property
    def shifts(self) -> bool: ...
    @property
    def fused(self) -> bool: ...
    @property
    def row_slope(self) -> bool: ...
    @property
    def parameter(self) -> float: ...
    @property
    def nuisances(self) -> int: ...
    @property
    def by_class(self) -> Any: ...
    @property
    def predictive(self) -> bool: ...

    def plain(self, y: Array) -> tuple[Any, Array]: ...
    def offset(self, y: Array) -> Array | None: ...
    def kinks(self, y: Array) -> list[Kink]: ...
    def null_rows(self, y: Array, s: Array, k: int) -> tuple[Array, Array]: ...
    def repair(self, sums: PassSums) -> tuple[float, Array] | None: ...
    def labelled(self, y: Array) -> tuple[Any, IndexArray | None, Array] | None: ...
    def outside(self, z: Array) -> Array: ...
    def inward(self, y: Array, share: float) -> Array | None: ...
    def signs(self, y: Array) -> Array: ...
    def cdf(self, y: Array, mean: Array, dispersion: float) -> Array: ...

    def value(self, y: Array, z: Array) -> Array:
        """Return the loss of each row, shape (n,); +inf where it exceeds the largest float."""
        ...

    def grad(self, y: Array, z: Array) -> Array:
        """Return the derivative in z, the shape of z; at a kink one of the subgradients."""
        ...

    def hess(self, y: Array, z: Array) -> Array:
        """Return the second derivative in z where it exists; for vector scores its diagonal, the shape
        of z.
        """
        ...

    def conjugate(self, y: Array, u: Array) -> Array:
        """``sup_z u z - l(y, z)`` for each row; +inf outside the domain."""
        ...

    def mean(self, z: Array) -> Array:
        """Inverse link: the expected target of a row whose score is z."""
        ...

    def log_normalizer(self, y: Array, dispersion: float) -> Array:
        """Return what to add to ``value / dispersion`` to get ``-log p(y | z)``."""
        ...

    def balance(self, y: Array, theta: Array, s: Array) -> Array:
        """Move dual values into ``{sum_i s_i theta_i = 0}`` without leaving the conjugate's domain.

        An unpenalised intercept asks for this (``-theta`` is the argument of the conjugate).
        """
        ...

    def best_constant(self, y: Array, s: Array) -> Array:
        """Return the constant score that minimises ``sum_i s_i l(y_i, z)``, shape () or (k,); may be
        infinite.
        """
        ...


# What a loss offers that has two derivatives and a conjugate.
SMOOTH = frozenset({Capability.GRAD, Capability.HESS, Capability.CONJUGATE})


class ScalarLoss(Abilities):
    """What the losses with one score per row share; a loss overrides what it knows better."""

    @property
    def convex(self) -> bool:
        return True

    @property
    def vector(self) -> bool:
        return False

    @property
    def labels(self) -> bool:
        return False

    @property
    def offers(self) -> frozenset[Capability]:
        return SMOOTH

    @property
    def escape(self) -> str:
        return ""

    @property
    def likelihood(self) -> bool:
        """Whether the loss has a normaliser, so that ``exp(-value / dispersion)`` is a density."""
        return type(self).log_normalizer is not ScalarLoss.log_normalizer

    def hess(self: Loss, y: Array, z: Array) -> Array:
        """Central differences of the derivative: good enough to scale a problem, not to offer HESS."""
        return curvature_by_differences(lambda t: self.grad(y, t), z)

    def conjugate(self: Loss, y: Array, u: Array) -> Array:
        """Search for the score whose slope is u; the result is never below the conjugate, +inf where none is
        found.
        """
        return conjugate_by_search(self, y, u)

    def mean(self: Loss, z: Array) -> Array:
        """Refuse: the score stands for no expected target."""
        raise TypeError(
            f"the loss {self.name!r} has no inverse link: its scores say which side, not how probable it is; "
            "calibrate them, or use a likelihood such as 'logistic'"
        )

    def log_normalizer(self: Loss, y: Array, dispersion: float) -> Array:
        """Refuse, because ``exp(-value)`` is not a density up to a factor; likelihoods override this
        method.
        """
        raise TypeError(f"the loss {self.name!r} is not a negative log-likelihood: it has no normaliser")

    def best_constant(self: Loss, y: Array, s: Array) -> Array:
        """Return where the weighted sum of the slopes changes its sign.

        Without curvature a sum within its own rounding is 0: the scale of the weights decides no tie.
        """
        newton = Capability.HESS in self.offers
        rounding = 0.0 if newton else len(y) * float(np.finfo(np.float64).eps)

        def slope(b: float) -> float:
            terms = s * self.grad(y, np.full(len(y), b))
            total = float(terms.sum())
            return total if abs(total) > rounding * float(np.abs(terms).sum()) else 0.0

        return constant_by_bisection(
            slope,
            y,
            (lambda b: float(s @ self.hess(y, np.full(len(y), b)))) if newton else None,
        )

    def balance(self, y: Array, theta: Array, s: Array) -> Array:
        """Shrink the heavier of the positive and the negative side of theta.

        Valid whenever the conjugate's domain is an interval that contains 0.
        """
        weighted = s * theta
        positive = float(weighted[theta > 0].sum())
        negative = -float(weighted[theta < 0].sum())
        if positive == negative:
            return theta
        if min(positive, negative) == 0.0:
            return np.zeros_like(theta)
        factor = np.ones_like(theta)
        if positive > negative:
            factor[theta > 0] = negative / positive
        else:
            factor[theta < 0] = positive / negative
        return theta * factor


def check_targets(loss: Loss, y: Array) -> None:
    """Refuse targets that the loss is not defined for, and name the first row.

    Examples
    --------
    >>> from empirisk.losses import Poisson
    >>> check_targets(Poisson(), np.array([2.0, -1.0]))
    Traceback (most recent call last):
        ...
    ValueError: y holds -1 in row 1; the loss 'poisson' needs targets in [0, inf) (1 such row in all)
    """
    loss, y = loss.plain(y)
    inside = np.abs(y) == 1.0 if loss.labels else loss.y_domain.contains(y)
    if inside.all():
        return
    outside = ~(inside if inside.ndim == 1 else inside.all(axis=1))
    row = int(np.argmax(outside))
    count = int(outside.sum())
    wanted = "the labels -1 and +1" if loss.labels else f"targets in {loss.y_domain}"
    shown = f"{y[row]:g}" if y.ndim == 1 else str(y[row])
    rows = "row" if count == 1 else "rows"
    raise ValueError(
        f"y holds {shown} in row {row}; the loss {loss.name!r} needs {wanted} ({count} such {rows} in all)"
    )


def only_unit_dispersion(loss: Loss, dispersion: float) -> None:
    """Refuse a dispersion other than 1 for a family whose variance its mean decides."""
    if dispersion != 1.0:
        raise ValueError(f"dispersion must be 1 for the loss {loss.name!r}, got {dispersion!r}")


def positive_number(name: str, value: float, *, zero: bool = False) -> None:
    """Refuse a parameter that is not a finite number > 0 (or >= 0)."""
    low = value >= 0.0 if zero else value > 0.0
    if not (low and np.isfinite(value)):
        raise ValueError(f"{name} must be a finite number {'>=' if zero else '>'} 0, got {value!r}")
