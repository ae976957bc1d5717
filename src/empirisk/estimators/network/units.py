"""The units in which a network reads columns and writes targets: means and standard deviations of the fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.estimators.checks import check_columns
from empirisk.typing import Array

__all__ = ["Units", "learn_units"]


@dataclass(frozen=True, eq=False)
class Units:
    """The units in which a network reads columns and writes targets, None for those of the data.

    Parameters
    ----------
    center, scaling : array, shape (p,), or None
        It reads ``(x - center) / scaling``.
    target_center, target_scaling : array, shape (), (m,), or None
        It writes ``(y - target_center) / target_scaling``.
    """

    center: Any = None
    scaling: Any = None
    target_center: Any = None
    target_scaling: Any = None

    def read(self, rows: Array) -> Array:
        """Return dense rows as the network reads them, in their own format."""
        if self.center is None:
            return rows
        return np.asarray((rows - self.center) / self.scaling, dtype=rows.dtype)

    def targets(self, y: Array) -> Array:
        """Return targets as the network writes them."""
        return y if self.target_center is None else np.asarray((y - self.target_center) / self.target_scaling)

    def answers(self, z: Array) -> Array:
        """Return scores in the units of the targets, in the format of the scores."""
        if self.target_center is None:
            return z
        return np.asarray(z * self.target_scaling + self.target_center, dtype=z.dtype)


def learn_units(design: Design, targets: Array, weight: Array, names: Any, *, of_targets: bool) -> Units:
    """Return the weighted means and standard deviations of columns, and of targets where they are wanted.

    Columns whose squares overflow are refused by name.
    """
    mean, variance = design.moments(weight)
    check_columns(variance, names)
    units = Units(mean, _spread(mean, variance))
    if not of_targets:
        return units
    share = weight / weight.sum()
    center = np.tensordot(share, targets, 1)
    square = np.tensordot(share, (targets - center) ** 2, 1)
    return replace(units, target_center=center, target_scaling=_spread(center, square))


def _spread(center: Array, variance: Array) -> Array:
    """Return standard deviations, 1 where a column is constant but for the rounding of its mean."""
    spread = np.sqrt(np.asarray(variance, dtype=np.float64))
    return np.where(spread > 1e-12 * np.abs(center), spread, 1.0)
