"""One Gaussian with the covariance of the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.partitions.nulls.base import Axes
from empirisk.typing import Array

__all__ = ["GaussianNull"]


@dataclass(frozen=True)
class GaussianNull:
    """Rows from ``N(mean, S)`` with S the covariance of the rows.

    S is more uneven than the covariance that it estimates, and rows drawn from it group more easily than the
    rows themselves would: the test errs on the side of no clusters, the more so the fewer rows there are for
    a column.

    Notes
    -----
    Liu, Hayes, Nobel and Marron (2008), Journal of the American Statistical Association 103 (SigClust); with
    the sample covariance as in Huang, Liu, Yuan and Marron (2015), Journal of Computational and Graphical
    Statistics 24.

    Examples
    --------
    >>> from empirisk.partitions.nulls import principal_axes
    >>> from empirisk.partitions.rows import read_rows
    >>> axes = principal_axes(read_rows(np.eye(4)))
    >>> GaussianNull().draw(axes, np.random.default_rng(0)).shape
    (4, 4)
    """

    name = "gaussian"
    label = "one Gaussian"
    tested = True

    def draw(self, axes: Axes, rng: np.random.Generator) -> Array:
        """Return as many rows as there were, drawn from the Gaussian.

        Parameters
        ----------
        axes : Axes
        rng : Generator
        """
        return axes.rows(rng.standard_normal(axes.scores.shape) * axes.deviation)
