"""The report as Markdown: the same sections and numbers as the page, without its pictures."""

from __future__ import annotations

from typing import Any

from empirisk.report.schema import validate_report
from empirisk.report.sections.prose import esc
from empirisk.report.sections.registry import SECTIONS

__all__ = ["render_markdown"]

Json = dict[str, Any]


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
    for section in SECTIONS:
        lines += [f"## {section.heading}", "", *section.markdown(report)]
    return "\n".join(lines).rstrip() + "\n"
