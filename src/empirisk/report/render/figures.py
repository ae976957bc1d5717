"""The charts of the report, drawn for the page; every section says which it has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from empirisk.data.deadline import Deadline
from empirisk.report.guarded import LATE, failure
from empirisk.report.render.svg import inline_svg
from empirisk.report.sections.base import Chart
from empirisk.report.sections.methods import made_by
from empirisk.report.sections.registry import form_of
from empirisk.wording import listed

__all__ = ["Figure", "figures"]

Json = dict[str, Any]
AFTER = 0.5  # seconds of computing that the rest of the page and the model file take


@dataclass(frozen=True)
class Figure:
    """A chart ready for the page: its message, a description, the picture, how the intervals were made."""

    key: str
    title: str
    description: str
    svg: str
    note: str


def figures(report: Json, deadline: Deadline | None = None) -> dict[str, Figure]:
    """All charts of a report, by key; one that cannot be drawn leaves its reason in its place.

    Parameters
    ----------
    report : dict
    deadline : Deadline, optional
        When no time is left, the charts that are still missing are left out.
    """
    until = deadline or Deadline(None)
    drawn: dict[str, Figure] = {}
    late: dict[str, list[Chart]] = {}
    for section in form_of(report).sections:
        for chart in section.charts(report):
            if until.left(AFTER * until.slowness) > 0.0:
                drawn[chart.key] = _drawn(chart)
            else:
                late.setdefault(chart.place, []).append(chart)
    return drawn | {charts[0].key: _left_out(charts) for charts in late.values()}


def _left_out(charts: Sequence[Chart]) -> Figure:
    """Return one line for all charts of a place that the time limit left out."""
    names = listed(list(dict.fromkeys(chart.what for chart in charts)))
    title, it, its = (
        (f"The chart of {names} is missing here", "It", "Its")
        if len(charts) == 1
        else (f"{len(charts)} charts are missing here ({names})", "They", "Their")
    )
    why = LATE if len(charts) == 1 else LATE.replace("was", "were", 1)
    said = f"{it} {why} {its} numbers stand in report.json."
    return Figure(charts[0].key, title, said, "", said)


def _drawn(chart: Chart) -> Figure:
    note = made_by(chart.source) if chart.source else ""
    try:
        shown = chart.make()
        return Figure(chart.key, shown.title, shown.description, inline_svg(shown, chart.key), note)
    except Exception as error:
        said = failure("This chart", error)
        title = f"The chart of {chart.what} is missing here"
        return Figure(chart.key, title, said, "", f"{said} Its numbers stand in report.json.")
