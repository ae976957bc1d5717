"""Scores of a constant prediction that are known without any row: they have a value and no interval."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from empirisk.evaluation.metrics import Predictions
from empirisk.results import Estimate

__all__ = ["exact_score", "less_exact"]

CHANCE = "0.5 by definition: a constant prediction ranks nothing"
ONE_CLASS = "exact: a constant finds all rows of one class and none of the others"
NEVER = "exact: the positive class is never predicted"


def exact_score(name: str, p: Predictions, e: Estimate) -> Estimate | None:
    """Return the score of a constant without an interval where its value follows from being a constant.

    The accuracy of a constant is not of this kind: it is the share of a class, which the rows estimate.

    Parameters
    ----------
    name : str
        Of the metric.
    p : Predictions
    e : Estimate
        What the metric says of these predictions.

    Returns
    -------
    Estimate or None
        None where the predictions are no constant, or the score depends on the rows.
    """
    why = _why(name, p)
    if not why:
        return None
    return replace(e, low=e.value, high=e.value, method=why, reason="")


def less_exact(e: Estimate, other: Estimate) -> Estimate:
    """Return an estimate minus a score that is known: its interval, moved."""

    def moved(end: float | None) -> float | None:
        return None if end is None else end - other.value

    method = f"{e.method}, less {other.value:.3g}"
    return replace(e, value=e.value - other.value, low=moved(e.low), high=moved(e.high), method=method)


def _why(name: str, p: Predictions) -> str:
    if name == "roc_auc":
        return CHANCE if p.proba is not None and not np.ptp(p.proba, axis=0).any() else ""
    if p.pred is None or np.ptp(p.pred) != 0:
        return ""
    if name == "balanced_accuracy":
        return ONE_CLASS
    return NEVER if name == "f1" and p.n_classes == 2 and p.pred[0] == 0 else ""
