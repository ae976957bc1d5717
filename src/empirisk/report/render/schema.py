"""The schema of ``report.json``, and the validator that names the key at fault.

The prose twin of this file is ``docs/how-to/report-json.md``; a test keeps their keys equal.
"""

from __future__ import annotations

from typing import Any

from empirisk.report.render.checkers import (
    Record,
    ReportSchemaError,
    boolean,
    fraction,
    integer,
    list_of,
    map_of,
    nullable,
    number,
    one_of,
    string,
    strings,
)
from empirisk.report.render.schema_evidence import learning_curve, model, test
from empirisk.report.render.schema_risk import attribution, bounds, winner
from empirisk.report.render.schema_values import (
    band,
    certificate,
    comparison,
    counts,
    histogram,
    maybe_estimate,
    numbers,
    setting,
)

__all__ = ["REPORT", "SCHEMA_NAME", "ReportSchemaError", "check_section", "validate_report"]

SCHEMA_NAME = "empirisk-report/1"


def _source(value: Any, path: str) -> None:
    string(value, path)
    if "/" in value or "\\" in value:
        raise ReportSchemaError(path, "must be a file name without its folder")


def _task(value: dict[str, Any], path: str) -> None:
    if value["kind"] == "regression":
        return
    if not value["classes"] or len(value["classes"]) < 2:
        raise ReportSchemaError(f"{path}.classes", "must name at least two classes")
    if value["kind"] == "binary" and value["positive"] not in value["classes"]:
        raise ReportSchemaError(f"{path}.positive", "must be one of task.classes")


task = Record(
    {
        "kind": one_of("binary", "multiclass", "regression"),
        "target": string,
        "unit": nullable(string),
        "classes": nullable(strings),
        "positive": nullable(string),
        "sentence": string,
    },
    also=_task,
)

verdict = Record(
    {
        "sentence": string,
        "model": string,
        "headline": Record(comparison),
        "certificate": nullable(string),
        "next_step": nullable(Record({"sentence": string, "gain": maybe_estimate})),
        "findings": list_of(string, most=3),
    }
)

column = Record(
    {
        "name": string,
        "role": one_of("target", "feature", "group", "time", "dropped"),
        "type": one_of(
            "number", "integer", "boolean", "categorical", "text", "date", "id", "constant", "empty"
        ),
        "reason": string,
        "missing": integer,
        "distinct": integer,
        "summary": nullable(string),
        "histogram": nullable(histogram),
        "warnings": strings,
        "override": nullable(string),
    }
)

data = Record(
    {
        "source": _source,
        "format": nullable(string),
        "n_rows": integer,
        "n_columns": integer,
        "columns": list_of(column),
        "duplicates": nullable(
            Record({"n_rows": integer, "n_straddling": nullable(integer), "sentence": string})
        ),
        "handling": strings,
    }
)

part = Record(
    {
        "name": one_of("train", "test"),
        "n_rows": integer,
        "n_groups": nullable(integer),
        "class_counts": nullable(counts),
        "target_mean": nullable(number),
        "target_sd": nullable(number),
    }
)

split = Record(
    {
        "unit": one_of("row", "group", "time", "file"),
        "column": nullable(string),
        "reason": string,
        "parts": list_of(part, least=2, most=2),
        "folds": nullable(Record({"n": integer, "sentence": string})),
    }
)

candidate = Record(
    {
        "name": string,
        "label": string,
        "role": one_of("baseline", "candidate", "reference"),
        "chosen": boolean,
        "by_minimum": boolean,
        "parameters": map_of(setting),
        "score": maybe_estimate,
        "versus_baseline": maybe_estimate,
        "versus_best": maybe_estimate,
        "best_probability": nullable(number),
        "complexity": nullable(Record({"value": integer, "unit": string})),
        "fit_seconds": nullable(number),
        "certificate": nullable(certificate),
        "note": nullable(string),
    }
)

