"""The rows of one part (training or test) as the library takes them, with what a table knows beside them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from empirisk.evaluation import sample as evaluation
from empirisk.evaluation.metrics import CLASSIFICATION, REGRESSION
from empirisk.report.fit.encode import calendar_columns, model_frame
from empirisk.report.fit.horizon import stamps_of
from empirisk.report.fit.level_codes import Names, coded
from empirisk.report.read.carried import amounts
from empirisk.report.read.table import Table

__all__ = ["DECLARED", "Sample", "class_order", "take"]

DECLARED = "group "  # before the label of a group; a row without one is called by its number


@dataclass(frozen=True)
class Sample:
    """Features, coded target and dependence of some rows.

    Parameters
    ----------
    frame : polars.DataFrame
        Features as the encoder takes them (:func:`empirisk.report.fit.encode.model_frame`).
    y : array of shape (n,)
        Class codes (positions in `classes`) or numbers.
    task : {"binary", "multiclass", "regression"}
    classes : tuple of str
        Labels; in a binary task the negative class first. Empty for a regression.
    units : int array of shape (n,) or None
        Rows with the same number stay together in folds.
    groups : array of shape (n,) or None
        Declared groups: rows in them depend on each other, which widens intervals.
    time : array of shape (n,) or None
        Time of the rows: days of dates, else numbers; rows without a time come first, as they stay in train.
    exposure, weights : array of shape (n,) or None
        Over how much each row was counted; how much it counts.
    calendar : tuple of str
        Columns of `frame` that say where in the year, week or day the time of a row lies.
    """

    frame: pl.DataFrame
    y: NDArray[Any]
    task: str
    classes: tuple[str, ...]
    units: NDArray[Any] | None = None
    groups: NDArray[Any] | None = None
    time: NDArray[Any] | None = None
    exposure: NDArray[np.float64] | None = None
    weights: NDArray[np.float64] | None = None
    calendar: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """The number of rows in this part of the data."""
        return int(self.y.size)

    @cached_property
    def coded(self) -> tuple[pl.DataFrame, Names]:
        """The features with whole numbers for levels, and the names of these numbers by column."""
        return coded(self.frame)

    @cached_property
    def dealt(self) -> evaluation.Sample:
        """The same rows as the library knows them, which deals the folds and fits on parts of the rows.

        Where rows have a time, each is predicted from earlier ones, whatever group it is of. Levels are whole
        numbers (:attr:`coded`): what is fitted here is scored and not kept.
        """
        tied = self.units is not None and np.unique(self.units).size < self.n
        free = self.groups is None and self.time is None
        return evaluation.Sample(
            self.coded[0],
            self.y,
            task=REGRESSION if self.task == "regression" else CLASSIFICATION,
            groups=self.groups if self.time is None else None,
            together=self.units if tied and free else None,
            time=self.time,
            exposure=self.exposure,
            weights=self.weights,
        )

    @property
    def known(self) -> dict[str, Any]:
        """What predictions of these rows are made with beside their features, by the names of parameters."""
        return {} if self.exposure is None else {"exposure": self.exposure}

    @property
    def beside(self) -> dict[str, Any]:
        """What fits on these rows are made with beside features and targets, by the names of parameters."""
        return self.known | ({} if self.weights is None else {"sample_weight": self.weights})

    @property
    def shift(self) -> NDArray[np.float64] | float:
        """What the exposures add to the scores of a model with a log link; 0 without any."""
        return 0.0 if self.exposure is None else np.log(self.exposure)

    @property
    def n_classes(self) -> int:
        """Number of classes, 0 for a regression."""
        return len(self.classes)

    @property
    def counts(self) -> list[int] | None:
        """Rows of each class; None for a regression."""
        if self.task == "regression":
            return None
        return [int(c) for c in np.bincount(self.y, minlength=self.n_classes)]


def class_order(table: Table) -> tuple[str, ...]:
    """Return the labels in the order of their codes: as sorted, but the positive class last."""
    if table.task != "binary":
        return table.classes
    return (*(c for c in table.classes if c != table.positive), table.positive)


def take(table: Table, rows: NDArray[Any], units: NDArray[Any] | None = None) -> Sample:
    """Return the named rows of a table as a sample.

    Parameters
    ----------
    table : Table
    rows : int array
        Row numbers.
    units : int array, optional
        One number for each row of the table; rows with the same number stay together in folds.
    """
    if table.target is None:
        raise ValueError("the table has no target column")
    index = np.asarray(rows, dtype=np.int64)
    part, classes = table.frame[index], class_order(table)
    if table.task == "regression":
        y: NDArray[Any] = part[table.target].to_numpy().astype(np.float64)
    else:
        code = {label: i for i, label in enumerate(classes)}
        y = np.array([code[v] for v in part[table.target].to_list()], dtype=np.intp)
    carried = {role: amounts(table, role) for role in ("exposure", "weight")}
    exposure, weights = (None if v is None else v[index] for v in carried.values())
    return Sample(
        model_frame(table, index),
        y,
        table.task,
        classes,
        None if units is None else np.asarray(units)[index],
        _group_labels(table, index),
        None if table.time is None else np.nan_to_num(stamps_of(table)[index], nan=-np.inf),
        exposure,
        weights,
        calendar_columns(table),
    )


def _group_labels(table: Table, index: NDArray[np.int64]) -> NDArray[Any] | None:
    """Return the labels of the group column; a row without one is a group of its own."""
    if table.group is None:
        return None
    labels = table.frame[table.group].cast(pl.String).to_list()
    return np.array([f"row {i}" if labels[i] is None else f"{DECLARED}{labels[i]}" for i in index])
