"""A table as it was understood, every decision with its reason and the option that changes it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import polars as pl

from empirisk.report.read.dates import MIXED
from empirisk.wording import counted, percent

__all__ = ["KINDS", "Column", "Source", "Table"]

Role = Literal["target", "feature", "group", "time", "exposure", "weight", "dropped"]
Kind = Literal["number", "boolean", "categorical", "text", "date", "id", "constant", "empty"]
Task = Literal["binary", "multiclass", "regression", "clusters"]

KINDS: tuple[str, ...] = ("number", "boolean", "categorical", "text", "date", "id", "constant", "empty")

_MAX_CLASSES = 8  # that the line of a target names
_MOST_LINES = 40  # of columns, on two screens: more is not read

STORED = {
    "number": pl.Float64(),
    "boolean": pl.Boolean(),
    "string": pl.String(),
    "date": pl.Datetime("us"),
}


@dataclass(frozen=True)
class Column:
    """One column: what it is taken for, why, and how to have it otherwise.

    Parameters
    ----------
    name : str
        Name after renaming of duplicates.
    role : {"target", "feature", "group", "time", "exposure", "weight", "dropped"}
        What it is used for.
    kind : {"number", "boolean", "categorical", "text", "date", "id", "constant", "empty"}
        What its values are.
    reason : str
        Why it was decided so.
    override : str
        The command-line option that changes the decision.
    n_missing, n_distinct : int
        Rows without a value; distinct values among the others.
    summary : dict
        Counts only: a histogram of at most 40 bins or the most frequent levels.
    warning : str
        What the user should know; empty when there is nothing.
    base : {"number", "boolean", "string", "date"}
        How the values are stored in the frame (an id or a constant keeps its values).
    markers : tuple of (str, int)
        Missing-value markers that were found, with their counts.
    decimal : str
        Decimal mark of a number column that was read from text.
    unit : str
        Percent sign or currency that every value carried and that was taken off; ``"time of day"`` for dates
        with one.
    date_format : str
        ``strftime`` format of a date column that was read from text.
    truth : tuple of str
        (false, true) words of a boolean column.
    n_unreadable : int
        Values that are not of the kind and were therefore counted as missing.
    unreadable, unreadable_rows : tuple
        Up to three of them, and the rows of the file in which they stand first.
    missing_codes : tuple of str
        Values that the user called missing (``--missing``), beside the usual markers.
    long_missing : bool
        Whether whole numbers of more than 15 digits count as missing: a few stand among ordinary numbers.
    levels : tuple of str
        Levels of a categorical column or of a class target; of a time column of dates the parts that come
        again within its range (month, weekday, hour of day), which models read.
    """

    name: str
    role: Role
    kind: Kind
    reason: str
    override: str
    n_missing: int
    n_distinct: int
    summary: dict[str, Any] = field(default_factory=dict)
    warning: str = ""
    base: str = "string"
    markers: tuple[tuple[str, int], ...] = ()
    decimal: str = "."
    unit: str = ""
    date_format: str = ""
    truth: tuple[str, str] = ("false", "true")
    n_unreadable: int = 0
    unreadable: tuple[str, ...] = ()
    unreadable_rows: tuple[int, ...] = ()
    missing_codes: tuple[str, ...] = ()
    long_missing: bool = False
    levels: tuple[str, ...] = ()

    def line(self) -> str:
        """Return what the column was taken for, without its name."""
        kind, n = self.kind, f"{self.n_distinct:,}"
        if self.role == "dropped":
            text = f"dropped, {kind}: {self.reason}"
        elif kind == "number":
            extra = self.reason.removeprefix("numbers").strip()
            text = f"number, {n} distinct values" + (f", {extra}" if extra else "")
        elif kind == "categorical":
            extra = "" if self.reason == "words that recur" else f" ({self.reason})"
            text = f"categorical, {n} level{'' if self.n_distinct == 1 else 's'}{extra}"
        else:
            text = f"{kind} ({self.reason})"
        if self.role in ("group", "time", "exposure", "weight"):
            text = f"{self.role} column, {text}"
        parts = [text]
        if self.n_missing and kind != "empty":
            found = ", ".join(repr(m) if m else "blank" for m, _ in self.markers)
            parts.append(f"{self.n_missing:,} missing" + (f" ({found})" if found else ""))
        if self.warning:
            parts.append(self.warning)
        return "; ".join(parts)


@dataclass(frozen=True)
class Source:
    """The file: its name without folders, its format, and what was found in it.

    `notes` holds one sentence per thing that was done to the rows or the header, `renamed` the (old, new)
    names of columns that share a name in the header.
    """

    name: str
    format: str
    encoding: str = ""
    delimiter: str = ""
    decimal: str = ""
    quote: str = ""
    header: str = ""
    notes: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    def line(self) -> str:
        """Return the found format in a few words: ``comma, utf-8, header found``."""
        parts = [self.format] if self.format != "text" else []
        parts += [p for p in (self.delimiter, self.encoding) if p]
        parts += ["decimal comma"] if self.decimal == "," else []
        parts += [self.header] if self.header else []
        return ", ".join(parts)


@dataclass(frozen=True)
class Table:
    """A file as it was understood.

    Parameters
    ----------
    frame : polars.DataFrame
        Parsed columns, dropped ones included: numbers as Float64, booleans as Boolean, dates as Datetime,
        everything else (and the target of a classification) as String. Rows without a target value are left
        out.
    columns : tuple of Column
        In the order of the file.
    target : str or None
        Name of the target; None for rows to predict that carry none, and for rows to group.
    task : {"binary", "multiclass", "regression", "clusters"}
        What is predicted; ``"clusters"`` where rows are grouped and there is no target.
    classes : tuple of str
        Labels in their sorted order (empty for a regression).
    positive : str
        The label whose probability is reported ("" unless binary).
    source : Source
        Where it came from.
    fingerprint : str
        SHA-256 of the parsed columns; the same for CSV, Parquet and JSON Lines.
    n_rows : int
        Rows of `frame`.
    n_left_out : int
        Rows left out because the target is missing.
    target_note : str
        Why the task was decided so ("" when it goes without saying).
    target_override : str
        The options that change it.
    unseen : tuple of str
        In a second file: sentences about levels that the first one does not have.
    """

    frame: pl.DataFrame
    columns: tuple[Column, ...]
    target: str | None
    task: Task
    classes: tuple[str, ...]
    positive: str
    source: Source
    fingerprint: str
    n_rows: int
    n_left_out: int = 0
    target_note: str = ""
    target_override: str = ""
    unseen: tuple[str, ...] = ()

    def column(self, name: str) -> Column:
        """Return the column of that name."""
        return next(c for c in self.columns if c.name == name)

    def names(self, role: Role) -> list[str]:
        """Return the names of the columns with a role, in file order."""
        return [c.name for c in self.columns if c.role == role]

    @property
    def left_out_texts(self) -> tuple[str, ...]:
        """Columns of text that no model sees, but for dates and for those that the user left out."""
        return tuple(
            c.name
            for c in self.columns
            if c.kind == "text"
            and c.role == "dropped"
            and "--drop" not in c.reason
            and not c.reason.startswith(MIXED)
        )

    @property
    def features(self) -> list[str]:
        """Names of the feature columns, in file order."""
        return self.names("feature")

    @property
    def group(self) -> str | None:
        """Name of the group column, if one was declared."""
        return next(iter(self.names("group")), None)

    @property
    def time(self) -> str | None:
        """Name of the time column, if one was declared."""
        return next(iter(self.names("time")), None)

    @property
    def exposure(self) -> str | None:
        """Name of the column that says over how much of what each row counts, if one was declared."""
        return next(iter(self.names("exposure")), None)

    @property
    def weight(self) -> str | None:
        """Name of the column that says how much each row counts, if one was declared."""
        return next(iter(self.names("weight")), None)

    def class_counts(self) -> dict[str, int]:
        """Return the number of rows of each class (empty for a regression or without target)."""
        if self.target is None or self.task == "regression":
            return {}
        counts = dict(self.frame[self.target].value_counts().iter_rows())
        return {label: int(counts.get(label, 0)) for label in self.classes}

    def lines(self) -> list[str]:
        """Return the printed inference: the file, then every column with the option that overrides it."""
        source = self.source
        head = (
            f"Reading {source.name}  {counted(self.n_rows + self.n_left_out, 'row')}, "
            f"{counted(len(self.columns), 'column')} ({source.line()})"
        )
        width = min(24, max((len(c.name) for c in self.columns), default=0))
        rest = [c for c in self.columns if c.name != self.target]
        told = _most_told(rest)
        body = [(c.name, c.line(), c.override) for c in told]
        if self.target is not None:
            body.insert(0, (self.target, self._target_line(), self.target_override))
        lines = [f"  {name:<{width}}  {text:<60}  {override}".rstrip() for name, text, override in body]
        if len(told) < len(rest):
            lines.append(f"  {_untold([c for c in rest if c not in told])}")
        return [head, *(f"  {note}" for note in source.notes), *lines, *(f"  {note}" for note in self.unseen)]

    def _target_line(self) -> str:
        """Return what the target was taken for: classes with their shares, or the range of the numbers."""
        values = self.frame[str(self.target)]
        why = f" ({self.target_note})" if self.target_note else ""
        if self.task == "regression":
            low, high = (float(v) for v in (values.min(), values.max()))  # type: ignore[arg-type]
            text = f"target, a number (regression{why and ': ' + self.target_note}), from {low:g} to {high:g}"
        else:
            counts = self.class_counts()
            order = sorted(counts, key=lambda c: -counts[c]) if len(counts) > 2 else list(counts)
            shares = ", ".join(f"{c} ({percent(counts[c] / len(values))})" for c in order[:_MAX_CLASSES])
            more = f" and {len(order) - _MAX_CLASSES} more" if len(order) > _MAX_CLASSES else ""
            text = f"target, {len(order)} classes: {shares}{more}{why}"
        column = self.column(str(self.target))
        if self.n_left_out:
            text += f"; {counted(self.n_left_out, 'row')} without a value left out"
        return text + (f"; {column.warning}" if column.warning else "")

    def decisions(self) -> dict[str, Any]:
        """Return all decisions without any data, as plain JSON values; see :meth:`from_decisions`."""
        columns = [asdict(replace(c, summary={})) for c in self.columns]
        keys = ("target", "task", "positive", "fingerprint", "target_note", "target_override")
        return {
            "columns": columns,
            "classes": list(self.classes),
            "source": asdict(self.source),
            **{key: getattr(self, key) for key in keys},
        }

    @classmethod
    def from_decisions(cls, decisions: dict[str, Any]) -> Table:
        """Rebuild a table without rows from :meth:`decisions`, to read other files alike."""
        columns = tuple(Column(**{k: _tuples(v) for k, v in c.items()}) for c in decisions["columns"])
        source = Source(**{k: _tuples(v) for k, v in decisions["source"].items()})
        keys = ("target", "task", "positive", "fingerprint", "target_note", "target_override")
        return cls(
            frame=pl.DataFrame(schema={c.name: STORED[c.base] for c in columns}),
            columns=columns,
            classes=tuple(decisions["classes"]),
            source=source,
            n_rows=0,
            **{key: decisions[key] for key in keys},
        )


def _most_told(columns: Sequence[Column]) -> list[Column]:
    """Return the columns that have a line of their own, in the order of the file.

    Of a wide file these are those with a role, then those with a warning, those left out, the first ones.
    """

    def rank(c: Column) -> int:
        if c.role not in ("feature", "dropped"):
            return 0
        return 1 if c.warning else 2 if c.role == "dropped" else 3

    first = sorted(range(len(columns)), key=lambda i: rank(columns[i]))[:_MOST_LINES]
    return [columns[i] for i in sorted(first)]


def _untold(columns: Sequence[Column]) -> str:
    """Return how many columns have no line of their own, by kind, and where they stand."""
    kinds = Counter(f"dropped, {c.kind}" if c.role == "dropped" else c.kind for c in columns)
    said = "; ".join(f"{n:,} {kind}" for kind, n in kinds.most_common())
    return f"and {counted(len(columns), 'more column')} ({said}): report.json has them all"


def option(flag: str, name: str, value: str = "") -> str:
    """Return a command-line option that can be pasted into a shell."""
    return f"{flag} {shlex.quote(f'{name}={value}' if value else name)}"


def _tuples(value: Any) -> Any:
    """JSON has lists only; the fields are tuples."""
    return tuple(_tuples(v) for v in value) if isinstance(value, list | tuple) else value
