"""The section on the test part."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.held_out_scores import comparison, confusion, metric_names
from empirisk.report.sections.curves import calibration, pr_curve, roc_curve, score_bins
from empirisk.report.sections.headline import headline_reason
from empirisk.report.sections.residuals import coverage, normal_quantiles, spread
from empirisk.report.sections.subgroups import subgroups
from empirisk.wording import counted

__all__ = ["held_out_section"]

Json = dict[str, Any]


def held_out_section(a: Analysis, unit: str | None, absent: dict[str, str]) -> Json:
    """Return the scores and pictures of the chosen model on the test part, which is used this once."""
    sample, level, section = a.prepared.test, a.prepared.level, a.guard.section
    found = [comparison(a.scores, name, unit) for name in metric_names(sample.task, a.prepared.plan.family)]
    model, classes = a.scores.model, sample.classes
    out: Json = {
        "n_rows": sample.n,
        "sentence": (
            f"{sample.n:,} rows that played no part in fitting or choosing, used once."
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
        "subgroups": section("test.subgroups", lambda: subgroups(sample, a.z_test, level, unit)),
    }
    if sample.task == "regression":
        out |= _regression(a, absent)
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
        out["scores"] = section("test.scores", lambda: score_bins(model, level))
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
    return out


def _regression(a: Analysis, absent: dict[str, str]) -> Json:
    y, z, level, groups = a.prepared.test.y, a.z_test, a.prepared.level, a.prepared.test.groups
    residuals = y - z
    out_of_fold = np.sqrt(a.choice.row.losses[0])
    section = a.guard.section
    out: Json = {
        "observed": section("test.observed", lambda: spread(z, y, level, groups)),
        "residuals": section("test.residuals", lambda: spread(z, residuals, level, groups)),
        "quantiles": section("test.quantiles", lambda: normal_quantiles(residuals, level)),
        "coverage": section("test.coverage", lambda: coverage(out_of_fold, residuals, level, groups)),
    }
    for key in ("observed", "residuals", "quantiles"):
        if out[key] is None:
            absent[f"test.{key}"] = (
                f"The test part has {counted(y.size, 'row')}, and at least ten that differ are needed."
            )
    return out
