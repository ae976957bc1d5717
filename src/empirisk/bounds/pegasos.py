"""Pegasos: stochastic subgradient steps on a regularised Lipschitz loss."""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_expectation

__all__ = ["pegasos"]


def pegasos(*, n: int | None = None, epsilon: float | None = None, rho: float, alpha: float) -> Guarantee:
    """``E J(average) - min J <= 2 rho^2 (1 + log T)/(alpha T)`` for ``J = alpha ||w||^2/2 + mean loss``.

    Parameters
    ----------
    n : int, optional
        T, the number of steps, each on one row.
    epsilon : float > 0, optional
        Expected excess over the minimum. One of the two is given.
    rho : float > 0
        Lipschitz constant of the loss in w: for the hinge loss the largest ``||x_i||`` among the rows,
        because the statement is about J on these rows.
    alpha : float > 0
        Strength of the penalty.

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
    Start at 0 with steps ``1/(alpha t)``: then ``||w_t|| <= rho/alpha`` and the stochastic gradients have
    norm at most ``2 rho``, in :func:`empirisk.bounds.sgd_decreasing_step`. The number of rows does not enter.
    Cost O(1). Sources: Shalev-Shwartz, Singer, Srebro and Cotter, Mathematical Programming 127 (2011);
    Shalev-Shwartz and Ben-David (2014), corollary 15.6 and section 15.5.

    Examples
    --------
    >>> round(pegasos(n=1_000_000, rho=1.0, alpha=0.01).epsilon, 6)
    0.002963
    """
    rho, alpha = check_real(rho, "rho"), check_real(alpha, "alpha")
    theorem = Theorem(
        "pegasos",
        "the average of {n} steps is within {epsilon} of the minimum of the objective on these rows",
        (
            f"the loss is convex and {rho:g}-Lipschitz in w",
            f"L2 penalty of strength {alpha:g}, no free intercept",
        ),
        "Shalev-Shwartz, Singer, Srebro and Cotter (2011)",
    )
    return solve_expectation(
        theorem,
        n=n,
        epsilon=epsilon,
        epsilon_of=lambda t: 2.0 * rho**2 * (1.0 + math.log(t)) / (alpha * t),
        lead="In expectation over the draws",
    )
