"""Centres that the user gives, checked and handed on."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from empirisk.clustering.seedings.base import Seeding
from empirisk.typing import Array

__all__ = ["GivenCenters"]


class GivenCenters(Seeding):
    """An array of centres, shape (K, p), which need not be rows.

    Parameters
    ----------
    values : array
        Finite numbers.

    Examples
    --------
    >>> GivenCenters([[1.0]]).centers(np.ones((3, 1)), None, 1, np.random.default_rng())
    array([[1.]])
    """

    name: ClassVar[str] = "given"
    draws: ClassVar[bool] = False

    def __init__(self, values: Any) -> None:
        try:
            self.values = np.array(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"init must be the name of a seeding, a seeding or an array of centres, got {values!r}"
            ) from error

    def centers(self, X: Any, weight: Array | None, n_clusters: int, rng: np.random.Generator) -> Array:
        """Return a copy of the given centres; another shape than (K, p) is refused."""
        out = self.values.copy()
        wanted = (n_clusters, X.shape[1])
        if out.shape != wanted:
            raise ValueError(f"init has shape {out.shape}, and n_clusters rows and columns are {wanted}")
        if not np.isfinite(out).all():
            raise ValueError(f"init holds NaN or infinity in row {int(np.argwhere(~np.isfinite(out))[0][0])}")
        return out
