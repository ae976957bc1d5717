"""Scores of models with intervals: held-out rows, cross-validation, comparisons, winners."""

from __future__ import annotations

from empirisk.selection.compare import Comparison, compare, compare_cross, compare_fitted
from empirisk.selection.cross import CrossEvaluation, cross_evaluate
from empirisk.selection.curves import (
    Extrapolation,
    LearningCurve,
    ModelSelectionCurve,
    learning_curve,
    model_selection_curve,
)
from empirisk.selection.evaluate import evaluate, evaluate_predictions
from empirisk.selection.evaluation import Evaluation
from empirisk.selection.intervals import INTERVALS, best_of, paired_losses
from empirisk.selection.metrics import METRICS
from empirisk.selection.search import GridSearch, LogUniform, RandomSearch, SearchResult, SearchWarning

__all__ = [
    "INTERVALS",
    "METRICS",
    "Comparison",
    "CrossEvaluation",
    "Evaluation",
    "Extrapolation",
    "GridSearch",
    "LearningCurve",
    "LogUniform",
    "ModelSelectionCurve",
    "RandomSearch",
    "SearchResult",
    "SearchWarning",
    "best_of",
    "compare",
    "compare_cross",
    "compare_fitted",
    "cross_evaluate",
    "evaluate",
    "evaluate_predictions",
    "learning_curve",
    "model_selection_curve",
    "paired_losses",
]
