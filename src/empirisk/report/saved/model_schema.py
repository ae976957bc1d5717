"""What the metadata of a model file holds, checked key by key before anything is done with it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from empirisk.evaluation.metrics import METRICS
from empirisk.report.read.table import KINDS, Column, Source, Table
from empirisk.report.shapes.checkers import (
    Check,
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
from empirisk.report.shapes.values import certificate, comparison

__all__ = ["check_metadata"]

_TASKS = one_of("binary", "multiclass", "regression", "clusters")


def _pair(inner: Check) -> Check:
    return list_of(inner, least=2, most=2)


def _mark(value: Any, path: str) -> None:
    """Check that the value is a marker with its count, as a list of two."""
    if not (isinstance(value, list) and len(value) == 2):
        raise ReportSchemaError(path, "must be a word and a count")
    string(value[0], path)
    integer(value[1], path)


_COLUMN: dict[str, Check] = {
    "name": string,
    "role": one_of("target", "feature", "group", "time", "exposure", "weight", "dropped"),
    "kind": one_of(*KINDS),
    "n_missing": integer,
    "n_distinct": integer,
    "n_unreadable": integer,
    "base": one_of("number", "boolean", "string", "date"),
    "markers": list_of(_mark),
    "decimal": one_of(".", ","),
    "truth": _pair(string),
    "unreadable": strings,
    "unreadable_rows": list_of(integer),
    "missing_codes": strings,
    "long_missing": boolean,
    "levels": strings,
    "summary": map_of(string),
}
_SOURCE: dict[str, Check] = {"notes": strings, "renamed": list_of(_pair(string))}


def _every_field(kind: type, checks: dict[str, Check]) -> Record:
    """Return the fields of a record; those without a check of their own are strings."""
    return Record({f.name: checks.get(f.name, string) for f in fields(kind)})


_estimates = comparison.required | {"name": one_of(*METRICS)}

METADATA = Record(
    {
        "format": string,
        "task": Record(
            {
                "kind": _TASKS,
                "target": nullable(string),
                "classes": nullable(strings),
                "positive": nullable(string),
            }
        ),
        "model": Record(
            {
                "name": string,
                "label": string,
                "alpha": nullable(number),
                "n_terms": integer,
                "n_train": integer,
            },
            optional={"step": string},
        ),
        "decisions": Record(
            {
                "columns": list_of(_every_field(Column, _COLUMN), least=1),
                "classes": strings,
                "source": _every_field(Source, _SOURCE),
                "target": nullable(string),
                "task": _TASKS,
                "positive": string,
                "fingerprint": string,
                "target_note": string,
                "target_override": string,
            }
        ),
        "fingerprint": string,
        "split": Record(
            {
                "unit": one_of("row", "group", "time", "file"),
                "seed": integer,
                "group": nullable(string),
                "time": nullable(string),
            }
        ),
        "level": fraction,
        "metrics": list_of(Record(_estimates, optional={"constant": string})),
        "certificate": nullable(certificate),
        "created": string,
        "ranges": map_of(_pair(number)),
        "rows": Record(
            {
                "columns": strings,
                "key": string,
                "limit": string,
                "rows": integer,
                "kept": integer,
                "marks": string,
            }
        ),
        "versions": map_of(string),
        "sha256": string,
        "probes": Record(
            {
                "rows": map_of(list_of(lambda value, path: None)),
                "types": map_of(one_of("Float64", "String")),
                "expected": list_of(lambda value, path: None),
            }
        ),
    }
)


def check_metadata(metadata: Any) -> str:
    """Say what is wrong with the metadata of a model file; "" when it is sound.

    Examples
    --------
    >>> check_metadata({"format": "empirisk-model/2"})
    'task is missing'
    """
    try:
        METADATA(metadata, "")
        _agree(metadata)
    except ReportSchemaError as error:
        return f"{error.path or 'the metadata'} {error.problem}"
    return ""


def _agree(metadata: dict[str, Any]) -> None:
    """What stands twice must be the same."""
    task, decisions = metadata["task"], metadata["decisions"]
    names = [c["name"] for c in decisions["columns"]]
    classes = task["classes"] or []
    positive = task["positive"] or ""
    groups = task["kind"] == "clusters"
    wrong = {
        "task.kind": task["kind"] != decisions["task"],
        "task.target": task["target"] != decisions["target"]
        or (task["target"] is None) != groups
        or (not groups and task["target"] not in names),
        "task.classes": not classes
        if groups
        else sorted(classes) != sorted(decisions["classes"])
        or (len(classes) < 2) == (task["kind"] != "regression"),
        "task.positive": positive != decisions["positive"]
        or (task["kind"] == "binary" and positive not in classes),
        "decisions.columns": len(set(names)) < len(names),
        "fingerprint": metadata["fingerprint"] != decisions["fingerprint"],
        "probes.types": set(metadata["probes"]["types"]) != set(metadata["probes"]["rows"])
        or len({len(v) for v in metadata["probes"]["rows"].values()}) != 1,
    }
    for key, is_wrong in wrong.items():
        if is_wrong:
            raise ReportSchemaError(key, "does not agree with the other keys")
    try:
        Table.from_decisions(decisions)
        bytes.fromhex(metadata["rows"]["limit"])
    except (TypeError, ValueError) as error:
        raise ReportSchemaError("decisions", f"cannot be used ({error})") from None
