"""Rows and targets of scikit-learn's protocol: what is plain already passes as it is.

scikit-learn's ``validate_data`` asks a plain array of numbers for data frames, array namespaces, sparse
formats and types of columns before it returns the same array.  That takes half as long as a least squares
fit of some hundred rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

__all__ = ["validated"]

# Options of scikit-learn under which a plain array passes as it is; with any other one scikit-learn is asked.
KNOWN = frozenset(
    (
        "accept_sparse",
        "dtype",
        "order",
        "ensure_all_finite",
        "y_numeric",
        "multi_output",
        "ensure_min_samples",
    )
)
NONE = object()


def validated(estimator: Any, X: Any, y: Any = NONE, *, reset: bool = True, **options: Any) -> Any:
    """Return X, or the pair (X, y), as scikit-learn's ``validate_data`` does: same attributes, same errors.

    Parameters
    ----------
    estimator : estimator
        Learns ``n_features_in_`` and ``feature_names_in_`` with `reset`, else X is compared with them.
    X : array, data frame or sparse matrix
        The rows.
    y : array, optional
        The targets.
    reset : bool, default True
        Whether this is a fit.
    **options
        What ``validate_data`` takes.

    Examples
    --------
    >>> import empirisk as er
    >>> X, model = np.eye(2), er.Ridge()
    >>> validated(model, X, reset=True) is X, model.n_features_in_
    (True, 2)
    """
    if _passes(X, options) and (y is NONE or _targets_pass(y, len(X), options)):
        known = vars(estimator)
        if reset:
            known.pop("feature_names_in_", None)
            estimator.n_features_in_ = X.shape[1]
        elif "feature_names_in_" in known or known.get("n_features_in_") != X.shape[1]:
            return _by_scikit_learn(estimator, X, y, reset, options)
        return X if y is NONE else (X, y)
    return _by_scikit_learn(estimator, X, y, reset, options)


def _by_scikit_learn(estimator: Any, X: Any, y: Any, reset: bool, options: dict[str, Any]) -> Any:
    """Return what scikit-learn makes of the rows, and of the targets where there are some."""
    given = {} if y is NONE else {"y": y}
    return validate_data(estimator, X, reset=reset, **given, **options)


def _passes(X: Any, options: dict[str, Any]) -> bool:
    """Return whether scikit-learn would return these very rows."""
    if type(X) is not np.ndarray or X.ndim != 2 or not KNOWN.issuperset(options):
        return False
    finite = options.get("ensure_all_finite", True)
    wanted = options.get("dtype", "numeric")
    return bool(
        X.dtype.kind == "f"
        and (wanted == "numeric" or wanted is None or X.dtype in _listed(wanted))
        and X.shape[0] >= options.get("ensure_min_samples", 1)
        and X.shape[1] >= 1
        and (options.get("order") is None or (options["order"] == "C" and X.flags.c_contiguous))
        and (finite is False or _sum_finite(X))
    )


def _targets_pass(y: Any, rows: int, options: dict[str, Any]) -> bool:
    """Return whether scikit-learn would return these very targets."""
    if type(y) is not np.ndarray or y.dtype.kind not in "fiubU" or len(y.shape) == 0 or len(y) != rows:
        return False
    if y.ndim > (2 if options.get("multi_output") else 1) or y.shape[-1] == 0:
        return False
    if options.get("multi_output") and y.dtype.kind == "U":
        return False
    return y.dtype.kind != "f" or _sum_finite(y)


def _listed(wanted: Any) -> Any:
    """Return the types that an option names, as a list of them."""
    return wanted if isinstance(wanted, list | tuple) else (wanted,)


def _sum_finite(values: Any) -> bool:
    """Return whether the sum is finite, which no NaN and no infinity leaves it."""
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(values.sum(dtype=np.float64))
