"""The columns of a table: what each holds, which of them are odd, and how all the others were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from empirisk.report.read.table import Column
from empirisk.report.sections import prose
from empirisk.report.sections.data.sparkline import sparkline
from empirisk.report.sections.prose import esc
from empirisk.report.shapes.checkers import Record, integer, nullable, one_of, string, strings
from empirisk.report.shapes.values import histogram
from empirisk.wording import count, listed, percent, plain, shorten, year, years

__all__ = ["COLUMN", "column_json", "column_names", "columns_markdown"]

Json = dict[str, Any]
FEW, TOP = 8, 5  # columns that are not folded: all of a narrow table, of a wide one those that are odd
OVERRIDE = "A column is read as another type with --types NAME=TYPE, and left out with --drop NAME."


COLUMN = Record(
    {
        "name": string,
        "role": one_of("target", "feature", "group", "time", "exposure", "weight", "dropped"),
        "type": one_of(
            "number", "integer", "boolean", "categorical", "text", "date", "id", "constant", "empty"
        ),
        "reason": string,
        "missing": integer,
        "distinct": integer,
        "summary": nullable(string),
        "histogram": nullable(histogram),
        "warnings": strings,
        "override": nullable(string),
    }
)


def column_json(column: Column) -> Json:
    """Return what the table of columns says about one of them."""
    return {
        "name": column.name,
        "role": column.role,
        "type": column.kind,
        "reason": column.reason or column.kind,
        "missing": column.n_missing,
        "distinct": column.n_distinct,
        "summary": _summary(column.summary),
        "histogram": _histogram(column.summary),
        "warnings": [column.warning] if column.warning else [],
        "override": column.override or None,
    }


def _summary(summary: Json) -> str | None:
    kind = summary.get("type")
    if kind == "histogram":
        low, _, middle, _, high = summary["quantiles"]
        if isinstance(low, str):
            return f"{low} to {high}, median {middle}"
        told = year if (summary["whole"] and years([low, high])) else plain
        return f"{told(low)} to {told(high)}, median {told(middle)}"
    if kind == "levels":
        total = sum(c for _, c in summary["levels"]) + summary["other"]
        return ", ".join(f"{v} {percent(c / total)}" for v, c in summary["levels"][:3])
    if kind == "lengths":
        return f"{summary['min']} to {summary['max']} characters"
    return None


def _histogram(summary: Json) -> Json | None:
    kind = summary.get("type")
    if kind == "histogram":
        return {"kind": "numeric", "edges": list(summary["edges"]), "counts": list(summary["counts"])}
    if kind == "levels":
        shown = summary["levels"][:40]
        rest = sum(c for _, c in summary["levels"][40:]) + summary["other"]
        return {
            "kind": "categories",
            "labels": [v for v, _ in shown],
            "counts": [c for _, c in shown],
            "other": rest,
        }
    return None


def readings(columns: Sequence[Json]) -> dict[str, str]:
    """Return, by type, the reason that most columns of this type share; "" where they share none."""
    out = {}
    for kind in dict.fromkeys(c["type"] for c in columns):
        reasons = Counter(c["reason"] for c in columns if c["type"] == kind)
        reason, n = reasons.most_common(1)[0]
        shared = n > 1 and 2 * n > reasons.total()
        out[kind] = reason if shared or reason in (kind, f"{kind}s") else ""
    return out


def types_sentence(columns: Sequence[Json]) -> str:
    """Return how many columns are of each type, and why where the reason is shared."""
    shared = readings(columns)
    counts = Counter(c["type"] for c in columns)
    said = [
        f"{n:,} {kind}" + (f" ({shared[kind]})" if shared[kind] not in ("", kind, f"{kind}s") else "")
        for kind, n in counts.items()
    ]
    return f"Types of the columns: {listed(said)}. {OVERRIDE}" if said else ""


def reason_of(column: Json, shared: dict[str, str]) -> str:
    """Return why a column has its type, where that is not what all of its type share."""
    return "" if column["reason"] == shared[column["type"]] else str(column["reason"])


def override_of(column: Json) -> str:
    """Return the option that reads a column otherwise, where it is not the one that all columns share."""
    option = column["override"] or ""
    return "" if option.startswith(("--types", "--drop")) else str(option)


def odd(columns: Sequence[Json]) -> list[Json]:
    """Return the columns that a reader should look at: gaps, warnings, roles, readings of their own."""
    shared = readings(columns)
    return [
        c
        for c in columns
        if c["missing"] or c["warnings"] or c["role"] != "feature" or override_of(c) or reason_of(c, shared)
    ]


def on_top(columns: Sequence[Json]) -> Sequence[Json]:
    """Return the columns that are shown without folding: all of a narrow table, else the first odd ones."""
    if len(columns) <= FEW:
        return columns
    first = sorted(odd(columns), key=lambda c: (not c["warnings"], -c["missing"]))[:TOP]
    return [c for c in columns if c in first]


def column_names(report: Json) -> Json:
    """Return what the template of the columns uses beside the report."""
    columns = report["data"]["columns"]
    shared = readings(columns)
    return {
        "sparkline": sparkline,
        "types_sentence": types_sentence(columns),
        "reason_of": lambda column: reason_of(column, shared),
        "override_of": override_of,
        "columns_on_top": on_top(columns),
        "columns_folded": [] if len(columns) <= FEW else columns,
    }


def columns_markdown(data: Json) -> prose.Lines:
    """Return the table of columns, of a wide table of the odd ones: role, type, gaps, values, remarks."""
    columns = data["columns"]
    shared = readings(columns)
    shown = on_top(columns)
    rows = []
    for c in shown:
        reason, option = reason_of(c, shared), override_of(c)
        remarks = [esc(reason)] if reason else []
        remarks += [*map(esc, c["warnings"]), *([prose.code(option)] if option else [])]
        rows.append(
            [
                esc(shorten(c["name"], 60)) + ("" if c["role"] == "feature" else f" ({c['role']})"),
                c["type"],
                count(c["missing"]),
                count(c["distinct"]),
                esc(c["summary"] or ""),
                "; ".join(remarks),
            ]
        )
    head = ["Column", "Type", "Missing", "Distinct", "Values", "Remarks"]
    lines = [esc(types_sentence(columns)), ""]
    lines += prose.table(head, rows) if rows else []
    return lines + prose.more_in_json(len(columns) - len(shown), "more columns", "data.columns")
