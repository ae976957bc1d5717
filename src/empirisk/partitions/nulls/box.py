"""The uniform law on the box along the principal axes that just holds the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.partitions.nulls.base import Axes
from empirisk.typing import Array

__all__ = ["BoxNull"]


@dataclass(frozen=True)
class BoxNull:
    """Rows from the uniform law on the box of the principal axes that just holds the rows: the null of the
    gap statistic, too, which compares with its mean.

    Where rows fill a triangle or another shape with corners, this box is flatter than that which has their
    covariance (:class:`UniformNull`), and groups as well as they do.

    Notes
    -----
    Tibshirani, Walther and Hastie (2001), Journal of the Royal Statistical Society B 63, section 3, choice
    (b).

    Examples
    --------
    >>> from empirisk.partitions.nulls import principal_axes
    >>> from empirisk.partitions.rows import read_rows
    >>> axes = principal_axes(read_rows([[0.0], [1.0], [5.0]]))
    >>> drawn = BoxNull().draw(axes, np.random.default_rng(0))
    >>> bool(drawn.min() >= 0.0 and drawn.max() <= 5.0)
    True
    """

    name = "box"
    label = "the box that just holds them"
    tested = True

    def draw(self, axes: Axes, rng: np.random.Generator) -> Array:
        """Return as many rows as there were, drawn from the box.

        Parameters
        ----------
        axes : Axes
        rng : Generator
        """
        low, high = axes.scores.min(axis=0), axes.scores.max(axis=0)
        return axes.rows(rng.uniform(low, high, size=axes.scores.shape))
