"""Counts of labellings: exact integers that say by which argument, or upper bounds that say so."""

from __future__ import annotations

import math

__all__ = ["Growth", "cover", "sauer"]

_LARGEST_POWER = 10_000_000  # beyond, 2^n is too long to write


class Growth(int):
    """The number of labellings of n points, exact or an upper bound; an integer like any other.

    Parameters
    ----------
    value : int
        The number.
    exact : bool
        Whether some n points have exactly this many labellings; False: no n points have more.
    argument : str
        Why.

    Examples
    --------
    >>> g = Growth(14, True, "Cover 1965")
    >>> g + 1, g.exact
    (15, True)
    >>> g
    14 (exact: Cover 1965)
    >>> Growth(16, False, "Sauer's lemma")
    at most 16 (Sauer's lemma)
    """

    exact: bool
    argument: str

    def __new__(cls, value: int, exact: bool, argument: str) -> Growth:
        made = super().__new__(cls, value)
        made.exact = exact
        made.argument = argument
        return made

    def __getnewargs__(self) -> tuple[int, bool, str]:  # type: ignore[override]
        return int(self), self.exact, self.argument

    def __repr__(self) -> str:
        return f"{self} (exact: {self.argument})" if self.exact else f"at most {self} ({self.argument})"

    def __str__(self) -> str:
        # Python refuses to print integers of more than a few thousand digits.
        if self.bit_length() <= 4000:
            return int.__repr__(self)
        return f"10^{math.log10(self):.6g}"


def binomial_sum(n: int, top: int) -> int:
    """``sum_{i <= top} C(n, i)``: the subsets of n things with at most `top` members."""
    if top >= n:
        return power_of_two(n)
    total = term = 1 if top >= 0 else 0
    for i in range(1, top + 1):
        term = term * (n - i + 1) // i
        total += term
    return total


def power_of_two(n: int) -> int:
    """``2^n``, refused where the integer itself would fill the memory."""
    if n > _LARGEST_POWER:
        raise ValueError(f"2^n for n = {n} has too many digits to be written out; use log_growth(n)")
    return 1 << n


def sauer(n: int, vc: float) -> Growth:
    """``sum_{i <= d} C(n, i)``: no class of VC dimension d labels n points in more ways.

    Parameters
    ----------
    n : int
        Number of points, >= 0.
    vc : int or math.inf
        VC dimension d, >= 0.

    Returns
    -------
    Growth
        Exact when ``n <= d`` (then it is ``2^n``), else an upper bound.

    References
    ----------
    Sauer 1972, Journal of Combinatorial Theory A 13; Shelah 1972, Pacific Journal of Mathematics 41.

    Examples
    --------
    >>> sauer(5, 2)
    at most 16 (Sauer's lemma with VC dimension 2)
    """
    if n <= vc:
        return Growth(power_of_two(n), True, "2^n: n is at most the VC dimension")
    return Growth(binomial_sum(n, int(vc)), False, f"Sauer's lemma with VC dimension {int(vc)}")


def cover(n: int, rank: int) -> int:
    """``2 sum_{k < p} C(n - 1, k)``: the ways in which hyperplanes through 0 in R^p split n vectors.

    Exact when every p of the vectors are independent, an upper bound otherwise.

    Parameters
    ----------
    n : int
        Number of vectors, >= 0.
    rank : int
        Their dimension p, >= 1.

    Returns
    -------
    int

    References
    ----------
    Cover 1965, IEEE Transactions on Electronic Computers 14, theorem 1.

    Examples
    --------
    >>> [cover(n, 3) for n in (3, 4, 5, 6)]
    [8, 14, 22, 32]
    """
    return 1 if n == 0 else 2 * binomial_sum(n - 1, rank - 1)
