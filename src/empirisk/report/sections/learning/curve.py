"""The learning curve: the loss over the number of rows, and what twice the rows would bring."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from empirisk import plots
from empirisk.report.estimates import band as band_of
from empirisk.report.estimates import estimate, maybe
from empirisk.report.fit.engine import Analysis
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
from empirisk.wording import brief, count

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
    a, unit, name = m.analysis, m.unit, m.tuned
    curve = a.curve
    if curve is None:
        why = (
            "The constant prediction was chosen."
            if not a.model.fitted
            else f"{a.prepared.train.n:,} training rows are too few to take parts of them."
        )
        if a.model.fitted and a.prepared.plan.cuts:
            why = "Left out to keep the time limit."
        m.absent["learning_curve"] = why
        return None
    first = curve.validation[0]
    return {
        "label": LABELS[name],
        "unit": unit_of(name, unit),
        "greater_is_better": False,
        "x": curve.sizes,
        "train": {
            "value": curve.train,
            "low": None,
            "high": None,
            "level": first.level,
            "n": first.n,
            "method": "mean over the fits",
        },
        "validation": band_of(curve.validation, f"pointwise; {first.method}"),
        "extrapolation": (
            None
            if curve.gain is None
            else {"n_rows": 2 * a.prepared.train.n, "score": None, "gain": maybe(curve.gain)}
        ),
        "sentence": _curve_sentence(a, LABELS[name]),
    }


def _curve_sentence(a: Analysis, label: str) -> str:
    gain = None if a.curve is None else a.curve.gain
    if gain is None or gain.low is None:
        return "What more rows would bring cannot be told from so few sizes."
    shown = brief(estimate(gain))
    if gain.low > 0.0:
        return f"Twice the rows would lower the {label} by about {shown}."
    return f"Twice the rows were not shown to lower the {label} ({shown})."


def curve_estimates(curve: Json | None) -> Pairs:
    """Return the estimates at the last size of a curve and at its extrapolation, each with its label."""
    if curve is None:
        return []
    pairs: Pairs = [("held out", point(curve["validation"], 0))]
    if curve["train"] is not None:
        pairs.append(("training rows", point(curve["train"], 0)))
    more = curve["extrapolation"]
    return pairs + ([("expected", more["score"]), ("gain", more["gain"])] if more else [])


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
    rows = [[count(n), told(point(c["validation"], i))] for i, n in enumerate(c["x"])]
    more = c["extrapolation"]
    if more and more["score"]:
        rows.append([f"{count(more['n_rows'])} (expected)", told(more["score"])])
    lines = [esc(c["sentence"]), ""] if c["sentence"] else []
    return (
        lines
        + prose.table(["Training rows", esc(f"Held-out {c['label']}")], rows)
        + prose.how(curve_estimates(c))
    )
