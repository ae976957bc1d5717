"""The ladder of bounds in the report: every theorem about the chosen model, or why it says nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from empirisk import plots
from empirisk.bounds.sample import FIXED
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

__all__ = [
    "BOUNDS",
    "assumption_said",
    "assumptions_of",
    "bounds_charts",
    "bounds_markdown",
    "bounds_told",
    "collect_bounds",
    "said_bound",
]

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


def assumption_said(c: Json) -> str:
    """Return an assumption with where it is from; that the model was fixed before its test rows were looked
    at is what a report sees to, and none of its readers need assume it.
    """
    source = "so this report is made" if c["text"] == FIXED.text else c["source"]
    return f"{c['text']} ({source})"


def assumptions_of(rows: Sequence[Json]) -> list[str]:
    """Return the assumptions that all of these bounds share, each with where it is from."""
    told = [[assumption_said(c) for c in row["assumptions"]] for row in rows if row["applies"]]
    return [line for line in told[0] if all(line in other for other in told)] if told else []


def bounds_told(b: Json | None) -> str:
    """Return the tightest of the bounds in one line; or how many there are, where none applies."""
    applies = [row for row in b["rows"] if row["applies"] and not row["vacuous"]] if b else []
    if not b or not applies:
        return "What theorems promise: nothing about this model on these rows"
    best = min(applies, key=lambda row: float(row["value"]))
    value = said_bound(best["value"], b["label"])
    sure = "" if best["delta"] is None else f" with probability {percent(1.0 - float(best['delta']))}"
    return f"What theorems promise: {b['label']} at most {value}{sure} ({best['bound']})"


def said_bound(value: float | None, label: str) -> str:
    """Return a bound as readers see it: a rate in per cent."""
    if value is None:
        return "–"
    return f"{plain(100.0 * value, 3)} %" if label.startswith("rate") else plain(value, 3)


def bounds_markdown(r: Json) -> prose.Lines:
    """Return the tightest bound, or the sentence why there are none."""
    b = r["bounds"]
    if b is None:
        return prose.absent(r, "bounds")
    shared = assumptions_of(b["rows"])
    lines = [esc(f"{bounds_told(b)}." + (f" If {'; '.join(shared)}." if shared else "")), ""]
    return lines + prose.more_in_json(len(b["rows"]), "bounds, or why they do not apply", "bounds.rows")
