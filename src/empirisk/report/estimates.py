"""Estimates in the form of ``report.json``, and intervals for values that may come in groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.evaluation.intervals import (
    clopper_pearson,
    grouped_kfold,
    grouped_mean,
    grouped_proportion,
    repeated_kfold,
    student,
    wilson,
)
from empirisk.evaluation.intervals.base import group_codes, normal_quantile
from empirisk.evaluation.intervals.grouped import cr2_variance
from empirisk.evaluation.intervals.repeated_kfold import kfold_variance, scored_target
from empirisk.results import Estimate

__all__ = ["Scoring", "band", "cannot_tell", "estimate", "maybe", "number", "proportion"]

Floats = NDArray[np.float64]
Json = dict[str, Any]


def number(value: Any) -> float | None:
    """Return a finite Python float, or None."""
    out = float(value)
    return out if math.isfinite(out) else None


def estimate(e: Estimate) -> Json:
    """Return the JSON form; ends that are not finite are left out and said."""
    out = e.to_dict()
    for key in ("value", "low", "high"):
        out[key] = None if out[key] is None else number(out[key])
    if out["low"] is None or out["high"] is None:
        out["low"] = out["high"] = None
        out.setdefault("reason", "no interval can be given on these rows")
    elif out["value"] is not None:
        # An interval and its centre are computed apart and may round differently.
        out["low"], out["high"] = min(out["low"], out["value"]), max(out["high"], out["value"])
    return out


def maybe(e: Estimate | None) -> Json | None:
    """Return the JSON form of an estimate, or None when there is none."""
    return None if e is None else estimate(e)


def cannot_tell(value: float, level: float, n: int, reason: str) -> Estimate:
    """Return a number without an interval, and why."""
    return Estimate(float(value), None, None, level, n, "none", reason)


def band(points: Sequence[Estimate], method: str) -> Json:
    """Return many estimates along an axis; without a band when one of them has no interval."""
    values = [number(e.value) or 0.0 for e in points]
    open_ended = any(e.low is None or e.high is None for e in points)
    first = points[0]
    return {
        "value": values,
        "low": None if open_ended else [float(e.low) for e in points],  # type: ignore[arg-type]
        "high": None if open_ended else [float(e.high) for e in points],  # type: ignore[arg-type]
        "level": first.level,
        "n": first.n,
        "method": method,
    }


def proportion(
    hits: NDArray, level: float, groups: NDArray | None = None, *, exact: bool = False
) -> Estimate:
    """Return the share of true values with its interval: Wilson (or Clopper-Pearson), with groups by
    effective size.
    """
    n = int(hits.size)
    if groups is not None and n:
        return grouped_proportion(hits.astype(float), groups, level)
    count = int(hits.sum())
    return clopper_pearson(count, n, level) if exact else wilson(count, n, level)


@dataclass(frozen=True)
class Scoring:
    """How out-of-fold rows become estimates.

    Parameters
    ----------
    folds : int
        Folds of one repeat.
    level : float
        Nominal coverage.
    groups : array of shape (n,) or None
        Group of each scored row.
    rows : tuple of int or None
        Mean number of rows that a fold is fitted on, and rows in all.
    errors : bool
        The losses are of numeric errors, whose size nothing bounds.
    """

    folds: int
    level: float
    groups: NDArray | None = None
    rows: tuple[int, int] | None = None
    errors: bool = False

    def target(self, what: str = "loss", who: str = "this algorithm") -> str | None:
        """Return what a cross-validated estimate is about; None where the number of rows was not told."""
        if self.rows is None:
            return None
        return scored_target(*self.rows, self.groups is not None, what=what, who=who)

    def loss(self, rows: Floats) -> Estimate:
        """Return the cross-validated mean of losses of shape (repeats, n)."""
        told: dict[str, Any] = {"errors": self.errors, "target": self.target()}
        if self.groups is None:
            return repeated_kfold(rows, self.folds, self.level, **told)
        return grouped_kfold(rows, self.groups, self.folds, self.level, **told)

    def difference(self, rows: Floats) -> Estimate:
        """Return the cross-validated mean of paired differences of shape (repeats, n)."""
        told: dict[str, Any] = {"kind": "difference", "target": self.target("difference", "each algorithm")}
        if self.groups is None:
            return repeated_kfold(rows, self.folds, self.level, **told)
        return grouped_kfold(rows, self.groups, self.folds, self.level, **told)

    def standard_error(self, rows: Floats) -> float:
        """Return the standard error of the mean of paired differences of shape (repeats, n)."""
        if self.groups is None:
            return math.sqrt(kfold_variance(rows, self.folds)) if rows.shape[1] > 1 else math.inf
        codes, n_groups = group_codes(self.groups, rows.shape[1])
        factor = self.folds / (self.folds - 1.0)
        return math.sqrt(factor * float(np.mean([cr2_variance(v, codes, n_groups)[0] for v in rows])))

    def held_out(self, rows: Floats, groups: NDArray | None) -> Estimate:
        """Return the mean of signed values on held-out rows, shape (n,)."""
        return (
            student(rows, self.level)
            if groups is None
            else grouped_mean(rows, groups, self.level, signed=True)
        )

    @property
    def z(self) -> float:
        """Two-sided critical value of the normal distribution."""
        return normal_quantile(self.level)
