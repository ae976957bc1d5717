"""Charts: each Display takes a section of ``report.json``, returns a Plot, and computes nothing.

Adding a chart is one file and one row of `DISPLAYS`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

DISPLAYS = {
    "AttributionDisplay": "attribution",
    "BandsDisplay": "bands",
    "BestProbabilityDisplay": "best_probability",
    "BiasVarianceDisplay": "bias_variance",
    "BiplotDisplay": "biplot",
    "BoundsDisplay": "bounds",
    "CalibrationDisplay": "calibration",
    "CandidatesDisplay": "candidates",
    "ClassCurvesDisplay": "class_curves",
    "ClusterMapDisplay": "cluster_map",
    "ClusterProfileDisplay": "cluster_profile",
    "ClusterStabilityDisplay": "cluster_stability",
    "CoefficientsDisplay": "coefficients",
    "ConfusionDisplay": "confusion",
    "ConvergenceDisplay": "convergence",
    "CostComplexityDisplay": "cost_complexity",
    "CoverageDisplay": "coverage",
    "CriterionDisplay": "criterion",
    "DecisionBoundaryDisplay": "decision_boundary",
    "DendrogramDisplay": "dendrogram",
    "DensityDisplay": "density",
    "DependenceDisplay": "dependence",
    "DistortionDisplay": "distortion",
    "EffectsDisplay": "effects",
    "EigengapDisplay": "eigengap",
    "EnergyDisplay": "energy",
    "EvidenceDisplay": "evidence",
    "GapDisplay": "gap",
    "GrowthDisplay": "growth",
    "ImportancesDisplay": "importances",
    "InteractionsDisplay": "interactions",
    "IntervalPairsDisplay": "interval_pairs",
    "KernelMatrixDisplay": "kernel_matrix",
    "LearningCurveDisplay": "learning_curve",
    "MarginsDisplay": "margins",
    "MixtureCriterionDisplay": "mixture_criterion",
    "MixtureDisplay": "mixture",
    "ModelSelectionGridDisplay": "model_selection_grid",
    "NetworkDisplay": "network",
    "ObservedDisplay": "observed",
    "PartitionsDisplay": "partitions",
    "PathDisplay": "path",
    "PrecisionRecallDisplay": "precision_recall",
    "ProcessDisplay": "process",
    "QuantilesDisplay": "quantiles",
    "RanksDisplay": "ranks",
    "RegressionMixtureDisplay": "regression_mixture",
    "ReplicatedDisplay": "replicated",
    "ResidualsDisplay": "residuals",
    "RocDisplay": "roc",
    "RoundsDisplay": "rounds",
    "ScoresDisplay": "scores",
    "ScreeDisplay": "scree",
    "SelectionCurveDisplay": "selection_curve",
    "SetSizesDisplay": "set_sizes",
    "ShapleyRowDisplay": "shapley_row",
    "ShapleySummaryDisplay": "shapley_summary",
    "SilhouettesDisplay": "silhouettes",
    "SimilarityGraphDisplay": "similarity_graph",
    "ThresholdsDisplay": "thresholds",
    "TraceDisplay": "trace",
    "TreeDisplay": "tree",
    "VoteRoundsDisplay": "vote_rounds",
    "WinnersCurseDisplay": "winners_curse",
}

__all__ = ["Plot", *DISPLAYS]


def __getattr__(name: str) -> Any:
    if name in DISPLAYS:
        return getattr(import_module(f"empirisk.plots.{DISPLAYS[name]}"), name)
    if name == "Plot":
        return import_module("empirisk.plots.plot").Plot
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
