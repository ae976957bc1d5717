"""Random matrices of projections, drawn a group of columns at a time, whatever the blocks and threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk import _loops
from empirisk.typing import Array, IndexArray

__all__ = ["KINDS", "Gaussian", "Hadamard", "Projection", "Signs", "projection_of"]

GROUP = 1024  # columns of X whose part of the matrix is drawn together
ROWS = 2048  # rows of X that are projected together
THIN = 0.05  # density up to which a part of the matrix is multiplied as a sparse one


def _draws(seed: int, group: int) -> np.random.Generator:
    """Return the generator of a group: Philox counts, and its key is the seed and the number of the group."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, group], dtype=np.uint64)))


@dataclass(frozen=True)
class Projection:
    """A random matrix of p columns and d rows, ``E ||A x||^2 = ||x||^2``, that is never stored as a whole.

    Parameters
    ----------
    columns : int
        p.
    width : int
        d.
    seed : int
    """

    columns: int
    width: int
    seed: int

    def part(self, group: int) -> Any:
        """Return the transposed part for a group of columns, shape (columns of the group, d)."""
        raise NotImplementedError

    def project(self, X: Any) -> Array:
        """``X A'``, shape (n, d), in the precision of X."""
        out = np.zeros((X.shape[0], self.width), dtype=X.dtype)
        if not isinstance(X, np.ndarray):
            X = X.tocsc()
        for group, first in enumerate(range(0, self.columns, GROUP)):
            part = self.part(group).astype(X.dtype)
            if not isinstance(X, np.ndarray):
                out += _dense(X[:, first : first + GROUP] @ part)
                continue
            for a in range(0, X.shape[0], ROWS):
                block = X[a : a + ROWS, first : first + GROUP]
                out[a : a + ROWS] += block @ part if isinstance(part, np.ndarray) else (part.T @ block.T).T
        return out

    def matrix(self) -> Any:
        """Return the matrix as a whole, shape (d, p)."""
        parts = [self.part(group) for group in range(-(-self.columns // GROUP))]
        if isinstance(parts[0], np.ndarray):
            return np.ascontiguousarray(np.vstack(parts).T)
        return sp.csr_array(sp.vstack(parts).T)


def _dense(made: Any) -> Array:
    return np.asarray(made if isinstance(made, np.ndarray) else made.toarray())


class Gaussian(Projection):
    """Independent entries of N(0, 1/d): the matrix of the theorem of Johnson and Lindenstrauss."""

    def part(self, group: int) -> Array:
        """Draw the normal entries of a group of columns."""
        size = (min(GROUP, self.columns - group * GROUP), self.width)
        return np.asarray(_draws(self.seed, group).standard_normal(size) / np.sqrt(self.width))


@dataclass(frozen=True)
class Signs(Projection):
    """Entries ``+-1/sqrt(density d)`` with this density, else 0 (Achlioptas 2003: density 1 or 1/3).

    Parameters
    ----------
    columns, width, seed : int
        As for every projection.
    density : float in (0, 1]
    """

    density: float = 1.0 / 3.0

    def part(self, group: int) -> Any:
        """Draw which entries of a group of columns are not 0, and their signs."""
        rows, rng = min(GROUP, self.columns - group * GROUP), _draws(self.seed, group)
        size = 1.0 / np.sqrt(self.density * self.width)
        if self.density > THIN:
            u = rng.random((rows, self.width))
            return np.where(u < 0.5 * self.density, -size, np.where(u < self.density, size, 0.0))
        cells = rows * self.width
        count = int(rng.binomial(cells, self.density))
        at = np.sort(rng.choice(cells, count, replace=False, shuffle=False))
        sign = np.where(rng.random(count) < 0.5, -size, size)
        return sp.csr_array(sp.coo_array((sign, np.divmod(at, self.width)), shape=(rows, self.width)))


class Hadamard(Projection):
    """Chosen rows of ``H D``: random signs D, then the Walsh-Hadamard matrix H of the next power of two.

    O(p log p + p d / 512) additions a row in a compiled loop; the matrix is never made.
    """

    def draws(self) -> tuple[Array, IndexArray]:
        """Return the signs of the columns, and which rows of H are kept, drawn without replacement.

        Where there are more directions than columns, rows of a larger H are drawn; on these columns they are
        rows of the smaller one, some of them several times.
        """
        rng = _draws(self.seed, 0)
        sign = np.where(rng.random(self.columns) < 0.5, -1.0, 1.0)
        order = 1 << (self.columns - 1).bit_length()
        large = max(order, 1 << (self.width - 1).bit_length())
        return sign, np.sort(rng.choice(large, self.width, replace=False) % order).astype(np.int64)

    def project(self, X: Any) -> Array:
        """``X A'`` by the fast transform, some rows at a time."""
        sign, rows = self.draws()
        out = np.empty((X.shape[0], self.width), dtype=X.dtype)
        for a in range(0, X.shape[0], ROWS):
            out[a : a + ROWS] = _loops.signed_hadamard(X[a : a + ROWS], sign, rows)
        return out

    def matrix(self) -> Array:
        """Return the matrix as a whole, shape (d, p), by the transform of the unit vectors."""
        eye = sp.csr_array(sp.eye_array(self.columns))
        return np.ascontiguousarray(self.project(eye).T)


KINDS: dict[str, type[Projection]] = {"gaussian": Gaussian, "sparse": Signs, "srht": Hadamard}


def projection_of(kind: str, columns: int, width: int, seed: int, density: float) -> Projection:
    """Return the projection of a kind, which only the sparse one asks for a density.

    Examples
    --------
    >>> projection_of("srht", 4, 4, 0, 1.0).project(np.eye(4)).shape
    (4, 4)
    """
    if kind == "sparse":
        return Signs(columns, width, seed, density)
    return KINDS[kind](columns, width, seed)
