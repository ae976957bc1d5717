"""Metrics by name: one family per file, one registry row per metric.

A metric knows its value, its direction, and its intervals on held-out rows, in cross-validation and for a
paired difference. Any scikit-learn scorer can stand beside them (:mod:`empirisk.evaluation.metrics.scorer`).
"""

from __future__ import annotations

from empirisk.evaluation.metrics.base import Metric
from empirisk.evaluation.metrics.deviances import GAMMA_DEVIANCE, POISSON_DEVIANCE, TWEEDIE_DEVIANCE
from empirisk.evaluation.metrics.labels import ACCURACY, BALANCED_ACCURACY, F1
from empirisk.evaluation.metrics.numbers import MAE, MSE, R2
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, REGRESSION, Predictions
from empirisk.evaluation.metrics.probabilities import BRIER_SCORE, LOG_LOSS
from empirisk.evaluation.metrics.ranking import AVERAGE_PRECISION, ROC_AUC

METRICS: dict[str, Metric] = {
    "accuracy": ACCURACY,
    "balanced_accuracy": BALANCED_ACCURACY,
    "f1": F1,
    "roc_auc": ROC_AUC,
    "average_precision": AVERAGE_PRECISION,
    "log_loss": LOG_LOSS,
    "brier_score": BRIER_SCORE,
    "mse": MSE,
    "mae": MAE,
    "r2": R2,
    "poisson_deviance": POISSON_DEVIANCE,
    "tweedie_deviance": TWEEDIE_DEVIANCE,
    "gamma_deviance": GAMMA_DEVIANCE,
}


def default_metrics(p: Predictions, may_be_zero: bool = False) -> list[str]:
    """The names that are computed when the user asks for none: all that fit the task but the deviances.

    Without the log-loss where the kind of model may answer with probability 0 (`may_be_zero`).
    """
    fit = ((name, metric) for name, metric in METRICS.items() if metric.task == p.task)
    names = [name for name, metric in fit if getattr(metric, "by_default", True)]
    if p.task == CLASSIFICATION and p.n_classes != 2:
        names.remove("average_precision")
    if may_be_zero and "log_loss" in names:
        names.remove("log_loss")
    return names


__all__ = ["CLASSIFICATION", "METRICS", "REGRESSION", "Metric", "Predictions", "default_metrics"]


def __dir__() -> list[str]:
    return sorted(__all__)
