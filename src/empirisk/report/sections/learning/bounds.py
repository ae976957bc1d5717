"""The ladder of bounds in the report: every theorem about the chosen model, or why it says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from empirisk import plots
from empirisk.ladder import risk_bounds
from empirisk.report.sections import prose
from empirisk.report.sections.base import Chart, Material
from empirisk.report.sections.prose import esc
from empirisk.report.shapes.checkers import (
    Record,
    ReportSchemaError,
    boolean,
    integer,
    list_of,
    nullable,
    number,
    one_of,
    string,
)
from empirisk.wording import percent, plain

__all__ = ["BOUNDS", "bounds_charts", "bounds_markdown", "collect_bounds"]

Json = dict[str, Any]


def _applies(value: dict[str, Any], path: str) -> None:
    if value["applies"] and value["value"] is None:
        raise ReportSchemaError(f"{path}.value", "must be there where the bound applies")
    if not value["applies"] and not value["reason"]:
        raise ReportSchemaError(f"{path}.reason", "must say why the bound does not apply")


BOUNDS = Record(
    {
        "label": string,
        "trivial": nullable(number),
        "sentence": string,
        "rows": list_of(
            Record(
                {
                    "bound": string,
                    "kind": string,
                    "value": nullable(number),
                    "measured": nullable(number),
                    "measured_on": string,
                    "delta": nullable(number),
                    "n": integer,
                    "vacuous": boolean,
                    "applies": boolean,
                    "reason": string,
                    "risk": string,
                    "claim": string,
                    "assumptions": list_of(
                        Record({"text": string, "source": one_of("declared", "computed", "assumed")})
                    ),
                },
                also=_applies,
            ),
            least=1,
        ),
    }
)


def collect_bounds(m: Material) -> Json | None:
    """``report["bounds"]``; None where the rows are known to depend on each other.

    Each bound may fail with probability ``1 - level``; the test part must have been used for nothing else.
    """
    p = m.analysis.prepared
    model, train, test, level, absent = m.analysis.model, p.train, p.test, p.level, m.absent
    if test.groups is not None or train.groups is not None:
        absent["bounds"] = "The rows come in groups, and the theorems need rows that are drawn independently."
        return None
    if train.time is not None:
        absent["bounds"] = "The rows come in time, and the theorems need rows that are drawn independently."
        return None
    if train.beside:
        absent["bounds"] = (
            "The theorems are about rows that count alike and are predicted from columns alone."
        )
        return None
    found = risk_bounds(model.pipeline, train.frame, train.y, test.frame, test.y, delta=1.0 - level)
    sentence = (
        f"Each bound holds by itself with probability at least {percent(level)}, not all of them at once."
    )
    if not any(row.applies for row in found):
        sentence = "No theorem bounds this risk from these rows."
    return found.to_dict() | {"sentence": sentence}


def bounds_charts(report: Json) -> Iterator[Chart]:
    """Yield the picture of the ladder, where a theorem applies."""
    b = report["bounds"]
    if b and any(row["applies"] for row in b["rows"]):
        shown = partial(plots.BoundsDisplay, b["rows"], b["label"], b["trivial"])
        yield Chart("bounds", "the bounds", shown, None, "bounds")


def bounds_markdown(r: Json) -> prose.Lines:
    """Return the ladder of bounds as a table, or the sentence why there is none."""
    b = r["bounds"]
    if b is None:
        return prose.absent(r, "bounds")
    rows = [
        [
            esc(x["bound"]) + (" (vacuous)" if x["vacuous"] else ""),
            plain(x["value"], 3),
            "–" if x["measured"] is None else f"{plain(x['measured'], 3)} ({x['measured_on']})",
            esc(x["kind"]),
            esc("; ".join(f"{c['text']} ({c['source']})" for c in x["assumptions"])),
        ]
        for x in b["rows"]
        if x["applies"]
    ]
    head = [esc(f"Bound on the {b['label']}"), "At most", "Measured", "About", "If"]
    others = [f"{esc(x['bound'])} does not apply: {esc(x['reason'])}" for x in b["rows"] if not x["applies"]]
    return [
        "### What theorems promise",
        "",
        esc(b["sentence"]),
        "",
        *prose.table(head, rows),
        *prose.bullets(others),
    ]
