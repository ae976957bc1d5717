"""Stochastic (sub)gradient descent with steps 1/(mu t) on strongly convex objectives."""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_expectation

__all__ = ["sgd_decreasing_step"]


def sgd_decreasing_step(
    *, n: int | None = None, epsilon: float | None = None, gradient: float, strong_convexity: float
) -> Guarantee:
    """``E J(average) - min J <= G^2 (1 + log T)/(2 mu T)`` for steps ``1/(mu t)``.

    Parameters
    ----------
    n : int, optional
        T, the number of steps.
    epsilon : float > 0, optional
        Expected excess over the minimum. One of the two is given.
    gradient : float > 0
        G, a bound on the norm of the stochastic gradients of the whole objective along the way.
    strong_convexity : float > 0
        mu.

    Returns
    -------
    Guarantee
        Its `n` counts steps, not rows; in expectation over the draws (``delta`` is None).

    Raises
    ------
    ValueError
        When not exactly one of n and epsilon is given, or a number is out of range.

    Notes
    -----
    Cost O(1). Source: Shalev-Shwartz and Ben-David (2014), theorem 14.11.

    Examples
    --------
    >>> round(sgd_decreasing_step(n=1_000_000, gradient=2.0, strong_convexity=0.1).epsilon, 6)
    0.000296
    """
    G, mu = check_real(gradient, "gradient"), check_real(strong_convexity, "strong_convexity")
    theorem = Theorem(
        "sgd_decreasing_step",
        "the average of {n} steps is within {epsilon} of the minimum",
        (
            f"the objective is {mu:g}-strongly convex",
            f"its stochastic gradients have norm at most {G:g}",
            "the rows are drawn independently at every step",
        ),
        "Shalev-Shwartz and Ben-David (2014), theorem 14.11",
    )
    return solve_expectation(
        theorem,
        n=n,
        epsilon=epsilon,
        epsilon_of=lambda t: G**2 * (1.0 + math.log(t)) / (2.0 * mu * t),
        lead="In expectation over the draws",
    )
