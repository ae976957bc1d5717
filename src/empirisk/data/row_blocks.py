"""Row blocks: a re-iterable, fixed-order sequence of blocks of rows.

Arrays in memory are the one-block case.  Another place of storage overrides :meth:`RowBlocks.map_sum`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.design import Design
from empirisk.typing import Access, Array, IndexArray
from empirisk.wording import a_thing

__all__ = ["ArrayBlocks", "Block", "RowBlocks", "add", "check_blocks"]


def add(a: Any, b: Any) -> Any:
    """Return ``a + b``, entry by entry where what a pass sums is a tuple of numbers and arrays.

    Examples
    --------
    >>> add((1.0, np.ones(2)), (2.0, np.ones(2)))
    (3.0, array([2., 2.]))
    """
    return tuple(map(add, a, b)) if isinstance(a, tuple) else a + b


@dataclass(frozen=True, repr=False)
class Block(Brief):
    """Consecutive rows: design, targets, weights, and the number of the first row."""

    design: Design
    y: Array
    weight: Array
    start: int


class RowBlocks(Protocol):
    """What a problem needs of its rows."""

    @property
    def n_cols(self) -> int: ...
    @property
    def n_rows(self) -> int | None: ...
    @property
    def total_weight(self) -> float: ...
    @property
    def access(self) -> frozenset[Access]: ...

    def __iter__(self) -> Iterator[Block]: ...

    def map_sum(self, f: Callable[[Block], Any]) -> Any:
        """``sum over blocks of f(block)``, in the order of the blocks.

        `f` returns a number, an array, or a tuple of them, which is summed entry by entry.  The order is part
        of the contract: floating-point sums depend on it, and a fit has the same bits each time.
        """
        ...

    def draw(self, rng: np.random.Generator, size: int) -> tuple[Block, Array]:
        """Return the rows drawn without replacement, and their inclusion factors ``n / size``."""
        ...


def check_blocks(rows: Any) -> None:
    """Refuse what are no row blocks, an array or a list of arrays say, with the call that makes them.

    Examples
    --------
    >>> check_blocks(np.ones((3, 2)))
    Traceback (most recent call last):
    ...
    TypeError: rows must be row blocks, got an ndarray: give er.data.BlockList.cut(X, np.zeros(len(X)))
    """
    if not (hasattr(rows, "map_sum") and hasattr(rows, "n_cols")):
        raise TypeError(
            f"rows must be row blocks, got {a_thing(type(rows).__name__)}: give er.data.BlockList.cut(X, "
            "np.zeros(len(X)))"
        )


@dataclass(frozen=True, eq=False, repr=False)
class ArrayBlocks(Brief):
    """Arrays in memory as one block.

    Parameters
    ----------
    design : Design
        n rows, p columns.
    y : array, shape (n,) or (n, m)
        Targets.
    weight : array, shape (n,)
        Sample weights, >= 0.
    """

    design: Design
    y: Array
    weight: Array

    @cached_property
    def n_cols(self) -> int:
        return self.design.shape[1]

    @property
    def n_rows(self) -> int:
        return self.design.shape[0]

    @cached_property
    def total_weight(self) -> float:
        return float(self.weight.sum(dtype=np.float64))

    @cached_property
    def unit_weights(self) -> bool:
        """Whether every row has weight 1, so that loops may leave weights out."""
        return bool(np.all(self.weight == 1.0))

    @cached_property
    def absent(self) -> IndexArray:
        """The indices of the rows of weight 0, which count as if they were not there."""
        return np.flatnonzero(self.weight == 0.0)

    def without_absent(self, z: Array) -> Array:
        """Scores with those of absent rows set to 0 (in place): what they would cost may be infinite.

        Examples
        --------
        >>> rows = ArrayBlocks(Design(np.eye(2)), np.ones(2), np.array([1.0, 0.0]))
        >>> rows.without_absent(np.array([3.0, 1e6]))
        array([3., 0.])
        """
        if len(self.absent):
            z[self.absent] = 0.0
        return z

    @cached_property
    def codes(self) -> IndexArray:
        """The targets as class codes 0, 1, ... that can serve as indices."""
        return np.asarray(self.y, dtype=np.intp)

    @property
    def access(self) -> frozenset[Access]:
        return frozenset(Access)

    def __iter__(self) -> Iterator[Block]:
        yield Block(self.design, self.y, self.weight, 0)

    def map_sum(self, f: Callable[[Block], Any]) -> Any:
        total: Any = None
        for block in self:
            part = f(block)
            total = part if total is None else add(total, part)
        return total

    def draw(self, rng: np.random.Generator, size: int) -> tuple[Block, Array]:
        rows = np.sort(rng.choice(self.n_rows, size=size, replace=False))
        factor = np.full(size, self.n_rows / size)
        return self.take(rows), factor

    def take(self, rows: IndexArray) -> Block:
        """Return the named rows as a block."""
        return Block(self.design.rows(rows), self.y[rows], self.weight[rows], 0)
