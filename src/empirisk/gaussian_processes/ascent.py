"""The search for the parameters of a Gaussian process: several starts, each to a point without slope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.optimize import minimize

from empirisk.gaussian_processes.factor import NotDefiniteError
from empirisk.typing import Array, IndexArray

__all__ = ["Ascent", "Criterion", "ascend", "curvature", "free_slope"]

WORST = 1e25  # stands for a value that could not be computed, where a search must have a number
STEP = 1e-4  # of the logarithms, for differences of exact gradients: errors of 1e-8 and of eps / 1e-4
SAME = 1e-4  # two searches that end so near to each other, in nats an observation, found the same value


class Criterion(Protocol):
    """What is maximised over the logarithms of the parameters."""

    @property
    def title(self) -> str: ...
    @property
    def observations(self) -> float: ...
    def __call__(self, theta: Array) -> tuple[float, Array]: ...


@dataclass(frozen=True, eq=False)
class Ascent:
    """Where the searches ended.

    Parameters
    ----------
    theta : array, shape (q,)
        Logarithms of the parameters at the best end.
    value : float
        The criterion there.
    slope : array, shape (q,)
        Its gradient, 0 where the parameter stands at a bound that the gradient points through.
    side : array of int, shape (q,)
        -1 for a parameter at its lower bound, 1 at its upper one, 0 between.
    ends : tuple of float
        The value at the end of each search.
    evaluations : int
        How often the criterion was computed.
    """

    theta: Array
    value: float
    slope: Array
    side: IndexArray
    ends: tuple[float, ...]
    evaluations: int

    @property
    def at_bound(self) -> tuple[bool, ...]:
        """Which parameters stand at a bound."""
        return tuple(bool(side) for side in self.side)

    def spread(self, observations: float) -> str:
        """Return in words what the other starts found."""
        if len(self.ends) == 1:
            return "one start: other local maxima are not excluded"
        near = sum(self.value - end <= SAME * observations for end in self.ends)
        lowest = self.value - min(self.ends)
        return f"{near} of {len(self.ends)} starts ended there, the worst {lowest:.3g} nats below"


def free_slope(gradient: Array, side: IndexArray) -> Array:
    """Return the gradient without what points through a bound."""
    return np.where(side * gradient > 0.0, 0.0, gradient)


def ascend(
    criterion: Criterion,
    starts: Array,
    low: Array,
    high: Array,
    *,
    tol: float,
    max_iter: int,
) -> Ascent:
    """Maximise a criterion from each of the starts, by L-BFGS within bounds and Newton steps at the end.

    Parameters
    ----------
    criterion : Criterion
    starts : array, shape (number of starts, q)
        A start whose matrix cannot be factorised is passed over, but for the first.
    low, high : array, shape (q,)
        Bounds.
    tol : float
        Largest accepted slope an observation.
    max_iter : int
        Steps of each search.
    """
    unit = criterion.observations
    known: dict[bytes, tuple[float, Array]] = {}  # the ends of a search are asked for again and again

    def at(theta: Array) -> tuple[float, Array]:
        key = theta.tobytes()
        if key not in known:
            known[key] = criterion(theta)
        return known[key]

    def downhill(theta: Array) -> tuple[float, Array]:
        try:
            value, gradient = at(theta)
        except NotDefiniteError:
            return WORST, np.zeros_like(theta)
        return -value / unit, -gradient / unit

    at(starts[0])  # says what is wrong, if anything is
    ends: list[tuple[float, Array]] = []
    for start in starts:
        found = minimize(
            downhill, np.clip(start, low, high), jac=True, method="L-BFGS-B",
            bounds=list(zip(low, high, strict=True)),
            options={"gtol": 0.5 * tol, "ftol": 1e-15, "maxiter": max_iter, "maxfun": 3 * max_iter},
        )  # fmt: skip
        if found.fun < WORST:
            ends.append((float(found.fun), np.clip(found.x, low, high)))
    best = _polished(downhill, min(ends, key=lambda end: end[0])[1], low, high, tol)
    value, gradient = at(best)
    side = np.where(best <= low, -1, np.where(best >= high, 1, 0))
    return Ascent(
        best, value, free_slope(gradient, side), side, tuple(-f * unit for f, _ in ends), len(known)
    )


def _polished(
    downhill: Callable[[Array], tuple[float, Array]], theta: Array, low: Array, high: Array, tol: float
) -> Array:
    """Return the point after Newton steps that make the slope smaller, where it is above the tolerance."""

    def size(at: Array) -> float:
        side = np.where(at <= low, -1, np.where(at >= high, 1, 0))
        return float(np.abs(free_slope(-downhill(at)[1], side)).max(initial=0.0))

    now = size(theta)
    for _ in range(4):
        if now <= 0.5 * tol:
            break
        free = (theta > low) & (theta < high)
        if not free.any():
            break
        hessian = curvature(lambda t: downhill(t)[1], theta, np.flatnonzero(free))
        values, vectors = np.linalg.eigh(hessian)
        if values[0] <= 1e-12 * max(1.0, values[-1]):
            break
        step = np.zeros_like(theta)
        step[free] = vectors @ ((vectors.T @ downhill(theta)[1][free]) / values)
        further = np.clip(theta - step, low, high)
        then = size(further)
        if not then < now or downhill(further)[0] > downhill(theta)[0] + 1e-9:
            break
        theta, now = further, then
    return theta


def curvature(gradient: Callable[[Array], Array], theta: Array, which: IndexArray) -> Array:
    """Return the Hessian in some of the parameters, by central differences of exact gradients."""
    out = np.empty((len(which), len(which)))
    for k, j in enumerate(which):
        ahead, behind = theta.copy(), theta.copy()
        ahead[j] += STEP
        behind[j] -= STEP
        out[k] = (gradient(ahead) - gradient(behind))[which] / (2.0 * STEP)
    return np.asarray(0.5 * (out + out.T))
