"""Whether the parts of a table hold enough to choose a model on one and to test it on the other."""

from __future__ import annotations

import numpy as np

from empirisk.report.errors import DataError
from empirisk.report.fit.sample import Sample
from empirisk.report.fit.split import Split
from empirisk.report.read.table import Table

__all__ = ["refuse_too_few"]


def refuse_too_few(table: Table, split: Split, train: Sample) -> None:
    """Refuse a training part from which no fold can be held out, or that has no two classes to tell apart.

    Raises
    ------
    DataError
        Says what there is, and what would be enough.
    """
    name = table.source.name
    units = np.arange(train.n) if train.units is None else np.unique(train.units)
    if split.unit == "group" and units.size < 2:
        raise DataError(
            f"--group {table.group!r} leaves {units.size} group for training: at least 3 groups are needed,"
            " one for the test and two for the folds"
        )
    if units.size < 2:
        raise DataError(
            f"the training part of {name} has {train.n:,} row{'' if train.n == 1 else 's'}, all copies of"
            " one: at least 2 are needed for the folds"
        )
    if train.counts is None:
        return
    known = sum(c >= 2 for c in train.counts)
    if known < 2:
        rare = [(c, k) for c, k in zip(train.classes, train.counts, strict=True) if k < 2]
        said = ", ".join(f"{c!r} {k}" for c, k in rare[:3])
        of = {
            "row": "",
            "group": " (whole groups are held out)",
            "time": " (the last rows in time are held out)",
        }
        raise DataError(
            f"the training part of {name} has too few rows of {table.target}: {said}"
            f"{of.get(split.unit, '')}; at least 2 rows of each of two classes are needed in it, so give more"
            " rows or merge classes"
        )
