"""The section on what the model uses as Markdown: importances, the largest coefficients, dependence."""

from __future__ import annotations

from typing import Any

from empirisk.report.sections import prose
from empirisk.report.sections.methods import made_by
from empirisk.report.sections.prose import esc, told
from empirisk.wording import brief, shorten

__all__ = ["model_markdown"]

Json = dict[str, Any]
MOST = 8  # coefficients and importances that are listed, the largest first
CURVES = 1  # columns whose dependence is told


def model_markdown(r: Json) -> prose.Lines:
    """Return the lines of the section, from the whole report."""
    d = r["model"]
    lines = [esc(d["sentence"]), ""]
    lines += [*_importances(d), *_coefficients(d), *_dependence(d["dependence"] or [])]
    return lines + prose.absent(r, "model.coefficients", "model.importances", "model.dependence")


def _importances(d: Json) -> prose.Lines:
    rows = d["importances"] or []
    if not rows:
        return []
    shown = [[esc(shorten(i["column"], 60)), told(i["value"])] for i in rows[:MOST]]
    note = [esc(d["importances_note"]), ""] if d["importances_note"] else []
    head = ["Column", esc(d["importances_label"] or "Importance")]
    return [
        *note,
        *prose.table(head, shown),
        *prose.more_in_json(len(rows) - MOST, "more columns", "model.importances"),
    ]


def _coefficients(d: Json) -> prose.Lines:
    rows = d["coefficients"] or []
    if not rows:
        return []
    ranked = sorted((c for c in rows if not c["zero"]), key=lambda c: -_size(c))[:MOST]
    classes = any(c["class"] for c in ranked)
    table = [
        [
            esc(shorten(c["term"], 60)),
            *([esc(c["class"] or "")] if classes else []),
            prose.difference(c["value"]),
            prose.difference(c["per_sd"]),
        ]
        for c in ranked
    ]
    unit = f" ({d['coefficients_unit']})" if d["coefficients_unit"] else ""
    head = [
        "Largest terms",
        *(["Class"] if classes else []),
        esc(f"Per unit{unit}"),
        "Per standard deviation",
    ]
    note = [esc(d["coefficients_note"]), ""] if d["coefficients_note"] else []
    more = prose.more_in_json(len(rows) - len(ranked), "more terms", "model.coefficients")
    return [*note, *prose.table(head, table), *more]


def _size(c: Json) -> float:
    """Return how far a term moves the score for a standard deviation of its column."""
    scaled = c["per_sd"]
    return abs(float(scaled["value"])) if scaled and scaled["value"] is not None else 0.0


def _dependence(curves: list[Json]) -> prose.Lines:
    """Return the mean prediction at the ends and in the middle of the first columns."""
    lines = []
    for c in curves[:CURVES]:
        said = [f"{esc(str(c['labels'][i]))}: {_at(c, i)}" for i in _three(len(c["labels"]))]
        lines.append(f"- Mean {esc(c['scale'])} with {esc(c['column'])} at {'; '.join(said)}")
    return [*lines, "", f"Bands: {made_by(curves[0])}.", ""] if lines else []


def _three(n: int) -> list[int]:
    return sorted({0, n // 2, n - 1})


def _at(c: Json, i: int) -> str:
    """Return the mean at one place with its band, a probability in per cent."""
    e = {"value": c["value"][i], "low": c["band_low"][i], "high": c["band_high"][i]}
    if not c["scale"].startswith("probability"):
        return brief(e)
    return f"{brief(prose.per_cent(e))} %"
