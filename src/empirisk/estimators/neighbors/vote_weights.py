"""Weights in votes of neighbours: by distance, and of the rows themselves, which may have none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.data.weight_unit import WeightUnit
from empirisk.estimators.checks import check_choice
from empirisk.typing import Array, IndexArray

__all__ = ["VoteWeights", "weights_of"]


@dataclass(frozen=True, eq=False, repr=False)
class VoteWeights:
    """How much each training row counts in the votes it takes part in.

    Parameters
    ----------
    multiple : array, shape (n,), or None
        Weights in a unit of their own, so that their scale changes nothing; None when all are equal.
    live : int array or None
        Rows of positive weight, the only ones that are searched; None when all are.

    Examples
    --------
    >>> found = VoteWeights.of(np.array([0.2, 0.0, 0.3]))
    >>> found.multiple.tolist(), found.live.tolist()
    ([2.0, 0.0, 3.0], [0, 2])
    """

    multiple: Array | None
    live: IndexArray | None

    @classmethod
    def of(cls, weight: Array) -> VoteWeights:
        """Return the weights of votes for weights >= 0 of rows, not all 0."""
        multiple = WeightUnit.of(weight).multiple
        live = None if multiple is None or (multiple > 0.0).all() else np.flatnonzero(multiple > 0.0)
        return cls(multiple, live)

    def kept(self, X: Any, precomputed: bool) -> Any:
        """Return the rows that are searched; of a matrix of distances the columns, too."""
        if self.live is None:
            return X
        rows = X[self.live]
        return self.columns(rows) if precomputed else rows

    def columns(self, distances: Any) -> Any:
        """Return the distances from the rows that are searched."""
        if self.live is None:
            return distances
        chosen = distances[:, self.live]
        return chosen if sp.issparse(chosen) else np.ascontiguousarray(chosen)

    def absent(self, X: Any, precomputed: bool) -> Any:
        """Return the rows that are not searched, as they ask; None when there are none."""
        if self.live is None:
            return None
        rows = X[np.setdiff1d(np.arange(X.shape[0]), self.live)]
        return self.columns(rows) if precomputed else rows

    def numbered(self, found: IndexArray) -> IndexArray:
        """Return the numbers of rows of X for numbers of rows that are searched."""
        return found if self.live is None else self.live[found]

    def in_order(self, of_live: Any, of_absent: Any, n: int) -> Any:
        """Return answers of searched and of absent rows in the order of the n rows of X."""
        out = np.empty((n, *of_live.shape[1:]), dtype=of_live.dtype)
        taken = np.zeros(n, dtype=bool)
        taken[self.live] = True
        out[taken], out[~taken] = of_live, of_absent
        return out

    def ones(self, n: int) -> Array:
        """Return the weights as an array, shape (n,)."""
        return np.ones(n) if self.multiple is None else self.multiple

    def mean_and_se(self, losses: Array) -> tuple[Array, Array]:
        """Return weighted means over the last axis, and their standard errors.

        ``m = sum s_i l_i / S``, ``sqrt(n/(n-1) sum s_i^2 (l_i - m)^2) / S``; n rows have positive weight.

        Examples
        --------
        >>> VoteWeights(None, None).mean_and_se(np.array([1.0, 3.0]))
        (array(2.), array(1.))
        """
        weight = self.ones(losses.shape[-1])
        n, total = int(np.count_nonzero(weight)), float(weight.sum())
        mean = np.asarray((losses * weight).sum(axis=-1) / total)
        off = np.square(weight * (losses - mean[..., None])).sum(axis=-1)
        return mean, np.asarray(np.sqrt(off * n / max(n - 1, 1)) / total)


def weights_of(given: Any, distance: Array) -> Array:
    """Return the weights of neighbours by their distances, shape (m, k).

    ``"distance"`` is one over the distance; rows at a distance of 0 then have all the weight.

    Raises
    ------
    ValueError
        For a function whose weights are no finite numbers >= 0.
    """
    if callable(given):
        weight = np.asarray(given(distance.copy()), dtype=np.float64)
        if weight.shape != distance.shape or not (np.isfinite(weight) & (weight >= 0.0)).all():
            raise ValueError(
                "weights(distances) must return finite numbers >= 0 in the shape of the distances"
            )
        return weight
    if not check_choice("weights", given, {"uniform": False, "distance": True}):
        return np.ones_like(distance)
    touching = distance == 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # Relative to the nearest one, so that no distance is too small or too large for its inverse.
        inverse = np.where(touching, 0.0, np.min(distance, axis=1, keepdims=True) / distance)
    return np.where(touching.any(axis=1, keepdims=True), touching, inverse).astype(np.float64)
