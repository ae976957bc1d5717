"""What classes take: points, two labels, weights; checked, and one row for each distinct point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.typing import Array, IndexArray

__all__ = ["Labelled", "between", "check_integer", "check_labelling", "check_points", "distinct"]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Distinct points with what it is worth to call each of them positive.

    Parameters
    ----------
    points : array, shape (m, d)
        Distinct points.
    gain : array, shape (m,)
        Weight of the positive rows at the point less the weight of the negative ones.
    positive : float
        Weight of all positive rows.
    total : float
        Weight of all rows.
    """

    points: Array
    gain: Array
    positive: float
    total: float

    def error(self, gained: float) -> float:
        """Return the share of the weight that a hypothesis with this sum of gains gets wrong."""
        return min(1.0, max(0.0, (self.positive - gained) / self.total))


def check_integer(name: str, value: Any, low: int) -> int:
    """Return an integer >= low, by parameter name."""
    flag = isinstance(value, bool | np.bool_)
    if not flag and isinstance(value, Integral) and int(value) >= low:
        return int(value)
    raise ValueError(f"{name} must be an integer >= {low}, got {value!r}")


def check_points(points: Any, dimension: int | None, what: str) -> Array:
    """Return the points as float64 rows; a vector is points on the line.

    Raises
    ------
    ValueError
        For no points, NaN, infinity, numbers so large that their differences overflow, or a number of
        columns other than `dimension` (None: any).
    """
    try:
        X = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"points must be numbers in one row for each point: {error}") from None
    if X.ndim == 1 and dimension in (None, 1):
        X = X[:, None]
    if X.ndim != 2:
        raise ValueError(
            f"points must have one row for each point and one column for each coordinate, got shape {X.shape}"
        )
    if dimension is not None and X.shape[1] != dimension:
        raise ValueError(f"{what} live in {dimension} dimension(s), but the points have {X.shape[1]} columns")
    if len(X) == 0 or X.shape[1] == 0:
        raise ValueError(f"there are no points: got shape {X.shape}; give at least one row")
    bad = ~(np.abs(X) < 1e150)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        value = float(X[row, column])
        word = "NaN" if math.isnan(value) else "infinity (inf)" if math.isinf(value) else f"{value:g}"
        raise ValueError(
            f"the points contain {word} in row {row}, column {column}; coordinates must be finite and below "
            "1e150 in size: impute, rescale or drop them"
        )
    return X + 0.0  # minus zero and zero are one point


def check_labelling(labels: Any, n: int) -> NDArray[np.bool_]:
    """Return one truth value for each of n points."""
    wanted = np.asarray(labels)
    if wanted.shape != (n,) or not np.isin(wanted, (0, 1)).all():
        raise ValueError(f"a labelling of {n} points is {n} values, each True or False (or 1, 0)")
    return wanted.astype(bool)


def distinct(X: Array) -> tuple[Array, IndexArray]:
    """Return the distinct rows in lexicographic order, and for each row which of them it is."""
    unique, inverse = np.unique(X, axis=0, return_inverse=True)
    return unique, inverse.reshape(-1)


def between(low: float, high: float) -> float:
    """Return a number t with ``low < t <= high``, the middle where floating point has one."""
    middle = 0.5 * low + 0.5 * high
    return middle if low < middle <= high else high


def ordered(points: Array) -> Array:
    """Distinct points on the line are already in order (see :func:`distinct`)."""
    return points[:, 0]


def rounding(gain: Array, total: float) -> float:
    """Return the size of the rounding errors in a sum of gains, as a share of the weight; 0 for whole
    numbers.
    """
    if np.all(gain == np.rint(gain)) and float(np.abs(gain).sum()) < 2.0**53:
        return 0.0
    return len(gain) * math.ulp(1.0) * float(np.abs(gain).sum()) / total
