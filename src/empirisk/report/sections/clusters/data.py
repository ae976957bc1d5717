"""The data of a report on clusters: the columns, which of them take part, and why others do not."""

from __future__ import annotations

from typing import Any

from empirisk.report.audit.twins import compared, n_repeats
from empirisk.report.clusters.columns import set_aside
from empirisk.report.read.table import Table
from empirisk.report.sections import prose
from empirisk.report.sections.base import Section
from empirisk.report.sections.clusters.base import ClusterMaterial
from empirisk.report.sections.data.columns import column_json, column_names, columns_markdown
from empirisk.report.sections.data.section import data, some_names
from empirisk.report.sections.prose import esc
from empirisk.wording import count, counted

__all__ = ["CLUSTER_DATA"]

Json = dict[str, Any]


def _collect(m: ClusterMaterial) -> Json:
    table = m.analysis.prepared.table
    repeated = n_repeats(table)
    who = "No row repeats" if not repeated else f"{counted(repeated, 'row')} repeat{'s' * (repeated == 1)}"
    return {
        "data": {
            "source": table.source.name,
            "format": table.source.line() or None,
            "n_rows": table.n_rows,
            "n_columns": len(table.columns),
            "columns": [column_json(c) for c in table.columns],
            "duplicates": {
                "n_rows": repeated,
                "n_straddling": None,
                "sentence": f"{who} an earlier row {compared(table)}; all rows were grouped.",
            },
            "handling": _handling(table),
        }
    }


def _handling(table: Table) -> list[str]:
    features = [c for c in table.columns if c.role == "feature"]
    numbers = [c.name for c in features if c.kind == "number" and c.n_missing]
    truths = [c.name for c in features if c.kind == "boolean" and c.n_missing]
    levels = [c.name for c in features if c.kind == "categorical" and c.n_missing]
    out = []
    if numbers:
        out.append(
            f"A missing number is the median of its column ({some_names(numbers)}): such rows lie nearer to"
            " the middle than they may be."
        )
    if truths:
        out.append(f"A missing truth value is the more frequent one ({some_names(truths)}).")
    if levels:
        out.append(f"A missing level is a level of its own ({some_names(levels)}).")
    if not (numbers or truths or levels):
        out.append("No value is missing in the columns that take part.")
    aside = [c.name for c in set_aside(table)]
    dropped = [c.name for c in table.columns if c.role == "dropped" and c.name not in aside]
    if dropped:
        out.append(
            f"Left out of the grouping: {some_names(dropped)}; the table says why and how to use them."
        )
    if aside:
        out.append(
            f"Set aside with --drop: {some_names(aside)}. The profile shows them, and they did not choose"
            " the groups."
        )
    return [*out, *(f"{note[:1].upper()}{note[1:].rstrip('.')}." for note in table.source.notes)]


def _markdown(r: Json) -> prose.Lines:
    d = r["data"]
    said = f"{count(d['n_rows'])} rows and {count(d['n_columns'])} columns in {esc(d['source'])}."
    done = [d["duplicates"]["sentence"], *d["handling"]]
    return [said, "", *columns_markdown(d), *prose.bullets(esc(s) for s in done)]


CLUSTER_DATA = Section(
    "data",
    "What went in?",
    {"data": data},
    _collect,
    _markdown,
    "clusters/data.html.j2",
    names=column_names,
)
