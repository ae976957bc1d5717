"""Write a report folder: page, Markdown, JSON and model file, all or none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from empirisk.report.atomic import report_folder
from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.sample import class_order
from empirisk.report.render.html import render_html
from empirisk.report.saved import model_file
from empirisk.report.saved.probes import draw_probes
from empirisk.report.saved.ranges import training_ranges
from empirisk.report.saved.row_marks import mark_rows
from empirisk.report.schema import validate_report
from empirisk.report.sections.prose import esc
from empirisk.report.sections.registry import SECTIONS

__all__ = ["model_metadata", "render_markdown", "write_report"]

Json = dict[str, Any]


def write_report(a: Analysis, report: Json, folder: Path) -> None:
    """Write ``report.html``, ``report.md``, ``report.json`` and ``model.empirisk`` into `folder`.

    Everything is made in a temporary folder beside it, which then takes its place.
    """
    with report_folder(folder) as fresh:
        text = json.dumps(report, indent=1, allow_nan=False, ensure_ascii=False)
        (fresh / "report.json").write_text(text + "\n", encoding="utf-8")
        (fresh / "report.md").write_text(render_markdown(report), encoding="utf-8")
        (fresh / "report.html").write_text(render_html(report, a.guard.deadline), encoding="utf-8")
        probes = draw_probes(a.model.train.frame, a.prepared.seed)
        model_file.save(fresh / "model.empirisk", a.model.pipeline, model_metadata(a, report), probes)


def render_markdown(report: Json) -> str:
    """Render a report as Markdown.

    Parameters
    ----------
    report : dict
        The content of ``report.json``; it is validated first.

    Returns
    -------
    str
        GitHub-flavoured Markdown; names and sentences from the data are inert in it.

    Raises
    ------
    ReportSchemaError
        Names the key of the report that is at fault.
    """
    validate_report(report)
    lines = [f"# {esc(report['task']['sentence'])}", ""]
    for section in SECTIONS:
        lines += [f"## {section.heading}", "", *section.markdown(report)]
    return "\n".join(lines).rstrip() + "\n"


def model_metadata(a: Analysis, report: Json) -> Json:
    """Return what a model file says about its model."""
    table, row = a.prepared.table, a.choice.row
    decisions = table.decisions()
    for column in decisions["columns"]:
        column["unreadable"] = column[
            "unreadable_rows"
        ] = ()  # examples of values are for the screen, not for a file that travels
    return {
        "task": {
            "kind": table.task,
            "target": table.target,
            "classes": list(class_order(table)) or None,
            "positive": table.positive or None,
        },
        "model": {
            "name": row.result.candidate.name,
            "label": row.result.candidate.label,
            "alpha": float(row.result.alphas[row.at]) if row.result.candidate.parameter == "alpha" else None,
            "n_terms": len(a.model.origins),
            "n_train": a.prepared.train.n,
        },
        "decisions": decisions,
        "fingerprint": table.fingerprint,
        "split": {
            "unit": a.prepared.split.unit,
            "seed": a.prepared.seed,
            "group": table.group,
            "time": table.time,
        },
        "level": a.prepared.level,
        "metrics": report["test"]["metrics"],
        "certificate": report["model"]["certificate"],
        "created": report["provenance"]["created"],
        "ranges": training_ranges(table, a.prepared.split.train),
        "rows": mark_rows(table, a.prepared.split.train),
    }
