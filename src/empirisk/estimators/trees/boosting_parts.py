"""Which rows of a boosting fit grow the trees, choose the number of rounds, and calibrate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.estimators.folds import hold_out
from empirisk.typing import Array, IndexArray

__all__ = ["Parts", "deal_parts"]

LARGE = 10_000  # rows from which early_stopping="auto" holds some out


@dataclass(frozen=True)
class Parts:
    """Row numbers of the parts; rows of weight 0 are in none.

    Parameters
    ----------
    grow : array
        Rows that the trees see.
    stop : array
        Rows that choose the number of rounds, and on which probabilities are recalibrated.
    calibrate : array
        Rows that nothing but the conformal sets sees.
    given : bool
        Whether the user gave the rows of `stop`; else they are held out of the training rows.
    """

    grow: IndexArray
    stop: IndexArray
    calibrate: IndexArray
    given: bool = False


def deal_parts(
    X: Array, y: Array, weight: Array, stop: float, calibrate: float, seed: int, stratify: bool
) -> Parts:
    """Deal the rows by the hash of their content: a copy of a row shares its part, the order is no matter.

    Parameters
    ----------
    X, y, weight
        The rows, encoded.
    stop, calibrate : float
        Shares of the distinct rows; 0 for none.
    seed : int
        Chooses the hash.
    stratify : bool
        Deal each class by itself.

    Raises
    ------
    ValueError
        When a part that was asked for has no rows, or none are left to grow on.
    """
    if not (stop or calibrate):
        none = np.zeros(0, dtype=np.intp)
        return Parts(_numbers(weight > 0.0), none, none)
    design = Design(X)
    kept = (
        hold_out(design, y, weight, calibrate, seed, stratify) if calibrate else np.zeros(len(y), dtype=bool)
    )
    rest = np.where(kept, 0.0, weight)
    watched = np.zeros(len(y), dtype=bool)
    if stop:
        share = min(stop / (1.0 - calibrate), 1.0)  # of all rows, though only the rest is dealt
        watched = hold_out(design, y, rest, share, seed + 1, stratify)
    for name, asked, part in (
        ("calibration_fraction", calibrate, kept),
        ("validation_fraction", stop, watched),
    ):
        if asked and not part.any():
            raise ValueError(
                f"{name} = {asked:g} leaves no row to hold out (n_samples = {int((weight > 0.0).sum())}; "
                "identical rows stay together and each class keeps one); do without: early_stopping=False, "
                "calibrate=None, calibration_fraction=0"
            )
    grow = (weight > 0.0) & ~kept & ~watched
    return Parts(_numbers(grow), _numbers(watched), _numbers(kept))


def _numbers(chosen: Any) -> IndexArray:
    """Return the numbers of the chosen rows, of 32 bits: trees take no more rows than these count."""
    return np.flatnonzero(chosen).astype(np.int32)
