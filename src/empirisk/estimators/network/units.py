"""The units in which a network reads columns and writes targets: means and standard deviations of the fit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.estimators.checks import check_columns
from empirisk.typing import Array

__all__ = ["Units", "learn_units"]

# Deviations below this have squares that lost digits.
_LOST = 1e-145


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

    Columns whose squares overflow are refused by name, and so are targets beyond the format of the rows.
    """
    mean, variance = design.moments(weight)
    check_columns(variance, names)
    share = weight / weight.max()
    share = share / share.sum()
    spread = np.sqrt(np.asarray(variance, dtype=np.float64))
    for j in np.flatnonzero((spread < _LOST) & (np.asarray(mean) != 0.0)):
        spread[j] = _deviation(design.columns(np.array([j]))[:, 0].astype(np.float64), mean[j], share)
    units = Units(mean, _spread(mean, spread))
    if not of_targets:
        return units
    largest, most = float(np.abs(targets).max()), float(np.finfo(design.dtype).max)
    if largest > most:
        raise ValueError(
            f"y reaches {largest:.3g}, and predictions have the format of X, {design.dtype}, which ends at "
            f"{most:.3g}: rescale y, or give X in float64"
        )
    center = np.tensordot(share, targets, 1)
    return replace(
        units,
        target_center=center,
        target_scaling=_spread(center, _deviation(targets, center, share)),
    )


def _deviation(values: Array, center: Any, share: Array) -> Array:
    """Return standard deviations of columns by squares that neither overflow nor vanish."""
    moved = values - center
    peak = np.abs(moved).max(axis=0)
    unit = np.where(peak > 0.0, peak, 1.0)
    return np.asarray(np.sqrt(np.tensordot(share, (moved / unit) ** 2, 1)) * unit)


def _spread(center: Array, spread: Array) -> Array:
    """Return standard deviations, 1 where a column is constant but for the rounding of its mean."""
    return np.where(spread > 1e-12 * np.abs(center), spread, 1.0)
