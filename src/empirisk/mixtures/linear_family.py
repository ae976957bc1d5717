"""Parts whose log-density is linear in the row: ``log f(x) = x.a(theta_k) + b(theta_k) + h(x)``.

Each column has a mean in each part, and the weighted mean of the rows is the best one: no iteration.  Means
on the border (a chance of 0) are maxima like others, since these densities are bounded; their logarithm is
taken at 1e-300.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from empirisk.data.row_blocks import Block
from empirisk.data.sparse_cells import is_sparse
from empirisk.mixtures.base import Family, Parts, Sums, TableFacts, log_sum, refuse_empty
from empirisk.typing import Array

__all__ = ["LinearFamily", "log_of", "refuse_rows", "row_sums"]

STRETCH = 8192  # rows whose chances are in memory at once
SMALLEST = 1e-300
SHRUNK = 0.2  # how far first means are drawn to those of all rows, so that no cell is impossible


class LinearFamily(Family):
    """Base of these families; a subclass gives ``coefficients``, ``base``, ``slope`` and ``draw``.

    ``block`` is the name of its one block of parameters, (K, p).
    """

    letters: str = ""
    targets: bool = False
    extrapolates: bool = True
    sparse: bool = True
    block: ClassVar[str]

    def coefficients(self, means: Array) -> tuple[Array, Array]:
        """Return a, (K, p), and b, (K,)."""
        raise NotImplementedError

    def base(self, X: Any) -> Array:
        """Return h of each row, (n,), dense or sparse."""
        raise NotImplementedError

    def slope(self, means: Array, mass: Array, first: Array) -> Array:
        """Return the derivatives of ``sum_k (first_k . a_k + mass_k b_k)`` in the means."""
        raise NotImplementedError

    def settled(self, means: Array) -> Array:
        """Return means that the family allows."""
        return means

    def shapes(self, n_parts: int, n_columns: int) -> dict[str, tuple[int, ...]]:
        """Return the shape of the one block of means."""
        return {self.block: (n_parts, n_columns)}

    def free(self, n_parts: int, n_columns: int) -> int:
        """Return the number of means, all of which are free."""
        return n_parts * n_columns

    def about(self, centres: Array, facts: TableFacts) -> Parts:
        """Return the centres as means, drawn a little to those of all rows."""
        return {self.block: self.settled((1.0 - SHRUNK) * centres + SHRUNK * facts.mean)}

    def units(self, facts: TableFacts) -> Parts:
        """Return the deviations of the columns."""
        return {self.block: facts.deviations}

    def inside(self, parts: Parts) -> bool:
        """Return whether the means are positive, and stay as they are where the family settles them."""
        means = parts[self.block]
        return bool((means > 0.0).all() and np.allclose(self.settled(means), means, rtol=1e-12, atol=0.0))

    def _log_densities(self, parts: Parts, log_weights: Array, X: Any) -> Array:
        a, b = self.coefficients(parts[self.block])
        X = _double(X)
        return np.asarray(X @ a.T + (b + log_weights) + self.base(X)[:, None])

    def expect(
        self, parts: Parts, log_weights: Array, block: Block, given: Array | None = None
    ) -> tuple[float, Sums]:
        """Return the log-likelihood of a block, expected rows, and sums of the rows."""
        k, p = parts[self.block].shape
        value, mass, first = 0.0, np.zeros(k), np.zeros((k, p))
        for a in range(0, len(block.weight), STRETCH):
            X, s = block.design.X[a : a + STRETCH], np.asarray(block.weight[a : a + STRETCH])
            if given is None:
                log, chance = log_sum(self._log_densities(parts, log_weights, X))
                value += float(s[s > 0.0] @ log[s > 0.0])
            else:
                chance = given[a : a + STRETCH]
            r = chance * s[:, None]
            mass += r.sum(axis=0)
            first += (_double(X).T @ r).T if is_sparse(X) else r.T @ _double(X)
        return value, (mass, first)

    def rows(self, parts: Parts, log_weights: Array, block: Block) -> tuple[Array, Array]:
        """Return log-densities and chances of the rows of a block."""
        return log_sum(self._log_densities(parts, log_weights, block.design.X))

    def maximise(self, parts: Parts, sums: Sums, facts: TableFacts) -> Parts:
        """Return the weighted means of the rows."""
        mass, first = sums
        refuse_empty(mass, facts)
        return {self.block: self.settled(first / mass[:, None])}

    def expected(self, at: Parts, about: Parts, sums: Sums, facts: TableFacts) -> float:
        """Return the expected log-likelihood, up to what the rows alone add."""
        a, b = self.coefficients(at[self.block])
        return float((sums[1] * a).sum() + sums[0] @ b)

    def penalty(self, parts: Parts, facts: TableFacts) -> float:
        """Return 0: these likelihoods are bounded, and nothing is added to them."""
        return 0.0

    def gradient(self, parts: Parts, sums: Sums, facts: TableFacts) -> Parts:
        """Return derivatives in the means, each taken as free."""
        return {self.block: self.slope(parts[self.block], *sums)}


def _double(X: Any) -> Any:
    """Return rows in float64; sparse ones stay sparse."""
    return X.astype(np.float64) if is_sparse(X) else np.asarray(X, dtype=np.float64)


def row_sums(X: Any, f: Callable[[Array], Array]) -> Array:
    """Return ``sum_j f(x_ij)`` of each row, for f with ``f(0) = 0``, so that cells left out add nothing.

    Examples
    --------
    >>> row_sums(np.array([[0.0, 3.0], [2.0, 2.0]]), np.square).tolist()
    [9.0, 8.0]
    """
    if not is_sparse(X):
        return np.asarray(f(X).sum(axis=1))
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    return np.bincount(row, f(X.data), X.shape[0]).astype(np.float64)


def log_of(x: Array) -> Array:
    """Return the logarithm, of 1e-300 where x is smaller.

    Examples
    --------
    >>> log_of(np.array([0.0, 1.0])).round(1).tolist()
    [-690.8, 0.0]
    """
    return np.asarray(np.log(np.maximum(x, SMALLEST)))


def refuse_rows(block: Block, wrong: Callable[[Array], Array], what: str, names: Any) -> None:
    """Refuse the first cell that is wrong, by column and row.

    Parameters
    ----------
    block : Block
    wrong : callable
        Which of some cells are; 0 is not.
    what : str
        What cells must be.
    names : sequence of str or None
        Of the columns.
    """
    for a in range(0, len(block.weight), STRETCH):
        X = block.design.X[a : a + STRETCH]
        if not wrong(X.data if is_sparse(X) else np.asarray(X)).any():
            continue
        dense = X.toarray() if is_sparse(X) else np.asarray(X)
        row, column = (int(i) for i in np.argwhere(wrong(dense))[0])
        label = f"column {column}" if names is None else f"column {str(names[column])!r}"
        value, row = dense[row, column], row + a
        raise ValueError(f"X holds {value:g} in {label}, row {block.start + row}: {what}")