selection = Record(
    {
        "metric": string,
        "label": string,
        "unit": nullable(string),
        "greater_is_better": boolean,
        "rule": one_of("one-standard-error", "minimum"),
        "sentence": string,
        "other_rule": nullable(string),
        "best_probability_method": nullable(string),
        "winner": nullable(winner),
    }
)

selection_curve = Record(
    {
        "candidate": string,
        "parameter": string,
        "scale": one_of("log", "linear"),
        "x": numbers,
        "train": nullable(band),
        "validation": band,
        "chosen": number,
        "minimum": nullable(number),
    }
)

finding = Record(
    {
        "code": string,
        "level": one_of("note", "warning", "serious"),
        "sentence": string,
        "evidence": string,
        "doubt": nullable(string),
        "advice": string,
        "where": strings,
    }
)
checked = Record(
    {
        "code": nullable(string),
        "name": string,
        "outcome": one_of("nothing", "found", "cannot_tell", "not_run"),
        "sentence": string,
    }
)

provenance = Record(
    {
        "command": string,
        "version": string,
        "python": string,
        "packages": map_of(string),
        "seed": integer,
        "created": string,
        "seconds": number,
        "fingerprint": string,
        "settings": map_of(setting),
        "model_file": nullable(_source),
        "load_code": string,
        "citation": string,
    }
)


def _schema_name(value: Any, path: str) -> None:
    if value != SCHEMA_NAME:
        raise ReportSchemaError(path, f"must be {SCHEMA_NAME!r}, got {value!r}")


def _cross(report: dict[str, Any], path: str) -> None:
    chosen = [c["name"] for c in report["candidates"] if c["chosen"]]
    if chosen != [report["verdict"]["model"]]:
        raise ReportSchemaError("candidates", f"exactly verdict.model must be chosen, got {chosen}")
    codes = {f["code"] for f in report["findings"]}
    for i, code in enumerate(report["verdict"]["findings"]):
        if code not in codes:
            raise ReportSchemaError(f"verdict.findings[{i}]", f"{code} is not among the findings")
    names = {c["name"] for c in report["candidates"]}
    for i, curve in enumerate(report["selection_curves"]):
        path = f"selection_curves[{i}]"
        if curve["candidate"] not in names:
            raise ReportSchemaError(f"{path}.candidate", f"{curve['candidate']!r} is not a candidate")
        for key in ("train", "validation"):
            if curve[key] is not None and len(curve[key]["value"]) != len(curve["x"]):
                raise ReportSchemaError(f"{path}.{key}.value", "must be as long as x")
    for dotted in report["absent"]:
        value: Any = report
        for key in dotted.split("."):
            if not isinstance(value, dict) or key not in value:
                raise ReportSchemaError(f"absent.{dotted}", "is not a key of this report")
            value = value[key]
        if value:
            raise ReportSchemaError(f"absent.{dotted}", "says why a key is null, but the key is there")
    learning = report["learning_curve"]
    for key in ("train", "validation") if learning else ():
        if learning[key] is not None and len(learning[key]["value"]) != len(learning["x"]):
            raise ReportSchemaError(f"learning_curve.{key}.value", "must be as long as x")


REPORT = Record(
    {
        "schema": _schema_name,
        "level": fraction,
        "task": task,
        "verdict": verdict,
        "data": data,
        "split": split,
        "selection": selection,
        "candidates": list_of(candidate, least=1),
        "selection_curves": list_of(selection_curve),
        "test": test,
        "model": model,
        "learning_curve": nullable(learning_curve),
        "attribution": nullable(attribution),
        "bounds": nullable(bounds),
        "findings": list_of(finding),
        "checks": list_of(checked),
        "limits": list_of(string, least=1),
        "absent": map_of(string),
        "provenance": provenance,
    },
    optional={"failed": list_of(Record({"section": string, "sentence": string}))},
    also=_cross,
)


def check_section(value: Any, path: str) -> None:
    """Check the value of one key of a report, given in dotted form, as :func:`validate_report` would."""
    check: Any = REPORT
    for key in path.split("."):
        check = check.fields[key]
    check(value, path)


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
