"""Scores of models with intervals: held-out rows, cross-validation, comparisons, winners."""

from __future__ import annotations

from empirisk.selection.evaluate import evaluate, evaluate_predictions
from empirisk.selection.evaluation import Evaluation
from empirisk.selection.metrics import METRICS

__all__ = ["METRICS", "Evaluation", "evaluate", "evaluate_predictions"]
