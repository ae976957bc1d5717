"""What the folded parts of the section on the test part say in one line each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from empirisk.report.read.named_units import with_unit
from empirisk.report.sections import prose
from empirisk.wording import brief, count, listed, percent, plain, shorten

__all__ = [
    "better",
    "classes_told",
    "coverage_told",
    "groups_told",
    "lowest_first",
    "observed_head",
    "observed_said",
]

Json = dict[str, Any]


def better(metrics: Sequence[Json]) -> str:
    """Return which way is better, and which constant the baseline is, once for all metrics of a table."""
    lower = [m["label"] for m in metrics if not m["greater_is_better"]]
    higher = [m["label"] for m in metrics if m["greater_is_better"]]
    if not lower or not higher:
        return f"{'Higher' if higher else 'Lower'} is better.{_constants(metrics)}"
    few, way, other = (lower, "Lower", "higher") if len(lower) <= len(higher) else (higher, "Higher", "lower")
    return f"{way} is better for {listed(few)}; {other} for the others.{_constants(metrics)}"


def _constants(metrics: Sequence[Json]) -> str:
    """Return which metric is compared with another constant than the mean, as a sentence; "" for none."""
    other = [f"{m['constant']}, for the {m['label']}" for m in metrics if m.get("constant")]
    return f" The baseline is the {listed(other)}, and the mean for the others." if other else ""


def lowest_first(confusion: Json) -> list[int]:
    """Return the positions of the classes, those of which the smallest share is found first, and those
    without a row in the test part last.
    """
    positions = range(len(confusion["labels"]))
    if not confusion["recall"]:
        return list(positions)
    found = [e["value"] for e in confusion["recall"]]
    return sorted(positions, key=lambda i: math.inf if found[i] is None else found[i])


def classes_told(confusion: Json | None) -> str:
    """Return which class is found least often."""
    if not confusion or not confusion["recall"]:
        return "Class by class"
    i = lowest_first(confusion)[0]
    if confusion["recall"][i]["value"] is None:
        return "Class by class"
    found = brief(prose.per_cent(confusion["recall"][i]))
    return f"Class by class: found least often is {shorten(confusion['labels'][i], 30)}, {found} %"


def groups_told(groups: Json | None) -> str:
    """Return in which group of rows the score is worst."""
    rows = [g for g in (groups or {"groups": []})["groups"] if g["score"]["value"] is not None]
    if not groups or not rows:
        return "Groups of rows"
    shown = prose.in_units(groups)
    best = max if not groups["greater_is_better"] else min
    worst = best(shown["groups"], key=lambda g: g["score"]["value"])
    unit = f" {shown['unit']}" if shown["unit"] else ""
    where = f"{shorten(worst['column'], 24)} = {shorten(worst['value'], 24)}"
    return (
        f"{count(len(rows))} groups of rows: worst {groups['label']} {brief(worst['score'])}{unit} ({where})"
    )


def observed_head(groups: Json | None, task: Json) -> str:
    """Return the head of the column that says what the rows of each group show of the target; "" for none."""
    rows = groups["groups"] if groups else []
    if not rows or any(g.get("observed") is None for g in rows):
        return ""
    if task["kind"] == "regression":
        return f"Mean of {with_unit(task['target'], task['unit'])}"
    return f"Are {shorten(str(task['positive']), 24)}"


def observed_said(value: float, task: Json) -> str:
    """Return what the rows of a group show of the target: a mean, or a share in per cent."""
    return plain(value, 3) if task["kind"] == "regression" else percent(value)


def coverage_told(coverage: Sequence[Json] | None) -> str:
    """Return what the widest of the prediction intervals promised, and what they kept."""
    if not coverage:
        return "Prediction intervals"
    last = max(coverage, key=lambda c: float(c["nominal"]))
    kept = brief(prose.per_cent(last["observed"]))
    return f"Prediction intervals: promised {percent(last['nominal'])}, observed {kept} %"
