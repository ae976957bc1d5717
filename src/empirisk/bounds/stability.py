"""Uniform stability of regularised loss minimisation."""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_expectation

__all__ = ["gap_slack", "stability"]

RLM = (
    "the rows are independent",
    "the loss is convex and rho-Lipschitz in w for every row that can occur (rho from an a-priori radius)",
    "the objective is the mean loss plus an alpha-strongly convex penalty, without a free intercept",
    "alpha was fixed before the rows were seen",
)


def gap_slack(rho: float, alpha: float, gap: float) -> float:
    """``rho sqrt(2 gap/alpha)``: by how much a loss can differ from that at the exact minimiser.

    Parameters
    ----------
    rho : float > 0
        Lipschitz constant of the loss in w.
    alpha : float > 0
        Strong convexity of the objective.
    gap : float >= 0
        Certified ``J(w) - min J``.

    Returns
    -------
    float

    Examples
    --------
    >>> gap_slack(rho=2.0, alpha=0.5, gap=1e-6)
    0.004
    """
    rho, alpha = check_real(rho, "rho"), check_real(alpha, "alpha")
    return rho * math.sqrt(2.0 * check_real(gap, "gap", 0.0, closed=True) / alpha)


def stability(
    *, n: int | None = None, epsilon: float | None = None, rho: float, alpha: float, gap: float = 0.0
) -> Guarantee:
    """``E[L_D(w) - L_S(w)] <= 2 rho^2/(alpha n) + 2 rho sqrt(2 gap/alpha)``.

    L_D is the expected and L_S the training loss of the w that minimises ``mean loss + alpha ||w||^2/2`` (or
    any alpha-strongly convex penalty) up to a duality gap.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float > 0, optional
        Expected difference. One of the two is given.
    rho : float > 0
        Lipschitz constant of the loss in w: that of the loss in the score times a bound on ``||x||`` that
        holds for every row that can occur. The largest norm among the rows is not such a bound.
    alpha : float > 0
        Strength of the penalty on our scale (twice the lambda of Shalev-Shwartz and Ben-David).
    gap : float >= 0, default 0
        Certified suboptimality of w, for example ``est.certificate_.suboptimality()``.

    Returns
    -------
    Guarantee
        In expectation over the rows (``delta`` is None).

    Raises
    ------
    ValueError
        When not exactly one of n and epsilon is given, a number is out of range, or the gap alone exceeds
        epsilon.

    Notes
    -----
    Proof. Let w minimise J on S and w' minimise J' on S', where S' has another row z' in the place of z.
    Strong convexity, twice, gives ``alpha ||w-w'||^2 <= J(w') - J(w) + J'(w) - J'(w')``, and the right side
    is ``(l(w',z) - l(w,z) + l(w,z') - l(w',z'))/n <= 2 rho ||w-w'||/n``. So ``||w-w'|| <= 2 rho/(alpha n)``,
    each loss moves by at most ``2 rho^2/(alpha n)``, and ``E[L_D - L_S] = E[l(w',z) - l(w,z)]`` because z is
    a fresh row for w'.

    The slack. For any v, strong convexity at the minimiser gives ``J(v) - J(w) >= alpha ||v-w||^2/2``; a gap
    g therefore leaves ``||v-w|| <= sqrt(2 g/alpha)``, and every loss of v differs from that of w by at most
    ``rho sqrt(2 g/alpha)``. L_D and L_S are means of losses: the difference changes by at most twice that.

    ``alpha = 1/n`` makes the bound ``2 rho^2`` whatever n is. Cost O(1). Sources: Bousquet and Elisseeff,
    Journal of Machine Learning Research 2 (2002); Shalev-Shwartz and Ben-David (2014), corollary 13.6, which
    has twice the constant.

    Examples
    --------
    >>> round(stability(n=1000, rho=1.0, alpha=0.1).epsilon, 6)
    0.02
    >>> stability(epsilon=0.01, rho=1.0, alpha=0.1).n
    2000
    """
    rho, alpha = check_real(rho, "rho"), check_real(alpha, "alpha")
    slack = 2.0 * gap_slack(rho, alpha, gap)
    exact = gap == 0.0
    theorem = Theorem(
        "stability",
        "the expected loss exceeds the training loss by at most {epsilon} for a model fitted to {n} rows",
        (*RLM, *(() if exact else (f"the objective is within {gap:.3g} of its minimum",))),
        "Shalev-Shwartz and Ben-David (2014), corollary 13.6, with the smaller constant",
    )
    return solve_expectation(
        theorem,
        n=n,
        epsilon=epsilon,
        epsilon_of=lambda m: 2.0 * rho**2 / (alpha * m) + slack,
        lead="In expectation over the rows",
    )
