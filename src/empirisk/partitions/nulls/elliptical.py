"""An elliptical law with the covariance and the distances of the rows, so that long tails are no clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.partitions.nulls.base import Axes
from empirisk.typing import Array

__all__ = ["EllipticalNull"]


@dataclass(frozen=True)
class EllipticalNull:
    """Rows ``mean + r S^(1/2) u``: directions u uniform on the sphere, r drawn from the Mahalanobis distances
    of the rows.

    Gaussians, multivariate t laws and uniform ellipsoids are of this kind: rows far out are expected, in
    every direction alike.

    Notes
    -----
    Fang, Kotz and Ng (1990), Symmetric Multivariate and Related Distributions, section 2.

    Examples
    --------
    >>> from empirisk.partitions.nulls import principal_axes
    >>> from empirisk.partitions.rows import read_rows
    >>> axes = principal_axes(read_rows([[-1.0], [0.0], [1.0]]))
    >>> sorted(set(EllipticalNull().draw(axes, np.random.default_rng(0)).ravel().tolist()))
    [-1.0, 0.0, 1.0]
    """

    name = "elliptical"
    label = "one elliptical cloud with tails like theirs"

    def draw(self, axes: Axes, rng: np.random.Generator) -> Array:
        """Return as many rows as there were, drawn from the elliptical law.

        Parameters
        ----------
        axes : Axes
        rng : Generator
        """
        radius = np.sqrt(np.square(axes.scores / axes.deviation).sum(axis=1))
        chance = axes.weight / axes.weight.sum()
        drawn = radius[rng.choice(len(radius), len(radius), p=chance)]
        direction = rng.standard_normal(axes.scores.shape)
        length = np.sqrt(np.square(direction).sum(axis=1))
        return axes.rows(direction * (drawn / length)[:, None] * axes.deviation)
