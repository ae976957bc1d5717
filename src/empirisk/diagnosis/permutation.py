"""Permutation tests that combine several statistics exactly, with few draws where few suffice.

Westfall and Young, Resampling-Based Multiple Testing (1993), chapter 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["DRAWS", "PermutationTest", "min_p", "permutation_test"]

DRAWS = (
    199,
    1999,
)  # 199 draws cannot give less than 0.005, which no correction over a dozen findings survives
_GO_ON = 0.06  # a p near 0.05 or below is worth all draws


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """The p-value of several statistics together, and of each alone.

    Parameters
    ----------
    p : float
        Of the smallest of the single p-values, against its own permutation law (no factor for looking at
        several).
    each : array, shape (m,)
        p-value of each statistic alone.
    draws : int
        Permutations drawn.
    """

    p: float
    each: Array
    draws: int


def permutation_test(
    observed: Array, draw: Callable[[int], Array], draws: tuple[int, int] = DRAWS
) -> PermutationTest:
    """``p = #{b : minp_b <= minp_0} / (B + 1)``, the draws counted with the observed statistics.

    Parameters
    ----------
    observed : array, shape (m,)
        Statistics of the data, large values speaking against the null.
    draw : callable
        ``draw(k)`` gives the statistics of k random permutations, shape (k, m).
    draws : (int, int), default (199, 1999)
        The second number is used when the first leaves p at 0.06 or below.

    Returns
    -------
    PermutationTest

    Notes
    -----
    The null is exchangeability; then p <= a in at most a share a of samples, for any statistics and any a up
    to 0.06 (the second stage only takes rejections away).

    References
    ----------
    P. H. Westfall, S. S. Young, "Resampling-based multiple testing" (1993), chapter 2.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = np.arange(20.0)
    >>> def draw(k):
    ...     return np.abs(np.array([[rng.permutation(x) @ x] for _ in range(k)]) - 1805.0)
    >>> permutation_test(np.abs([x @ x - 1805.0]), draw).p
    0.0005
    """
    first, most = draws
    drawn = np.vstack([np.asarray(observed, dtype=np.float64)[None, :], draw(first)])
    p, each = min_p(drawn)
    if p <= _GO_ON and most > first:
        drawn = np.vstack([drawn, draw(most - first)])
        p, each = min_p(drawn)
    return PermutationTest(p, each, len(drawn) - 1)


def min_p(drawn: Array) -> tuple[float, Array]:
    """p-value of row 0 among the rows by their smallest rank p-value, and its p-value in each column.

    Examples
    --------
    >>> p, each = min_p(np.array([[9.0, 0.0], [1.0, 2.0], [2.0, 1.0], [3.0, 5.0]]))
    >>> p, each.tolist()
    (0.5, [0.25, 1.0])
    """
    total = len(drawn)
    ranks = np.empty_like(drawn)
    for column, values in enumerate(drawn.T):
        scale = 1e-12 * float(np.abs(values).max(initial=0.0))  # equal values that rounding tells apart
        ranks[:, column] = total - np.searchsorted(np.sort(values), values - scale, side="left")
    smallest = ranks.min(axis=1)
    return float(np.mean(smallest <= smallest[0])), ranks[0] / total
