"""The section "Data": columns, duplicates, what was done with missing values, the split."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.report.audit.twins import compared, n_repeats
from empirisk.report.fit.folds import Folds
from empirisk.report.fit.sample import Sample
from empirisk.report.fit.split import Split
from empirisk.report.fit.texts import BUCKETS, COMPONENTS, WORDS
from empirisk.report.read.carried import carried
from empirisk.report.read.table import Column, Table
from empirisk.report.sections import prose
from empirisk.report.sections.base import Material, Section
from empirisk.report.sections.data.sparkline import sparkline
from empirisk.report.sections.prose import esc
from empirisk.report.shapes.checkers import (
    Record,
    integer,
    list_of,
    nullable,
    number,
    one_of,
    string,
    strings,
)
from empirisk.report.shapes.values import counts, file_name, histogram
from empirisk.wording import count, percent, plain, shorten, year, years

__all__ = ["DATA", "column_json", "columns_markdown", "data", "some_names"]

Json = dict[str, Any]


column = Record(
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


data = Record(
    {
        "source": file_name,
        "format": nullable(string),
        "n_rows": integer,
        "n_columns": integer,
        "columns": list_of(column),
        "duplicates": nullable(
            Record({"n_rows": integer, "n_straddling": nullable(integer), "sentence": string})
        ),
        "handling": strings,
    }
)


part = Record(
    {
        "name": one_of("train", "test"),
        "n_rows": integer,
        "n_groups": nullable(integer),
        "class_counts": nullable(counts),
        "target_mean": nullable(number),
        "target_sd": nullable(number),
    }
)


split = Record(
    {
        "unit": one_of("row", "group", "time", "file"),
        "column": nullable(string),
        "reason": string,
        "parts": list_of(part, least=2, most=2),
        "folds": nullable(Record({"n": integer, "sentence": string})),
    }
)


def _collect(m: Material) -> Json:
    p = m.analysis.prepared
    return {
        "data": _columns(p.table, p.split),
        "split": _parts(p.table, p.split, p.train, p.test, m.analysis.folds),
    }


def _columns(table: Table, split: Split) -> Json:
    """Return the part ``report["data"]``: the source, its columns, and how they were handled."""
    repeated = n_repeats(table)
    return {
        "source": table.source.name,
        "format": table.source.line() or None,
        "n_rows": table.n_rows + table.n_left_out,
        "n_columns": len(table.columns),
        "columns": [column_json(c) for c in table.columns],
        "duplicates": {
            "n_rows": repeated,
            "n_straddling": split.n_straddling,
            "sentence": (
                f"{_rows(repeated)} an earlier row {compared(table)}, target included; {split.twins}."
            ),
        },
        "handling": _handling(table),
    }


def _rows(n: int) -> str:
    return "No row repeats" if n == 0 else "1 row repeats" if n == 1 else f"{n:,} rows repeat"


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


def _handling(table: Table) -> list[str]:
    features = [c for c in table.columns if c.role == "feature"]
    out = carried(table)
    for code in dict.fromkeys(code for c in table.columns for code in c.missing_codes):
        where = [
            c.name for c in table.columns if code in c.missing_codes and any(code == m for m, _ in c.markers)
        ]
        if where:
            out.append(f"{code} counts as missing in {some_names(where)}, as asked (--missing).")
    numbers = [c.name for c in features if c.kind in ("number", "date") and c.n_missing]
    plain = ("number", "date", "boolean", "text")
    levels = [c.name for c in features if c.kind not in plain and c.n_missing]
    if numbers:
        out.append(
            "Missing numbers become the median of the training rows, and a 0/1 column says where"
            f" ({some_names(numbers)})."
        )
    if levels:
        out.append(f"Missing values of categorical columns are a level of their own ({some_names(levels)}).")
    if any(c.kind not in plain for c in features):
        out.append(
            "Levels become one 0/1 column each; rare levels share one, which also takes levels not seen in"
            " training."
        )
    if any(c.kind == "number" for c in features):
        out.append(
            "Numbers are standardised with the mean and standard deviation of the rows that a model is"
            " fitted on."
        )
    if len(out) > len(carried(table)) and any(c.kind not in ("date", "boolean", "text") for c in features):
        out.append(
            "Trees, and naive Bayes over categories or several kinds of columns, take no part in this: they"
            " read missing values, levels and numbers as they are."
        )
    if any(c.kind == "date" for c in features):
        out.append("Dates become a day count, a month and a weekday.")
    texts = [c.name for c in features if c.kind == "text"]
    if texts:
        out.append(
            f"The words and pairs of words of texts ({some_names(texts)}) are hashed into {BUCKETS:,} "
            f"buckets and weighted by how rare they are (tf-idf); models get up to {COMPONENTS} principal "
            f"components of them, and up to {WORDS} buckets that go with the target, found on the rows that "
            "a model is fitted on."
        )
    dropped = [c.name for c in table.columns if c.role == "dropped"]
    if dropped:
        out.append(f"Not used: {some_names(dropped)}; the table says why and how to use them.")
    if table.n_left_out:
        out.append(f"{table.n_left_out:,} rows without a {table.target} were left out.")
    return [*out, *(f"{note[:1].upper()}{note[1:].rstrip('.')}." for note in table.source.notes)]


def some_names(names: list[str]) -> str:
    """Return at most four names, and how many more there are."""
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _parts(table: Table, split: Split, train: Sample, test: Sample, folds: Folds) -> Json:
    """Return the part ``report["split"]``: how the rows were divided, and why so."""
    column = {"group": table.group, "time": table.time}.get(split.unit)
    return {
        "unit": split.unit,
        "column": column,
        "reason": f"{split.why[:1].upper()}{split.why[1:].rstrip('.')}.",
        "parts": [_part("train", train), _part("test", test)],
        "folds": {"n": folds.n_folds, "sentence": folds.sentence},
    }


def _part(name: str, sample: Sample) -> Json:
    regression = sample.task == "regression"
    return {
        "name": name,
        "n_rows": sample.n,
        "n_groups": None if sample.groups is None else len(np.unique(sample.groups)),
        "class_counts": sample.counts,
        "target_mean": float(sample.y.mean()) if regression else None,
        "target_sd": float(sample.y.std(ddof=1)) if regression and sample.n > 1 else None,
    }


def _split_markdown(r: Json) -> prose.Lines:
    s, classes = r["split"], r["task"]["classes"] or []
    head = ["Part", "Rows", *(esc(c) for c in classes)]
    rows = []
    for p in s["parts"]:
        counts = p["class_counts"] or [None] * len(classes)
        rows.append([p["name"], count(p["n_rows"]), *("–" if n is None else count(n) for n in counts)])
    said = [s["reason"], s["folds"]["sentence"] if s["folds"] else ""]
    return [esc(" ".join(said)), "", *prose.table(head, rows)]


def columns_markdown(columns: list[Json]) -> prose.Lines:
    """Return the table of columns: role, type and reason, gaps, values, remarks."""
    rows = [
        [
            esc(shorten(c["name"], 60)),
            c["role"],
            f"{c['type']}: {esc(c['reason'])}",
            count(c["missing"]),
            count(c["distinct"]),
            esc(c["summary"] or ""),
            " ".join(
                [*(esc(w) for w in c["warnings"]), prose.code(c["override"]) if c["override"] else ""]
            ).strip(),
        ]
        for c in columns
    ]
    return prose.table(["Column", "Role", "Type", "Missing", "Distinct", "Values", "Remarks"], rows)


def _markdown(r: Json) -> prose.Lines:
    d = r["data"]
    lines = [
        f"{count(d['n_rows'])} rows and {count(d['n_columns'])} columns in {esc(d['source'])}.",
        "",
        *_split_markdown(r),
    ]
    lines += columns_markdown(d["columns"])
    done = [d["duplicates"]["sentence"]] if d["duplicates"] else []
    return lines + prose.bullets(esc(s) for s in [*done, *d["handling"]])


DATA = Section(
    "data",
    "Data",
    {"data": data, "split": split},
    _collect,
    _markdown,
    "data/data.html.j2",
    names=lambda report: {"sparkline": sparkline},
)
