"""Each chart: returns Axes, says its message, labels its axes, touches no global state."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import empirisk as er
from empirisk import plots
from empirisk.plots.display import Display
from empirisk.report.render.svg import inline_svg
from empirisk.trees.conditions import Wording
from tests.oracles.complete import complete

FIXTURES = Path(__file__).parents[1] / "report" / "fixtures"
BINARY = json.loads((FIXTURES / "example_classification.json").read_text(encoding="utf-8"))
NUMBER = json.loads((FIXTURES / "example_regression.json").read_text(encoding="utf-8"))
CHOSEN, REST = BINARY["test"], NUMBER["test"]


def share(value: float, half: float = 0.02) -> dict[str, Any]:
    """Return an estimate with limits at equal distances from its value."""
    return {"value": value, "low": value - half, "high": value + half, "level": 0.95, "n": 99, "method": "m"}


def line(*values: float) -> dict[str, Any]:
    """Return a line of values with a band around it."""
    return {"value": list(values), "low": [v - 0.02 for v in values], "high": [v + 0.02 for v in values]}


CRITERION = {"label": "silhouette", "k": 3, "why": "the largest", "ks": [2, 3, 4],
             "values": [share(0.5), share(0.8), share(0.6)]}  # fmt: skip
CHOSEN_K = {
    "k": 3,
    "parameter": "n_clusters",
    "criteria": {"silhouette": CRITERION},
    "gap_null": {"ks": [1, 2, 3, 4], "observed": [5.0, 3.9, 2.1, 2.0], "mean": [5.2, 4.6, 4.2, 3.9],
                 "low": [5.1, 4.5, 4.1, 3.8], "high": [5.3, 4.7, 4.3, 4.0]},
}  # fmt: skip
STEADY = {
    "clusters": [
        {"cluster": 0, "rows": 40, "jaccard": share(0.9)},
        {"cluster": 1, "rows": 9, "jaccard": share(0.4)},
    ],
    "n_resamples": 50,
}
TWO_PARTITIONS = {
    "table": [[19, 1, 0], [0, 20, 5]],
    "a_labels": ["0", "1"],
    "b_labels": ["y", "x", "z"],
    "matching": {"y": "0", "x": "1"},
    "matched": share(0.87),
    "n": 45,
    "estimates": {"adjusted_rand": share(0.7)},
}
PARTS = [
    {"part": "optimisation", "value": 1e-9, "low": 0.0, "high": 1e-9, "standing": "known"},
    {"part": "estimation", "value": None, "low": 0.01, "high": 0.05, "standing": "bounded"},
    {"part": "approximation", "value": None, "low": None, "high": None, "standing": "not identifiable"},
    {"part": "noise", "value": None, "low": None, "high": 0.3, "standing": "bounded"},
]
LADDER = [
    {"bound": "Clopper-Pearson", "value": 0.17, "measured": 0.15, "vacuous": False, "applies": True},
    {"bound": "VC", "value": 1.7, "measured": 0.14, "vacuous": True, "applies": True},
    {"bound": "margin", "value": None, "measured": None, "vacuous": False, "applies": False},
]
DENDROGRAM = {
    "links": [[1.0, 2.0, 0.0, 0.0, 1.0, 0], [0.0, 1.5, 0.8, 1.0, 3.0, -1]],
    "leaves": [
        {"height": 0.8, "rows": 3, "name": "", "cluster": 1},
        {"height": 0.0, "rows": 1, "name": "Oslo", "cluster": 0},
        {"height": 0.0, "rows": 1, "name": "Bergen", "cluster": 0},
    ],
    "cut": 2.0,
    "clusters": 2,
    "n": 5,
    "inversions": 0,
    "linkage": "average linkage",
    "cophenetic": 0.8,
}
CHANCES = [{"label": "Ridge", "probability": 0.7}, {"label": "Lasso", "probability": 0.3}]
CURSE = {
    "label": "rate of errors",
    "greater_is_better": False,
    "n_candidates": 20,
    "candidates": [0.40, 0.43, 0.5],
    "naive": share(0.4),
    "corrected": share(0.45),
    "held_out": share(0.47),
}
CAPACITY = {
    "parameter": "degree",
    "x": [1, 3, 9],
    "label": "squared error",
    "parts": {
        "bias squared": line(0.4, 0.1, 0.05),
        "variance": line(0.1, 0.2, 0.5),
        "noise": line(0.1, 0.1, 0.1),
    },
    "total": line(0.6, 0.4, 0.65),
}
GROWTH = {"name": "Intervals", "m": [1, 2, 3, 4], "growth": [2, 4, 7, 11], "exact": True, "vc_dimension": 2}
TRACES = {
    "by": "steps",
    "runs": [
        {"name": "newton", "x": [1, 2, 3], "gap": [1e-1, 1e-4, 1e-11]},
        {"name": "gradient_descent", "x": [1, 10, 100], "gap": [0.5, 0.1, 1e-6]},
    ],
    "rates": [
        {
            "name": "gradient_descent",
            "setting": "steps g = 1/L",
            "formula": "D^2 / (2 g T)",
            "x": [1, 10, 100],
            "gap": [9.0, 0.9, 0.09],
        }
    ],
}
VOTE = {
    "margins": [-0.3, -0.05, 0.1, 0.2, 0.4],
    "n_rows": 5,
    "rounds": 3,
    "margin_bound": 0.15,
    "training_error": [0.4, 0.3, 0.4],
    "training_error_bound": [0.98, 0.9, 0.85],
}
DEPENDENCE = {
    "features": ["age"],
    "grid": [[20.0], [40.0], [60.0]],
    "labels": ["20", "40", "60"],
    "categorical": False,
    "value": [0.1, 0.3, 0.5],
    "low": [0.0, 0.2, 0.4],
    "high": [0.2, 0.4, 0.6],
    "band_low": [-0.1, 0.1, 0.3],
    "band_high": [0.3, 0.5, 0.7],
    "rows": [[0.0, 0.1, 0.2], [0.2, 0.5, 0.8]],
    "scale": "mean",
    "level": 0.95,
    "n": 80,
}
SHAPLEY = {
    "columns": [
        {"name": "age", "mean": 0.4, "values": [0.3, -0.5, 0.4], "x": [60.0, 20.0, float("nan")]},
        {"name": "dose", "mean": 0.0, "values": [0.0, 0.0, 0.0], "x": [1.0, 1.0, 2.0]},
    ],
    "scale": "raw score",
    "n": 3,
}
ROW_PARTS = [{"name": "age", "x": "60", "value": 0.5}, {"name": "3 others", "x": None, "value": -0.2}]
PAIRS = [
    {"name": "age with all others", "strength": share(0.5), "size": 1.4, "small": False},
    {"name": "age and dose", "strength": share(0.4), "size": 1.2, "small": False},
    {"name": "dose and town", "strength": share(0.9), "size": 0.01, "small": True},
]
COVERED = [{"label": "Wald", "coverage": share(0.8)}, {"label": "Wilson", "coverage": share(0.95)}]
TREE = er.DecisionTreeClassifier(rule="min").fit(
    [[k % 10, k % 7] for k in range(200)], [(k % 10 > 4) + (k % 10 > 7 and k % 7 > 3) for k in range(200)]
)
REGIONS = {
    "features": ["age", "income"],
    "x": [0.0, 1.0, 2.0],
    "y": [0.0, 1.0],
    "classes": ["no", "yes"],
    "code": [[0, 0, 1], [0, 1, 1]],
    "chance": [[0.9, 0.6, 0.8], [0.7, 0.6, 0.9]],
    "score": [[-1.5, -0.5, 1.0], [-0.5, 0.5, 1.5]],
    "rows": [[0.1, 0.2, 0], [1.9, 0.8, 1], [1.0, 0.2, 0]],
    "support": [[1.0, 0.2]],
    "wrong": 0,
    "n": 3,
}
LEVELS = [(1e-3, 0.5, 0.9), (1e-3, 2.0, 0.4), (1.0, 0.5, 0.8), (1.0, 2.0, 0.45), (0.03, 2.0, 0.41)]
MAP = {
    "metric": "log_loss",
    "greater_is_better": False,
    "x": {"label": "alpha", "scale": "log", "values": [1e-3, 0.03, 1.0]},
    "y": {"label": "gamma of kernel", "scale": "linear", "values": [0.5, 2.0]},
    "settings": [
        {
            "x": x,
            "y": y,
            "value": v,
            "shade": min(1.0, 2.0 * (v - 0.4)),
            "within": v < 0.42,
            "first": x != 0.03,
        }
        for x, y, v in LEVELS
    ],
    "cells": [[0, 2, 2], [1, 4, 3]],
    "missing": [],
    "best": 1,
    "chosen": 4,
    "rule": "one_se",
    "edge": {"alpha": "lowest"},
    "rest": {"epsilon": "0.1"},
}
MATRIX = {
    "kernel": "gaussian (gamma = 1)",
    "shade": [[1.0, 0.8, 0.1], [0.8, 1.0, -0.2], [0.1, -0.2, 1.0]],
    "range": [-0.2, 1.0],
    "classes": ["no", "yes"],
    "sizes": [2, 1],
    "likeness": [[0.8, -0.05], [-0.05, None]],
    "within": 0.8,
    "between": -0.05,
    "note": "",
    "n_given": 30,
    "eigenvalue": {"smallest": 0.17, "error": 1e-15, "holds": True, "rows": [4, 2, 9], "places": [0, 2, 1]},
}
PROCESS = {
    "x": [0.0, 1.0, 2.0],
    **{
        name: (np.array([0.2, 0.6, 0.4]) + d).tolist()
        for name, d in (("value", 0), ("low", -0.3), ("high", 0.3))
    },
    "level": 0.9,
    "rows": [[0.0, 0.3], [1.0, 0.1], [2.0, 0.5]],
    "inside": 2,
    "feature": "dose",
    "label": "mean of y",
}
EVIDENCE = {
    "parameter": "gamma",
    "x": [0.1, 0.3, 1.0, 3.0],
    "value": [-30.0, -1.0, 0.0, -5.0],
    "fitted": 1.0,
    "of": "log marginal likelihood",
}
CLUSTERS = {
    "rows": [[0.0, 0.1, 0], [0.2, 0.0, 0], [3.0, 2.8, 1], [1.5, -2.0, -1]],
    "sizes": [2, 1],
    "outside": 1,
    "centres": [[0.1, 0.05], [3.0, 2.8]],
    "axes": ["component 1 (70 % of the variance)", "component 2 (13 % of the variance)"],
    "share": 0.83,
    "columns": False,
    "n": 4,
    "rule": "",
}
FEW_PLACES = {
    **CLUSTERS,
    "rows": [*[[0.0, 0.0, 0]] * 30, *[[0.0, 1.0, 0]] * 3, *[[1.0, 1.0, 1]] * 7, [2.0, 0.0, -1]],
    "sizes": [33, 7],
    "n": 41,
}
ONE_LINE = {
    **CLUSTERS,
    "rows": [[0.1, 0.0, 0], [0.3, 0.0, 0], [5.0, 1.0, 1], [2.0, -1.0, -1]],
    "centres": [[0.2, 0.0], [5.0, 1.0]],
    "axes": ["waiting", "number of the cluster"],
    "numbered": True,
}
MANY_LABELS = {
    **TWO_PARTITIONS,
    "table": [[5 if i == j else (i + j) % 3 for j in range(12)] for i in range(12)],
    "a_labels": [f"group {i}" for i in range(12)],
    "b_labels": [f"name {i}" for i in range(12)],
    "matching": {f"name {i}": f"group {i}" for i in range(12)},
}
SCREE = {"values": [0.62, 0.25, 0.09, 0.04], "reference": [0.4, 0.3, 0.2, 0.1], "name": "independent columns"}
ARROWS = [{"name": "murder", "x": 0.54, "y": 0.42}, {"name": "urban_pop", "x": 0.28, "y": -0.87}]
BIPLOT = {"rows": [[0.9, 1.1], [-1.9, 0.4], [0.5, -1.2]], "n": 3, "arrows": ARROWS, "shares": [0.62, 0.25]}
PARTS_OF_A_MIXTURE = {
    "features": ["eruptions", "waiting"],
    "rows": [[1.8, 54.0, 0], [2.2, 51.0, 0], [3.6, 79.0, 1], [4.5, 85.0, 1], [4.2, 80.0, 1]],
    "n": 5,
    "weights": [0.4, 0.6],
    "means": [[2.0, 54.0], [4.3, 80.0]],
    "ellipses": [
        [[[1.8, 54.0], [2.0, 58.0], [2.2, 54.0], [1.8, 54.0]], [[1.5, 54.0], [2.0, 64.0], [1.5, 54.0]]],
        [[[4.0, 80.0], [4.3, 84.0], [4.6, 80.0], [4.0, 80.0]], [[3.5, 80.0], [4.3, 90.0], [3.5, 80.0]]],
    ],
    "shares": [0.5, 0.9],
    "apart": 4.2,
}
LINES = {
    "feature": "dose",
    "rows": [[0.0, 1.1, 0], [1.0, 2.9, 0], [2.0, 5.2, 0], [0.0, 0.2, 1], [2.0, -1.9, 1]],
    "n": 5,
    "others": 1,
    "weights": [0.6, 0.4],
    "sigma": [0.2, 0.1],
    "slopes": [2.0, -1.0],
    "lines": [[[0.0, 1.0], [2.0, 5.0]], [[0.0, 0.1], [2.0, -1.9]]],
    "sure": 0.97,
}
ONE_COLUMN = {
    **PARTS_OF_A_MIXTURE,
    "features": ["waiting"],
    "rows": [[54.0, 0], [51.0, 0], [79.0, 1], [85.0, 1], [80.0, 1]],
    "means": [[54.0], [80.0]],
    "ellipses": [[54.0, 6.0], [80.0, 6.0]],
    "apart": 1.4,
}
BEHIND = {
    "criterion": "bic",
    "n_components": [1, 2, 3],
    "difference": [120.0, 0.0, 6.0],
    "low": [80.0, 0.0, -5.0],
    "high": [160.0, 0.0, 17.0],
    "best": 2,
    "open": [3],
    "singular": [4],
}
DISTORTION = {"ratios": [0.8, 0.95, 1.0, 1.02, 1.3], "epsilon": 0.25, "share": share(0.2), "width": 50}
GAPS = {
    "values": [0.0, 0.02, 0.4, 0.5],
    "estimated": True,
    "chosen": 2,
    "by_gap": False,
    "laplacian": "random-walk",
    "interval": None,
    "resamples": 0,
}
JOINED = {
    **CLUSTERS,
    "edges": [[0.0, 0.0, 1.0, 1.0, True], [0.0, 1.0, 1.0, 1.0, False]],
    "n_edges": 2,
    "n_cut": 1,
    "cut_share": 0.4,
}
ENERGIES = {"edges": [-1.0, 0.0, 1.0], "energies": [0.5, 0.5], "changes": [0.4, 0.6], "bfmi": [0.9, 1.1]}
DOSES = {"x": [1.0, 2.0], "value": [0.1, 0.6], "low": [0.0, 0.4], "high": [0.3, 0.8]}
BESIDE = [
    {"name": "age", "credible": share(0.4), "confidence": share(0.5)},
    {"name": "a rather long name of a parameter", "credible": share(-0.2), "confidence": share(-0.3)},
]
REPLICATED = {
    **{"name": "max", "edges": [3.0, 4.0, 6.0], "counts": [30, 10]},
    **{"observed": 5.0, "above": 0.1, "below": 0.92},
}
CHAINS = {"name": "a rather long name of a parameter", "r_hat": 1.004, "ess": 900.0}
DENSITY = {"edges": [-1.0, 0.0, 1.0, 2.5], "density": [0.2, 0.5, 0.2], "mean": 0.6, "low": -0.7, "high": 1.9}
NETWORK = er.NetworkGraph(
    [np.array([[1.0, -1.5], [1.0, 0.2]]), np.array([[1.0], [-1.0]])],
    [np.array([-0.5, -1.5]), np.array([-0.00048])],
    ["leaky_relu", "identity"],
    inputs=["age", "a rather long name of a column"],
)
EFFECTS = [
    {"label": "a rather long name of a column", "value": {"value": 1.84, "low": 1.02, "high": 3.31}},
    {"label": "sex[male]", "value": {"value": 0.71, "low": 0.31, "high": 1.62}},
    {"label": "separated", "value": {"value": 0.9, "low": None, "high": None}},
    {"label": "beyond the axis", "value": {"value": 1e12, "low": 0.0, "high": float("inf")}},
]
DISPLAYS: list[Display] = [
    plots.AttributionDisplay(PARTS, "log-loss", share(0.32)),
    plots.BestProbabilityDisplay(CHANCES),
    plots.BiasVarianceDisplay(CAPACITY),
    plots.BiplotDisplay(BIPLOT),
    plots.BoundsDisplay(LADDER, "rate of errors"),
    plots.CalibrationDisplay(CHOSEN["calibration"]),
    plots.CandidatesDisplay(BINARY["candidates"], BINARY["selection"]),
    plots.ClassCurvesDisplay([("a rather long name of a class", CHOSEN["roc"]), ("b", CHOSEN["roc"])], "roc"),
    plots.ClusterMapDisplay(CLUSTERS),
    plots.ClusterMapDisplay(FEW_PLACES),
    plots.ClusterMapDisplay(ONE_LINE),
    plots.ClusterProfileDisplay(
        [
            {"label": "flipper length", "distances": [1.4, -0.9, -0.4]},
            {"label": "sex = male", "distances": [0.1, None, -0.2]},
        ],
        ["1", "2", "3"],
    ),
    plots.ClusterStabilityDisplay(STEADY),
    plots.CoefficientsDisplay(BINARY["model"]["coefficients"], "log-odds"),
    plots.EffectsDisplay(EFFECTS, "odds ratio", 0.95, 1.0, True),
    plots.EffectsDisplay(EFFECTS[:1], "average prediction", 0.9, None),
    plots.ConfusionDisplay(CHOSEN["confusion"]),
    plots.ConvergenceDisplay(TRACES),
    plots.CostComplexityDisplay(TREE.path_),
    plots.CriterionDisplay(CHOSEN_K, "silhouette"),
    plots.GapDisplay(CHOSEN_K),
    plots.PartitionsDisplay(TWO_PARTITIONS),
    plots.PartitionsDisplay(MANY_LABELS),
    plots.SilhouettesDisplay([0.8, 0.7, 0.4, -0.1, 0.6, 0.5], [0, 0, 0, 1, 1, 1]),
    plots.BandsDisplay(DOSES, "95 % confidence intervals of the mean", "dose", [[1.0, 2.0], [0.2, 0.5]]),
    plots.SetSizesDisplay({"rows": [3, 80, 15, 2], "level": 0.9}),
    plots.SetSizesDisplay({"rows": [0, 1, 0, *[0] * 20, 7], "level": 0.95}),
    plots.BandsDisplay(DOSES, "90 % prediction intervals of a new target"),
    plots.CoverageDisplay(COVERED, 0.95),
    plots.DecisionBoundaryDisplay(REGIONS),
    plots.DendrogramDisplay(DENDROGRAM),
    plots.DensityDisplay({**CHAINS, **DENSITY, "level": 0.9, "n": 4000, "doubt": ""}),
    plots.DensityDisplay({**CHAINS, **DENSITY, "level": 0.9, "n": 40, "doubt": "The chains do not agree."}),
    plots.DependenceDisplay(DEPENDENCE),
    plots.DistortionDisplay({**DISTORTION, "all_pairs": False, "theorem": "no theorem promises it"}),
    plots.EigengapDisplay(GAPS),
    plots.SimilarityGraphDisplay(JOINED),
    plots.EnergyDisplay(ENERGIES),
    plots.EvidenceDisplay(EVIDENCE),
    plots.GrowthDisplay(GROWTH),
    plots.ImportancesDisplay(BINARY["model"]["importances"], "rise of log-loss (nats)"),
    plots.InteractionsDisplay({"rows": PAIRS, "scale": "raw score"}),
    plots.IntervalPairsDisplay(BESIDE, 0.95),
    plots.KernelMatrixDisplay(MATRIX),
    plots.LearningCurveDisplay(BINARY["learning_curve"]),
    plots.MarginsDisplay(VOTE),
    plots.MixtureDisplay(PARTS_OF_A_MIXTURE),
    plots.MixtureDisplay(ONE_COLUMN),
    plots.MixtureCriterionDisplay(BEHIND),
    plots.ModelSelectionGridDisplay(MAP),
    plots.NetworkDisplay(NETWORK.view()),
    plots.NetworkDisplay(
        er.NetworkGraph([np.ones((30, 40)), np.eye(40, 2)], [np.ones(40), np.ones(2)], "ab").view(2)
    ),
    plots.ObservedDisplay(REST["observed"], "quality (points)"),
    plots.PathDisplay(er.path(er.Lasso(), np.diag([3.0, 2.0, 1.0, 0.5]), np.array([1.0, -2.0, 3.0, 1.0]))),
    plots.PrecisionRecallDisplay(CHOSEN["pr"], ">50K"),
    plots.ProcessDisplay(PROCESS),
    plots.QuantilesDisplay(REST["quantiles"]),
    plots.RanksDisplay({**CHAINS, "counts": [[30, 20, 10], [10, 20, 30]]}),
    plots.RegressionMixtureDisplay(LINES),
    plots.ReplicatedDisplay(REPLICATED),
    plots.ResidualsDisplay(REST["residuals"], "quality (points)"),
    plots.RocDisplay(CHOSEN["roc"], ">50K"),
    plots.ScoresDisplay(CHOSEN["scores"], ">50K", "<=50K"),
    plots.ScreeDisplay({**SCREE, "kept": 2, "columns": 4, "explained": 0.87}),
    plots.SelectionCurveDisplay(BINARY["selection_curves"][0], BINARY["selection"], "Logistic regression"),
    plots.ShapleyRowDisplay({"base": 1.0, "score": 1.3, "scale": "raw score", "parts": ROW_PARTS}),
    plots.ShapleySummaryDisplay(SHAPLEY),
    plots.ThresholdsDisplay(
        {
            "x": [0.0, 0.3, 1.0],
            "value": [0.9, 0.4, 0.5],
            "low": [0.8, 0.3, 0.4],
            "high": [1.0, 0.5, 0.6],
            "n": 90,
        },
        share(0.3),
        share(0.4),
        "a rather long name of a class",
    ),
    plots.TraceDisplay({**CHAINS, "every": 2, "chains": [[0.1, -0.3, 0.2], [0.3, 0.0, -0.2]]}),
    plots.TreeDisplay(Wording(TREE.tree_, ["age", "dose"], [None, None]), TREE.classes_, 3),
    plots.VoteRoundsDisplay(VOTE, [0.4, 0.35, 0.34]),
    plots.RoundsDisplay(
        {"train": [0.7, 0.5, 0.4], "validation": line(0.7, 0.6, 0.62), "kept": 1, "against_none": share(-0.1)}
    ),
    plots.WinnersCurseDisplay(CURSE),
]
NAMED = [type(d).__name__ for d in DISPLAYS]


def test_every_registered_chart_is_tested() -> None:
    complete(NAMED, plots.DISPLAYS, "an example", "DISPLAYS in tests/plots/test_displays.py")


@pytest.mark.parametrize("display", DISPLAYS, ids=NAMED)
def test_a_chart_says_its_message_and_labels_its_axes(display: Display) -> None:
    from matplotlib.axes import Axes

    ax = display.plot().axes
    assert isinstance(ax, Axes)
    assert ax.get_title(loc="left").replace("\n", " ") == display.title
    assert ax.get_xlabel()
    assert ax.get_ylabel() or not ax.get_yticks().size
    assert ax.get_legend() is None
    assert re.search(r"\d", display.title + display.description)


@pytest.mark.parametrize("display", DISPLAYS, ids=NAMED)
def test_a_chart_draws_on_given_axes(display: Display) -> None:
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert display.plot(ax).axes is ax


@pytest.mark.parametrize("display", DISPLAYS, ids=NAMED)
def test_svg_is_reproducible_unique_and_themed(display: Display) -> None:
    first, second = inline_svg(display, "a"), inline_svg(display, "a")
    assert first == second
    other = inline_svg(display, "b")
    ids = [set(re.findall(r'\bid="([^"]+)"', svg)) for svg in (first, other)]
    assert not ids[0] & ids[1]
    assert "var(--" in first
    assert not re.search(r"#[0-9a-f]{6}\b", first)
    assert "<metadata" not in first


@pytest.mark.parametrize("name", ["$\\frac{", "日本語の列", "a\x00b\x1b", "#1c1e21", "url(#a)", "x" * 400])
def test_any_name_can_be_drawn(name: str) -> None:
    rows = [{"column": name, "value": BINARY["model"]["importances"][0]["value"]}]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        svg = inline_svg(plots.ImportancesDisplay(rows, "rise"), "p")
    shown = "".join(re.findall(r">([^<]+)</text>", svg))
    assert name[:3].replace("\x00", " ").split()[0][:1] in shown


def test_without_intervals_charts_still_draw() -> None:
    bare = {**BINARY["learning_curve"], "extrapolation": None, "train": None}
    bare["validation"] = {**bare["validation"], "low": None, "high": None}
    assert "goes from" in plots.LearningCurveDisplay(bare).plot().axes.get_title(loc="left").replace(
        "\n", " "
    )
    for key, kind in (("roc", plots.RocDisplay), ("pr", plots.PrecisionRecallDisplay)):
        kind({**CHOSEN[key], "low": None, "high": None}, "yes").plot()


def test_without_intervals_no_agreement_is_claimed() -> None:
    none = {"low": None, "high": None, "reason": "Too few rows."}
    bins = [{**b, "mean": {**b["mean"], **none}} for b in REST["residuals"]["bins"]]
    for kind in (plots.ResidualsDisplay, plots.ObservedDisplay):
        assert kind({"bins": bins}, "quality").title.endswith("none has an interval")
    shares = [{**b, "observed": {**b["observed"], **none}} for b in CHOSEN["calibration"]["bins"]]
    assert plots.CalibrationDisplay({"about": "p", "bins": shares}).title.endswith("no bin has an interval")


def _gain(low: float, high: float) -> dict[str, Any]:
    e = {"value": (low + high) / 2, "low": low, "high": high, "level": 0.95, "n": 9, "method": "m"}
    return {**BINARY["learning_curve"], "extrapolation": {"n_rows": 99, "score": None, "gain": e}}


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.1, 0.2, "would be better by"), (-0.2, -0.1, "would be no better"), (-0.1, 0.2, "cannot be told")],
)
def test_the_learning_curve_says_what_the_interval_says(low: float, high: float, said: str) -> None:
    assert said in plots.LearningCurveDisplay(_gain(low, high)).title


def test_the_calibration_counts_bins_off_the_line() -> None:
    bins = json.loads(json.dumps(CHOSEN["calibration"]))
    bins["bins"][3]["predicted"] = 0.99
    assert plots.CalibrationDisplay(bins).title.startswith("In 1 of 10 bins")
    assert plots.CalibrationDisplay(CHOSEN["calibration"]).title.startswith("No bin of 10 shows")


def test_the_confusion_names_the_most_frequent_error() -> None:
    c = {"labels": ["a", "b", "c"], "counts": [[5, 1, 0], [0, 7, 3], [0, 0, 9]], "recall": None}
    assert plots.ConfusionDisplay(c).title == "The most frequent error: 3 of 10 b rows are taken for c"


def test_the_map_of_a_search_says_who_is_best_who_is_close_and_what_the_zoom_brought() -> None:
    display = plots.ModelSelectionGridDisplay(MAP)
    assert display.title == (
        "log_loss is lowest (0.4) at alpha = 0.001, gamma of kernel = 2; "
        "1 of 4 others is within one standard error"
    )
    for said in (
        "A finer grid of 1 setting around the best found none better.",
        "alpha from 0.001 to 0.03 and gamma of kernel 2",
        "Chosen as the simplest within one standard error: alpha = 0.03, gamma of kernel = 2.",
        "The best alpha is the lowest tried",
        "All have epsilon = 0.1",
    ):
        assert said in display.description
    alone = [{**s, "within": k == 1} for k, s in enumerate(MAP["settings"])]
    lonely = plots.ModelSelectionGridDisplay({**MAP, "settings": alone})
    assert lonely.title.endswith("no other setting is within one standard error")
    gone = {**MAP, "missing": [{"x": 1.0, "y": 0.5, "state": "failed"}]}
    assert "1 setting without a score (failed)" in plots.ModelSelectionGridDisplay(gone).description


def test_the_matrix_of_a_kernel_says_what_is_alike_and_when_it_is_no_kernel() -> None:
    display = plots.KernelMatrixDisplay(MATRIX)
    assert display.title == (
        "gaussian (gamma = 1): rows of one class are alike by 0.8 on average, of different classes by −0.05"
    )
    for said in ("on 3 of 30 rows", "no 0.8 and yes has one row", "The smallest eigenvalue is 0.17"):
        assert said in display.description
    broken = {**MATRIX["eigenvalue"], "smallest": -0.5, "holds": False}
    refused = plots.KernelMatrixDisplay({**MATRIX, "eigenvalue": broken})
    assert refused.title.endswith("an eigenvalue is −0.5, and its witness weighs rows 4, 2 and 9 most")
    assert [t.get_text() for t in refused.plot().axes.texts if "row" in t.get_text()] == [
        "◄ row 4", "◄ row 2", "◄ row 9"
    ]  # fmt: skip
    noted = plots.KernelMatrixDisplay({**MATRIX, "note": "no two rows are alike to the kernel"})
    assert noted.title == "no two rows are alike to the kernel"
    one = {**MATRIX, "classes": [""], "sizes": [3], "likeness": [[0.23]], "within": 0.23, "between": None}
    assert plots.KernelMatrixDisplay(one).title.endswith("two different rows are alike by 0.23 on average")


def test_plots_use_no_pyplot_and_change_no_setting() -> None:
    code = (
        "import sys, json, matplotlib as m; before = m.rcParams.copy()\n"
        "from empirisk import plots\n"
        f"r = json.load(open({str(FIXTURES / 'example_classification.json')!r}, encoding='utf-8'))\n"
        "plots.RocDisplay(r['test']['roc'], 'x').plot()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
        "changed = [k for k in before if k != 'backend' and m.rcParams[k] != before[k]]\n"
        "assert not changed, changed\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_evidence_charts_say_what_their_numbers_say() -> None:
    assert "1 of 2 bounds" in plots.BoundsDisplay(LADDER, "error").title
    assert plots.BoundsDisplay(LADDER[1:], "error").title.startswith("None of the 1 bounds")
    sure = [{"label": "Ridge", "probability": 0.999}]
    assert plots.BestProbabilityDisplay(sure).title == "Ridge is best with a probability of over 99 %"
    assert plots.CoverageDisplay(COVERED[1:], 0.95).title.startswith("None of 1 intervals")
    unknown = [p for p in PARTS if p["part"] == "approximation"]
    assert plots.AttributionDisplay(unknown, "error", share(0.3)).title.endswith("no part can be told")
    huge = {"name": "Boxes", "m": [2000], "growth": [2000**4], "exact": False, "vc_dimension": 4}
    assert "at most about 10¹³" in plots.GrowthDisplay(huge).title
    everything = {"name": "Sine", "m": [1, 5], "growth": [2, 32], "exact": True, "vc_dimension": None}
    assert plots.GrowthDisplay(everything).title == "Sine realise all 32 labellings of 5 points"


@pytest.mark.parametrize("name", ["s5", "worst concave points"])
def test_words_about_a_row_stay_on_the_figure(name: str) -> None:
    parts = [{"name": name, "value": v, "x": "0.2575"} for v in (36.3, -9.18, 6.48)]
    display = plots.ShapleyRowDisplay(
        {"base": 152.4, "score": 196.0, "scale": "raw score of 1", "parts": parts}
    )
    ax = display.plot().axes
    ax.figure.canvas.draw()
    whole = ax.figure.bbox
    for words in (ax._left_title, ax.xaxis.label):
        extent = words.get_window_extent()
        assert whole.x0 <= extent.x0, words
        assert extent.x1 <= whole.x1, words


def test_ratios_within_a_decade_have_ticks_that_can_be_read() -> None:
    ends = {"value": 1.1, "low": 0.6, "high": 1.4, "level": 0.95, "n": 90, "method": "", "reason": ""}
    plot = plots.EffectsDisplay([{"label": "age", "value": ends}], "odds ratio", 0.95, 1.0, True).plot()
    plot.figure.canvas.draw()
    low, high = plot.axes.get_xlim()
    words = [t.get_text() for t in plot.axes.get_xticklabels() if low <= t.get_position()[0] <= high]
    assert len([w for w in words if w]) >= 3
