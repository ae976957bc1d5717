"""The averaged subgradient method on convex, Lipschitz objectives: how many steps reach an accuracy.

Shalev-Shwartz and Ben-David, Understanding Machine Learning (2014), corollary 14.2 and theorem 14.8.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_expectation

__all__ = ["averaged_subgradient"]


def averaged_subgradient(
    *, n: int | None = None, epsilon: float | None = None, rho: float, norm: float
) -> Guarantee:
    """``f(average of T iterates) - min_{||w|| <= B} f <= B rho/sqrt(T)``.

    Parameters
    ----------
    n : int, optional
        T, the number of steps.
    epsilon : float > 0, optional
        Excess over the minimum. One of the two is given.
    rho : float > 0
        Lipschitz constant of f, everywhere or on the ball when every step is projected onto it.
    norm : float > 0
        B. Start at 0 with steps ``B/(rho sqrt T)``.

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
    Stochastic subgradients of norm at most rho give the same bound in expectation. Cost O(1). Source:
    Shalev-Shwartz and Ben-David (2014), corollary 14.2 and theorem 14.8.

    Examples
    --------
    >>> averaged_subgradient(epsilon=0.01, rho=2.0, norm=3.0).n
    360000
    """
    rho, norm = check_real(rho, "rho"), check_real(norm, "norm")
    theorem = Theorem(
        "averaged_subgradient",
        "the average of {n} steps is within {epsilon} of the minimum over the ball",
        (f"the objective is convex and {rho:g}-Lipschitz", f"the minimum is over ||w|| <= {norm:g}"),
        "Shalev-Shwartz and Ben-David (2014), corollary 14.2",
    )
    return solve_expectation(
        theorem, n=n, epsilon=epsilon, epsilon_of=lambda t: norm * rho / math.sqrt(t), lead=""
    )
