"""Tables from columns in memory, for the tests of splitting, encoding and auditing."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from empirisk.report.read.read import read_table
from empirisk.report.read.table import Table


def table_of(columns: Mapping[str, Any], target: str = "y", **options: Any) -> Table:
    """Write the columns to a Parquet file and read them as the command line would."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        pl.DataFrame({k: _plain(v) for k, v in columns.items()}, strict=False).write_parquet(path)
        return read_table(path, target=target, **options)


def _plain(values: Any) -> list[Any]:
    """Python objects, whatever array they come in."""
    return values.tolist() if isinstance(values, np.ndarray) else list(values)
