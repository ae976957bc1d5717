"""A loss of the user's own, from functions, checked by finite differences when it is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from empirisk.losses.base import ScalarLoss
from empirisk.typing import Array, Capability, Interval

__all__ = ["user_loss"]

Pointwise = Callable[[Array, Array], Array]
SCORES = np.array([-12.3, -5.1, -2.2, -1.03, -0.41, 0.07, 0.37, 0.93, 1.9, 4.7, 11.9])
TARGETS = np.array([-7.3, -1.7, -0.6, 0.2, 0.8, 1.4, 3.0, 9.0])


@dataclass(frozen=True, kw_only=True, repr=False)
class _UserLoss(ScalarLoss):
    name: str
    value_: Pointwise
    grad_: Pointwise
    hess_: Pointwise | None
    conjugate_: Pointwise | None
    mean_: Callable[[Array], Array] | None
    y_domain: Interval
    labels: bool = False  # defaults, because a field without one cannot replace a property
    convex: bool = True
    kinked: bool
    curvature: tuple[float, float]
    lipschitz: float

    @property
    def offers(self) -> frozenset[Capability]:
        """GRAD unless it has kinks, HESS when it was given, CONJUGATE for convex losses."""
        out = set()
        if not self.kinked:
            out |= {Capability.GRAD} | (
                {Capability.HESS} if self.hess_ is not None and self.convex else set()
            )
        if self.convex or self.conjugate_ is not None:
            out.add(Capability.CONJUGATE)
        return frozenset(out)

    def value(self, y: Array, z: Array) -> Array:
        return np.asarray(self.value_(y, z))

    def grad(self, y: Array, z: Array) -> Array:
        return np.asarray(self.grad_(y, z))

    def hess(self, y: Array, z: Array) -> Array:
        return super().hess(y, z) if self.hess_ is None else np.asarray(self.hess_(y, z))

    def conjugate(self, y: Array, u: Array) -> Array:
        return super().conjugate(y, u) if self.conjugate_ is None else np.asarray(self.conjugate_(y, u))

    def mean(self, z: Array) -> Array:
        return super().mean(z) if self.mean_ is None else np.asarray(self.mean_(z))

    def __repr__(self) -> str:
        return f"user_loss(name={self.name!r})"


def user_loss(
    value: Pointwise,
    grad: Pointwise,
    hess: Pointwise | None = None,
    conjugate: Pointwise | None = None,
    *,
    name: str = "user",
    mean: Callable[[Array], Array] | None = None,
    y_domain: Interval | None = None,
    labels: bool = False,
    convex: bool = True,
    kinks: bool = False,
    curvature: tuple[float, float] | None = None,
    lipschitz: float = math.inf,
) -> ScalarLoss:
    """Return a loss ``l(y, z)`` from its value and derivative, to be used wherever its capabilities allow.

    Parameters
    ----------
    value, grad : callable(y, z) -> array
        Elementwise over arrays of shape (n,): the loss, and its derivative in z (a subgradient at kinks).
    hess : callable(y, z) -> array, optional
        Second derivative; with it Newton's method applies, without it L-BFGS.
    conjugate : callable(y, u) -> array, optional
        ``sup_z u z - l(y, z)``, +inf outside its domain.  Without it duality gaps are computed by a search
        that never understates them (up to 200 evaluations of `grad` per row for each certificate).
    name : str, default "user"
        How messages call it.
    mean : callable(z) -> array, optional
        Inverse link.
    y_domain : Interval, optional
        Admissible targets, by default all numbers.
    labels : bool, default False
        Targets are -1 and +1.
    convex : bool, default True
        Convex in z.  A loss that is not is certified as stationary only.
    kinks : bool, default False
        Not differentiable everywhere in z; solvers that need a gradient then refuse it.
    curvature : (float, float), optional
        Bounds of the second derivative, where known; by default (0, inf), or (-inf, inf) without convexity.
    lipschitz : float, default inf
        Bound of the size of the derivative, where known.

    Returns
    -------
    ScalarLoss
        A frozen object; it can be pickled when its functions can.

    Raises
    ------
    ValueError
        When a function contradicts another or a claim at one of 88 points: the message names the point.

    Examples
    --------
    >>> logcosh = user_loss(lambda y, z: np.log(np.cosh(z - y)), lambda y, z: np.tanh(z - y), lipschitz=1.0)
    >>> user_loss(lambda y, z: (z - y) ** 2, lambda y, z: z - y)
    Traceback (most recent call last):
        ...
    ValueError: grad is wrong at y = -7.3, z = -12.3: it returns -5, finite differences of value say -10
    """
    if curvature is None:
        curvature = (0.0, math.inf) if convex else (-math.inf, math.inf)
    domain = Interval(-1.0, 1.0) if labels else (y_domain or Interval())
    made = _UserLoss(
        name=name, value_=value, grad_=grad, hess_=hess, conjugate_=conjugate, mean_=mean, y_domain=domain,
        labels=labels, convex=convex, kinked=kinks, curvature=curvature, lipschitz=lipschitz,
    )  # fmt: skip
    _validate(made)
    return made


def _validate(loss: _UserLoss) -> None:
    targets = np.array([-1.0, 1.0]) if loss.labels else _inside(loss.y_domain)
    y, z = np.repeat(targets, len(SCORES)), np.tile(SCORES, len(targets))
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        _refuse_changes(loss, y, z)
        v, g = _shaped("value", loss.value(y, z), y, z), _shaped("grad", loss.grad(y, z), y, z)
        if loss.kinked:
            _check_subgradient(loss, y, z, v, g)
        else:
            _compare("grad", "value", g, loss.value, y, z)
            if loss.hess_ is not None:
                _compare("hess", "grad", _shaped("hess", loss.hess(y, z), y, z), loss.grad, y, z)
        _check_claims(loss, y, z, g)
        if loss.conjugate_ is not None and loss.convex:
            _check_conjugate(loss, y, z, v, g)


def _refuse_changes(loss: _UserLoss, y: Array, z: Array) -> None:
    """Refuse functions that change targets or scores in place, which all others read."""
    functions = {"value": loss.value_, "grad": loss.grad_, "hess": loss.hess_, "conjugate": loss.conjugate_}
    for name, f in functions.items():
        own = y.copy(), z.copy()
        if f is not None:
            f(*own)
        if not (np.array_equal(own[0], y) and np.array_equal(own[1], z)):
            raise ValueError(
                f"{name} changes its arguments in place, which other functions read: compute with copies, "
                "such as z = z.copy()"
            )
    if loss.mean_ is not None:
        scores = z.copy()
        loss.mean_(scores)
        if not np.array_equal(scores, z):
            raise ValueError("mean changes its scores in place: compute with a copy, such as z = z.copy()")


def _inside(domain: Interval) -> Array:
    """Return some targets inside an interval, at which a user's loss is tried."""
    finite = np.isfinite([domain.low, domain.high])
    if finite.all():
        return np.asarray(domain.low + (domain.high - domain.low) * np.linspace(0.05, 0.95, 8))
    if not finite.any():
        return TARGETS
    return np.asarray(domain.low + np.abs(TARGETS) if finite[0] else domain.high - np.abs(TARGETS))


