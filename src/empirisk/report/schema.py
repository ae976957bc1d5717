"""The schema of ``report.json``, and the validator that names the key at fault.

Every section brings the shape of its keys; their prose twin is ``docs/how-to/report-json.md``, and a test
keeps the keys of both equal.
"""

from __future__ import annotations

from typing import Any

from empirisk.report.sections.registry import SECTIONS
from empirisk.report.shapes.checkers import Check, Record, ReportSchemaError, fraction

__all__ = ["REPORT", "SCHEMA_NAME", "ReportSchemaError", "validate_report"]

SCHEMA_NAME = "empirisk-report/1"


def _schema_name(value: Any, path: str) -> None:
    if value != SCHEMA_NAME:
        raise ReportSchemaError(path, f"must be {SCHEMA_NAME!r}, got {value!r}")


def _cross(report: dict[str, Any], path: str) -> None:
    for section in SECTIONS:
        if section.cross is not None:
            section.cross(report)


_FIELDS: dict[str, Check] = {"schema": _schema_name, "level": fraction}
_OPTIONAL: dict[str, Check] = {}
for _section in SECTIONS:
    _FIELDS |= _section.fields
    _OPTIONAL |= _section.optional

REPORT = Record(_FIELDS, optional=_OPTIONAL, also=_cross)


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
    REPORT(report, "")
