"""How intervals and sets did on test rows: coverage, width or size, and interval score."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.evaluation.conformal.results import PredictionIntervals, PredictionSets
from empirisk.evaluation.intervals import grouped_mean, grouped_proportion, hall, student, wilson
from empirisk.evaluation.intervals.base import NEW_GROUPS, refuse
from empirisk.results import Estimate
from empirisk.typing import Array

__all__ = ["coverage_estimate", "held_out_scores"]

Answer = PredictionIntervals | PredictionSets
TARGET = "this model and these calibration rows, on new rows drawn like these"
IN_GROUPS = f"this model and these calibration rows, on {NEW_GROUPS}, each row counting once"


def coverage_estimate(answer: Answer, y: Any, confidence: float, groups: Any = None) -> Estimate:
    """Return the share of covered rows with Wilson's interval, with groups by effective rows."""
    return _share(answer.covers(y), confidence, groups)


def held_out_scores(answer: Answer, y: Any, confidence: float, groups: Any = None) -> dict[str, Estimate]:
    """Return the estimates by name: those of intervals, or those of sets."""
    found = {"coverage": coverage_estimate(answer, y, confidence, groups)}
    if isinstance(answer, PredictionIntervals):
        found["mean_width"] = _width(answer.width, confidence, groups)
        found["interval_score"] = _mean(answer.scores(y), confidence, groups, loss=True)
    else:
        found["set_size"] = _mean(answer.size.astype(np.float64), confidence, groups)
        found["empty_sets"] = _share(answer.size == 0, confidence, groups)
        found["singletons"] = _share(answer.size == 1, confidence, groups)
    return found


def _share(hits: Any, confidence: float, groups: Any) -> Estimate:
    """Return a share of rows with Wilson's interval."""
    rows = np.asarray(hits, dtype=np.float64)
    if groups is not None:
        return grouped_proportion(rows, groups, confidence, target=IN_GROUPS)
    return wilson(float(rows.sum()), len(rows), confidence, target=TARGET)


def _width(values: Array, confidence: float, groups: Any) -> Estimate:
    """Return the mean width; intervals of one width have no doubt about it."""
    first = float(values[0])
    if np.isfinite(first) and np.ptp(values) <= 1e-9 * first:
        return Estimate(first, first, first, confidence, len(values), "the same for every row", "", TARGET)
    return _mean(values, confidence, groups)


def _mean(values: Array, confidence: float, groups: Any, loss: bool = False) -> Estimate:
    """Return the mean of one number a row with the interval of its kind; a loss may have a long tail."""
    target = TARGET if groups is None else IN_GROUPS
    endless = int((~np.isfinite(values)).sum())
    if endless:
        why = f"{endless} of {len(values)} rows have endless intervals"
        return refuse(np.inf, confidence, len(values), "Student t", why, target)
    if groups is not None:
        return grouped_mean(values, groups, confidence, signed=not loss, target=target)
    if loss:
        return hall(values, confidence, errors=True, target=target)
    return student(values, confidence, target=target)
