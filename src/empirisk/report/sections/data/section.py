"""The section on the data: columns, duplicates, what was done with missing values, the split."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.report.audit.twins import compared, n_repeats
from empirisk.report.fit.folds import Folds
from empirisk.report.fit.sample import Sample
from empirisk.report.fit.split import Split
from empirisk.report.fit.texts import BUCKETS, COMPONENTS, WORDS
from empirisk.report.read.carried import carried
from empirisk.report.read.table import Table
from empirisk.report.sections import prose
from empirisk.report.sections.base import Material, Section
from empirisk.report.sections.data.columns import COLUMN, column_json, column_names, columns_markdown
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
from empirisk.report.shapes.values import counts, file_name
from empirisk.wording import count, counted, listed

__all__ = ["DATA", "data", "some_names"]

Json = dict[str, Any]
FEW_CLASSES = 8  # whose rows stand beside each other in the table of the two parts


data = Record(
    {
        "source": file_name,
        "format": nullable(string),
        "n_rows": integer,
        "n_columns": integer,
        "columns": list_of(COLUMN),
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
        out.append("Dates become a day count, a month and a weekday, and with times of day the hour.")
    for c in table.columns:
        if c.role == "time" and c.levels:
            out.append(
                f"Of {c.name}, models read what comes again and is known beforehand ({listed(c.levels)}), "
                "and not how late a row is."
            )
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
        verb = "was" if table.n_left_out == 1 else "were"
        out.append(f"{counted(table.n_left_out, 'row')} without a {table.target} {verb} left out.")
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
    classes = classes if len(classes) <= FEW_CLASSES else []
    head = ["Part", "Rows", *(esc(c) for c in classes)]
    rows = []
    for p in s["parts"]:
        counts = (p["class_counts"] or [None] * len(classes))[: len(classes)]
        rows.append([p["name"], count(p["n_rows"]), *("–" if n is None else count(n) for n in counts)])
    said = [s["reason"], s["folds"]["sentence"] if s["folds"] else ""]
    more = prose.more_in_json(len(r["task"]["classes"] or []) - len(classes), "more classes", "split.parts")
    return [esc(" ".join(said)), "", *prose.table(head, rows), *more]


def _markdown(r: Json) -> prose.Lines:
    d = r["data"]
    lines = [
        f"{counted(d['n_rows'], 'row')} and {counted(d['n_columns'], 'column')} in {esc(d['source'])}.",
        "",
        *_split_markdown(r),
    ]
    lines += columns_markdown(d)
    lines += [esc(d["duplicates"]["sentence"]), ""] if d["duplicates"] else []
    what = "points on what was done with missing values, levels and numbers"
    return lines + prose.more_in_json(len(d["handling"]), what, "data.handling")


DATA = Section(
    "data",
    "What went in?",
    {"data": data, "split": split},
    _collect,
    _markdown,
    "data/data.html.j2",
    names=lambda report: column_names(report) | {"FEW_CLASSES": FEW_CLASSES},
)
