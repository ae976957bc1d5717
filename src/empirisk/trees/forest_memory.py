"""How much memory a forest needs, before it is grown."""

from __future__ import annotations

import math

from empirisk.data.memory import refuse_memory

__all__ = ["forest_memory", "refuse_large_forest"]

# feature, left: 4; missing_left: 1; threshold, category_start, weight, count, gain, heterogeneity: 8 each
BYTES_PER_NODE = 57


def forest_memory(
    n: int,
    p: int,
    trees: int,
    *,
    outputs: int = 1,
    min_rows_leaf: int = 1,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    sample: float = 0.632,
    threads: int = 1,
    keep_counts: bool = True,
) -> dict[str, float]:
    """Return the upper bounds in bytes: what the grown forest holds, and what it needs while it grows.

    A tree on m distinct rows has at most ``min(m / min_rows_leaf, 2^max_depth, max_leaves)`` leaves L, and 2
    L - 1 nodes of ``57 + 8 outputs`` bytes.

    Parameters
    ----------
    n, p : int
        Rows and columns.
    trees : int
    outputs : int, default 1
        Numbers at a leaf (classes, targets).
    min_rows_leaf : int, default 1
    max_depth, max_leaves : int, optional
    sample : float, default 0.632
        Share of distinct rows that a tree sees; 0.632 for a bootstrap sample.
    threads : int, default 1
        Trees that grow at once.
    keep_counts : bool, default True
        Whether the draws of each tree are held (one byte each), as intervals and importances need.

    Returns
    -------
    dict of str to float
        ``"trees"``, ``"counts"``, ``"growth"`` (one byte for each code of the table, and the row order, sums
        and targets of the trees that grow) and ``"total"``.

    Raises
    ------
    ValueError
        When a number is not positive.

    Examples
    --------
    >>> round(forest_memory(100_000, 30, 100)["trees"] / 1e9, 2)
    0.82
    """
    for name, count in (("n", n), ("p", p), ("trees", trees), ("outputs", outputs), ("threads", threads)):
        if count < 1:
            raise ValueError(f"{name} must be at least 1, got {count!r}.")
    leaves = max(1.0, math.ceil(sample * n) / max(1, min_rows_leaf))
    if max_depth is not None:
        leaves = min(leaves, 2.0 ** min(max_depth, 62))
    if max_leaves is not None:
        leaves = min(leaves, float(max_leaves))
    held = trees * (2.0 * leaves - 1.0) * (BYTES_PER_NODE + 8.0 * outputs)
    counts = float(n) * trees if keep_counts else 0.0
    growth = float(n) * p + threads * (24.0 * n + 256.0 * p * (outputs + 1) * 8.0)
    return {"trees": held, "counts": counts, "growth": growth, "total": held + counts + growth}


def refuse_large_forest(forecast: dict[str, float], trees: int) -> None:
    """Refuse a forest that would not fit into the free memory, before the first tree.

    Parameters
    ----------
    forecast : dict
        Of :func:`forest_memory`.
    trees : int

    Raises
    ------
    MemoryError
        Says the forecast, the free memory and what to do.

    Examples
    --------
    >>> refuse_large_forest(forest_memory(1000, 10, 100), 100)
    """
    refuse_memory(
        f"a forest of {trees} trees (at most {forecast['trees'] / trees / 1e6:.1f} MB each)",
        forecast["total"],
        "grow fewer trees, or smaller ones (min_samples_leaf, max_leaf_nodes)",
    )
