"""Small checkers that say which key of a nested JSON value is at fault.

A checker is a function ``(value, path) -> None`` that raises :class:`ReportSchemaError`; the functions
here build checkers out of checkers. ``path`` is the key in dotted form, ``candidates[2].score.low``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

__all__ = [
    "Check",
    "Record",
    "ReportSchemaError",
    "boolean",
    "fraction",
    "integer",
    "list_of",
    "map_of",
    "nullable",
    "number",
    "one_of",
    "string",
    "strings",
]

Check = Callable[[Any, str], None]


class ReportSchemaError(ValueError):
    """A report does not follow its schema; `path` names the key at fault."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"report key {path!r}: {problem} (see docs/how-to/report-json.md)")
        self.path = path
        self.problem = problem

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.problem)


def _say(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"


def string(value: Any, path: str) -> None:
    """Check that the value is a string."""
    if not isinstance(value, str):
        raise ReportSchemaError(path, f"must be a string, got {_say(value)}")


def boolean(value: Any, path: str) -> None:
    """Check that the value is True or False."""
    if not isinstance(value, bool):
        raise ReportSchemaError(path, f"must be true or false, got {_say(value)}")


def integer(value: Any, path: str) -> None:
    """A count: a Python int that is not negative."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ReportSchemaError(path, f"must be a whole number of at least 0, got {_say(value)}")


def number(value: Any, path: str) -> None:
    """A finite Python int or float (JSON has neither NaN nor infinity)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ReportSchemaError(path, f"must be a number, got {_say(value)}")
    if not math.isfinite(value):
        raise ReportSchemaError(path, f"must be finite, got {value}; write null and a reason instead")


def fraction(value: Any, path: str) -> None:
    """Check that the value is a number strictly between 0 and 1."""
    number(value, path)
    if not 0.0 < value < 1.0:
        raise ReportSchemaError(path, f"must lie strictly between 0 and 1, got {value}")


def one_of(*choices: str) -> Check:
    """Return one of a closed list of strings."""

    def check(value: Any, path: str) -> None:
        if value not in choices:
            raise ReportSchemaError(path, f"must be one of {', '.join(choices)}; got {_say(value)}")

    return check


def nullable(inner: Check) -> Check:
    """Return the check that accepts None and whatever `inner` accepts."""

    def check(value: Any, path: str) -> None:
        if value is not None:
            inner(value, path)

    return check


def list_of(inner: Check, *, least: int = 0, most: int | None = None) -> Check:
    """Return a list whose items `inner` accepts, with bounds on its length."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, list):
            raise ReportSchemaError(path, f"must be a list, got {_say(value)}")
        if len(value) < least:
            raise ReportSchemaError(path, f"must have at least {least} items, got {len(value)}")
        if most is not None and len(value) > most:
            raise ReportSchemaError(path, f"must have at most {most} items, got {len(value)}")
        for i, item in enumerate(value):
            inner(item, f"{path}[{i}]")

    return check


strings = list_of(string)


def map_of(inner: Check) -> Check:
    """Return a dict from free string keys to what `inner` accepts."""

    def check(value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise ReportSchemaError(path, f"must be an object, got {_say(value)}")
        for key, item in value.items():
            string(key, f"{path} (key)")
            inner(item, f"{path}.{key}")

    return check


class Record:
    """A dict with exactly these keys (those in `optional` may be left out), then one more look.

    `also` sees the whole dict after every key has passed; it checks what concerns several keys.
    """

    def __init__(
        self,
        fields: dict[str, Check],
        *,
        optional: dict[str, Check] | None = None,
        also: Check | None = None,
    ) -> None:
        self.required = fields
        self.fields = {**fields, **(optional or {})}
        self.also = also

    def __call__(self, value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise ReportSchemaError(path or "(top)", f"must be an object, got {_say(value)}")
        dot = f"{path}." if path else ""
        for key in self.required:
            if key not in value:
                raise ReportSchemaError(dot + key, "is missing")
        for key in value:
            if key not in self.fields:
                raise ReportSchemaError(dot + str(key), "is not a key of the schema")
        for key, item in value.items():
            self.fields[key](item, dot + key)
        if self.also is not None:
            self.also(value, path)
