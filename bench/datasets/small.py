"""The small data sets that scikit-learn ships, with standardised columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import datasets

LOADERS: dict[str, Any] = {
    "iris": datasets.load_iris,
    "breast cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "diabetes": datasets.load_diabetes,
}


def standardised(name: str, dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    """Columns of mean 0 and standard deviation 1; constant columns stay 0."""
    X, y = LOADERS[name](return_X_y=True)
    sd = X.std(axis=0)
    return ((X - X.mean(axis=0)) / np.where(sd > 0.0, sd, 1.0)).astype(dtype, copy=False), y
