"""The rule that says when a tree of rows is sooner than comparing with all."""

from __future__ import annotations

import math

__all__ = ["QUERIES", "most_columns", "tree_pays", "worth_a_pilot"]

# Queries that pay for the largest trees: to build one took as long as 150 to 250 comparisons with all rows.
QUERIES = 250
# By Euclidean distance: columns up to which a tree was sooner for any number of rows; and cells and columns
# up to which it was for few rows, because a comparison by products costs 2 to 5 microseconds at least.
COLUMNS, CELLS, WIDEST = 12, 60_000, 30
# By other Minkowski distances of power p: columns for every power of ten of the rows.
PER_DIGIT = {1.0: 2.0, math.inf: 3.5}
OTHERWISE = 4.0
# More than this share of the rows as neighbours: there is little left to skip.
SHARE = 0.1
# Cells that all queries compare, which take 50 ms at least: above them it is worth trying whether rows lie
# near few dimensions; and columns up to which the trial is short.
LONG, TRIED = 5e8, 300


def most_columns(n: int, power: float) -> float:
    """Return up to how many columns a tree of n rows was measured to be sooner.

    Parameters
    ----------
    n : int
        Rows.
    power : float >= 1
        Of the Minkowski distance.

    Examples
    --------
    >>> [most_columns(n, 2.0) for n in (1_000, 4_000, 100_000)]
    [30, 15.0, 12]
    >>> most_columns(10_000, 1.0), most_columns(10_000, math.inf)
    (8.0, 14.0)
    """
    if power == 2.0:
        return max(COLUMNS, min(WIDEST, CELLS / max(n, 1)))
    return PER_DIGIT.get(power, OTHERWISE) * math.log10(max(n, 1))


def tree_pays(n: int, p: int, k: int, queries: int, power: float) -> bool:
    """Return whether a tree of n rows of p columns is expected to answer the queries sooner.

    ``p <= most_columns(n, power), k <= n/10, queries >= min(n/20, 250)``

    Parameters
    ----------
    n, p : int
        Rows and columns.
    k : int
        Neighbours that are asked for.
    queries : int
        All that are asked of these rows, before and now.
    power : float >= 1
        Of the Minkowski distance.

    Notes
    -----
    The numbers come from measurements on one thread (AVX-512, n = 20 to 200,000, p = 1 to 30, k = 1 to 1000,
    powers 1, 2, 3 and infinity) with normal rows that fill all columns, which are the hardest for a tree.
    Microseconds a query for k = 5, the tree before comparing with all:

    ======== ========== ========= ========= =========== ===========
    n        distance   p = 3     p = 8     p = 12      p = 16
    ======== ========== ========= ========= =========== ===========
    2,000    Euclidean  0.7, 13   4.4, 14   8.4, 15     9.7, 16
    20,000   Euclidean  1.1, 43   11, 48    47, 51      100, 56
    20,000   Manhattan  1.3, 32   24, 37    85, 50      130, 58
    20,000   Chebyshev  1.0, 28   6.7, 37   20, 48      40, 50
    ======== ========== ========= ========= =========== ===========

    Where the rule errs by a step, the two take about as long.  Rows that lie near a few dimensions are found
    sooner than it expects: 20,000 rows of 60 columns near 4 dimensions took 7 against 124 microseconds.  For
    those there is :func:`empirisk.neighbors.tree_pilot.share_seen`.

    Examples
    --------
    >>> tree_pays(20_000, 8, 5, 1_000, 2.0), tree_pays(20_000, 8, 5, 10, 2.0)
    (True, False)
    """
    enough = min(n / 20, QUERIES)
    return p <= most_columns(n, power) and k <= SHARE * n and queries >= enough


def worth_a_pilot(n: int, p: int, k: int, queries: int) -> bool:
    """Return whether comparing with all takes so long that it pays to try a tree on some rows.

    ``n p queries >= 5e8, p <= 300, k <= n/10, queries >= 250``, the arguments as in :func:`tree_pays`.

    Examples
    --------
    >>> worth_a_pilot(20_000, 60, 5, 1_000), worth_a_pilot(2_000, 60, 5, 1_000)
    (True, False)
    """
    return n * p * queries >= LONG and p <= TRIED and k <= SHARE * n and queries >= QUERIES
