"""Rows like small grey pictures of ten things, each in several styles: no line separates them well."""

from __future__ import annotations

from typing import Any

import numpy as np

STYLES, WAYS, ROWS = 40, 30, 5000


def images(n: int, p: int, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Return pixels in [0, 1], most of them 0, and the number 0 to 9 of what they show.

    Each thing has four styles, all of which vary along the same thirty directions.
    """
    rng = np.random.default_rng(8)
    styles = 0.5 * rng.standard_normal((STYLES, p), dtype=np.float32)
    ways = 0.3 * rng.standard_normal((WAYS, p), dtype=np.float32)
    style = rng.integers(STYLES, size=n)
    X = np.empty((n, p), dtype=dtype)
    for a in range(0, n, ROWS):  # no second array of this size
        chosen = style[a : a + ROWS]
        X[a : a + ROWS] = np.clip(
            styles[chosen]
            + rng.standard_normal((len(chosen), WAYS), dtype=np.float32) @ ways
            + rng.standard_normal((len(chosen), p), dtype=np.float32)
            - 1.0,
            0.0,
            1.0,
        )
    return X, style % 10
