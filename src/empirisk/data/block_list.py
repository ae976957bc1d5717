"""Rows in blocks that are visited one after the other: views of a memory map, or of any arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.design import Design
from empirisk.data.row_blocks import Block, add
from empirisk.data.row_checks import check_lengths, where
from empirisk.data.sparse_cells import row_slice
from empirisk.data.sums import total_weight
from empirisk.typing import Access, Array
from empirisk.wording import a_thing

__all__ = ["BlockList"]


@dataclass(frozen=True, eq=False)
class BlockList:
    """Consecutive blocks of rows, in an order that never changes.

    Parameters
    ----------
    blocks : tuple of Block
        At least one; the rows of each start where those of the one before end.  Blocks without rows are left
        out.

    Examples
    --------
    >>> rows = BlockList.cut(np.arange(10.0)[:, None], np.ones(10), rows=4)
    >>> [len(block.y) for block in rows], float(rows.map_sum(lambda block: block.design.X.sum()))
    ([4, 4, 2], 45.0)
    """

    blocks: tuple[Block, ...]

    @classmethod
    def cut(cls, X: Any, y: Any, weight: Any = None, rows: int = 65_536) -> BlockList:
        """Return one table in blocks of so many rows, as views: nothing is read and nothing is copied.

        Parameters
        ----------
        X : ndarray or memmap of float32 or float64, or CSR array, shape (n, p)
            Features.
        y : ndarray or memmap, shape (n,)
            Targets.
        weight : ndarray or memmap, shape (n,), optional
            Weights >= 0; all 1 when left out.
        rows : int
            Rows of a block, at least 1; the last may have fewer.
        """
        if np.ndim(X) != 2 or not hasattr(X, "shape"):
            raise ValueError(
                f"X must be an array of rows and columns, got {a_thing(type(X).__name__)}: np.asarray(X)"
            )
        n = X.shape[0]
        if n == 0:
            raise ValueError("X has no rows; a list of row blocks needs at least one row")
        if rows < 1:
            raise ValueError(f"rows must be at least 1, got {rows!r}")
        if len(y) != n or (weight is not None and len(weight) != n):
            raise ValueError(f"X has {n} rows, y {len(y)} and weight {n if weight is None else len(weight)}")

        ones = np.broadcast_to(np.ones(()), min(rows, n))  # one number in memory, seen from every row

        def weights(a: int) -> Array:
            if weight is None:
                return ones[: n - a]
            return np.asarray(weight[a : a + rows])

        blocks = [
            Block(
                Design(_rows(X, a, min(a + rows, n))),
                np.asarray(y[a : a + rows]),
                weights(a),
                a,
            )
            for a in range(0, n, rows)
        ]
        return cls(tuple(blocks))

    def __post_init__(self) -> None:
        if not self.blocks:
            raise ValueError("a list of row blocks needs at least one block")
        at = 0
        for block in self.blocks:
            if block.start != at or block.design.shape[1] != self.n_cols:
                raise ValueError(
                    f"the block that starts at row {block.start} must start at row {at} and have "
                    f"{self.n_cols} columns, as the block before it says"
                )
            at += block.design.shape[0]
        for number, block in enumerate(self.blocks):
            check_lengths(block, where(number, block))
        full = tuple(block for block in self.blocks if block.design.shape[0])
        object.__setattr__(self, "blocks", full or self.blocks[:1])

    @property
    def n_cols(self) -> int:
        """The number of columns of every block."""
        return self.blocks[0].design.shape[1]

    @property
    def n_rows(self) -> int:
        """The number of rows of all blocks together."""
        return sum(block.design.shape[0] for block in self.blocks)

    @cached_property
    def total_weight(self) -> float:
        """The sum of the weights of all rows."""
        return float(self.map_sum(lambda block: total_weight(block.weight)))

    @property
    def access(self) -> frozenset[Access]:
        """How rows can be reached: by their number, and a sample of them by drawing."""
        return frozenset({Access.ROWS, Access.RANDOM_ROWS})

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def map_sum(self, f: Callable[[Block], Any]) -> Any:
        """Return the sum of ``f(block)``, one block in memory at a time and always in the same order."""
        total: Any = None
        for block in self.blocks:
            part = f(block)
            total = part if total is None else add(total, part)
        return total

    def draw(self, rng: np.random.Generator, size: int) -> tuple[Block, Array]:
        """Return rows drawn without replacement, and their inclusion factors ``n / size``."""
        rows = np.sort(rng.choice(self.n_rows, size=size, replace=False))
        parts = []
        for block in self.blocks:
            first, last = np.searchsorted(rows, [block.start, block.start + block.design.shape[0]])
            index = rows[first:last] - block.start
            parts.append((block.design.rows(index).X, block.y[index], block.weight[index]))
        X = sp.vstack([X for X, _, _ in parts], format="csr") if sp.issparse(parts[0][0]) else None
        design = Design(np.concatenate([X for X, _, _ in parts]) if X is None else X)
        y, weight = (np.concatenate([part[k] for part in parts]) for k in (1, 2))
        return Block(design, y, weight, 0), np.full(size, self.n_rows / size)


def _rows(X: Any, first: int, last: int) -> Any:
    """Return the rows of an array, a memory map or a sparse matrix; those of CSR are no copies."""
    if not sp.issparse(X):
        return np.asarray(X[first:last])
    cells: Any = X
    return row_slice(cells, first, last) if cells.format == "csr" else cells[first:last]
