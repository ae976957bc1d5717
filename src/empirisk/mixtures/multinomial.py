"""Parts with shares of the columns, of rows of counts whose totals say nothing: words in documents.

``f(x) = (sum_j x_j)! prod_j q_kj^x_j / x_j!`` given the total of the row.  Nigam, McCallum, Thrun and
Mitchell, Machine Learning 39 (2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln

from empirisk.data.row_blocks import Block
from empirisk.mixtures.base import Parts
from empirisk.mixtures.linear_family import LinearFamily, log_of, row_sums
from empirisk.mixtures.poisson import refuse_no_counts
from empirisk.typing import Array

__all__ = ["Multinomial"]


@dataclass(frozen=True)
class Multinomial(LinearFamily):
    """``f(x) = (sum_j x_j)! prod_j q_kj^x_j / x_j!`` for counts x_j, given their total.

    Parameters
    ----------
    total : int, default 1
        Total of the rows that are drawn; those of a fit have their own.

    Examples
    --------
    >>> Multinomial().free(2, 3)
    4
    """

    name = "multinomial"
    block = "shares"
    total: int = 1

    def check(self, block: Block, names: Any = None) -> None:
        """Refuse cells that are no counts."""
        refuse_no_counts(block, "a multinomial mixture", names)

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the number of shares, one of each part following from the others."""
        return n_parts * (n_columns - 1)

    def coefficients(self, means: Array) -> tuple[Array, Array]:
        """Return the logarithms of the shares, and zeros."""
        return log_of(means), np.zeros(len(means))

    def base(self, X: Any) -> Array:
        """Return the logarithm of the number of orders of a row."""
        return np.asarray(gammaln(row_sums(X, lambda x: x) + 1.0) - row_sums(X, lambda x: gammaln(x + 1.0)))

    def slope(self, means: Array, mass: Array, first: Array) -> Array:
        """Return ``sum r x / q``, which vanishes along shares whose sum stays 1."""
        return np.asarray(first / np.maximum(means, 1e-300))

    def settled(self, means: Array) -> Array:
        """Return shares whose sum is 1; equal ones where a part has no counts."""
        total = means.sum(axis=1, keepdims=True)
        return np.where(total > 0.0, means / np.where(total > 0.0, total, 1.0), 1.0 / means.shape[1])

    def draw(self, parts: Parts, part: int, count: int, rng: np.random.Generator) -> Array:
        """Return rows of counts of the total, with the shares of the part."""
        q = parts[self.block][part]
        return rng.multinomial(self.total, q / q.sum(), count).astype(np.float64)
