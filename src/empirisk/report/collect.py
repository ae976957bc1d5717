"""Put the sections of ``report.json`` together; everything in it is collected by the sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from empirisk.report.schema import validate_report
from empirisk.report.sections.base import Form, Section
from empirisk.report.sections.registry import MODEL_REPORT

__all__ = ["collect", "in_order"]

Json = dict[str, Any]


def in_order(sections: Sequence[Section]) -> list[Section]:
    """Return the sections in the order of the page, but each after those that it needs."""
    by_name = {section.name: section for section in sections}
    out: list[Section] = []

    def add(section: Section) -> None:
        for name in section.needs:
            add(by_name[name])
        if section not in out:
            out.append(section)

    for section in sections:
        add(section)
    return out


def collect(a: Any, *, command: str, seconds: float, settings: Json, form: Form = MODEL_REPORT) -> Json:
    """Return the report of an analysis, checked against the schema.

    Parameters
    ----------
    a : Analysis
        Or what else the sections of the form are collected from.
    command : str
        The command line, without folders.
    seconds : float
        Wall time.
    settings : dict
        Machine-independent settings.
    form : Form
        That of models by default.
    """
    made: Json = {"schema": form.schema, "level": a.prepared.level}
    absent: dict[str, str] = {}
    for section in in_order(form.sections):
        made |= section.collect(form.material(a, section, made, absent, command, seconds, settings))
    keys = [key for section in form.sections for key in (*section.fields, *section.optional)]
    report = {key: made[key] for key in ("schema", "level", *keys)}
    a.guard.tell(report)
    if a.left_out:
        report["limits"].append(f"What was left out to keep the time limit: {'; '.join(a.left_out)}.")
    report["provenance"]["settings"]["left_out_for_time"] = a.spared
    validate_report(report)
    return report
