"""The section on limits: what a report cannot tell, one sentence for each limit that applies here."""

from __future__ import annotations

from typing import Any

from empirisk.report.fit.sample import Sample
from empirisk.report.fit.split import Split
from empirisk.report.read.table import Table
from empirisk.report.sections import prose
from empirisk.report.sections.base import Material, Section
from empirisk.report.sections.prose import esc
from empirisk.report.shapes.checkers import Record, ReportSchemaError, list_of, map_of, string
from empirisk.wording import counted

__all__ = ["LIMITS"]

Json = dict[str, Any]
FEW = 200  # test rows, below which the page warns


def _collect(m: Material) -> Json:
    p = m.analysis.prepared
    return {"limits": _limits(p.table, p.split, p.train, p.test), "absent": m.absent, "failed": []}


def _limits(table: Table, split: Split, train: Sample, test: Sample) -> list[str]:
    """Return the sentences that apply.

    Parameters
    ----------
    table : Table
    split : Split
    train, test : Sample
    """
    out = [
        (
            "Whether changing a column would change the outcome: the model describes how columns go together,"
            " not causes."
        ),
        "How the model does on rows from another population, place or process than the ones in this file.",
    ]
    dates = [c.name for c in table.columns if c.kind == "date" and c.role != "dropped"]
    if split.unit == "time":
        out.append(
            "Whether the rows stay like the last ones: the test part is later than the training part, but not"
            " later than today."
        )
        out += [f"How the model does farther ahead: {split.horizon}."] if split.horizon else []
        out.append(
            "How far rows that are close in time depend on each other; if they do, the intervals are too"
            " short."
        )
        if table.group is not None:
            out.append(
                f"How the model does on groups of {table.group!r} that it has not seen: later rows were held"
                " out, and not whole groups (leave --time out for that)."
            )
    elif dates:
        out.append(
            f"How the model does on later rows: the rows have dates ({dates[0]}), and the test part was not"
            " held out by time (--time)."
        )
    else:
        out.append(
            "How the model does on later rows: no column says when a row was made, so change over time cannot"
            " be seen."
        )
    if split.unit == "row":
        out.append(
            "Whether rows depend on each other in a way that no column shows, such as several rows of one"
            " person (--group)."
        )
    elif split.unit == "file":
        out.append(
            "Whether the rows of the test file are independent of those in the training file: it was taken as"
            " given."
        )
    out.append(
        f"Whether the values of {table.target} are right: an error in them counts here as an error of the"
        " model."
    )
    if table.n_left_out:
        out.append(
            f"Anything about rows without a {table.target}: {table.n_left_out:,} were left out, and they may"
            " differ from the others."
        )
    if any(c.n_missing for c in table.columns if c.role == "feature"):
        out.append("Whether values will be missing tomorrow for the same reasons as in this file.")
    if train.task != "regression":
        out.append(
            "Whether errors fall on the right people or cases: scores by group are shown where a column"
            " allows it, fairness is not judged."
        )
    rare = [c for c, k in zip(train.classes, test.counts or [], strict=False) if k < 10]
    if rare:
        out.append(f"How well {_and(rare)} is recognised: the test part has fewer than ten rows of it.")
    if test.n < FEW:
        out.append(
            f"Small differences: the test part has {counted(test.n, 'row')}, and only differences wider than"
            " the intervals can be seen."
        )
    if train.task == "regression":
        out.append(
            "How large errors can become outside the range of the training rows: a linear model continues"
            " straight on."
        )
    return out


def _and(names: list[str]) -> str:
    shown = [repr(n) for n in names[:3]]
    return ", ".join(shown) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _cross(report: Json) -> None:
    """Every reason stands for a key of the report that is null."""
    for dotted in report["absent"]:
        value: Any = report
        for key in dotted.split("."):
            if not isinstance(value, dict) or key not in value:
                raise ReportSchemaError(f"absent.{dotted}", "is not a key of this report")
            value = value[key]
        if value:
            raise ReportSchemaError(f"absent.{dotted}", "says why a key is null, but the key is there")


LIMITS = Section(
    "limits",
    "What it cannot tell",
    {"limits": list_of(string, least=1), "absent": map_of(string)},
    _collect,
    lambda report: prose.bullets(esc(said) for said in report["limits"]),
    "limits.html.j2",
    optional={"failed": list_of(Record({"section": string, "sentence": string}))},
    cross=_cross,
)
