"""The ten tables, whole, cut once into rows for the report and rows held out from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import ShuffleSplit

from bench.tuning.data import TABLES

TARGET = "the_target"
HELD_OUT = 1 / 3


@dataclass(frozen=True)
class Halves:
    """The rows of a table: those of the report, and those held out.

    Parameters
    ----------
    train, test : data frame
        Columns of features.
    y_train, y_test : array of shape (n,)
    task : str
        As in the option of the report.
    """

    train: pd.DataFrame
    test: pd.DataFrame
    y_train: Any
    y_test: Any
    task: str

    def with_target(self, which: str) -> pd.DataFrame:
        """Return one of the parts ("train" or "test") with the target as a column."""
        y = getattr(self, f"y_{which}")
        told = y if self.task == "regression" else np.asarray(y).astype(str)
        frame = getattr(self, which).assign(**{TARGET: told})
        kinds = frame.select_dtypes("category").columns
        return frame.astype(dict.fromkeys(kinds, str)).where(frame.notna())


def halves(name: str, seed: int = 0) -> Halves:
    """Return the two parts of a table by its name, dealt with a seed."""
    table = TABLES[name]
    X, y = table.whole()
    train, test = next(ShuffleSplit(1, test_size=HELD_OUT, random_state=seed).split(X))
    classes = np.unique(y).size if table.loss == "classes" else 0
    task = "regression" if not classes else ("binary" if classes == 2 else "multiclass")
    parts = (X.iloc[rows].reset_index(drop=True) for rows in (train, test))
    return Halves(*parts, y[train], y[test], task)
