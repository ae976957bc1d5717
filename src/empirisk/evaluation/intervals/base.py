"""Critical values, refusals and the sentences that every interval shares."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from empirisk.data.named_rows import refuse_name
from empirisk.results import Estimate
from empirisk.results.estimate import check_level

Floats = NDArray[np.float64]

MODEL = "this fitted model, on new rows drawn like these"
NEW_GROUPS = "rows of new groups drawn like these"
MODEL_GROUPS = f"this fitted model, on {NEW_GROUPS}, each row counting once (large groups weigh more)"


def is_real(value: Any) -> bool:
    """Return whether it is one real number."""
    return isinstance(value, Real)


def check_whole(value: Any, name: str) -> int:
    """Return the value as an int, or a ValueError that names it."""
    whole = isinstance(value, Integral) or (is_real(value) and float(value).is_integer())
    if isinstance(value, bool) or not whole:
        raise ValueError(f"{name} must be a whole number, got {value!r}.")
    return int(value)


def normal_quantile(level: float) -> float:
    """Return the two-sided critical value of the normal distribution: ``Phi^-1((1 + level)/2)``."""
    return float(special.ndtri(0.5 * (1.0 + check_level(level))))


def student_quantile(level: float, df: float) -> float:
    """Return the two-sided critical value of Student's t with `df` degrees of freedom."""
    return float(special.stdtrit(df, 0.5 * (1.0 + check_level(level))))


def refuse(value: float, level: float, n: int, method: str, reason: str, target: str = MODEL) -> Estimate:
    """Return an estimate without an interval: the data cannot tell, and `reason` says why."""
    return Estimate(float(value), None, None, check_level(level), int(n), method, reason, target)


def too_few(count: int, need: int, what: str = "rows") -> str:
    """Return the sentence of a refusal for want of rows, groups or splits."""
    verb = f"{what[:-1]} is" if count == 1 else f"{what} are"
    return f"{count} {verb} too few; at least {need} are needed"


def accept(
    value: float,
    limits: tuple[float, float],
    level: float,
    n: int,
    method: str,
    *,
    reason: str = "",
    target: str = MODEL,
) -> Estimate:
    """Return an estimate with its interval; an interval that is not finite or has no width is refused."""
    low, high = float(limits[0]), float(limits[1])
    if not (math.isfinite(low) and math.isfinite(high)):
        return refuse(value, level, n, method, "the interval is not finite on these rows", target)
    slack = 1e-12 * abs(value)  # centre and ends are computed apart and may round differently
    if value < low <= value + slack:
        low = float(value)
    if value - slack <= high < value:
        high = float(value)
    if not high > low:
        return refuse(value, level, n, method, "the rows show no variation to measure an error with", target)
    return Estimate(float(value), low, high, check_level(level), int(n), method, reason, target)


def negligible(variance: float, rows: Floats) -> bool:
    """Return whether the variance of a mean is no more than rounding of the values in `rows` (at any
    scale).
    """
    return not variance > 1e-28 * float(np.abs(rows).max()) ** 2


def as_rows(values: ArrayLike, name: str = "values") -> Floats:
    """Return a finite one-dimensional float array with at least one row, or an error that names the row."""
    out = np.asarray(values, dtype=np.float64)
    if out.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional (one number a row), got shape {out.shape}.")
    if out.size == 0:
        raise ValueError(f"{name} is empty; an interval needs at least one row.")
    bad = ~np.isfinite(out)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"{name} is {out[row]} in row {row} ({int(bad.sum())} such rows); remove or mend them."
        )
    return out


def group_codes(groups: ArrayLike, n: int) -> tuple[NDArray[np.intp], int]:
    """Return the groups as integers ``0..G-1`` and their number G."""
    refuse_name("groups", groups)
    labels = np.asarray(groups)
    if labels.shape != (n,):
        raise ValueError(f"groups must hold one label for each of the {n} rows, got shape {labels.shape}.")
    if labels.dtype == object:
        if any(label is None or label != label for label in labels):
            raise ValueError("groups has missing labels; give every row a group.")
        labels = labels.astype(str)
    elif np.issubdtype(labels.dtype, np.floating) and np.isnan(labels).any():
        raise ValueError("groups has missing labels; give every row a group.")
    if labels.dtype.kind in "iu" and labels.size and labels.min() >= 0 and labels.max() < 4 * n:
        counts = np.bincount(labels)  # codes already, or nearly: no sort
        if counts.all():
            return labels.astype(np.intp, copy=False), int(counts.size)
    unique, codes = np.unique(labels, return_inverse=True)
    return codes.reshape(-1), int(unique.size)
