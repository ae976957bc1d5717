"""The uniform law on a box along the principal axes, with the covariance of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.partitions.nulls.base import Axes
from empirisk.typing import Array

__all__ = ["UniformNull"]


@dataclass(frozen=True)
class UniformNull:
    """Rows from the uniform law on the box along the principal axes whose covariance is that of the rows.

    A side is ``sqrt(12)`` standard deviations long.  The box that just holds the rows (:class:`BoxNull`) is
    too wide in its short directions, because the axes are estimated: uniform rows on a box of 4 by 1 would
    group better than it, and be taken for clusters.

    Examples
    --------
    >>> from empirisk.partitions.nulls import principal_axes
    >>> from empirisk.partitions.rows import read_rows
    >>> axes = principal_axes(read_rows([[-1.0], [1.0]]))
    >>> drawn = UniformNull().draw(axes, np.random.default_rng(0))
    >>> bool(np.abs(drawn).max() <= 6.0**0.5)
    True
    """

    name = "uniform"
    label = "a uniform box"
    tested = True

    def draw(self, axes: Axes, rng: np.random.Generator) -> Array:
        """Return as many rows as there were, drawn from the box.

        Parameters
        ----------
        axes : Axes
        rng : Generator
        """
        half = 3.0**0.5 * axes.deviation
        return axes.rows(rng.uniform(-half, half, size=axes.scores.shape))
