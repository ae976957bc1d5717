"""Read a table and decide what it holds, every decision told and overridable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import polars as pl

from empirisk.report.errors import DataError, column_name, require_column
from empirisk.report.read.carried import CARRIED, check_amounts, check_counted
from empirisk.report.read.dates import recurring_parts
from empirisk.report.read.fingerprint import fingerprint
from empirisk.report.read.frames import is_frame, raw_frame
from empirisk.report.read.huge import refuse_huge, refuse_tiny
from empirisk.report.read.infer import infer_column
from empirisk.report.read.like import read_like, take_like
from empirisk.report.read.parse import Reading
from empirisk.report.read.raw import RawFile, TextOptions, read_raw, refuse_text_options
from empirisk.report.read.summary import summarise
from empirisk.report.read.table import Column, Role, Table, option
from empirisk.report.read.target import decide_target

__all__ = ["missing_code", "read_table"]

TYPED = ("as asked (--types)", "a type of categories in the frame")


def read_table(
    data: Any,
    *,
    target: str | None = None,
    types: Mapping[str, str] | None = None,
    drop: Sequence[str] = (),
    task: str | None = None,
    positive: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    group: str | None = None,
    time: str | None = None,
    exposure: str | None = None,
    weight: str | None = None,
    header: bool | None = None,
    missing: Sequence[str] = (),
    like: Table | None = None,
) -> Table:
    """Read a data file and decide what its columns are.

    Parameters
    ----------
    data : str, Path or data frame
        .csv, .tsv, .txt, each also .gz; .parquet; .jsonl.  Types of a frame are trusted; its columns of text
        are read as those of a file.
    target : str
        The column to predict; required unless `like` is given or the task is ``"clusters"``.
    types : mapping of str to str, optional
        Kinds by column name: number, boolean, categorical, text, date, date:FORMAT, id.
    drop : sequence of str
        Columns to leave out of the features.
    task : {"binary", "multiclass", "regression", "clusters"}, optional
        With ``"clusters"`` there is no target.
    positive : str, optional
        The class whose probability is reported.
    delimiter, decimal, encoding : str, optional
        Of a text file; found when None.
    group, time : str, optional
        Column whose groups stay together, column that orders the rows.
    exposure, weight : str, optional
        Column over which the target is counted, column of what each row counts.
    header : bool, optional
        Whether the first line holds names; found when None.
    missing : sequence of str
        Values that stand for missing beside the usual markers
        (:data:`empirisk.report.read.markers.MARKERS`), each as ``VALUE`` for all columns or
        ``VALUE,COLUMN`` for one.
    like : Table, optional
        Read the file under the decisions of this table (a test file, rows to predict); the target may be
        absent.

    Returns
    -------
    Table

    Raises
    ------
    DataError
        One sentence that names the file, column or row, and what to do.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = file.write_text("size;price\\n1,5;2\\n2,5;3,5\\n3,5;9\\n")
    >>> table = read_table(file, target="price")
    >>> table.task, table.features, table.lines()[0].split("(")[1]
    ('regression', ['size'], 'semicolon, utf-8, decimal comma, header found)')
    """
    text = TextOptions(delimiter, decimal, encoding, header)
    if is_frame(data):
        refuse_text_options(text, "a frame")
    if like is not None:
        return take_like(raw_frame(data), like) if is_frame(data) else read_like(Path(data), like, text)
    if target is None and task != "clusters":
        name = "the frame" if is_frame(data) else Path(data).name
        raise DataError(f"no target column was named for {name}: give --target COLUMN")
    target = None if target is None else column_name(target, "target")
    given = {"group": group, "time": time, "exposure": exposure, "weight": weight}
    roles = {role: column_name(name, role) for role, name in given.items() if name is not None}
    types = dict(types or {})
    codes = [missing_code(given) for given in missing]
    named = (
        *([] if target is None else [target]),
        *types,
        *drop,
        *roles.values(),
    )
    raw = raw_frame(data) if is_frame(data) else read_raw(Path(data), replace(text, expected=named))
    factors = [name for name in raw.factors if name not in types]
    _check_names(raw, target, types, drop, roles)
    frame = raw.frame
    for _, name in codes:
        if name:
            require_column(name, frame.columns, option="--missing", file=raw.source.name)
    parsed = []
    for name in frame.columns:
        own = tuple(code for code, column in codes if column in ("", name))
        reading = Reading(raw.decimal, decimal is not None, own)
        forced = types.get(name, "categorical" if name in factors else "")
        column, values = infer_column(frame[name], reading, forced)
        if name in factors:
            column = replace(column, reason=column.reason.replace(*TYPED))
        parsed.append((column, values))
    if target is None:
        return without_target(raw, parsed, drop)
    if "exposure" not in roles:
        return _assemble(raw, parsed, target, drop=drop, roles=roles, task=task, positive=positive)
    if task not in (None, "regression"):
        raise DataError(
            f"--exposure is for counts and amounts, and --task {task} asks for classes: leave one out"
        )
    table = _assemble(raw, parsed, target, drop=drop, roles=roles, task="regression", positive=positive)
    return replace(
        table,
        target_note=f"over {roles['exposure']}",
        target_override=f"leave {option('--exposure', roles['exposure'])} out",
    )


def missing_code(given: str) -> tuple[str, str]:
    """Split ``VALUE,COLUMN`` at its first comma; the column is "" when the value counts everywhere.

    Examples
    --------
    >>> missing_code("-200"), missing_code("999,age")
    (('-200', ''), ('999', 'age'))
    """
    value, comma, column = given.partition(",")
    value, column = value.strip(), column.strip()
    if not value or (comma and not column):
        raise DataError(
            f"--missing {given!r} must have the form VALUE or VALUE,COLUMN, such as --missing -200 or"
            " --missing 999,age"
        )
    return value, column


def _check_names(
    raw: RawFile,
    target: str | None,
    types: Mapping[str, str],
    drop: Sequence[str],
    roles: Mapping[str, str],
) -> None:
    """Refuse names of no column, and roles that exclude each other."""
    names, file = raw.frame.columns, raw.source.name
    if raw.frame.height == 0:
        raise DataError(f"{file} has no rows below its header: give data with rows")
    if target is not None and raw.frame.width < 2:
        raise DataError(
            f"{file} has one column only ({names[0]!r}): a model needs a target and at least one other "
            "column; if "
            "there are more, name their separator with --delimiter"
        )
    if target is not None:
        require_column(target, names, option="--target", file=file)
    for name in types:
        require_column(name, names, option="--types", file=file)
    for name in drop:
        require_column(name, names, option="--drop", file=file)
    for role, given in roles.items():
        require_column(given, names, option=f"--{role}", file=file)
        twice = [f"given by --{other}" for other, name in roles.items() if name == given and other != role]
        twice += ["the target"] if given == target else []
        if twice:
            raise DataError(
                f"{given!r} is {twice[0]} and cannot be given by --{role} too: name another column"
            )
    if target in drop:
        raise DataError(f"{target!r} is the target and cannot be dropped: leave --drop {target} out")


def without_target(raw: RawFile, parsed: list[tuple[Column, pl.Series]], drop: Sequence[str]) -> Table:
    """Return the table of parsed columns of which none is predicted; every row stays."""
    frame = pl.DataFrame([values.alias(column.name) for column, values in parsed])
    columns = [_role(column, drop, {}) for column, _ in parsed]
    refuse_huge(columns, frame, raw.source.name)
    refuse_tiny(columns, frame, raw.source.name)
    return Table(
        frame=frame,
        columns=tuple(columns),
        target=None,
        task="clusters",
        classes=(),
        positive="",
        source=raw.source,
        fingerprint=fingerprint(frame),
        n_rows=frame.height,
    )


def _assemble(
    raw: RawFile,
    parsed: list[tuple[Column, pl.Series]],
    target: str,
    *,
    drop: Sequence[str],
    roles: Mapping[str, str],
    task: str | None,
    positive: str | None,
) -> Table:
    frame = pl.DataFrame([values.alias(column.name) for column, values in parsed])
    columns = [column for column, _ in parsed]
    whole, known = frame, frame[target].is_not_null()
    n_left_out = int((~known).sum())
    if n_left_out:
        frame = frame.filter(known)
        columns = [_recount(c, frame[c.name]) for c in columns]
    at = frame.columns.index(target)
    decision = decide_target(columns[at], frame[target], task=task, positive=positive, file=raw.source.name)
    columns[at] = decision.column
    frame = frame.with_columns(decision.values.alias(target))
    columns = [_role(c, drop, roles) for c in columns]
    columns = [
        replace(c, levels=recurring_parts(frame[c.name])) if c.role == "time" and c.base == "date" else c
        for c in columns
    ]
    for c in columns:
        if c.role in CARRIED:
            check_amounts(c, whole[c.name], raw.source.name, known)
        if c.role == "exposure":
            check_counted(target, whole[target], c.name, raw.source.name)
    columns = _keep_some_feature(columns, target)
    refuse_huge(columns, whole, raw.source.name)
    refuse_tiny(columns, whole, raw.source.name)
    columns[at] = replace(columns[at], summary=summarise(frame[target], columns[at].kind))
    if not any(c.role == "feature" for c in columns):
        why = "; ".join(f"{c.name}: {c.reason}" for c in columns if c.role == "dropped")
        raise DataError(
            f"{raw.source.name} has no usable column besides the target ({why}): force one with --types"
        )
    return Table(
        frame=frame,
        columns=tuple(columns),
        target=target,
        task=decision.task,
        classes=decision.classes,
        positive=decision.positive,
        source=raw.source,
        fingerprint=fingerprint(frame),
        n_rows=frame.height,
        n_left_out=n_left_out,
        target_note=decision.note,
        target_override=decision.override,
    )


def _recount(column: Column, values: pl.Series) -> Column:
    """Count again after rows without a target were left out (kinds stay as decided on all rows)."""
    some = values.drop_nulls()
    # What could not be read was counted over all rows, and the missing values are over those that stay.
    whole = f"in the whole file {column.warning}" if column.n_unreadable else column.warning
    return replace(
        column,
        warning=whole,
        n_missing=values.null_count(),
        n_distinct=some.n_unique(),
        summary=summarise(values, column.kind),
    )


def _role(column: Column, drop: Sequence[str], roles: Mapping[str, str]) -> Column:
    """Return the column in the role that the user gave it, or as it is."""
    name = column.name
    for role, given in roles.items():
        if name == given:
            if role == "time" and column.base not in ("date", "number"):
                raise DataError(
                    f"--time {name!r} holds neither numbers nor dates of one known format: give it, --types"
                    f" '{name}=date:%d.%m.%Y', or write all dates alike, such as 2024-12-31"
                )
            return replace(column, role=cast(Role, role), override=f"leave {option(f'--{role}', name)} out")
    if name in drop:
        return replace(
            column, role="dropped", reason="as asked (--drop)", override=f"leave {option('--drop', name)} out"
        )
    return column


def _keep_some_feature(columns: list[Column], target: str) -> list[Column]:
    """Use a column that counts the rows after all when it is the only one there is."""
    if any(c.role == "feature" for c in columns):
        return columns
    return [
        replace(
            c,
            role="feature",
            kind="number",
            warning="it counts the rows, and is used because there is no other",
        )
        if c.kind == "id" and c.base == "number" and c.reason == "it counts the rows"
        else c
        for c in columns
    ]
