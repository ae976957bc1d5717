"""The page that lists reports on several targets, in HTML, Markdown and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from empirisk.report.render.html import page
from empirisk.report.sections.prose import esc
from empirisk.report.sections.verdict.measure import ends, measure_of
from empirisk.report.sections.verdict.versus import difference_words, inside
from empirisk.report.shapes.checkers import (
    Record,
    fraction,
    integer,
    list_of,
    nullable,
    number,
    one_of,
    string,
    strings,
)
from empirisk.report.shapes.values import comparison, estimate

__all__ = ["TARGETS", "render_index_html", "render_index_markdown", "write_index"]

Json = dict[str, Any]

TARGETS = Record(
    {
        "schema": one_of("empirisk-targets/1"),
        "level": fraction,
        "joint_level": fraction,
        "sentence": string,
        "source": string,
        "n_columns": integer,
        "targets": list_of(
            Record(
                {
                    "folder": string,
                    "target": string,
                    "title": string,
                    "kind": one_of("binary", "multiclass", "regression"),
                    "unit": nullable(string),
                    "model": string,
                    "n_train": integer,
                    "n_test": integer,
                    "headline": comparison,
                    "simplest": nullable(
                        Record({"label": string, "estimate": estimate, "difference": estimate})
                    ),
                    "findings": strings,
                    "seconds": number,
                }
            ),
            least=2,
        ),
        "provenance": Record(
            {
                "command": string,
                "version": string,
                "created": string,
                "seconds": number,
                "time_limit": nullable(number),
            }
        ),
    }
)


def write_index(index: Json, folder: Path) -> None:
    """Write the list of several targets in its three forms into a folder that exists."""
    TARGETS(index, "")
    text = json.dumps(index, indent=1, allow_nan=False, ensure_ascii=False)
    (folder / "report.json").write_text(text + "\n", encoding="utf-8")
    (folder / "report.md").write_text(render_index_markdown(index), encoding="utf-8")
    (folder / "report.html").write_text(render_index_html(index), encoding="utf-8")


def _cells(row: Json) -> dict[str, str]:
    """Return what the table says of a target, in words."""
    head, simple = row["headline"], row["simplest"]
    measure = measure_of(head["name"], row["unit"])
    nothing = simplest = ""
    if head["difference"] is not None:
        nothing = difference_words(head["difference"], "the baseline", head["greater_is_better"], measure)
    if simple is not None:
        simplest = difference_words(
            simple["difference"], inside(simple["label"]), head["greater_is_better"], measure
        )
    return {
        "target": row["target"],
        "model": row["model"],
        "well": f"{measure.said(head['model'])}{ends(measure.scaled(head['model']))}",
        "what": measure.title,
        "nothing": nothing or "not known",
        "simplest": simplest or "no simpler one",
        "rows": f"{row['n_test']:,}",
        "findings": ", ".join(row["findings"]) or "none",
    }


def render_index_html(index: Json) -> str:
    """Render the list of several targets as one page that needs nothing but itself."""
    rows = [row | {"cells": _cells(row)} for row in index["targets"]]
    return page("targets.html.j2", r=index, rows=rows)


def render_index_markdown(index: Json) -> str:
    """Render the list of several targets as Markdown."""
    lines = [
        f"# {len(index['targets'])} targets of {esc(index['source'])}",
        "",
        "| target | model | how well, on new rows | against nothing | against the simplest model | test "
        "rows | findings |",
        "|---|---|---|---|---|---:|---|",
    ]
    for row in index["targets"]:
        c = {name: esc(said) for name, said in _cells(row).items()}
        link = f"[{c['target']}]({row['folder']}/report.md)"
        lines.append(
            f"| {link} | {c['model']} | {c['well']} ({c['what']}) | {c['nothing']} | {c['simplest']} |"
            f" {c['rows']} | {c['findings']} |"
        )
    made = index["provenance"]
    lines += [
        "",
        esc(index["sentence"]),
        "",
        f"Made by `{made['command']}` in {made['seconds']:.0f} seconds.",
    ]
    return "\n".join(lines) + "\n"
