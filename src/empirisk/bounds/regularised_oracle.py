"""The oracle inequality of regularised loss minimisation."""

from __future__ import annotations

import math

from empirisk.bounds.base import Guarantee, Theorem, check_real, solve_expectation
from empirisk.bounds.stability import RLM, gap_slack

__all__ = ["regularised_oracle"]


def regularised_oracle(
    *,
    n: int | None = None,
    epsilon: float | None = None,
    rho: float,
    norm: float,
    alpha: float | None = None,
    gap: float = 0.0,
) -> Guarantee:
    """``E L_D(w) <= L_D(u) + alpha ||u||^2/2 + 2 rho^2/(alpha n) + rho sqrt(2 gap/alpha)`` for every u.

    With ``||u|| <= B`` known and alpha not given, the best ``alpha = 2 rho/(B sqrt n)`` makes it ``L_D(u) + 2
    rho B/sqrt n``.

    Parameters
    ----------
    n : int, optional
        Number of rows.
    epsilon : float > 0, optional
        Excess over the best u with ``||u|| <= norm``. One of the two is given.
    rho : float > 0
        Lipschitz constant of the loss in w; see :func:`empirisk.bounds.stability`.
    norm : float > 0
        B, the norm of the weights that w is compared with.
    alpha : float > 0, optional
        Strength of the penalty; the best for each n by default.
    gap : float >= 0, default 0
        Certified suboptimality of w; needs `alpha`.

    Returns
    -------
    Guarantee
        In expectation over the rows (``delta`` is None).

    Raises
    ------
    ValueError
        When not exactly one of n and epsilon is given, a number is out of range, or no n reaches epsilon.

    Notes
    -----
    For the exact minimiser ``L_S(w) <= J(w) <= J(u)``, whose expectation is ``L_D(u) + alpha ||u||^2/2``; add
    the stability ``2 rho^2/(alpha n)``. A gap moves ``L_D(w)`` by at most ``rho sqrt(2 gap/alpha)``: once,
    since the training loss of the returned w is not used. Cost O(1). Source: Shalev-Shwartz and Ben-David
    (2014), corollaries 13.8 and 13.9, with the smaller constant of the stability bound.

    Examples
    --------
    >>> round(regularised_oracle(n=10_000, rho=1.0, norm=2.0).epsilon, 6)
    0.04
    >>> regularised_oracle(epsilon=0.02, rho=1.0, norm=2.0).n
    40000
    """
    rho, norm = check_real(rho, "rho"), check_real(norm, "norm")
    fixed = None if alpha is None else check_real(alpha, "alpha")
    if check_real(gap, "gap", 0.0, closed=True) > 0.0 and fixed is None:
        raise ValueError("gap > 0 needs alpha: the certificate belongs to one strength; give both.")

    def epsilon_of(m: int) -> float:
        strength = 2.0 * rho / (norm * math.sqrt(m)) if fixed is None else fixed
        return 0.5 * strength * norm**2 + 2.0 * rho**2 / (strength * m) + gap_slack(rho, strength, gap)

    theorem = Theorem(
        "regularised_oracle",
        "the expected loss of the model fitted to {n} rows exceeds that of the best weights of norm at most "
        f"{norm:g} by at most {{epsilon}}",
        (*RLM, f"the weights compared with have norm at most {norm:g}"),
        "Shalev-Shwartz and Ben-David (2014), corollaries 13.8 and 13.9, with the smaller constant",
    )
    return solve_expectation(
        theorem, n=n, epsilon=epsilon, epsilon_of=epsilon_of, lead="In expectation over the rows"
    )
