"""Whether a gradient is that of its potential, by differences of the potential along random lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from empirisk.typing import Array

__all__ = ["refuse_other_gradient"]

# Lengths of steps, in units of the place, of which the first is taken whose half tells the same slope.
_STEPS = (1e-4, 1e-6, 1e-2, 1e-8)
# Share by which the slopes of a step and its half may differ, and by which a gradient may.
_ALIKE, _WRONG = 0.01, 0.1


def refuse_other_gradient(call: Callable[[Array], tuple[float, Array]], places: Iterable[Array]) -> None:
    """Refuse a gradient that tells other slopes than differences of U along a line through most of the
    places.

    Nothing is said where differences do not tell a slope, as at kinks and beside the end of the support.

    Parameters
    ----------
    call : callable(w) -> (U, gradient)
    places : iterable of array, shape (d,)
        Where U is finite.

    Examples
    --------
    >>> refuse_other_gradient(lambda w: (0.5 * float(w @ w), -w), [np.ones(2)])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    ValueError: the gradient is not that of the potential: ...
    """
    rng = np.random.default_rng(0)
    told = [found for w in places if (found := _slopes(call, w, rng)) is not None]
    wrong = [(a, b) for a, b, size in told if abs(a - b) > _WRONG * size]
    if 2 * len(wrong) <= len(told):
        return
    by_u, by_gradient = wrong[0]
    raise ValueError(
        f"the gradient is not that of the potential: along a random line through a start U changes by "
        f"{by_u:.4g} for a unit of length, and the gradient says {by_gradient:.4g}; look at its formula and "
        "its sign, or sample without it: method='random_walk'"
    )


def _slopes(
    call: Callable[[Array], tuple[float, Array]], w: Array, rng: np.random.Generator
) -> tuple[float, float, float] | None:
    """The slope along a random line by differences and by the gradient, and the size of what is compared."""
    direction = rng.standard_normal(len(w))
    direction /= np.linalg.norm(direction)
    u, grad = call(w.copy())
    by_gradient, size = float(grad @ direction), 0.01 * float(np.linalg.norm(grad))
    for step in _STEPS:
        h = step * max(1.0, float(np.linalg.norm(w)))
        whole, kink = _quotients(call, w, u, h * direction, h)
        half, _ = _quotients(call, w, u, 0.5 * h * direction, 0.5 * h)
        size = max(size, abs(whole), abs(by_gradient))
        rounding = 16.0 * float(np.finfo(np.float64).eps) * abs(u) / h
        smooth = kink <= _WRONG * size and rounding <= _ALIKE * size
        if smooth and abs(whole - half) <= _ALIKE * max(abs(whole), abs(half)):
            return half, by_gradient, size
    return None


def _quotients(
    call: Callable[[Array], tuple[float, Array]], w: Array, u: float, move: Array, h: float
) -> tuple[float, float]:
    """The difference quotient of U along a move of length h, and how far those of its sides differ."""
    up, down = call(w + move)[0], call(w - move)[0]
    with np.errstate(invalid="ignore"):
        return float(up - down) / (2.0 * h), abs(float(up - u) - float(u - down)) / h
