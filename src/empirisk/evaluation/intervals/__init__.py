"""Intervals for scores: one mathematical object per file, one registry row each.

Every entry returns an :class:`empirisk.results.Estimate`. Where a sample cannot tell, `low` and `high` are
None and `reason` is a sentence; the thresholds depend on counts of rows, classes and groups only, because a
gate on how well-behaved the observed losses look selects the samples that missed the tail.
"""

from __future__ import annotations

from collections.abc import Callable

from empirisk.evaluation.intervals.auc import auc_interval
from empirisk.evaluation.intervals.average_precision import average_precision_interval
from empirisk.evaluation.intervals.bbc import best_of
from empirisk.evaluation.intervals.clopper_pearson import clopper_pearson
from empirisk.evaluation.intervals.effective import effective_wilson
from empirisk.evaluation.intervals.f1 import f1_interval
from empirisk.evaluation.intervals.grouped import grouped_mean, grouped_proportion
from empirisk.evaluation.intervals.hall import hall
from empirisk.evaluation.intervals.mover import balanced_accuracy_interval
from empirisk.evaluation.intervals.nadeau_bengio import nadeau_bengio
from empirisk.evaluation.intervals.newcombe import newcombe_limits
from empirisk.evaluation.intervals.paired import paired_losses
from empirisk.evaluation.intervals.r2 import r2_interval
from empirisk.evaluation.intervals.repeated_kfold import grouped_kfold, repeated_kfold
from empirisk.evaluation.intervals.smooth import smooth_limits
from empirisk.evaluation.intervals.student import student
from empirisk.evaluation.intervals.tango import tango
from empirisk.evaluation.intervals.weighted import weighted_mean
from empirisk.evaluation.intervals.wilson import wilson
from empirisk.results import Estimate

INTERVALS: dict[str, Callable[..., Estimate]] = {
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
    "hall": hall,
    "student": student,
    "f1": f1_interval,
    "r2": r2_interval,
    "auc": auc_interval,
    "average_precision": average_precision_interval,
    "balanced_accuracy": balanced_accuracy_interval,
    "effective_wilson": effective_wilson,
    "tango": tango,
    "paired": paired_losses,
    "grouped_mean": grouped_mean,
    "grouped_proportion": grouped_proportion,
    "repeated_kfold": repeated_kfold,
    "grouped_kfold": grouped_kfold,
    "nadeau_bengio": nadeau_bengio,
    "best_of": best_of,
    "weighted_mean": weighted_mean,
}

__all__ = [
    "INTERVALS",
    "auc_interval",
    "average_precision_interval",
    "balanced_accuracy_interval",
    "best_of",
    "clopper_pearson",
    "effective_wilson",
    "f1_interval",
    "grouped_kfold",
    "grouped_mean",
    "grouped_proportion",
    "hall",
    "nadeau_bengio",
    "newcombe_limits",
    "paired_losses",
    "r2_interval",
    "repeated_kfold",
    "smooth_limits",
    "student",
    "tango",
    "weighted_mean",
    "wilson",
]


def __dir__() -> list[str]:
    return sorted(__all__)
