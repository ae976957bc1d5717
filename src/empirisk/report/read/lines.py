"""The printed inference: one line a column, each with the option that changes it."""

from __future__ import annotations

from empirisk.report.read.table import Column, Source, Table
from empirisk.wording import counted, percent

__all__ = ["column_line", "inference_lines", "source_line", "target_line"]

_MAX_CLASSES = 8  # shown in a line


def source_line(source: Source) -> str:
    """Return the found format in a few words: ``comma, utf-8, header found``."""
    parts = [source.format] if source.format != "text" else []
    parts += [p for p in (source.delimiter, source.encoding) if p]
    parts += ["decimal comma"] if source.decimal == "," else []
    parts += [source.header] if source.header else []
    return ", ".join(parts)


def column_line(column: Column) -> str:
    """Return what a column was taken for, without its name."""
    kind, n = column.kind, f"{column.n_distinct:,}"
    if column.role == "dropped":
        text = f"dropped, {kind}: {column.reason}"
    elif kind == "number":
        extra = column.reason.removeprefix("numbers").strip()
        text = f"number, {n} distinct values" + (f", {extra}" if extra else "")
    elif kind == "categorical":
        extra = "" if column.reason == "words that recur" else f" ({column.reason})"
        text = f"categorical, {n} level{'' if column.n_distinct == 1 else 's'}{extra}"
    else:
        text = f"{kind} ({column.reason})"
    if column.role in ("group", "time"):
        text = f"{column.role} column, {text}"
    parts = [text]
    if column.n_missing and kind != "empty":
        found = ", ".join(repr(m) if m else "blank" for m, _ in column.markers)
        parts.append(f"{column.n_missing:,} missing" + (f" ({found})" if found else ""))
    if column.warning:
        parts.append(column.warning)
    return "; ".join(parts)


def target_line(table: Table) -> str:
    """Return what the target was taken for: the classes with their shares, or the range of the numbers."""
    values = table.frame[str(table.target)]
    why = f" ({table.target_note})" if table.target_note else ""
    if table.task == "regression":
        low, high = (float(v) for v in (values.min(), values.max()))  # type: ignore[arg-type]
        text = f"target, a number (regression{why and ': ' + table.target_note}), from {low:g} to {high:g}"
    else:
        counts = table.class_counts()
        order = sorted(counts, key=lambda c: -counts[c]) if len(counts) > 2 else list(counts)
        shares = ", ".join(f"{c} ({_share(counts[c] / len(values))})" for c in order[:_MAX_CLASSES])
        more = f" and {len(order) - _MAX_CLASSES} more" if len(order) > _MAX_CLASSES else ""
        text = f"target, {len(order)} classes: {shares}{more}{why}"
    column = table.column(str(table.target))
    if table.n_left_out:
        text += f"; {counted(table.n_left_out, 'row')} without a value left out"
    return text + (f"; {column.warning}" if column.warning else "")


def inference_lines(table: Table) -> list[str]:
    """Return all lines: the file, notes about it, the target, the other columns in the order of the file."""
    source = table.source
    head = (
        f"Reading {source.name}  {counted(table.n_rows + table.n_left_out, 'row')}, "
        f"{counted(len(table.columns), 'column')} ({source_line(source)})"
    )
    width = min(24, max((len(c.name) for c in table.columns), default=0))
    rest = [c for c in table.columns if c.name != table.target]
    body = [(c.name, column_line(c), c.override) for c in rest]
    if table.target is not None:
        body.insert(0, (table.target, target_line(table), table.target_override))
    told = [f"  {name:<{width}}  {text:<60}  {override}".rstrip() for name, text, override in body]
    return [head, *(f"  {note}" for note in source.notes), *told, *(f"  {note}" for note in table.unseen)]


def _share(share: float) -> str:
    return percent(share)
