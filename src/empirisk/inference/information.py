"""The inverse of ``[X 1]' diag(v) [X 1]`` as a product, and what the columns leave undetermined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from empirisk.data.design import Design
from empirisk.data.triangular import TriangularFactor, triangular_factor
from empirisk.typing import Array

__all__ = ["Information", "term_names"]

_STEP = 65_536  # rows of a block


def term_names(names: Sequence[str] | None, p: int, intercept: bool) -> tuple[str, ...]:
    """Return the names of the terms, the intercept first."""
    given = [f"x{j}" for j in range(p)] if names is None else [str(v) for v in names]
    if len(given) != p:
        raise ValueError(f"names has {len(given)} entries, but there are {p} columns")
    return ("intercept", *given) if intercept else tuple(given)


@dataclass(frozen=True, eq=False)
class Information:
    """``K = [1 X]' diag(v) [1 X] = (half half')^+``, the intercept first.

    Parameters
    ----------
    design : Design
        n rows, p columns.
    weight : array, shape (n,)
        ``v``, >= 0.
    intercept : bool
        Whether there is a constant column.
    """

    design: Design
    weight: Array
    intercept: bool

    @cached_property
    def factor(self) -> TriangularFactor:
        """The triangular factor of the columns after they are centred and scaled, which keeps its digits."""
        return triangular_factor(self.design, self.weight, self.intercept)

    @property
    def rank(self) -> int:
        """The rank of the matrix ``[1 X]``, in which the intercept counts as a column."""
        return self.factor.rank + int(self.intercept)

    @cached_property
    def half(self) -> Array:
        """A matrix whose product with its transpose is the (pseudo-)inverse of K."""
        H = self.factor.half_inverse()
        if not self.intercept:
            return H
        top = np.concatenate([[1.0 / np.sqrt(self.factor.total)], -self.factor.mean @ H])
        return np.vstack([top, np.hstack([np.zeros((len(H), 1)), H])])

    def standard_errors(self) -> Array:
        """Return the roots of the diagonal of the inverse of K."""
        return np.asarray(np.linalg.norm(self.half, axis=1))

    def estimable(self) -> np.ndarray:
        """Return the terms whose coefficient the columns determine (all of them when the rank is full)."""
        factor = self.factor
        null = factor.null_space
        unit = factor.mean / factor.scale
        # Null vectors have length 1, and their zeros carry the rounding of the factor.
        free = np.linalg.norm(null, axis=1) > 1e-8
        out = ~free
        if self.intercept:
            moved = float(np.linalg.norm(unit @ null)) if null.size else 0.0
            out = np.append(moved <= 1e-8 * max(float(np.linalg.norm(unit)), 1.0), out)
        return np.asarray(out)

    def inflation(self) -> Array:
        """Return the variance inflation of each column: by what factor collinearity multiplies the
        variance.

        ``1 / (1 - R_j^2)`` of its weighted regression on the other columns; infinite when they determine it.
        """
        slopes = self.half[int(self.intercept) :]
        out = self.factor.scale**2 * self.factor.total * (slopes * slopes).sum(axis=1)
        return np.where(self.estimable()[int(self.intercept) :], np.maximum(out, 1.0), np.inf)

    def coordinates(self) -> Iterator[tuple[slice, Array]]:
        """Return the blocks of ``E = [1 X] half``: rows whose squared length times v is the leverage."""
        H, n = self.half, self.design.shape[0]
        X = self.design.X.tocsr() if self.design.sparse else self.design.X
        first = int(self.intercept)
        coef = H[first:]
        # The constant's part is formed from centred rows: means far from 0 would cancel.
        mean = self.factor.mean
        for start in range(0, n, _STEP):
            part = slice(start, min(start + _STEP, n))
            if self.design.sparse:
                E = np.asarray(X[part] @ coef, dtype=np.float64) - mean @ coef
            else:
                E = (np.asarray(X[part], dtype=np.float64) - mean) @ coef
            if first:
                E[:, 0] += 1.0 / np.sqrt(self.factor.total)
            yield part, E
