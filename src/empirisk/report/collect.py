"""Put the sections of ``report.json`` together; everything in it is collected by the sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from empirisk.report.fit.engine import Analysis
from empirisk.report.schema import SCHEMA_NAME, validate_report
from empirisk.report.sections.base import Material, Section
from empirisk.report.sections.registry import SECTIONS

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


def collect(a: Analysis, *, command: str, seconds: float, settings: Json) -> Json:
    """Return the report of an analysis, checked against the schema.

    Parameters
    ----------
    a : Analysis
    command : str
        The command line, without folders.
    seconds : float
        Wall time.
    settings : dict
        Machine-independent settings.
    """
    made: Json = {"schema": SCHEMA_NAME, "level": a.prepared.level}
    absent: dict[str, str] = {}
    for section in in_order(SECTIONS):
        made |= section.collect(Material(a, section, made, absent, command, seconds, settings))
    keys = [key for section in SECTIONS for key in (*section.fields, *section.optional)]
    report = {key: made[key] for key in ("schema", "level", *keys)}
    a.guard.tell(report)
    if a.left_out:
        report["limits"].append(f"What was left out to keep the time limit: {'; '.join(a.left_out)}.")
    report["provenance"]["settings"]["left_out_for_time"] = "; ".join(a.left_out) or None
    validate_report(report)
    return report
