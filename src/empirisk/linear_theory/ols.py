"""Excess risk of ordinary least squares."""

from __future__ import annotations

import math

from empirisk.linear_theory.checks import count, non_negative

__all__ = ["ols_excess_risk"]

DESIGNS = ("fixed", "gaussian")


def ols_excess_risk(sigma: float, p: int, n: int, *, design: str = "fixed") -> float:
    """``sigma^2 p / n``: what the noise of the coefficients adds to the risk of least squares.

    Parameters
    ----------
    sigma : float
        Standard deviation of the noise, >= 0: uncorrelated, of equal variance, mean 0.
    p : int
        Rank of the columns, a constant counted, >= 0.
    n : int
        Rows, >= p.
    design : {"fixed", "gaussian"}, default "fixed"
        Risk at the rows of the fit; or at new rows, with normal rows (no constant) in the fit, too:
        ``sigma^2 p / (n - p - 1)``, infinite when ``n <= p + 1``.

    Returns
    -------
    float
        Excess of ``E (y - z)^2`` over ``sigma^2``.

    References
    ----------
    F. Bach, Learning Theory from First Principles (2024), chapter 3.  L. Breiman, D. Freedman, "How many
    variables should be entered in a regression equation?", JASA 78 (1983), for the Gaussian design.

    Examples
    --------
    >>> from empirisk.linear_theory import ols_excess_risk
    >>> ols_excess_risk(2.0, 5, 100), ols_excess_risk(2.0, 5, 46, design="gaussian")
    (0.2, 0.5)
    """
    sigma, p, n = non_negative("sigma", sigma), count("p", p, 0), count("n", n, 1)
    if design not in DESIGNS:
        raise ValueError(f"design must be one of {DESIGNS}, got {design!r}")
    if design == "gaussian":
        return sigma**2 * p / (n - p - 1) if n > p + 1 else (math.inf if p else 0.0)
    if p > n:
        raise ValueError(f"p is the rank of the columns, at most n: got p = {p} and n = {n}")
    return sigma**2 * p / n
