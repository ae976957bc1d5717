"""The great-circle distance of places on the unit sphere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.neighbors.metrics.base import PairMetric, plain
from empirisk.typing import Array

__all__ = ["Haversine"]


@dataclass(frozen=True)
class Haversine(PairMetric):
    """The angle between places of latitude and longitude in radians; times 6371 it is kilometres on Earth.

    ``2 arcsin sqrt(sin^2(dlat/2) + cos(lat) cos(lat') sin^2(dlon/2))``

    Examples
    --------
    >>> Haversine().distances(np.array([[0.0, 0.0]]), np.array([[0.0, np.pi]])).round(4)
    array([[3.1416]])
    """

    name = "haversine"

    def check(self, X: Any, fitting: bool) -> None:
        """Refuse anything but two columns, and latitudes beyond the poles (degrees, most often)."""
        if X.shape[1] != 2:
            raise ValueError(f"'haversine' takes two columns, latitude and longitude, got {X.shape[1]}")
        latitude = plain(X)[:, 0]
        beyond = np.flatnonzero(np.abs(latitude) > np.pi / 2.0 + 1e-9)
        if len(beyond):
            row = int(beyond[0])
            raise ValueError(
                f"row {row} of X has latitude {latitude[row]:g}, beyond the poles: give radians "
                "(np.radians(X))"
            )

    def distances(self, A: Any, B: Any) -> Array:
        """Return the angles of all pairs, in radians."""
        a, b = plain(A)[:, None, :], plain(B)[None, :, :]
        half = np.sin((a - b) / 2.0) ** 2
        inner = half[..., 0] + np.cos(a[..., 0]) * np.cos(b[..., 0]) * half[..., 1]
        return np.asarray(2.0 * np.arcsin(np.sqrt(np.clip(inner, 0.0, 1.0))))
