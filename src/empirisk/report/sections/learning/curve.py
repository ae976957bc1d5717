"""The learning curve: the loss over the number of rows, and what twice the rows would bring."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from empirisk import plots
from empirisk.curves.learning_result import LearningCurve
from empirisk.report.estimates import band as band_of
from empirisk.report.estimates import estimate
from empirisk.report.fit.held_out_scores import LABELS, unit_of
from empirisk.report.sections import prose
from empirisk.report.sections.base import Chart, Material
from empirisk.report.sections.methods import Pairs, point
from empirisk.report.sections.prose import esc, told
from empirisk.report.shapes.checkers import (
    Record,
    ReportSchemaError,
    boolean,
    integer,
    list_of,
    nullable,
    string,
)
from empirisk.report.shapes.values import MAX_POINTS, band, maybe_estimate
from empirisk.results import Estimate
from empirisk.wording import brief, count, listed

__all__ = ["CURVE", "collect_curve", "cross_curve", "curve_charts", "curve_estimates", "curve_markdown"]

Json = dict[str, Any]


CURVE = Record(
    {
        "label": string,
        "unit": nullable(string),
        "greater_is_better": boolean,
        "x": list_of(integer, least=2, most=MAX_POINTS),
        "train": nullable(band),
        "validation": band,
        "extrapolation": nullable(
            Record({"n_rows": integer, "score": maybe_estimate, "gain": maybe_estimate})
        ),
        "sentence": nullable(string),
    }
)


def cross_curve(report: Json) -> None:
    """Check that the curve has one value for each number of rows."""
    learning = report["learning_curve"]
    for key in ("train", "validation") if learning else ():
        if learning[key] is not None and len(learning[key]["value"]) != len(learning["x"]):
            raise ReportSchemaError(f"learning_curve.{key}.value", "must be as long as x")


def collect_curve(m: Material) -> Json | None:
    """Return the learning curve with bands, and what twice the rows would bring; None when there is no
    curve.
    """
    a, unit = m.analysis, m.unit
    curve = a.curve
    if curve is None:
        why = (
            "The constant prediction was chosen."
            if not a.model.fitted
            else f"{a.prepared.train.n:,} training rows are too few to take parts of them."
        )
        if a.prepared.train.weights is not None:
            why = "Learning curves count every row once, and these rows have weights."
        elif a.model.fitted and a.prepared.plan.cuts:
            why = "Left out to keep the time limit."
        m.absent["learning_curve"] = why
        return None
    # A size at which some loss is infinite has no place in a picture; the sentence says where.
    shown = [i for i, e in enumerate(curve.validation) if np.isfinite(e.value)]
    if len(shown) < 2:
        m.absent["learning_curve"] = prose.sentence(_nothing(curve))
        return None
    name = curve.loss
    held, trained = ([part[i] for i in shown] for part in (curve.validation, curve.train))
    more = curve.extrapolate(2.0)
    score, gain = more.loss[0], more.gain[0]
    known = gain.low is not None
    ahead = {"n_rows": more.rows[0], "score": estimate(score), "gain": estimate(gain)}
    return {
        "label": LABELS[name],
        "unit": unit_of(name, unit),
        "greater_is_better": False,
        "x": [curve.sizes[i] for i in shown],
        "train": band_of(trained, f"pointwise; {trained[0].method}"),
        "validation": band_of(held, f"pointwise; {held[0].method}; {curve.method}"),
        "extrapolation": ahead if known else None,
        "sentence": _curve_sentence(curve, gain, LABELS[name]) + _beside_test(m, held[-1], name),
    }


def _beside_test(m: Material, last: Estimate, name: str) -> str:
    """Return how the end of the curve stands beside the loss of the test rows; "" where these have none."""
    tested = next((row["model"] for row in m.made["test"]["metrics"] if row["name"] == name), None)
    if tested is None:
        return ""
    return (
        f" The curve ends at {brief(estimate(last))}, which is of rows that the folds held out; the test rows"
        f" have {brief(tested)}: other rows, and a fit on all of the training part."
    )


def _nothing(curve: LearningCurve) -> str:
    """Return why a curve has fewer than two sizes that can be shown."""
    reasons = [e.reason for e in curve.validation if not np.isfinite(e.value)]
    return reasons[0] if reasons else f"{curve.n:,} training rows are too few to take parts of them"


def _curve_sentence(curve: LearningCurve, gain: Estimate, label: str) -> str:
    """Return what twice the rows would bring, or why that cannot be told."""
    left = [f"{n:,}" for n, e in zip(curve.sizes, curve.validation, strict=True) if not np.isfinite(e.value)]
    said = f" The {label} at {listed(left)} training rows is infinite and not shown." if left else ""
    if gain.low is None:
        return f"What more rows would bring cannot be told: {gain.reason}.{said}"
    shown = brief(estimate(gain))
    twice = f"Twice the rows ({2 * curve.n:,} in place of the {curve.n:,} of the training part)"
    if gain.low > 0.0:
        return f"{twice} would lower the {label} by about {shown}, if returns go on diminishing.{said}"
    return f"{twice} were not shown to lower the {label} ({shown}).{said}"


def curve_estimates(curve: Json | None) -> Pairs:
    """Return the estimates at the last size of a curve and at its extrapolation, each with its label."""
    if curve is None:
        return []
    pairs: Pairs = [("learning curve, held out", point(curve["validation"], 0))]
    if curve["train"] is not None:
        pairs.append(("learning curve, training rows", point(curve["train"], 0)))
    more = curve["extrapolation"]
    return pairs + (
        [("learning curve, expected", more["score"]), ("gain of more rows", more["gain"])] if more else []
    )


def curve_charts(report: Json) -> Iterator[Chart]:
    """Yield the picture of the curve, where there is one."""
    curve = report["learning_curve"]
    if curve:
        shown = partial(plots.LearningCurveDisplay, curve)
        yield Chart("learning", "the learning curve", shown, curve["validation"], "learning")


def curve_markdown(r: Json) -> prose.Lines:
    """Return the learning curve as a table with its extrapolation, or the sentence why there is none."""
    c = r["learning_curve"]
    if c is None:
        nothing = "No learning curve was computed, so this report cannot tell whether more rows would help."
        return [esc(r["absent"].get("learning_curve", nothing)), ""]
    ends = sorted({0, len(c["x"]) // 2, len(c["x"]) - 1})
    rows = [[count(c["x"][i]), told(point(c["validation"], i))] for i in ends]
    more = c["extrapolation"]
    if more and more["score"]:
        rows.append([f"{count(more['n_rows'])} (expected)", told(more["score"])])
    lines = [esc(c["sentence"]), ""] if c["sentence"] else []
    unit = f" ({c['unit']})" if c["unit"] else ""
    return lines + prose.table(["Training rows", esc(f"Held-out {c['label']}{unit}")], rows)
