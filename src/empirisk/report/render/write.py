"""Write a report folder: page, Markdown, JSON and model file, all or none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from empirisk.data.deadline import Deadline
from empirisk.report.atomic import report_folder
from empirisk.report.clusters.engine import Clustered
from empirisk.report.fit.engine import Analysis
from empirisk.report.fit.sample import class_order
from empirisk.report.read.table import Table
from empirisk.report.render.html import render_html
from empirisk.report.saved import model_file
from empirisk.report.saved.answers import prediction_frame
from empirisk.report.saved.cells import escape_frame
from empirisk.report.saved.probes import draw_probes
from empirisk.report.saved.ranges import training_ranges
from empirisk.report.saved.row_marks import mark_rows
from empirisk.report.schema import validate_report
from empirisk.report.sections.methods import Pairs
from empirisk.report.sections.prose import esc, how
from empirisk.report.sections.registry import form_of

__all__ = [
    "cluster_metadata",
    "model_metadata",
    "render_markdown",
    "write_clusters",
    "write_pages",
    "write_report",
]

Json = dict[str, Any]


def write_report(a: Analysis, report: Json, folder: Path) -> None:
    """Write ``report.html``, ``report.md``, ``report.json`` and ``model.empirisk`` into `folder`.

    Everything is made in a temporary folder beside it, which then takes its place.
    """
    with report_folder(folder) as fresh:
        write_pages(report, fresh, a.guard.deadline)
        probes = draw_probes(a.model.train.frame, a.prepared.seed)
        model_file.save(fresh / "model.empirisk", a.model.pipeline, model_metadata(a, report), probes)


def write_clusters(a: Clustered, report: Json, folder: Path) -> None:
    """Write the pages, ``labels.csv`` and ``model.empirisk`` into `folder`, all or none."""
    with report_folder(folder) as fresh:
        write_pages(report, fresh, a.guard.deadline)
        probes = draw_probes(a.prepared.matrix.frame, a.prepared.seed)
        path = fresh / "model.empirisk"
        model_file.save(path, a.pipeline, cluster_metadata(a, report), probes)
        frame = prediction_frame(model_file.load(path), a.prepared.table)
        escape_frame(frame).write_csv(fresh / "labels.csv")


def write_pages(report: Json, folder: Path, deadline: Deadline) -> None:
    """Write ``report.html``, ``report.md`` and ``report.json`` into a folder that exists."""
    text = json.dumps(report, indent=1, allow_nan=False, ensure_ascii=False)
    (folder / "report.json").write_text(text + "\n", encoding="utf-8")
    (folder / "report.md").write_text(render_markdown(report), encoding="utf-8")
    (folder / "report.html").write_text(render_html(report, deadline), encoding="utf-8")


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
    made: Pairs = []
    for section in form_of(report).sections:
        lines += [f"## {section.heading}", "", *section.markdown(report)]
        made += [pair for pairs in section.estimates(report).values() for pair in pairs]
    told = how(made)
    lines += ["### How the intervals were made", "", *told] if told else []
    return "\n".join(lines).rstrip() + "\n"


def cluster_metadata(a: Clustered, report: Json) -> Json:
    """Return what a model file says about groups of rows."""
    p = a.prepared
    return {
        "task": {
            "kind": "clusters",
            "target": None,
            "classes": [str(c + 1) for c in range(a.k)],
            "positive": None,
        },
        "model": {
            "name": "kmeans",
            "label": "k-means",
            "alpha": None,
            "n_terms": len(p.matrix.origins),
            "n_train": p.n,
        },
        "decisions": _decisions(p.table),
        "fingerprint": p.table.fingerprint,
        "split": {"unit": "row", "seed": p.seed, "group": None, "time": None},
        "level": p.level,
        "metrics": [],
        "certificate": (report["certificates"] or {"rows": [{"certificate": None}]})["rows"][0][
            "certificate"
        ],
        "created": report["provenance"]["created"],
        "ranges": training_ranges(p.table, np.arange(p.n)),
        "rows": mark_rows(p.table, np.arange(p.n)),
    }


def _step(a: Analysis) -> Json:
    """Return what the feature step of a model does; nothing for a model without one."""
    made = a.model.step
    return {} if made is None else {"step": made[0].sentence(made[1], a.model.encoded)}


def _decisions(table: Table) -> Json:
    """Return how columns are read, without the examples of values, which are for the screen alone."""
    decisions = table.decisions()
    for column in decisions["columns"]:
        column["unreadable"] = column["unreadable_rows"] = ()
    return decisions


def model_metadata(a: Analysis, report: Json) -> Json:
    """Return what a model file says about its model."""
    table, row = a.prepared.table, a.choice.row
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
        }
        | _step(a),
        "decisions": _decisions(table),
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
