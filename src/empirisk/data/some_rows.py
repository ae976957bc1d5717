"""A few of many rows, for numbers that all rows are not needed for: the same ones at each call."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empirisk.data.block_list import BlockList
from empirisk.data.row_blocks import RowBlocks

__all__ = ["some_rows"]


def some_rows(data: RowBlocks, most: int) -> RowBlocks:
    """Return so many rows of positive weight, drawn without replacement; `data` where there are no more.

    The draw is a function of the number of such rows alone: absent rows change nothing.

    Parameters
    ----------
    data : RowBlocks
        Rows, targets and weights.
    most : int
        The number of rows to draw.

    Examples
    --------
    >>> from empirisk.data import ArrayBlocks, Design
    >>> rows = ArrayBlocks(Design(np.eye(9)), np.arange(9.0), np.ones(9))
    >>> few = some_rows(rows, 4)
    >>> few.n_rows, some_rows(rows, 9) is rows
    (4, True)
    """
    live = [np.flatnonzero(block.weight > 0.0) for block in data]
    ends = np.cumsum([0, *map(len, live)])
    if ends[-1] <= most:
        return data
    chosen = np.sort(np.random.default_rng(np.random.Philox(key=0)).choice(ends[-1], most, replace=False))
    blocks, start = [], 0
    for block, rows, a, b in zip(data, live, ends[:-1], ends[1:], strict=True):
        here = rows[chosen[(chosen >= a) & (chosen < b)] - a]
        if len(here):
            part = replace(block, design=block.design.rows(here), y=block.y[here], weight=block.weight[here])
            blocks.append(replace(part, start=start))
            start += len(here)
    return BlockList(tuple(blocks))
