"""Parts with a rate in each column, of rows of counts.

``f(x) = prod_j exp(-m_kj) m_kj^x_j / x_j!``: columns are independent within a part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln

from empirisk.data.row_blocks import Block
from empirisk.mixtures.base import Parts
from empirisk.mixtures.linear_family import LinearFamily, log_of, refuse_rows, row_sums
from empirisk.typing import Array

__all__ = ["Poisson", "refuse_no_counts"]


class Poisson(LinearFamily):
    """``f(x) = prod_j exp(-m_kj) m_kj^x_j / x_j!`` for counts x_j.

    Examples
    --------
    >>> Poisson().free(2, 3)
    6
    """

    name = "poisson"
    block = "rates"

    def check(self, block: Block, names: Any = None) -> None:
        """Refuse cells that are no counts."""
        refuse_no_counts(block, "a Poisson mixture", names)

    def coefficients(self, means: Array) -> tuple[Array, Array]:
        """Return the logarithms of the rates, and less their sums."""
        return log_of(means), -means.sum(axis=1)

    def base(self, X: Any) -> Array:
        """Return less the logarithms of the factorials."""
        return -row_sums(X, lambda x: gammaln(x + 1.0))

    def slope(self, means: Array, mass: Array, first: Array) -> Array:
        """Return the derivatives in the rates, which are finite for rates above 0."""
        return np.asarray(first / np.maximum(means, 1e-300) - mass[:, None])

    def draw(self, parts: Parts, part: int, count: int, rng: np.random.Generator) -> Array:
        """Return rows of counts with the rates of the part."""
        m = parts[self.block][part]
        return rng.poisson(m, (count, len(m))).astype(np.float64)


def refuse_no_counts(block: Block, who: str, names: Any) -> None:
    """Refuse cells that are negative or no whole numbers, by column and row.

    Parameters
    ----------
    block : Block
    who : str
        The subject of the sentence.
    names : sequence of str or None
        Of the columns.
    """
    what = f"{who} takes counts 0, 1, 2, ... alone"
    refuse_rows(block, lambda X: (X < 0.0) | (np.floor(X) != X), what, names)
