"""Which charts a report has, and where each gets its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from empirisk import plots
from empirisk.plots.display import Display
from empirisk.plots.wording import count, share
from empirisk.report.svg import inline_svg

__all__ = ["Figure", "figures", "made_by"]

Json = dict[str, Any]


@dataclass(frozen=True)
class Figure:
    """A chart ready for the page: its message, a description, the picture, how the intervals were made."""

    key: str
    title: str
    description: str
    svg: str
    note: str


def made_by(e: Json) -> str:
    """Level, n and method of an estimate or a band, in one line; or why there is no interval."""
    if e["low"] is None or e["high"] is None:
        return f"no interval, n = {count(e['n'])}: {e.get('reason') or e['method']}"
    return f"{share(e['level'])}, n = {count(e['n'])}, {e['method']}"


def _displays(report: Json) -> Iterator[tuple[str, Display, Json | None]]:
    task, selection, test, model = report["task"], report["selection"], report["test"], report["model"]
    label = {c["name"]: c["label"] for c in report["candidates"]}
    chosen = next(c for c in report["candidates"] if c["chosen"])
    if any(c["score"] for c in report["candidates"]):
        yield "candidates", plots.CandidatesDisplay(report["candidates"], selection), chosen["score"]
    chances = [c for c in report["candidates"] if c["best_probability"] is not None]
    if len(chances) > 1:
        rows = [{"label": c["label"], "probability": c["best_probability"]} for c in chances]
        yield "best", plots.BestProbabilityDisplay(rows), None
    if selection["winner"]:
        said = {key: selection[key] for key in ("label", "greater_is_better")}
        curse = selection["winner"] | said
        yield "winner", plots.WinnersCurseDisplay(curse), curse["corrected"]
    for i, curve in enumerate(report["selection_curves"]):
        shown = plots.SelectionCurveDisplay(curve, selection, label[curve["candidate"]])
        yield f"selection{i}", shown, curve["validation"]
    if task["kind"] == "binary":
        positive = task["positive"]
        negative = next(c for c in task["classes"] if c != positive)
        if test["roc"]:
            yield "roc", plots.RocDisplay(test["roc"], positive), test["roc"]
        if test["pr"]:
            yield "pr", plots.PrecisionRecallDisplay(test["pr"], positive), test["pr"]
        if test["scores"]:
            yield "scores", plots.ScoresDisplay(test["scores"], positive, negative), None
    if test["calibration"] and test["calibration"]["bins"]:
        shown = plots.CalibrationDisplay(test["calibration"])
        first = test["calibration"]["bins"][0]["observed"]
        yield "calibration", shown, {**first, "n": test["n_rows"]}
    if test["confusion"]:
        yield "confusion", plots.ConfusionDisplay(test["confusion"]), None
    target = task["target"] + (f" ({task['unit']})" if task["unit"] else "")
    if test["observed"] and test["observed"]["bins"]:
        mean = test["observed"]["bins"][0]["mean"]
        yield "observed", plots.ObservedDisplay(test["observed"], target), {**mean, "n": test["n_rows"]}
    if test["residuals"] and test["residuals"]["bins"]:
        mean = test["residuals"]["bins"][0]["mean"]
        yield "residuals", plots.ResidualsDisplay(test["residuals"], target), {**mean, "n": test["n_rows"]}
    if test["quantiles"] and test["quantiles"]["x"]:
        yield "quantiles", plots.QuantilesDisplay(test["quantiles"]), test["quantiles"]
    if model["coefficients"]:
        shown = plots.CoefficientsDisplay(model["coefficients"], model["coefficients_unit"])
        yield "coefficients", shown, model["coefficients"][-1]["value"]
    if model["importances"]:
        shown = plots.ImportancesDisplay(
            model["importances"], model["importances_label"] or "rise of the loss"
        )
        yield "importances", shown, model["importances"][0]["value"]
    for i, d in enumerate(model["dependence"] or []):
        yield f"dependence{i}", plots.DependenceDisplay(_dependence(d)), d
    if report["learning_curve"]:
        yield (
            "learning",
            plots.LearningCurveDisplay(report["learning_curve"]),
            report["learning_curve"]["validation"],
        )
    if report["attribution"]:
        a = report["attribution"]
        yield "attribution", plots.AttributionDisplay(a["parts"], a["label"], a["risk"]), a["risk"]
    if report["bounds"] and any(b["applies"] for b in report["bounds"]["rows"]):
        b = report["bounds"]
        yield "bounds", plots.BoundsDisplay(b["rows"], b["label"], b["trivial"]), None


def _dependence(d: Json) -> Json:
    """A curve of the report as the chart of partial dependence takes it."""
    grid = [[v] for v in (range(len(d["labels"])) if d["x"] is None else d["x"])]
    return d | {"features": [d["column"]], "grid": grid, "categorical": d["x"] is None, "rows": []}


def figures(report: Json) -> dict[str, Figure]:
    """All charts of a report, by key."""
    return {
        key: Figure(
            key,
            display.title,
            display.description,
            inline_svg(display, key),
            made_by(source) if source else "",
        )
        for key, display, source in _displays(report)
    }
