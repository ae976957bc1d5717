"""An elliptical law with the covariance and the distances of the rows, so that long tails are no clusters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.partitions.nulls.base import Axes
from empirisk.typing import Array

__all__ = ["EllipticalNull"]


@dataclass(frozen=True)
class EllipticalNull:
    """Rows ``mean + c r U^(1/p) S^(1/2) u``: directions u uniform on the sphere, distances r drawn from the
    Mahalanobis distances of the rows, U uniform on [0, 1], and ``c^2 = (p + 2)/p`` so that S is the
    covariance.

    Rows far out are expected, in every direction alike, and their density falls along every ray from the
    mean: without the factor U^(1/p) two clusters would be expected, too, where the rows show two.

    Notes
    -----
    p is the number of principal axes.  A law is star unimodal if and only if it is that of such a product:
    Dharmadhikari and Joag-Dev (1988), Unimodality, Convexity, and Applications, section 2.2.

    Examples
    --------
    >>> from empirisk.partitions.nulls import principal_axes
    >>> from empirisk.partitions.rows import read_rows
    >>> axes = principal_axes(read_rows([[-1.0], [1.0]]))
    >>> drawn = EllipticalNull().draw(axes, np.random.default_rng(0))
    >>> bool(np.abs(drawn).max() <= 3.0**0.5)
    True
    """

    name = "elliptical"
    label = "one elliptical cloud with tails like theirs"
    tested = True

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
        p = axes.scores.shape[1]
        drawn *= ((p + 2.0) / p) ** 0.5 * rng.random(len(drawn)) ** (1.0 / p)
        direction = rng.standard_normal(axes.scores.shape)
        length = np.sqrt(np.square(direction).sum(axis=1))
        return axes.rows(direction * (drawn / length)[:, None] * axes.deviation)
