"""Adult (UCI): eight columns of categories as codes, missing values as NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from bench.accuracy.data import adult

CATEGORIES = [1, 3, 5, 6, 7, 8, 9, 13]


def adult_rows(n: int, fresh: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """n rows to fit, or `fresh` ones: all that come after the first 30,000."""
    frame, y = adult()
    order = np.random.default_rng(0).permutation(len(frame))
    X = np.empty(frame.shape)
    for j, name in enumerate(frame):
        column = frame[name]
        if j in CATEGORIES:
            codes = column.cat.codes.to_numpy()
            X[:, j] = np.where(codes < 0, np.nan, codes)
        else:
            X[:, j] = column
    chosen = order[30_000:] if fresh else order[:n]
    return X[chosen], y[chosen]


def adult_one_hot(n: int) -> tuple[Any, np.ndarray]:
    """n rows in CSR: a column for each category, missing ones included, and standardised numbers."""
    frame, y = adult()
    made = pd.get_dummies(frame, dummy_na=True, dtype=float)
    made = made.loc[:, made.any()]
    for name in frame.select_dtypes(include="number"):
        made[name] = (made[name] - made[name].mean()) / made[name].std()
    order = np.random.default_rng(0).permutation(len(made))[:n]
    return sp.csr_array(made.to_numpy()[order]), y[order]
