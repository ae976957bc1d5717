"""The section "Test": scores and pictures of the chosen model on the test part, which is used this once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np

from empirisk import plots
from empirisk.evaluation.pictures.calibration import calibration
from empirisk.evaluation.pictures.confusion import confusion
from empirisk.evaluation.pictures.costs import ThresholdCost, costs
from empirisk.evaluation.pictures.ranks import pr_curve, roc_curve
from empirisk.evaluation.pictures.residuals import coverage, normal_quantiles, spread
from empirisk.evaluation.pictures.scores import score_bins
from empirisk.plots.confusion import NUMBERED
from empirisk.report.fit.held_out_scores import about_groups, comparison, metric_names
from empirisk.report.read.named_units import with_unit
from empirisk.report.sections import prose
from empirisk.report.sections.base import Chart, Material, Section
from empirisk.report.sections.methods import Pairs
from empirisk.report.sections.test.markdown import test_markdown
from empirisk.report.sections.test.shapes import TESTED
from empirisk.report.sections.test.subgroups import subgroups
from empirisk.report.sections.test.told import (
    better,
    classes_told,
    coverage_told,
    groups_told,
    observed_head,
    observed_said,
)
from empirisk.report.sections.verdict.headline import headline_reason
from empirisk.wording import counted

__all__ = ["TEST"]

Json = dict[str, Any]


def _test(m: Material) -> Json:
    """Return the scores and pictures of the chosen model on the test part, which is used this once."""
    a, unit, absent, section = m.analysis, m.unit, m.absent, m.part
    sample, level = a.prepared.test, a.prepared.level
    found = [comparison(a.scores, name, unit) for name in metric_names(sample.task, a.prepared.plan.family)]
    model, classes = a.scores.model, sample.classes
    out: Json = {
        "n_rows": sample.n,
        "sentence": (
            f"{counted(sample.n, 'row')} that played no part in fitting or choosing, used once."
            f" {headline_reason(a.prepared.train)}"
        ).rstrip(),
        "metrics": [m for m in found if m is not None],
        **dict.fromkeys(
            (
                "roc",
                "pr",
                "calibration",
                "confusion",
                "scores",
                "observed",
                "residuals",
                "quantiles",
                "coverage",
            )
        ),
        "subgroups": section("test.subgroups", lambda: subgroups(sample, model, level, unit)),
    }
    if sample.task == "regression":
        out |= _regression(m)
    else:
        out["confusion"] = section("test.confusion", lambda: confusion(model, classes, level))
        out["calibration"] = section("test.calibration", lambda: calibration(model, classes, level))
        if out["calibration"] is not None and out["calibration"]["test"] is None:
            absent["test.calibration.test"] = (
                "Rows of one group depend on each other, and the test is for rows that do not."
                if model.groups is not None
                else "The test part is too small, or its probabilities are all alike."
            )
    if sample.task == "binary":
        if model.weights is None:
            out["scores"] = section("test.scores", lambda: score_bins(model, level))
        else:
            absent["test.scores"] = "The intervals of expected costs are for rows that count alike."
        out["roc"] = section("test.roc", lambda: roc_curve(model, level))
        out["pr"] = section("test.pr", lambda: pr_curve(model, level))
        if not a.model.fitted:
            out["roc"] = out["pr"] = None
            absent |= dict.fromkeys(("test.roc", "test.pr"), "A constant prediction ranks nothing.")
        elif out["roc"] is None:
            absent |= dict.fromkeys(("test.roc", "test.pr"), "The test part holds one class only.")
    if out["subgroups"] is None:
        absent["test.subgroups"] = (
            "No categorical column has at least two and at most six levels with 100 test rows each."
        )
    return about_groups(out, a.prepared.train, sample)


def _regression(m: Material) -> Json:
    a, section = m.analysis, m.part
    y, z, level, groups = (
        a.prepared.test.y,
        a.scores.model.output("pred"),
        a.prepared.level,
        a.prepared.test.groups,
    )
    w, residuals, losses = a.scores.model.weights, y - z, a.choice.row.losses[0]
    out_of_fold = np.sqrt(losses[~np.isnan(losses)])
    even = not a.prepared.test.beside  # the errors of all rows are alike, and count alike
    out: Json = {
        "observed": section("test.observed", lambda: spread(z, y, level, groups, w)),
        "residuals": section("test.residuals", lambda: spread(z, residuals, level, groups, w)),
        "quantiles": section("test.quantiles", lambda: normal_quantiles(residuals, level, w)),
        "coverage": section("test.coverage", lambda: coverage(out_of_fold, residuals, level, groups))
        if even
        else None,
    }
    if not even:
        m.absent["test.coverage"] = (
            "Intervals of one width for all rows are not judged, because rows differ in their exposure or "
            "weight."
        )
    for key in ("observed", "residuals", "quantiles"):
        if out[key] is None:
            m.absent[f"test.{key}"] = (
                f"The test part has {counted(y.size, 'row')}, and at least ten that differ are needed."
            )
    return out


def _comparison(metric: Json) -> Pairs:
    return [
        (metric["label"], metric["model"]),
        (metric["label"], metric["baseline"]),
        (f"difference in {metric['label']}", metric["difference"]),
    ]


def _simplest(report: Json) -> Pairs:
    """Return the pairs of the simplest model, which stands at the top alone."""
    simple, label = report["verdict"]["simplest"], report["verdict"]["headline"]["label"]
    told = (f"{label} of the simplest model", f"difference to it in {label}")
    return [] if simple is None else list(zip(told, (simple["estimate"], simple["difference"]), strict=True))


def _estimates(report: Json) -> dict[str, Pairs]:
    test = report["test"]
    table: Json = test["confusion"] or {}
    groups: Json = test["subgroups"] or {"groups": []}
    return {
        "test": [pair for metric in test["metrics"] for pair in _comparison(metric)] + _simplest(report),
        "confusion": [
            (f"{key} of each class", e) for key in ("recall", "precision") for e in table.get(key) or []
        ],
        "coverage": [("coverage of prediction intervals", c["observed"]) for c in test["coverage"] or []],
        "subgroups": [(f"{groups['label']} in groups of rows", g["score"]) for g in groups["groups"]],
    }


def _charts(report: Json) -> Iterator[Chart]:
    task, test = report["task"], report["test"]
    if task["kind"] == "binary":
        positive = task["positive"]
        negative = next(c for c in task["classes"] if c != positive)
        if test["roc"]:
            shown = partial(plots.RocDisplay, test["roc"], positive)
            yield Chart("roc", "the ROC curve", shown, test["roc"], "test")
        if test["pr"]:
            shown = partial(plots.PrecisionRecallDisplay, test["pr"], positive)
            yield Chart("pr", "the precision-recall curve", shown, test["pr"], "test")
        if test["scores"]:
            shown = partial(plots.ScoresDisplay, test["scores"], positive, negative)
            yield Chart("scores", "the scores by class", shown, None, "threshold")
    if test["calibration"] and test["calibration"]["bins"]:
        first = test["calibration"]["bins"][0]["observed"]
        shown = partial(plots.CalibrationDisplay, test["calibration"])
        yield Chart("calibration", "the calibration", shown, {**first, "n": test["n_rows"]}, "test")
    if test["confusion"]:
        shown = partial(plots.ConfusionDisplay, test["confusion"])
        yield Chart("confusion", "the confusion matrix", shown, None, "test")
    target = with_unit(task["target"], task["unit"])
    for key, what, display in (
        ("observed", "observed against predicted values", plots.ObservedDisplay),
        ("residuals", "the residuals", plots.ResidualsDisplay),
    ):
        if test[key] and test[key]["bins"]:
            mean = test[key]["bins"][0]["mean"]
            yield Chart(key, what, partial(display, test[key], target), {**mean, "n": test["n_rows"]}, "test")
    if test["quantiles"] and test["quantiles"]["x"]:
        shown = partial(plots.QuantilesDisplay, test["quantiles"])
        yield Chart("quantiles", "the normal quantiles", shown, test["quantiles"], "test")


def _thresholds(scores: dict[str, Any] | None) -> list[ThresholdCost]:
    """Return some twenty thresholds, with the chosen one among them, at equal costs."""
    if scores is None:
        return []
    every = max(1, (len(scores["edges"]) - 1) // 20)
    rows = enumerate(costs(scores))
    return [
        c for i, c in rows if (i and i % every == 0 and c.threshold < 1) or c.threshold == scores["threshold"]
    ]


def _per_hundred(report: dict[str, Any], c: ThresholdCost) -> dict[str, Any]:
    """Return the expected cost of a hundred cases as an estimate with its interval."""
    level, n = report["test"]["scores"]["level"], report["test"]["n_rows"]
    ends = {"value": 100 * c.cost, "low": 100 * c.low, "high": 100 * c.high}
    return {**ends, "level": level, "n": n, "method": "Wilson intervals, variances recovered"}


def _names(report: Json) -> Json:
    test = report["test"]
    return {
        "NUMBERED": NUMBERED,
        "z": lambda level: NormalDist().inv_cdf(0.5 + level / 2),
        "thresholds": _thresholds(test["scores"]),
        "per_hundred": lambda cost: _per_hundred(report, cost),
        "per_cent": prose.per_cent,
        "scored": [prose.in_units(metric) for metric in test["metrics"]],
        "better": better(test["metrics"]),
        "classes_told": classes_told(test["confusion"]),
        "grouped": prose.in_units(test["subgroups"]) if test["subgroups"] else None,
        "groups_told": groups_told(test["subgroups"]),
        "coverage_told": coverage_told(test["coverage"]),
        "observed_head": observed_head(test["subgroups"], report["task"]),
        "observed_said": lambda value: observed_said(value, report["task"]),
    }


TEST = Section(
    "test",
    "Can I trust this number?",
    {"test": TESTED},
    lambda m: {"test": _test(m)},
    test_markdown,
    "test/test.html.j2",
    charts=_charts,
    estimates=_estimates,
    names=_names,
    parts={
        "test.roc": "The ROC curve",
        "test.pr": "The precision-recall curve",
        "test.calibration": "The calibration",
        "test.confusion": "The confusion matrix",
        "test.scores": "The histogram of the scores",
        "test.observed": "The chart of observed against predicted values",
        "test.residuals": "The chart of the residuals",
        "test.quantiles": "The chart of the normal quantiles",
        "test.coverage": "The coverage of the prediction intervals",
        "test.subgroups": "The table of scores by group",
    },
)
