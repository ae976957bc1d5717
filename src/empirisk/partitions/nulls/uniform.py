"""The uniform law on the box of principal axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.partitions.nulls.base import Axes
from empirisk.typing import Array

__all__ = ["UniformNull"]


@dataclass(frozen=True)
class UniformNull:
    """Rows from the uniform law on the box of the principal axes that just holds the rows.

    Notes
    -----
    Tibshirani, Walther and Hastie (2001), Journal of the Royal Statistical Society B 63, section 3, choice
    (b).

    Examples
    --------
    >>> from empirisk.partitions.nulls import principal_axes
    >>> from empirisk.partitions.rows import read_rows
    >>> axes = principal_axes(read_rows([[0.0], [1.0], [5.0]]))
    >>> drawn = UniformNull().draw(axes, np.random.default_rng(0))
    >>> bool(drawn.min() >= 0.0 and drawn.max() <= 5.0)
    True
    """

    name = "uniform"
    label = "a uniform box"

    def draw(self, axes: Axes, rng: np.random.Generator) -> Array:
        """Return as many rows as there were, drawn from the box.

        Parameters
        ----------
        axes : Axes
        rng : Generator
        """
        low, high = axes.scores.min(axis=0), axes.scores.max(axis=0)
        return axes.rows(rng.uniform(low, high, size=axes.scores.shape))
