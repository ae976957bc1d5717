"""The schema of ``report.json``, and the validator that names the key at fault.

Every section brings the shape of its keys; their prose twin is ``docs/how-to/report-json.md``, and a test
keeps the keys of both equal.
"""

from __future__ import annotations

from typing import Any

from empirisk.report.sections.base import Form
from empirisk.report.sections.registry import FORMS, MODEL_REPORT, form_of
from empirisk.report.shapes.checkers import Check, Record, ReportSchemaError, fraction

__all__ = ["REPORT", "REPORTS", "SCHEMA_NAME", "ReportSchemaError", "validate_report"]

SCHEMA_NAME = MODEL_REPORT.schema


def _record(form: Form) -> Record:
    """Return the check of all keys of a form of report."""

    def name(value: Any, path: str) -> None:
        if value != form.schema:
            raise ReportSchemaError(path, f"must be {form.schema!r}, got {value!r}")

    def cross(report: dict[str, Any], path: str) -> None:
        for section in form.sections:
            if section.cross is not None:
                section.cross(report)

    fields: dict[str, Check] = {"schema": name, "level": fraction}
    optional: dict[str, Check] = {}
    for section in form.sections:
        fields |= section.fields
        optional |= section.optional
    return Record(fields, optional=optional, also=cross)


REPORTS = {name: _record(form) for name, form in FORMS.items()}
REPORT = REPORTS[SCHEMA_NAME]


def validate_report(report: dict[str, Any]) -> None:
    """Check that `report` follows the schema of ``report.json``.

    Parameters
    ----------
    report : dict
        The report, of plain Python types (dict, list, str, int, float, bool, None).

    Raises
    ------
    ReportSchemaError
        Names the first key at fault and what is wrong with it.

    Examples
    --------
    >>> try:
    ...     validate_report({"schema": "empirisk-report/1"})
    ... except ReportSchemaError as error:
    ...     print(error.path, error.problem)
    level is missing
    """
    REPORTS[form_of(report).schema](report, "")
