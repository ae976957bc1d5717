"""Rows to search, and queries of the same law in place of targets."""

from __future__ import annotations

from typing import Any

import numpy as np


def points(n: int, p: int, queries: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Return standard normal rows, and queries of the same law."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, p)).astype(dtype), rng.standard_normal((queries, p)).astype(dtype)