def _shaped(name: str, out: Array, y: Array, z: Array) -> Array:
    if out.shape != z.shape:
        raise ValueError(f"{name} must return one number per row, shape {z.shape}, got {out.shape}")
    bad = ~np.isfinite(out)
    if bad.any():
        raise ValueError(f"{name} returns {out[bad][0]:g} at {_point(y, z, bad)}; it must be finite there")
    return out


def _point(y: Array, z: Array, where: NDArray[np.bool_]) -> str:
    i = int(np.argmax(where))
    return f"y = {y[i]:g}, z = {z[i]:g}"


def _compare(name: str, of: str, exact: Array, f: Pointwise, y: Array, z: Array) -> None:
    """Differences of fourth order with two steps: where these agree, `exact` must agree with them."""
    steps = []
    for h in (2e-3, 1e-3):
        at = [f(y, z + t * h) for t in (-2.0, -1.0, 1.0, 2.0)]
        steps.append((at[0] - 8.0 * at[1] + 8.0 * at[2] - at[3]) / (12.0 * h))
    rounding = 1e-12 * np.abs(f(y, z))
    # A jump of the second derivative within reach makes the two steps differ: they say nothing there.
    reliable = np.abs(steps[0] - steps[1]) <= 1e-7 * (1.0 + np.abs(steps[1])) + rounding
    wrong = reliable & (np.abs(exact - steps[1]) > 1e-5 * (1.0 + np.abs(steps[1])) + rounding)
    if not reliable.any():
        raise ValueError(f"{of} is too rough to check {name}: it jumps or oscillates within 0.002 everywhere")
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(
            f"{name} is wrong at {_point(y, z, wrong)}: it returns {exact[i]:g}, finite differences of "
            f"{of} say {float(f'{steps[1][i]:.4g}'):g}"
        )


def _check_subgradient(loss: _UserLoss, y: Array, z: Array, v: Array, g: Array) -> None:
    for other in SCORES:
        below = v + g * (other - z)
        wrong = below > loss.value(y, np.full_like(z, other)) + 1e-9 * (1.0 + np.abs(below))
        if loss.convex and wrong.any():
            raise ValueError(
                f"grad is no subgradient at {_point(y, z, wrong)}: its line lies above value at z = {other:g}"
            )


def _check_claims(loss: _UserLoss, y: Array, z: Array, g: Array) -> None:
    steep = np.abs(g) > loss.lipschitz * (1.0 + 1e-9)
    if steep.any():
        i = int(np.argmax(steep))
        raise ValueError(
            f"lipschitz = {loss.lipschitz:g} is too small: grad is {g[i]:g} at {_point(y, z, steep)}"
        )
    rows = g.reshape(-1, len(SCORES))
    rate = np.diff(rows, axis=1) / np.diff(SCORES)
    slack = 1e-9 * (1.0 + np.abs(rows[:, 1:]))
    low, high = loss.curvature
    if loss.convex and low < 0.0:
        raise ValueError(f"curvature starts at {low:g}, which contradicts convex=True")
    for wrong, word in ((rate < low - slack, "less"), (rate > high + slack, "more")):
        if wrong.any():
            i, j = np.argwhere(wrong)[0]
            hint = "; if it is not convex, pass convex=False" if loss.convex and word == "less" else ""
            raise ValueError(
                f"grad grows {word} than curvature = ({low:g}, {high:g}) allows between z = {SCORES[j]:g} "
                f"and z = {SCORES[j + 1]:g} at y = {y.reshape(rows.shape)[i, 0]:g}{hint}"
            )


def _check_conjugate(loss: _UserLoss, y: Array, z: Array, v: Array, g: Array) -> None:
    wanted, found = g * z - v, loss.conjugate(y, g)
    wrong = ~(np.abs(found - wanted) <= 1e-6 * (1.0 + np.abs(g * z) + np.abs(v)))
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ValueError(
            f"conjugate is wrong at y = {y[i]:g}, u = grad({y[i]:g}, {z[i]:g}) = {g[i]:g}: it returns "
            f"{found[i]:g}, Fenchel and Young's equality says {wanted[i]:g}"
        )
