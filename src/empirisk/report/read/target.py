"""What is predicted: the task, its classes and the positive one."""

from __future__ import annotations

from dataclasses import dataclass, replace

import polars as pl

from empirisk.report.errors import DataError, meant, near_matches
from empirisk.report.read.numerals import as_words
from empirisk.report.read.parse import truth_words
from empirisk.report.read.table import Column, Kind, Task, option

__all__ = ["TargetDecision", "decide_target"]

_TASKS = ("binary", "multiclass", "classification", "regression")
_MAX_CODES = 10  # whole numbers from 0 or 1 on are classes up to so many, then counts


@dataclass(frozen=True)
class TargetDecision:
    """The target column, its values in their final form, and why."""

    column: Column
    values: pl.Series
    task: Task
    classes: tuple[str, ...]
    positive: str
    note: str
    override: str


def decide_target(
    column: Column, values: pl.Series, *, task: str | None, positive: str | None, file: str
) -> TargetDecision:
    """Decide what kind of prediction a target asks for.

    Words, yes/no and 0/1 are classes. Numbers are a regression, unless they are two values or the whole
    numbers 0..k-1 or 1..k with at most ten of them, which are how classes are coded.

    Parameters
    ----------
    column, values
        From :func:`empirisk.report.read.infer.infer_column`, rows without a value already left out.
    task, positive : str or None
        Given by the user.
    file : str
        File name for messages.

    Raises
    ------
    DataError
        The target has no value, one value, a different word in every row, or does not suit the task that was
        given.
    """
    name = column.name
    if task is not None and task not in _TASKS:
        raise DataError(
            f"--task {task!r} is no task: use binary, multiclass or regression{meant(task, _TASKS)}"
        )
    if column.n_distinct == 0:
        raise DataError(
            f"the target {name!r} of {file} has no value in any row: nothing can be learned from it"
        )
    if column.n_distinct == 1:
        value = str(_labels(column, values)[0])
        raise DataError(
            f"the target {name!r} of {file} has one value only ({value!r}): a model needs at least two to "
            "tell apart"
        )
    if column.base == "date":
        raise DataError(
            f"the target {name!r} of {file} is a date: turn it into a number (days) or a class first"
        )
    chosen, why = _task(column, values, task)
    if chosen == "regression":
        return _regression(column, values, positive, why)
    labels = _labels(column, values)
    classes = _sorted(labels)
    if task == "binary" and len(classes) != 2:
        raise DataError(
            f"--task binary needs two classes, but {name!r} has {len(classes):,}: use --task multiclass"
        )
    if len(classes) > max(20, len(labels) / 2):
        raise DataError(
            f"the target {name!r} of {file} has {len(classes):,} different texts in {len(labels):,} rows: "
            "choose a column with repeated classes or with numbers"
        )
    return _classification(column, labels, classes, task, positive, why)


def _task(column: Column, values: pl.Series, task: str | None) -> tuple[str, str]:
    if task == "regression" and column.base == "string":
        some = str(values[0])[:30]
        raise DataError(f"--task regression needs numbers, but {column.name!r} holds words such as {some!r}")
    if task is not None:
        return ("regression" if task == "regression" else "classes"), "as asked (--task)"
    if column.base != "number":
        return "classes", ""
    if column.n_distinct == 2:
        return "classes", "two numbers are two classes"
    distinct = values.unique().sort().to_list()
    k = len(distinct)
    if k <= _MAX_CODES and distinct in ([float(i) for i in range(k)], [float(i + 1) for i in range(k)]):
        return "classes", f"the whole numbers {distinct[0]:.0f} to {distinct[-1]:.0f} are taken for classes"
    return "regression", ""


def _labels(column: Column, values: pl.Series) -> pl.Series:
    if values.dtype == pl.Boolean:
        return truth_words(column, values)
    return as_words(values) if values.dtype == pl.Float64 else values.cast(pl.String)


def _sorted(labels: pl.Series) -> tuple[str, ...]:
    """Sort labels as numbers when all are numbers."""
    distinct = labels.unique().to_list()
    try:
        return tuple(sorted(distinct, key=float))
    except ValueError:
        return tuple(sorted(distinct))


def _regression(column: Column, values: pl.Series, positive: str | None, why: str) -> TargetDecision:
    if positive is not None:
        raise DataError(
            f"--positive {positive!r} needs classes, but {column.name!r} is predicted as a number"
        )
    if values.dtype == pl.Boolean:
        values = values.cast(pl.Float64)
    override = "--task multiclass" if column.n_distinct <= 20 else ""
    column = replace(column, role="target", kind="number", base="number", override=override)
    return TargetDecision(column, values, "regression", (), "", why, override)


def _classification(
    column: Column,
    labels: pl.Series,
    classes: tuple[str, ...],
    task: str | None,
    positive: str | None,
    why: str,
) -> TargetDecision:
    counts = dict(labels.value_counts().iter_rows())
    if positive is not None and positive not in classes:
        raise DataError(
            f"--positive {positive!r} is no class of {column.name!r}: "
            + near_matches(positive, classes).replace("columns", "classes")
        )
    if positive is not None and len(classes) > 2:
        raise DataError(f"--positive needs two classes, but {column.name!r} has {len(classes)}")
    chosen = positive or (_positive(column, classes, counts) if len(classes) == 2 else "")
    options = [option("--positive", chosen)] if chosen else []
    if column.base == "number" and task is None:
        options.append("--task regression")
    override = " or ".join(options)
    kind: Kind = "boolean" if column.kind == "boolean" else "categorical"
    column = replace(column, role="target", kind=kind, override=override, levels=classes)
    return TargetDecision(
        column, labels, "binary" if len(classes) == 2 else "multiclass", classes, chosen, why, override
    )


def _positive(column: Column, classes: tuple[str, ...], counts: dict[str, int]) -> str:
    """Return the true, the plus, the larger number, or else the rarer class."""
    if column.kind == "boolean":
        return next((c for c in classes if c == column.truth[1]), classes[1])
    if "+" in classes:
        return "+"
    if column.base == "number":
        return classes[1]
    return min(reversed(classes), key=lambda c: counts[c])
