"""The law of new classes under draws of the parameters of a softmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax

from empirisk.samplers.likelihood import checked_rows
from empirisk.typing import Array

__all__ = ["ClassLikelihood"]


@dataclass(frozen=True)
class ClassLikelihood:
    """The softmax of scores as the law of a class.

    Parameters
    ----------
    classes : int
    columns : int
        Of the rows.
    intercept : bool
        Whether the last parameters are intercepts, one for each class.
    """

    classes: int
    columns: int
    intercept: bool

    def means(self, draws: Array, X: Any, offset: Any = None) -> Array:
        """Return the chances of classes of rows X (n, p) under draws (chains, m, d), (chains, m, n, k)."""
        X = checked_rows(X, self.columns)
        if offset is not None:
            raise TypeError("draws of several classes take no offset; leave it out")
        shape = (*draws.shape[:2], -1, self.classes)
        by_row = draws.reshape(shape)
        z = np.einsum("nj,cmjk->cmnk", X, by_row[:, :, : self.columns])
        if self.intercept:
            z = z + by_row[:, :, -1:, :]
        return np.asarray(softmax(z, axis=3))

    def draw(self, means: Array, rng: np.random.Generator) -> Array:
        """Return a code of a class for each row of chances, (chains, m, n), by inversion."""
        u = rng.random(means.shape[:3])
        reached = np.cumsum(means, axis=3)[:, :, :, :-1] < u[:, :, :, None]
        return np.asarray(reached.sum(axis=3), dtype=np.float64)
