"""Parts with a chance of 1 in each column, of rows of zeros and ones: latent classes.

``f(x) = prod_j p_kj^x_j (1 - p_kj)^(1 - x_j)``.  Lazarsfeld and Henry, Latent Structure Analysis, 1968.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.row_blocks import Block
from empirisk.mixtures.base import Parts
from empirisk.mixtures.linear_family import LinearFamily, log_of, refuse_rows
from empirisk.typing import Array

__all__ = ["Bernoulli"]


class Bernoulli(LinearFamily):
    """``f(x) = prod_j p_kj^x_j (1 - p_kj)^(1 - x_j)`` for x_j of 0 or 1.

    Examples
    --------
    >>> Bernoulli().free(2, 3)
    6
    """

    name = "bernoulli"
    block = "probabilities"

    def check(self, block: Block, names: Any = None) -> None:
        """Refuse cells other than 0 and 1, by column and row."""
        wrong = "a Bernoulli mixture takes 0 and 1 alone"
        refuse_rows(block, lambda X: (X != 0.0) & (X != 1.0), wrong, names)

    def coefficients(self, means: Array) -> tuple[Array, Array]:
        """Return log odds, and the logarithm of the chance of a row of zeros."""
        rest = log_of(1.0 - means)
        return log_of(means) - rest, rest.sum(axis=1)

    def base(self, X: Any) -> Array:
        """Return zeros: the density has no other factor."""
        return np.zeros(X.shape[0])

    def slope(self, means: Array, mass: Array, first: Array) -> Array:
        """Return the derivatives in the chances, which are finite inside the border."""
        return np.asarray(
            first / np.maximum(means, 1e-300) - (mass[:, None] - first) / np.maximum(1.0 - means, 1e-300)
        )

    def settled(self, means: Array) -> Array:
        """Return chances from 0 to 1, which rounding may have left."""
        return np.clip(means, 0.0, 1.0)

    def draw(self, parts: Parts, part: int, count: int, rng: np.random.Generator) -> Array:
        """Return rows of zeros and ones with the chances of the part."""
        p = parts[self.block][part]
        return np.asarray(rng.random((count, len(p))) < p, dtype=np.float64)
