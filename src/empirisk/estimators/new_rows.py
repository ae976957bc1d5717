"""Rows that are handed to a fitted estimator, checked against those of its fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.sparse_cells import canonical
from empirisk.data.validated import validated
from empirisk.estimators.checks import check_finite

__all__ = ["new_rows"]


def new_rows(estimator: Any, X: Any) -> Any:
    """Return new rows as numbers, dense or compressed, with the columns that the estimator was fitted with.

    Raises
    ------
    NotFittedError
        The estimator was not fitted.
    ValueError
        Other columns than those of the fit, cells that are no finite numbers.
    """
    check_is_fitted(estimator)
    with numbers_only(X):
        X = validated(
            estimator,
            canonical(X),
            reset=False,
            accept_sparse=["csr", "csc"],
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
    check_finite(Design(X), getattr(estimator, "feature_names_in_", None))
    return X
