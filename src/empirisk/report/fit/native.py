"""The encoding that trees take: numbers with their gaps, levels as codes.

The transformers are those of the linear models; columns of text come last, as numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import OrdinalEncoder

from empirisk.report.errors import DataError
from empirisk.report.fit.encode import Origin, blocks_of, text_origins, text_steps, without_part
from empirisk.report.read.table import Table

__all__ = ["level_columns", "level_positions", "native_encoder", "native_origin"]

NUMBERS = ("numbers", "dates", "truths")
LEVELS = ("levels", "date_levels")


def native_encoder(table: Table, most: int | None = None) -> ColumnTransformer:
    """Return an unfitted transformer of a model frame to numbers (NaN where missing) and codes of levels.

    A missing level is a level; levels never seen before become NaN.

    Parameters
    ----------
    table : Table
        Decides the columns.
    most : int, optional
        Codes of a column at most: the rarest levels share one.

    Raises
    ------
    DataError
        The table has no feature column.
    """
    blocks = blocks_of(table)
    steps: list[tuple[str, Any, Any]] = [(key, "passthrough", blocks[key]) for key in NUMBERS]
    steps += [
        (
            key,
            OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, max_categories=most),
            blocks[key],
        )
        for key in LEVELS
    ]
    steps = [*(step for step in steps if step[2]), *text_steps(blocks["texts"])]
    if not steps:
        raise DataError(f"{table.source.name} has no feature column: force one with --types")
    return ColumnTransformer(steps)


def level_positions(table: Table) -> list[int]:
    """Return which columns of the matrix of :func:`native_encoder` hold codes of levels."""
    blocks = blocks_of(table)
    kinds = [key for key in (*NUMBERS, *LEVELS) for _ in blocks[key]]
    return [j for j, key in enumerate(kinds) if key in LEVELS]


def level_columns(encoder: ColumnTransformer) -> list[int]:
    """Return which columns of a fitted encoder's matrix hold codes of levels."""
    return [j for j, origin in enumerate(native_origin(encoder)) if origin.kind == "level"]


def native_origin(encoder: ColumnTransformer) -> list[Origin]:
    """Return which column of the table each column of a fitted encoder's matrix comes from."""
    out = []
    for key, fitted, names in encoder.transformers_:
        if key in (*NUMBERS, *LEVELS):
            kind = "level" if key in LEVELS else "number"
            out += [Origin(name, without_part(name) if "date" in key else name, kind) for name in names]
        elif key.startswith("text"):
            out += text_origins(fitted, names)
    return out
