"""Row weights in a unit of their own, so that their scale changes nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["WeightUnit"]

MOST = 64.0  # whole weights below it multiply a rounded derivative of 24 bits within 31
DIVISORS = 16  # the smallest weight is tried as so many units


@dataclass(frozen=True)
class WeightUnit:
    """Weights as multiples of their largest common unit where those are small whole numbers, else of their
    mean.

    Equal weights are all 1.  So a weight of 2 among weights of 1 is the row twice, and ``c w`` gives what w
    gives.

    Attributes
    ----------
    multiple : array, shape (n,), or None
        ``weight / unit``; None when all are 1.
    unit : float
    whole : bool
        Whether the multiples are whole numbers below 64.
    mean : float
        Mean multiple of the rows of positive weight.

    Examples
    --------
    >>> found = WeightUnit.of(np.array([0.2, 0.3, 0.0]))
    >>> found.multiple.tolist(), round(found.unit, 12), found.mean
    ([2.0, 3.0, 0.0], 0.1, 2.5)
    """

    multiple: Array | None
    unit: float
    whole: bool
    mean: float

    @classmethod
    def of(cls, weight: Array | None) -> WeightUnit:
        """Return the unit of some weights >= 0, not all 0; None: ones."""
        if weight is None:
            return cls(None, 1.0, True, 1.0)
        weight = np.asarray(weight, dtype=np.float64)
        live = weight[weight > 0.0]
        low, top = float(live.min()), float(live.max())
        if low == top:
            same = None if len(live) == len(weight) else (weight > 0.0).astype(np.float64)
            return cls(same, low, True, 1.0)
        for parts in range(1, DIVISORS + 1):
            unit = low / parts
            if not (unit > 0.0 and top < (MOST - 0.5) * unit):
                break
            if _whole(live[:64] / unit) and _whole(live / unit):
                multiple = np.rint(weight / unit)
                return cls(multiple, unit, True, float(multiple.sum() / len(live)))
        unit = float(np.mean(live / top)) * top
        return cls(weight / unit, unit, False, 1.0)


def _whole(x: Array) -> bool:
    return bool((np.abs(x - np.rint(x)) <= 1e-14 * x).all())
