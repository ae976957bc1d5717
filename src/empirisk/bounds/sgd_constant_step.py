"""Stochastic gradient descent with a constant step: linear down to a noise floor."""

from __future__ import annotations

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_expectation
from empirisk.bounds.gradient_descent import check_conditioning

__all__ = ["sgd_constant_step"]


def sgd_constant_step(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    smoothness: float,
    strong_convexity: float,
    distance: float,
    noise: float,
    step: float,
    at_minimiser: bool = False,
) -> Guarantee:
    """``E||x_T - x*||^2 <= (1 - mu step)^T ||x_0 - x*||^2 + step noise/mu``.

    The second term stays: the iterates do not converge, they circle the minimiser. With `at_minimiser`, for
    least squares and generalised linear models, where no bound on the noise holds everywhere, it is ``2 step
    noise/mu``.

    Parameters
    ----------
    n : int, optional
        T, the number of steps.
    epsilon : float > 0, optional
        Expected squared distance to the minimiser. One of the two is given.
    smoothness : float > 0
        L of the objective; with `at_minimiser` the largest L of a row.
    strong_convexity : float in (0, L]
        mu.
    distance : float > 0
        A bound on ``||x_0 - x*||``.
    noise : float >= 0
        A bound on the variance of the stochastic gradient at every x; with `at_minimiser` ``E||g_i(x*)||^2``.
    step : float in (0, 1/L], or (0, 1/(2 L)] with `at_minimiser`
        Step length.
    at_minimiser : bool, default False
        Which of the two theorems.

    Returns
    -------
    Guarantee
        Its `n` counts steps, not rows; in expectation over the draws (``delta`` is None).

    Raises
    ------
    ValueError
        When not exactly one of n and epsilon is given, a number is out of range, or epsilon lies below the
        floor.

    Notes
    -----
    Cost O(1). Sources: Gower et al., International Conference on Machine Learning (2019), theorem 3.1, for
    the noise at the minimiser; Bottou, Curtis and Nocedal, SIAM Review 60 (2018), section 4.

    Examples
    --------
    >>> setting = dict(smoothness=1.0, strong_convexity=0.1, distance=1.0, noise=1.0, step=0.001)
    >>> round(sgd_constant_step(n=100_000, **setting).epsilon, 4)
    0.01
    """
    L, mu = check_conditioning(smoothness, strong_convexity)
    gamma, start = check_real(step, "step"), check_real(distance, "distance") ** 2
    factor = 2.0 if at_minimiser else 1.0
    if gamma > (1.0 + 1e-12) / (factor * L):
        raise ValueError(f"step must be at most {1.0 / (factor * L):g} for this smoothness, got {gamma:g}.")
    floor = factor * gamma * check_real(noise, "noise", 0.0, closed=True) / mu
    if epsilon is not None and n is None and check_real(epsilon, "epsilon") <= floor:
        raise ValueError(
            f"epsilon must exceed the noise floor {floor:g}, got {epsilon!r}; take a smaller step."
        )
    where = "at the minimiser" if at_minimiser else "everywhere"
    theorem = Theorem(
        "sgd_constant_step",
        f"after {{n}} steps the squared distance to the minimiser is at most {{epsilon}}; {floor:.4g} stays",
        (
            f"{'each row' if at_minimiser else 'the objective'} is {L:g}-smooth, the objective {mu:g}-convex",
            f"the noise of the gradients is at most {noise:g} {where}",
            "the rows are drawn independently at every step",
        ),
        "Gower et al. (2019), theorem 3.1"
        if at_minimiser
        else "Bottou, Curtis and Nocedal (2018), section 4",
    )
    return solve_expectation(
        theorem,
        n=n,
        epsilon=epsilon,
        epsilon_of=lambda t: (1.0 - gamma * mu) ** t * start + floor,
        lead="In expectation over the draws",
    )
