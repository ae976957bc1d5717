"""What bounds the growth of a boosted tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["Growth"]


@dataclass(frozen=True)
class Growth:
    """Limits and rules of one tree on binned columns.

    Parameters
    ----------
    max_leaves : int or None, default 31
        Growth is best-first (largest gain; ties: the older node) up to so many leaves; None: any number.
    max_depth : int or None, default None
        Edges from the root to a leaf.
    min_rows_leaf : int, default 20
        Rows of each leaf, whatever their weight.
    l2 : float, default 0.0
        Penalty ``l2/2 v^2`` on leaf values, on the scale of the sum of the weighted row losses.
    min_gain : float, default 0.0
        A split must decrease ``-a^2/(b + l2)`` by more than this: twice the decrease of the loss.
    max_features : int or None, default None
        Columns that each node may ask, drawn anew at each node.
    tree_features : int or None, default None
        Columns that a whole tree may ask, drawn anew for each tree.
    category_smoothing : float, default 10.0
        In rows: categories are ordered by ``a / (b + s)``, and the gain of a subset is that of leaves with
        the penalty ``l2 + s``, s being the curvature of so many rows of the mean weight and curvature.  At 0
        the best of all subsets is found (but for rounding); more keeps rare categories from the ends, and
        subsets from being chosen for their number.
    monotonic : sequence of -1, 0, 1, shape (p,), optional
        Columns in which the score must fall (-1) or rise (1).
    interactions : sequence of sequences of int, optional
        Sets of columns: the columns asked on one path must lie within one of them.

    Raises
    ------
    ValueError
        A limit out of its range, by name.

    Examples
    --------
    >>> Growth(max_leaves=1)
    Traceback (most recent call last):
        ...
    ValueError: max_leaves must be an integer >= 2 or None, got 1
    """

    max_leaves: int | None = 31
    max_depth: int | None = None
    min_rows_leaf: int = 20
    l2: float = 0.0
    min_gain: float = 0.0
    max_features: int | None = None
    tree_features: int | None = None
    category_smoothing: float = 10.0
    monotonic: Sequence[int] | None = None
    interactions: Sequence[Sequence[int]] | None = None

    def __post_init__(self) -> None:
        for name, low in (("max_leaves", 2), ("max_depth", 0), ("max_features", 1), ("tree_features", 1)):
            value = getattr(self, name)
            if value is not None and not value >= low:
                raise ValueError(f"{name} must be an integer >= {low} or None, got {value!r}")
        if not self.min_rows_leaf >= 1:
            raise ValueError(f"min_rows_leaf must be an integer >= 1, got {self.min_rows_leaf!r}")
        for name in ("l2", "min_gain", "category_smoothing"):
            value = getattr(self, name)
            if not (value >= 0.0 and np.isfinite(value)):
                raise ValueError(f"{name} must be a finite number >= 0, got {value!r}")

    def check_columns(self, p: int) -> None:
        """Refuse constraints that do not fit p columns."""
        if self.monotonic is not None:
            signs = np.asarray(self.monotonic)
            if signs.shape != (p,) or not np.isin(signs, (-1, 0, 1)).all():
                raise ValueError(
                    f"monotonic must hold -1, 0 or 1 for each of the {p} columns, got {self.monotonic!r}"
                )
        for group in self.interactions or ():
            if not all(0 <= j < p for j in group):
                raise ValueError(f"interactions must hold column numbers 0 .. {p - 1}, got {list(group)!r}")
