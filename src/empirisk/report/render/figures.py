"""Which charts a report has, and where each gets its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from empirisk import plots
from empirisk.data.deadline import Deadline
from empirisk.plots.display import Display
from empirisk.report.render.svg import inline_svg
from empirisk.report.sections.guarded import LATE, failure
from empirisk.wording import count, listed, share

__all__ = ["Figure", "figures", "made_by"]

Json = dict[str, Any]
AFTER = 0.5  # seconds of computing that the rest of the page and the model file take


@dataclass(frozen=True)
class Figure:
    """A chart ready for the page: its message, a description, the picture, how the intervals were made."""

    key: str
    title: str
    description: str
    svg: str
    note: str


def made_by(e: Json) -> str:
    """Return the level, n and method of an estimate or a band, in one line; or why there is no interval."""
    if e["low"] is None or e["high"] is None:
        return f"no interval, n = {count(e['n'])}: {e.get('reason') or e['method']}"
    return f"{share(e['level'])}, n = {count(e['n'])}, {e['method']}"


def _displays(report: Json) -> Iterator[tuple[str, Callable[[], Display], Json | None]]:
    """Return the key of each chart, what makes it, and the numbers that its note is about."""
    task, selection, test, model = report["task"], report["selection"], report["test"], report["model"]
    label = {c["name"]: c["label"] for c in report["candidates"]}
    chosen = next(c for c in report["candidates"] if c["chosen"])
    if any(c["score"] for c in report["candidates"]):
        yield "candidates", partial(plots.CandidatesDisplay, report["candidates"], selection), chosen["score"]
    chances = [c for c in report["candidates"] if c["best_probability"] is not None]
    if len(chances) > 1:
        rows = [{"label": c["label"], "probability": c["best_probability"]} for c in chances]
        yield "best", partial(plots.BestProbabilityDisplay, rows), None
    if selection["winner"]:
        said = {key: selection[key] for key in ("label", "greater_is_better")}
        curse = selection["winner"] | said
        yield "winner", partial(plots.WinnersCurseDisplay, curse), curse["corrected"]
    for i, curve in enumerate(report["selection_curves"]):
        shown = partial(plots.SelectionCurveDisplay, curve, selection, label[curve["candidate"]])
        yield f"selection{i}", shown, curve["validation"]
    if task["kind"] == "binary":
        positive = task["positive"]
        negative = next(c for c in task["classes"] if c != positive)
        if test["roc"]:
            yield "roc", partial(plots.RocDisplay, test["roc"], positive), test["roc"]
        if test["pr"]:
            yield "pr", partial(plots.PrecisionRecallDisplay, test["pr"], positive), test["pr"]
        if test["scores"]:
            yield "scores", partial(plots.ScoresDisplay, test["scores"], positive, negative), None
    if test["calibration"] and test["calibration"]["bins"]:
        first = test["calibration"]["bins"][0]["observed"]
        shown = partial(plots.CalibrationDisplay, test["calibration"])
        yield "calibration", shown, {**first, "n": test["n_rows"]}
    if test["confusion"]:
        yield "confusion", partial(plots.ConfusionDisplay, test["confusion"]), None
    target = task["target"] + (f" ({task['unit']})" if task["unit"] else "")
    if test["observed"] and test["observed"]["bins"]:
        mean = test["observed"]["bins"][0]["mean"]
        shown = partial(plots.ObservedDisplay, test["observed"], target)
        yield "observed", shown, {**mean, "n": test["n_rows"]}
    if test["residuals"] and test["residuals"]["bins"]:
        mean = test["residuals"]["bins"][0]["mean"]
        shown = partial(plots.ResidualsDisplay, test["residuals"], target)
        yield "residuals", shown, {**mean, "n": test["n_rows"]}
    if test["quantiles"] and test["quantiles"]["x"]:
        yield "quantiles", partial(plots.QuantilesDisplay, test["quantiles"]), test["quantiles"]
    if model["coefficients"]:
        shown = partial(plots.CoefficientsDisplay, model["coefficients"], model["coefficients_unit"])
        yield "coefficients", shown, model["coefficients"][-1]["value"]
    if model["importances"]:
        words = model["importances_label"] or "rise of the loss"
        shown = partial(plots.ImportancesDisplay, model["importances"], words)
        yield "importances", shown, model["importances"][0]["value"]
    for i, d in enumerate(model["dependence"] or []):
        yield f"dependence{i}", partial(plots.DependenceDisplay, _dependence(d)), d
    if report["learning_curve"]:
        curve = report["learning_curve"]
        yield "learning", partial(plots.LearningCurveDisplay, curve), curve["validation"]
    if report["attribution"]:
        a = report["attribution"]
        yield "attribution", partial(plots.AttributionDisplay, a["parts"], a["label"], a["risk"]), a["risk"]
    if report["bounds"] and any(b["applies"] for b in report["bounds"]["rows"]):
        b = report["bounds"]
        yield "bounds", partial(plots.BoundsDisplay, b["rows"], b["label"], b["trivial"]), None


def _dependence(d: Json) -> Json:
    """Return a curve of the report as the chart of partial dependence takes it."""
    grid = [[v] for v in (range(len(d["labels"])) if d["x"] is None else d["x"])]
    return d | {"features": [d["column"]], "grid": grid, "categorical": d["x"] is None, "rows": []}


def figures(report: Json, deadline: Deadline | None = None) -> dict[str, Figure]:
    """All charts of a report, by key; one that cannot be drawn leaves its reason in its place.

    Parameters
    ----------
    report : dict
    deadline : Deadline, optional
        When no time is left, the charts that are still missing are left out.
    """
    until = deadline or Deadline(None)
    drawn: dict[str, Figure] = {}
    late: dict[str, list[str]] = {}
    for key, make, source in _displays(report):
        if until.left(AFTER * until.slowness) > 0.0:
            drawn[key] = _drawn(key, make, source)
        else:
            late.setdefault(_kind(key)[1], []).append(key)
    return drawn | {keys[0]: _left_out(keys) for keys in late.values()}


# What each chart shows, and the place of the page that it shares with others.
_PLACES = {
    "candidates": ("the candidates", "candidates"),
    "best": ("the probability of being best", "candidates"),
    "winner": ("the winner's curse", "candidates"),
    "selection": ("the losses over the penalty", "candidates"),
    "roc": ("the ROC curve", "test"),
    "pr": ("the precision-recall curve", "test"),
    "scores": ("the scores by class", "threshold"),
    "calibration": ("the calibration", "test"),
    "confusion": ("the confusion matrix", "test"),
    "observed": ("observed against predicted values", "test"),
    "residuals": ("the residuals", "test"),
    "quantiles": ("the normal quantiles", "test"),
    "coefficients": ("the coefficients", "model"),
    "importances": ("the importances", "model"),
    "dependence": ("the partial dependence", "dependence"),
    "learning": ("the learning curve", "learning"),
    "attribution": ("where the error comes from", "attribution"),
    "bounds": ("the bounds", "bounds"),
}


def _kind(key: str) -> tuple[str, str]:
    return _PLACES[key.rstrip("0123456789")]


def _left_out(keys: Sequence[str]) -> Figure:
    """Return one line for all charts of a place that the time limit left out."""
    names = listed(list(dict.fromkeys(_kind(key)[0] for key in keys)))
    title, it, its = (
        (f"The chart of {names} is missing here", "It", "Its")
        if len(keys) == 1
        else (f"{len(keys)} charts are missing here ({names})", "They", "Their")
    )
    why = LATE if len(keys) == 1 else LATE.replace("was", "were", 1)
    said = f"{it} {why} {its} numbers stand in report.json."
    return Figure(keys[0], title, said, "", said)


def _drawn(key: str, make: Callable[[], Display], source: Json | None) -> Figure:
    note = made_by(source) if source else ""
    try:
        shown = make()
        return Figure(key, shown.title, shown.description, inline_svg(shown, key), note)
    except Exception as error:
        said = failure("This chart", error)
        title = f"The chart of {_kind(key)[0]} is missing here"
        return Figure(key, title, said, "", f"{said} Its numbers stand in report.json.")
