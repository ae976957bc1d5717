"""From the perceptron's mistake bound to its expected risk."""

from __future__ import annotations

from empirisk.bounds.base import IID, Guarantee, Theorem, check_real, solve_expectation

__all__ = ["perceptron_risk"]


def perceptron_risk(
    *, n: int | None = None, epsilon: float | None = None, radius: float, margin: float
) -> Guarantee:
    """``E[risk] <= (R/margin)^2/(n+1)`` for the perceptron run on n rows until it makes no mistake.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float in (0, 1), optional
        Expected rate of errors. One of the two is given.
    radius : float > 0
        R, an a-priori bound on ``||x||``.
    margin : float > 0
        With which some hyperplane through 0 separates every row that can occur.

    Returns
    -------
    Guarantee
        In expectation over the rows (``delta`` is None).

    Raises
    ------
    ValueError
        When not exactly one of n and epsilon is given, or a number is out of range.

    Notes
    -----
    Leave one of n+1 rows out: if the run on all of them never updated on that row, leaving it out changes
    nothing, and the row is classified rightly. So at most ``(R/margin)^2`` of the n+1 leave-one-out errors
    are errors, and their mean has the expected risk with n rows. Cost O(1). Sources: Vapnik and Chervonenkis
    (1974); Freund and Schapire, Machine Learning 37 (1999), theorem 3.

    Examples
    --------
    >>> perceptron_risk(epsilon=0.05, radius=1.0, margin=0.2).n
    499
    """
    radius, margin = check_real(radius, "radius"), check_real(margin, "margin")
    theorem = Theorem(
        "perceptron_risk",
        "the rate of errors of the perceptron run to convergence on {n} rows is at most {epsilon}",
        (
            IID,
            f"||x|| <= {radius:g} for every row that can occur",
            f"a hyperplane through 0 separates all rows that can occur with margin {margin:g}",
        ),
        "Freund and Schapire (1999), section 3; Vapnik and Chervonenkis (1974)",
    )
    return solve_expectation(
        theorem,
        n=n,
        epsilon=epsilon,
        epsilon_of=lambda m: (radius / margin) ** 2 / (m + 1.0),
        lead="In expectation over the rows",
        trivial=1.0,
    )
