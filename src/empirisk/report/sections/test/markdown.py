"""The section on the test part as Markdown: the scores, and the short form of what the page folds."""

from __future__ import annotations

from typing import Any

from empirisk.report.sections import prose
from empirisk.report.sections.prose import esc, told
from empirisk.report.sections.test.told import (
    better,
    classes_told,
    lowest_first,
    observed_head,
    observed_said,
)
from empirisk.wording import count, percent, places, plain, shorten

__all__ = ["test_markdown"]

Json = dict[str, Any]
CLASSES, GROUPS = 8, 5  # that are listed, those with the worst scores first


def test_markdown(r: Json) -> prose.Lines:
    """Return the lines of the section, from the whole report."""
    t = r["test"]
    lines = [*_metrics(t), *_classes(t["confusion"]), *_threshold(r), *_calibration(t["calibration"])]
    if t["quantiles"] and t["quantiles"]["sentence"]:
        lines += [esc(t["quantiles"]["sentence"]), ""]
    lines += _coverage(t["coverage"], r["task"].get("unit"))
    lines += _groups(t["subgroups"], r["task"])
    return lines + prose.absent(r, *(f"test.{key}" for key in t if t[key] is None))


def _metrics(t: Json) -> prose.Lines:
    rows = []
    for x in (prose.in_units(metric) for metric in t["metrics"]):
        most = places(x["model"])
        unit = f" ({x['unit']})" if x["unit"] else ""
        numbers = [told(x["model"]), told(x["baseline"], most), prose.difference(x["difference"], most)]
        rows.append([esc(x["label"] + unit), *numbers])
    said = [esc(f"{t['sentence']} {better(t['metrics'])}"), ""]
    return [*said, *prose.table(["Metric", "Model", "Baseline", "Difference"], rows)]


def _classes(c: Json | None) -> prose.Lines:
    """Return the table of the classes; with few classes, which were taken for which."""
    if c is None:
        return []
    k = len(c["labels"])
    shown = lowest_first(c)[:CLASSES] if k > CLASSES else list(range(k))
    keys = [key for key in ("recall", "precision") if c[key]]
    taken = [esc(f"taken for {shorten(label, 24)}") for label in c["labels"]] if k <= 4 else []
    rows = []
    for i in shown:
        counts = [count(round(n)) for n in c["counts"][i]] if taken else [count(round(sum(c["counts"][i])))]
        rows.append(
            [esc(shorten(c["labels"][i], 40)), *counts, *(told(prose.per_cent(c[key][i])) for key in keys)]
        )
    head = ["Class", *(taken or ["Rows"]), *(f"{key} (%)" for key in keys)]
    said = [esc(f"{classes_told(c)}."), ""]
    return [
        *said,
        *prose.table(head, rows),
        *prose.more_in_json(k - len(shown), "more classes", "test.confusion"),
    ]


def _threshold(r: Json) -> prose.Lines:
    """Return from which probability on a row counts as one of the positive class."""
    scores = r["test"]["scores"]
    if not scores:
        return []
    at = plain(scores["threshold"])
    said = f"A row counts as {r['task']['positive']} when its probability reaches {at}."
    return [esc(said), ""]


def _calibration(c: Json | None) -> prose.Lines:
    if c is None:
        return []
    more = prose.more_in_json(len(c["bins"]), f"bins of the predicted {c['about']}", "test.calibration")
    return [*([esc(c["test"]["sentence"]), ""] if c["test"] else []), *more]


def _coverage(coverage: list[Json] | None, unit: str | None) -> prose.Lines:
    if not coverage:
        return []
    rows = [
        [percent(v["nominal"]), told(prose.per_cent(v["observed"])), plain(v["width"], 3)] for v in coverage
    ]
    width = "Width" + (f" ({unit})" if unit else "")
    return prose.table(["Intervals of", "Held (%)", esc(width)], rows)


def _groups(groups: Json | None, task: Json) -> prose.Lines:
    if not groups:
        return []
    g = prose.in_units(groups)
    ranked = sorted(
        (x for x in g["groups"] if x["score"]["value"] is not None),
        key=lambda x: x["score"]["value"] if g["greater_is_better"] else -x["score"]["value"],
    )
    head = observed_head(g, task)
    rows = [
        [
            esc(f"{shorten(x['column'], 30)} = {shorten(x['value'], 30)}"),
            count(x["score"]["n"]),
            *([observed_said(x["observed"], task)] if head else []),
            told(x["score"]),
        ]
        for x in ranked[:GROUPS]
    ]
    label = g["label"] + (f" ({g['unit']})" if g["unit"] else "")
    more = prose.more_in_json(len(g["groups"]) - len(rows), "more groups", "test.subgroups")
    return [
        esc(g["multiplicity"]),
        "",
        *prose.table(["Worst groups", "Rows", *([esc(head)] if head else []), esc(label)], rows),
        *more,
    ]
