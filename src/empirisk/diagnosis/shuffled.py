"""How often labels that mean nothing would be separated by a plane, for the columns at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

__all__ = ["Shuffles", "separated_shuffles"]

FEWEST, MOST = 19, 199  # draws; the fewest give p-values down to 0.05
_CELLS = 500_000  # of all draws together, so that wide tables get fewer draws and not more time


@dataclass(frozen=True)
class Shuffles:
    """Of `draws` permutations of the labels, `separated` could be separated.

    Examples
    --------
    >>> made = Shuffles(3, 40)
    >>> made.often, [round(end, 3) for end in made.interval]
    (True, [0.016, 0.204])
    """

    separated: int
    draws: int

    @property
    def often(self) -> bool:
        """Whether more than one shuffle in twenty was separated."""
        return self.separated > 0.05 * self.draws

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Clopper-Pearson interval of the chance that permuted labels can be separated."""
        k, m = self.separated, self.draws
        low = 0.0 if k == 0 else float(special.betaincinv(k, m - k + 1, 0.025))
        return low, 1.0 if k == m else float(special.betaincinv(k + 1, m - k, 0.975))


def separated_shuffles(
    separable: Callable[[NDArray[Any]], bool], y: NDArray[Any], cells: int, seed: int
) -> Shuffles | None:
    """Shuffle the labels, with the columns as they are, and count; None when the table is too large for that.

    Cover's formula ``2^(1-n) sum_{k<d} C(n-1, k)`` would be free, but is about rows in general position: for
    0/1 columns, ties and rare classes it is wrong by any number of orders of magnitude.

    Parameters
    ----------
    separable : callable
        Whether a plane separates labels, shape (n,), of the rows.
    y : array of shape (n,)
        The labels.
    cells : int
        Cells of the columns; the more, the fewer shuffles.
    seed : int
        Of the shuffles.

    Examples
    --------
    Of four different numbers, a cut separates two labels in two of the six orders:

    >>> made = separated_shuffles(lambda y: bool((np.diff(y) != 0).sum() == 1), np.array([0, 0, 1, 1]), 4, 0)
    >>> made.interval[0] < 1 / 3 < made.interval[1]
    True
    """
    draws = min(MOST, _CELLS // max(1, cells))
    if draws < FEWEST:
        return None
    rng = np.random.default_rng(seed)
    return Shuffles(sum(separable(rng.permutation(y)) for _ in range(draws)), draws)
