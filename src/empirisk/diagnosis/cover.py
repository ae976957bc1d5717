"""How often labels that mean nothing can be separated by a plane."""

from __future__ import annotations

from scipy import special

__all__ = ["chance_of_separation"]


def chance_of_separation(n: int, p: int, intercept: bool = True) -> float:
    """``2^(1-n) sum_{k < d} C(n-1, k)``, ``d = p + 1`` with an intercept and p without.

    Parameters
    ----------
    n : int
        Rows in general position, labelled by fair coins.
    p : int
        Columns.
    intercept : bool, default True
        Whether the plane may miss the origin.

    References
    ----------
    T. M. Cover, "Geometrical and statistical properties of systems of linear inequalities", IEEE Transactions
    on Electronic Computers 14 (1965).

    Examples
    --------
    >>> chance_of_separation(4, 2), round(chance_of_separation(15, 5), 3)
    (0.875, 0.212)
    """
    d = p + int(intercept)
    if d >= n:
        return 1.0
    return float(special.bdtr(d - 1, n - 1, 0.5)) if d > 0 else 0.0
