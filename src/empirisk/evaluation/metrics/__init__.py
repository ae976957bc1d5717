"""Metrics by name: one family per file, one registry row per metric.

A metric knows its value, its direction, and its intervals on held-out rows, in cross-validation and for a
paired difference. Any scikit-learn scorer can stand beside them (:mod:`empirisk.evaluation.metrics.scorer`).
"""

from __future__ import annotations

from typing import Any

from empirisk.evaluation.metrics.agreement import COHEN_KAPPA, MCC
from empirisk.evaluation.metrics.base import Metric
from empirisk.evaluation.metrics.deviances import GAMMA_DEVIANCE, POISSON_DEVIANCE, TWEEDIE_DEVIANCE
from empirisk.evaluation.metrics.explained import D2_ABSOLUTE, D2_LOG_LOSS, D2_PINBALL, d2_pinball
from empirisk.evaluation.metrics.labels import ACCURACY, BALANCED_ACCURACY, F1
from empirisk.evaluation.metrics.lift import LIFT, lift
from empirisk.evaluation.metrics.ndcg import NDCG, ndcg
from empirisk.evaluation.metrics.numbers import MAE, MAPE, MSE, PINBALL, R2, pinball
from empirisk.evaluation.metrics.of_class import OfClass
from empirisk.evaluation.metrics.predictions import CLASSIFICATION, REGRESSION, Predictions
from empirisk.evaluation.metrics.probabilities import BRIER_SCORE, LOG_LOSS
from empirisk.evaluation.metrics.rank_correlation import KENDALL, SPEARMAN
from empirisk.evaluation.metrics.ranking import AVERAGE_PRECISION, ROC_AUC
from empirisk.evaluation.metrics.rates import (
    F2,
    F_HALF,
    PRECISION,
    RECALL,
    SELECTION_RATE,
    SPECIFICITY,
    f_beta,
)

METRICS: dict[str, Metric] = {
    "accuracy": ACCURACY,
    "balanced_accuracy": BALANCED_ACCURACY,
    "f1": F1,
    "roc_auc": ROC_AUC,
    "average_precision": AVERAGE_PRECISION,
    "precision": PRECISION,
    "recall": RECALL,
    "specificity": SPECIFICITY,
    "selection_rate": SELECTION_RATE,
    "f2": F2,
    "f0.5": F_HALF,
    "mcc": MCC,
    "cohen_kappa": COHEN_KAPPA,
    "lift": LIFT,
    "log_loss": LOG_LOSS,
    "brier_score": BRIER_SCORE,
    "d2_log_loss": D2_LOG_LOSS,
    "mse": MSE,
    "mae": MAE,
    "r2": R2,
    "mape": MAPE,
    "pinball": PINBALL,
    "d2_absolute": D2_ABSOLUTE,
    "d2_pinball": D2_PINBALL,
    "spearman": SPEARMAN,
    "kendall": KENDALL,
    "ndcg": NDCG,
    "poisson_deviance": POISSON_DEVIANCE,
    "tweedie_deviance": TWEEDIE_DEVIANCE,
    "gamma_deviance": GAMMA_DEVIANCE,
}


def find_metric(metric: Any) -> Metric | None:
    """Return our metric of that name, or the metric object itself; None for what is a scorer or unknown.

    Examples
    --------
    >>> find_metric("recall").label, find_metric(pinball(0.9)).name, find_metric("max_error")
    ('recall', 'pinball(0.9)', None)
    """
    if isinstance(metric, str):
        return METRICS.get(metric)
    found: Metric | None = metric if hasattr(metric, "crossed") and hasattr(metric, "difference") else None
    return found


def about_class(metric: Metric, positive: Any) -> Metric:
    """Return the metric about the class `positive` where it is one of a single class, else as it is."""
    return OfClass(metric, positive) if getattr(metric, "one_class", False) else metric


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


__all__ = [
    "CLASSIFICATION",
    "METRICS",
    "REGRESSION",
    "Metric",
    "Predictions",
    "about_class",
    "d2_pinball",
    "default_metrics",
    "f_beta",
    "find_metric",
    "lift",
    "ndcg",
    "pinball",
]


def __dir__() -> list[str]:
    return sorted(__all__)
