"""Scores of models with intervals: held-out rows, cross-validation, comparisons, winners."""

from __future__ import annotations

from empirisk.curves import (
    Extrapolation,
    LearningCurve,
    ModelSelectionCurve,
    learning_curve,
    model_selection_curve,
)
from empirisk.evaluation import intervals, metrics
from empirisk.evaluation.bayes_error import BayesErrorBracket, bayes_error_bracket
from empirisk.evaluation.by_group import GroupDifferences, GroupEvaluation
from empirisk.evaluation.candidate import Candidate
from empirisk.evaluation.compare import Comparison, compare, compare_cross, compare_fitted
from empirisk.evaluation.compare_many import ModelComparison
from empirisk.evaluation.conformal.conformalize import conformalize
from empirisk.evaluation.conformal.predictor import ConformalPredictor
from empirisk.evaluation.conformal.results import PredictionIntervals, PredictionSets
from empirisk.evaluation.cross import CrossEvaluation
from empirisk.evaluation.cross_validate import cross_evaluate
from empirisk.evaluation.evaluate import evaluate, evaluate_predictions
from empirisk.evaluation.evaluation import Evaluation
from empirisk.evaluation.fold_ensemble import CrossValidatedEnsemble
from empirisk.evaluation.intervals import INTERVALS, best_of, paired_losses
from empirisk.evaluation.loo import LeaveOneOut, leave_one_out, loo_from_hat
from empirisk.evaluation.metrics import METRICS
from empirisk.evaluation.sample import Sample
from empirisk.evaluation.splits import Parts, train_validation_test_split
from empirisk.ladder import RiskBounds, risk_bounds
from empirisk.resampling.bootstrap import Bootstrap, bootstrap
from empirisk.resampling.decomposition import BiasVariance, BiasVarianceCurve, bias_variance
from empirisk.resampling.no_free_lunch import NoFreeLunch, no_free_lunch
from empirisk.resampling.parametric import EstimatorsRisk, estimators_risk
from empirisk.resampling.replace_one import Stability, stability
from empirisk.search import GridSearch, LogUniform, RandomSearch, SearchResult, SearchWarning, Tuned, tune
from empirisk.search.nested import NestedEvaluation, nested_cross_evaluate
from empirisk.search.structural import DictionarySelector, StructuralChoice, StructuralRiskMinimizer

__all__ = [
    "INTERVALS",
    "METRICS",
    "BayesErrorBracket",
    "BiasVariance",
    "BiasVarianceCurve",
    "Bootstrap",
    "Candidate",
    "Comparison",
    "ConformalPredictor",
    "CrossEvaluation",
    "CrossValidatedEnsemble",
    "DictionarySelector",
    "EstimatorsRisk",
    "Evaluation",
    "Extrapolation",
    "GridSearch",
    "GroupDifferences",
    "GroupEvaluation",
    "LearningCurve",
    "LeaveOneOut",
    "LogUniform",
    "ModelComparison",
    "ModelSelectionCurve",
    "NestedEvaluation",
    "NoFreeLunch",
    "Parts",
    "PredictionIntervals",
    "PredictionSets",
    "RandomSearch",
    "RiskBounds",
    "Sample",
    "SearchResult",
    "SearchWarning",
    "Stability",
    "StructuralChoice",
    "StructuralRiskMinimizer",
    "Tuned",
    "bayes_error_bracket",
    "best_of",
    "bias_variance",
    "bootstrap",
    "compare",
    "compare_cross",
    "compare_fitted",
    "conformalize",
    "cross_evaluate",
    "estimators_risk",
    "evaluate",
    "evaluate_predictions",
    "intervals",
    "learning_curve",
    "leave_one_out",
    "loo_from_hat",
    "metrics",
    "model_selection_curve",
    "nested_cross_evaluate",
    "no_free_lunch",
    "paired_losses",
    "risk_bounds",
    "stability",
    "train_validation_test_split",
    "tune",
]


def __dir__() -> list[str]:
    return sorted(__all__)
