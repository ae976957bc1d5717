"""Gradient descent on smooth, strongly convex objectives: how many steps reach an accuracy.

Nesterov, Lectures on Convex Optimization (2018), section 2.1.5.
"""

from __future__ import annotations

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_expectation

__all__ = ["check_conditioning", "gradient_descent"]


def check_conditioning(smoothness: float, strong_convexity: float) -> tuple[float, float]:
    """Return L and mu as floats; they must satisfy ``L >= mu > 0``, and a ValueError says so otherwise."""
    L, mu = check_real(smoothness, "smoothness"), check_real(strong_convexity, "strong_convexity")
    if mu > L:
        raise ValueError(f"strong_convexity must be at most smoothness, got {mu:g} and {L:g}.")
    return L, mu


def gradient_descent(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    smoothness: float,
    strong_convexity: float,
    distance: float,
    step: float | None = None,
) -> Guarantee:
    """``||x_T - x*||^2 <= (1 - step mu)^T ||x_0 - x*||^2`` for ``step <= 1/L``.

    Parameters
    ----------
    n : int, optional
        T, the number of steps.
    epsilon : float > 0, optional
        Squared distance to the minimiser. One of the two is given.
    smoothness : float > 0
        L, Lipschitz constant of the gradient.
    strong_convexity : float in (0, L]
        mu.
    distance : float > 0
        A bound on ``||x_0 - x*||``.
    step : float in (0, 1/L], default 1/L
        Step length.

    Returns
    -------
    Guarantee
        Its `n` counts steps, not rows; a sure statement (``delta`` is None).

    Raises
    ------
    ValueError
        When not exactly one of n and epsilon is given, or a number is out of range.

    Notes
    -----
    ``T >= log(distance^2/epsilon)/(step mu)`` suffices. Cost O(1). Source: Nesterov, Lectures on Convex
    Optimization (2018), section 2.1.5.

    Examples
    --------
    >>> gradient_descent(epsilon=1e-6, smoothness=10.0, strong_convexity=1.0, distance=1.0).n
    132
    """
    L, mu = check_conditioning(smoothness, strong_convexity)
    gamma = 1.0 / L if step is None else check_real(step, "step")
    if gamma > (1.0 + 1e-12) / L:
        raise ValueError(f"step must be at most 1/smoothness = {1.0 / L:g}, got {gamma:g}.")
    start = check_real(distance, "distance") ** 2
    theorem = Theorem(
        "gradient_descent",
        "after {n} steps the squared distance to the minimiser is at most {epsilon}",
        (f"the objective is {L:g}-smooth and {mu:g}-strongly convex", f"steps of length {gamma:g}"),
        "Nesterov (2018), section 2.1.5",
    )
    return solve_expectation(
        theorem, n=n, epsilon=epsilon, epsilon_of=lambda t: max(0.0, 1.0 - gamma * mu) ** t * start, lead=""
    )
