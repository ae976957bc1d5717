"""er.likelihood_ratio: does the larger of two nested models fit better than chance?

Wilks, Annals of Mathematical Statistics 9 (1938).
"""

from __future__ import annotations

from inspect import signature
from typing import Any

from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.formulas.formula_model import inside
from empirisk.estimators.likelihood.base import LikelihoodEstimator
from empirisk.estimators.linear.base import LinearEstimator
from empirisk.inference import TestResult, likelihood_ratio_test

__all__ = ["likelihood_ratio"]


def likelihood_ratio(
    small: Any,
    large: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    X_small: Any = None,
    offset: Any = None,
    exposure: Any = None,
) -> TestResult:
    """``2 (log-likelihood of the large model - that of the small one)``, chi squared under the small one.

    Where a dispersion is estimated (least squares, Gamma ...) the F-test of the deviances; for least squares
    it is exact under normal noise.

    Parameters
    ----------
    small, large : estimators
        Fitted without penalty on the same rows; the columns of `small` are combinations of those of `large`.
    X : array or data frame, shape (n, p), optional
        Rows of the fit of `large`; when the columns have names, `small` takes its own from it.  May be left
        out while the arrays passed to both ``fit`` are in memory.
    y : array, shape (n,), optional
        Targets.
    sample_weight : array, shape (n,), optional
        Weights.
    X_small : array or data frame, shape (n, q), optional
        Rows of the fit of `small`, when they are not columns of X by name.
    offset, exposure : array, shape (n,), optional
        Those that both fits had: a known part of the scores, a known factor of the means.

    Returns
    -------
    TestResult

    Raises
    ------
    ValueError
        When the models are not nested, differ in loss, rows or weights, or have no inference (a penalty,
        separation ...), with the reason.
    TypeError
        When a model has no likelihood here, or `offset` or `exposure` is given and it takes none.

    References
    ----------
    S. S. Wilks, "The large-sample distribution of the likelihood ratio for testing composite hypotheses",
    Annals of Mathematical Statistics 9 (1938).

    Examples
    --------
    >>> import empirisk as er
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> large = er.LinearRegression().fit(X, y)
    >>> few = X[["bmi", "bp"]]
    >>> small = er.LinearRegression().fit(few, y)
    >>> er.likelihood_ratio(small, large, X, y).df
    8
    """
    if X is not None and (inside(small) is not small or inside(large) is not large):
        raise ValueError("models with a formula keep the rows of their fits: leave X, y and the others out")
    small, large = inside(small), inside(large)
    if isinstance(small, LikelihoodEstimator) and isinstance(large, LikelihoodEstimator):
        if X is not None or X_small is not None or y is not None:
            raise ValueError(
                f"a {type(large).__name__} keeps the rows of its fit: leave X, y and the others out"
            )
        return large.likelihood_ratio_to(small)
    for role, model in (("small", small), ("large", large)):
        if not isinstance(model, LinearEstimator):
            raise TypeError(
                f"{role} must be a fitted linear model (or both of them one such as OrderedLogit), "
                f"got {type(model).__name__}"
            )
        check_is_fitted(model, "solution_")
    known = {"sample_weight": sample_weight, "offset": offset, "exposure": exposure}
    rows = {"y": y, **{name: value for name, value in known.items() if value is not None}}
    for role, model in (("small", small), ("large", large)):
        lost = [name for name in rows if name not in signature(model.fit).parameters]
        if lost:
            raise TypeError(f"{role}, a {type(model).__name__}, is fitted without {lost[0]}: leave it out")
    if X is None:
        if X_small is not None or any(value is not None for value in rows.values()):
            raise ValueError("pass X and y with what else both fits had, or none of the rows of the fits")
        return likelihood_ratio_test(small._linearised("test", None), large._linearised("test", None))
    if X_small is None:
        names, has = getattr(small, "feature_names_in_", None), getattr(large, "feature_names_in_", None)
        extra = [] if names is None or has is None else [str(v) for v in names if v not in set(has)]
        if extra:
            raise ValueError(
                f"small has the columns {extra}, which large lacks: give the smaller of two nested models "
                "first"
            )
        if names is not None and hasattr(X, "columns"):
            X_small = X[list(names)]
        elif small.n_features_in_ == large.n_features_in_:
            X_small = X
        else:
            raise ValueError(
                f"small has {small.n_features_in_} columns and X has {large.n_features_in_} without names: "
                "pass X_small"
            )
    return likelihood_ratio_test(
        small._linearised("test", {"X": X_small, **rows}), large._linearised("test", {"X": X, **rows})
    )
