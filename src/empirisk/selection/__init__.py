"""Scores of models with intervals: held-out rows, cross-validation, comparisons, winners."""

from __future__ import annotations

from empirisk.selection.bootstrap import Bootstrap, bootstrap
from empirisk.selection.compare import Comparison, compare, compare_cross, compare_fitted
from empirisk.selection.cross import CrossEvaluation, cross_evaluate
from empirisk.selection.curves import (
    Extrapolation,
    LearningCurve,
    ModelSelectionCurve,
    learning_curve,
    model_selection_curve,
)
from empirisk.selection.decomposition import BiasVariance, BiasVarianceCurve, bias_variance
from empirisk.selection.evaluate import evaluate, evaluate_predictions
from empirisk.selection.evaluation import Evaluation
from empirisk.selection.fold_ensemble import CrossValidatedEnsemble
from empirisk.selection.intervals import INTERVALS, best_of, paired_losses
from empirisk.selection.ladder import RiskBounds, risk_bounds
from empirisk.selection.loo import LeaveOneOut, leave_one_out, loo_from_hat
from empirisk.selection.metrics import METRICS
from empirisk.selection.nested import NestedEvaluation, nested_cross_evaluate
from empirisk.selection.no_free_lunch import NoFreeLunch, no_free_lunch
from empirisk.selection.parametric import EstimatorsRisk, estimators_risk
from empirisk.selection.replace_one import Stability, stability
from empirisk.selection.search import GridSearch, LogUniform, RandomSearch, SearchResult, SearchWarning
from empirisk.selection.splits import Parts, train_validation_test_split
from empirisk.selection.structural import DictionarySelector, StructuralChoice, StructuralRiskMinimizer

__all__ = [
    "INTERVALS",
    "METRICS",
    "BiasVariance",
    "BiasVarianceCurve",
    "Bootstrap",
    "Comparison",
    "CrossEvaluation",
    "CrossValidatedEnsemble",
    "DictionarySelector",
    "EstimatorsRisk",
    "Evaluation",
    "Extrapolation",
    "GridSearch",
    "LearningCurve",
    "LeaveOneOut",
    "LogUniform",
    "ModelSelectionCurve",
    "NestedEvaluation",
    "NoFreeLunch",
    "Parts",
    "RandomSearch",
    "RiskBounds",
    "SearchResult",
    "SearchWarning",
    "Stability",
    "StructuralChoice",
    "StructuralRiskMinimizer",
    "best_of",
    "bias_variance",
    "bootstrap",
    "compare",
    "compare_cross",
    "compare_fitted",
    "cross_evaluate",
    "estimators_risk",
    "evaluate",
    "evaluate_predictions",
    "learning_curve",
    "leave_one_out",
    "loo_from_hat",
    "model_selection_curve",
    "nested_cross_evaluate",
    "no_free_lunch",
    "paired_losses",
    "risk_bounds",
    "stability",
    "train_validation_test_split",
]
