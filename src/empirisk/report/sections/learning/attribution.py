"""Where the error comes from: optimisation, estimation, approximation, noise, as far as it can be told."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from empirisk import plots
from empirisk.report.sections import prose
from empirisk.report.sections.base import Chart, Material
from empirisk.report.sections.prose import esc
from empirisk.report.shapes.checkers import (
    Record,
    ReportSchemaError,
    list_of,
    nullable,
    number,
    one_of,
    string,
)
from empirisk.report.shapes.values import estimate

__all__ = ["ATTRIBUTION", "attribution_charts", "attribution_markdown", "collect_attribution"]

Json = dict[str, Any]


def _interval(value: dict[str, Any], path: str) -> None:
    low, high = value["low"], value["high"]
    if low is not None and high is not None and low > high:
        raise ReportSchemaError(f"{path}.low", f"is above high ({low} > {high})")
    if value["standing"] == "not identifiable" and value["value"] is not None:
        raise ReportSchemaError(f"{path}.value", "must be null where the part is not identifiable")


ATTRIBUTION = Record(
    {
        "label": string,
        "unit": nullable(string),
        "risk": estimate,
        "parts": list_of(
            Record(
                {
                    "part": string,
                    "value": nullable(number),
                    "low": nullable(number),
                    "high": nullable(number),
                    "standing": one_of("known", "bounded", "not identifiable"),
                    "how": string,
                },
                also=_interval,
            ),
            least=1,
        ),
    }
)


def collect_attribution(m: Material) -> Json | None:
    """Return where the loss of the chosen model comes from, or why that is not said."""
    a, absent = m.analysis, m.absent
    if a.diagnosed is None and "diagnosis" in a.guard.failed:
        return None
    if a.diagnosed is None:
        absent["attribution"] = "The constant prediction was chosen: there is no fit whose error has parts."
        return None
    found = a.diagnosed.attribution(m.unit, m.tuned, a.choice.row.score)
    if found is None:
        absent["attribution"] = "The loss could not be taken apart on these rows."
    return found


def attribution_charts(report: Json) -> Iterator[Chart]:
    """Yield the stacked bar of the parts, where they are known."""
    a = report["attribution"]
    if a:
        shown = partial(_display, a)
        yield Chart("attribution", "where the error comes from", shown, a["risk"], "attribution")


def attribution_markdown(r: Json) -> prose.Lines:
    """Return the parts of the risk in a sentence, or the sentence why there are none."""
    a = r["attribution"]
    if a is None:
        return prose.absent(r, "attribution")
    return ["### Where the error comes from", "", esc(f"{_display(a).title}."), ""]


def _display(a: Json) -> plots.AttributionDisplay:
    return plots.AttributionDisplay(a["parts"], a["label"], a["risk"])
