"""Rows and columns: the design matrix, row blocks, and the validation of what users pass."""

from empirisk.data.block_list import BlockList
from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks, Block, RowBlocks

__all__ = ["ArrayBlocks", "Block", "BlockList", "Design", "RowBlocks"]


def __dir__() -> list[str]:
    return sorted(__all__)
