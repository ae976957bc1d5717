"""Options that several commands share, and how their values are written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = [
    "KINDS",
    "AsJson",
    "Data",
    "Debug",
    "Decimal",
    "Delimiter",
    "Encoding",
    "Header",
    "Missing",
    "Quiet",
    "Seed",
    "Strict",
    "TimeLimit",
    "Types",
    "pairs",
    "whole",
]

# The kinds of empirisk.report.read.table that a user may ask for; it is loaded only when a command runs.
KINDS = "number, boolean, categorical, text, date, id"

Data = Annotated[Path, typer.Argument(help=".csv, .tsv or .txt (also .gz), .parquet or .jsonl")]
Types = Annotated[
    list[str] | None, typer.Option(help=f"COLUMN=KIND, KIND one of {KINDS}; may be given more than once.")
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="VALUE[,COLUMN]",
        help="Value that stands for missing, such as -200 or 999,age; may be given more than once.",
    ),
]
Delimiter = Annotated[
    str | None, typer.Option(help="Between the fields of a text file, such as , ; | or tab.")
]
Decimal = Annotated[str | None, typer.Option(help="Decimal mark, . or ,")]
Encoding = Annotated[str | None, typer.Option(help="Of a text file, such as cp1252.")]
Header = Annotated[bool | None, typer.Option(help="Whether the first line holds names.")]
Seed = Annotated[int, typer.Option(help="Of every random choice.")]
TimeLimit = Annotated[float | None, typer.Option(help="Seconds; less is done to keep it, and said.")]
Strict = Annotated[bool, typer.Option("--strict", help="Exit code 3 after a serious finding.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
AsJson = Annotated[bool, typer.Option("--json", help="Everything, as JSON.")]


def whole(text: str) -> int:
    """Return a whole number as written: 1000000, 1e6 or 2^20."""
    from empirisk.bounds.calculator import whole_number

    try:
        return whole_number(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def pairs(values: list[str], option: str) -> dict[str, str]:
    """Split ``COLUMN=KIND`` values; the last ``=`` counts, because names may hold one."""
    from empirisk.report.errors import DataError

    out = {}
    for value in values:
        name, equals, kind = value.rpartition("=")
        if not equals or not name or not kind:
            raise DataError(
                f"{option} {value!r} must have the form COLUMN=KIND, such as {option} age=categorical"
            )
        out[name] = kind
    return out
