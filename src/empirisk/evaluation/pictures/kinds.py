"""The kinds of pictures of an evaluation: the task that each is for, the output it needs, what draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.evaluation.metrics.of_class import one_versus_rest
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, REGRESSION, Predictions
from empirisk.evaluation.pictures.calibration import calibration
from empirisk.evaluation.pictures.confusion import confusion
from empirisk.evaluation.pictures.estimates import Json
from empirisk.evaluation.pictures.ranks import pr_curve, roc_curve
from empirisk.evaluation.pictures.residuals import normal_quantiles, spread
from empirisk.evaluation.pictures.scores import score_bins

__all__ = ["INTERVALS", "KINDS", "Kind", "picture"]

INTERVALS = "intervals"  # the metrics themselves, which need no rows
ONE_CLASS = "the rows are all of one class, and a curve compares two"
FEW = "it needs at least ten rows, and residuals that differ"


@dataclass(frozen=True)
class Kind:
    """A picture: the task that it is for, the output that it needs, and (predictions, level) to its display.

    The display is None where the rows cannot tell; `why` is the reason.
    """

    task: str
    needs: str
    display: Callable[[Predictions, float], Any]
    why: str = ""
    of_class: bool = False


def picture(kind: str, p: Predictions, level: float, positive: Any = None) -> Any:
    """Return the display of one kind, or refuse it in a sentence.

    Parameters
    ----------
    kind : str
        A key of `KINDS`.
    p : Predictions
        Of held-out rows.
    level : float
        Coverage of bands and intervals.
    positive : label, optional
        The class that a picture of one class is about.
    """
    cut = ["thresholds"] if p.task == CLASSIFICATION else []
    fit = ", ".join([INTERVALS, *(k for k, v in KINDS.items() if v.task == p.task), *cut])
    row = KINDS.get(kind)
    if row is None:
        raise ValueError(f"kind is {kind!r}, which is no picture of an evaluation; choose from {fit}.")
    if row.task != p.task:
        raise ValueError(
            f"kind {kind!r} is a picture of {row.task}, and the target here is one of {p.task}; choose from "
            f"{fit}."
        )
    if p.why_missing(row.needs):
        raise ValueError(f"kind {kind!r} cannot be drawn: {p.why_missing(row.needs)}.")
    if positive is not None and not row.of_class:
        raise ValueError(f"kind {kind!r} is about all classes at once; leave positive out.")
    display = row.display(p if positive is None else one_versus_rest(p, positive), level)
    if display is None:
        raise ValueError(f"kind {kind!r} cannot be drawn: {row.why}.")
    return display


def _names(p: Predictions) -> list[str]:
    """Return the names of the classes as text, in the order of their codes."""
    return [str(c) for c in np.asarray(p.classes).tolist()]


def _curves(
    p: Predictions, level: float, curve: Callable[[Predictions, float], Json | None], name: str, display: str
) -> Any:
    """Return the curve of two classes with its band, or those of all classes against the rest."""
    from empirisk import plots

    names = _names(p)
    if len(names) == 2:
        found = curve(p, level)
        return None if found is None else getattr(plots, display)(found, names[1])
    labels = np.asarray(p.classes).tolist()
    each = [(str(label), curve(one_versus_rest(p, label), level)) for label in labels]
    known = [(label, found) for label, found in each if found is not None]
    return plots.ClassCurvesDisplay(known, name) if known else None


def _roc(p: Predictions, level: float) -> Any:
    """Return the ROC curve, or one for each class."""
    return _curves(p, level, roc_curve, "roc", "RocDisplay")


def _precision_recall(p: Predictions, level: float) -> Any:
    """Return the precision-recall curve, or one for each class."""
    return _curves(p, level, pr_curve, "precision_recall", "PrecisionRecallDisplay")


def _calibration(p: Predictions, level: float) -> Any:
    """Return the observed shares by predicted probability."""
    from empirisk.plots import CalibrationDisplay

    return CalibrationDisplay(calibration(p, tuple(_names(p)), level))


def _confusion(p: Predictions, level: float) -> Any:
    """Return the observed against the predicted classes."""
    from empirisk.plots import ConfusionDisplay

    return ConfusionDisplay(confusion(p, _names(p), level))


def _scores(p: Predictions, level: float) -> Any:
    """Return the predicted probability by observed class, where there are two."""
    from empirisk.plots import ScoresDisplay

    names = _names(p)
    return ScoresDisplay(score_bins(p, level), names[1], names[0]) if len(names) == 2 else None


def _residuals(p: Predictions, level: float) -> Any:
    """Return the residuals by predicted value, in bins."""
    from empirisk.plots import ResidualsDisplay

    z = p.output("pred")
    found = spread(z, p.y - z, level, p.groups, p.weights)
    return None if found is None else ResidualsDisplay(found, "target")


def _observed(p: Predictions, level: float) -> Any:
    """Return the observed by predicted values, in bins."""
    from empirisk.plots import ObservedDisplay

    found = spread(p.output("pred"), p.y, level, p.groups, p.weights)
    return None if found is None else ObservedDisplay(found, "target")


def _quantiles(p: Predictions, level: float) -> Any:
    """Return the quantiles of the residuals against normal ones."""
    from empirisk.plots import QuantilesDisplay

    found = normal_quantiles(p.y - p.output("pred"), level, p.weights)
    return None if found is None else QuantilesDisplay(found)


KINDS: dict[str, Kind] = {
    "roc": Kind(CLASSIFICATION, "score", _roc, ONE_CLASS, of_class=True),
    "precision_recall": Kind(CLASSIFICATION, "score", _precision_recall, ONE_CLASS, of_class=True),
    "calibration": Kind(CLASSIFICATION, "proba", _calibration, of_class=True),
    "confusion": Kind(CLASSIFICATION, "pred", _confusion, of_class=True),
    "scores": Kind(
        CLASSIFICATION, "proba", _scores, "there are several classes; name one of them with positive=", True
    ),
    "residuals": Kind(REGRESSION, "pred", _residuals, FEW),
    "observed": Kind(REGRESSION, "pred", _observed, FEW),
    "quantiles": Kind(REGRESSION, "pred", _quantiles, FEW),
}
