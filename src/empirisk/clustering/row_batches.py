"""Batches of rows: shuffled ones of a table, and stretches of row blocks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from empirisk.clustering.assign import assigned
from empirisk.data.row_blocks import RowBlocks
from empirisk.typing import Array, IndexArray

__all__ = ["block_order", "shuffled", "stretches"]


def shuffled(
    rows: Any, weight: Array, live: IndexArray, batch: int, rng: np.random.Generator, n_passes: int
) -> Iterator[tuple[Any, Array]]:
    """Yield batches of the rows named in `live`, each once in every pass, in a new order each time."""
    for _ in range(n_passes):
        order = live[rng.permutation(len(live))]
        for begin in range(0, len(order), batch):
            some = np.sort(order[begin : begin + batch])
            yield rows[some], weight[some]


def stretches(data: RowBlocks, batch: int) -> Iterator[tuple[Any, Array]]:
    """Yield batches of consecutive rows of each block, with their weights."""
    for block in data:
        X: Any = block.design.X
        for begin in range(0, X.shape[0], batch):
            rows = X[begin : begin + batch]
            rows = np.ascontiguousarray(rows) if isinstance(rows, np.ndarray) else rows
            yield rows, np.ascontiguousarray(block.weight[begin : begin + batch], dtype=np.float64)


def block_order(data: RowBlocks, centers: Array) -> IndexArray:
    """Return the centres in the order in which rows of positive weight come to them."""
    seen: list[int] = []
    for X, s in stretches(data, 65_536):
        labels = assigned(X, centers)[0][s > 0.0]
        seen += [k for k in dict.fromkeys(labels.tolist()) if k not in seen]
        if len(seen) == len(centers):
            break
    return np.array([*seen, *(k for k in range(len(centers)) if k not in seen)], dtype=np.intp)
