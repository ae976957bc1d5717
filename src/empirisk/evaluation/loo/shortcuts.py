"""Which estimator has which shortcut; it returns predictions, or the sentence why it does not apply."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LinearRegression as SkLinearRegression
from sklearn.linear_model import Ridge as SkRidge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from empirisk.estimators import KernelRidge as OwnKernelRidge
from empirisk.estimators import KernelSmoother, LinearRegression, Ridge
from empirisk.estimators import KNeighborsClassifier as OwnClassifier
from empirisk.estimators import KNeighborsRegressor as OwnRegressor
from empirisk.estimators.kernel.left_out import left_out_residuals
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.loo.smoothers import ridge_loo
from empirisk.evaluation.outputs import Outputs
from empirisk.kernels import kernel_of
from empirisk.problems.mercer import refuse_no_kernel

__all__ = ["SHORTCUTS", "shortcut_for"]

Shortcut = Callable[[Any, Any, NDArray[Any]], tuple[Outputs, str] | str]


def _dense(X: Any) -> Floats | None:
    """Return X as floats when it is a dense table of numbers, else None."""
    if issparse(X):
        return None
    values = np.asarray(X)
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        return None
    return values.astype(np.float64, copy=False)


def _linear(est: Any, X: Any, y: NDArray[Any]) -> tuple[Outputs, str] | str:
    """Leave rows out of least squares and ridge, ours and scikit-learn's, by their leverages."""
    table = _dense(X)
    if table is None:
        return "X is sparse or not numeric"
    if getattr(est, "positive", False):
        return "coefficients are constrained to be positive"
    n = table.shape[0]
    strength = _strength(est, n)
    if strength is None:
        return f"alpha = {est.alpha!r} is chosen anew in every fit"
    # The checks of the estimator: finite values, shapes, its own parameters.
    if isinstance(est, LinearRegression | Ridge):
        (clone(est) if hasattr(est, "alpha_") else est).problem(X, y)
    else:
        clone(est).fit(X, y)
    pred = ridge_loo(table, np.asarray(y, dtype=np.float64), strength, bool(est.fit_intercept))
    if table.shape[1] + bool(est.fit_intercept) > n - 1 and strength == 0.0:
        return "least squares with as many coefficients as rows is not determined without a row"
    name = "least squares" if strength == 0.0 else "ridge"
    return Outputs(pred), f"hat matrix of {name}, residual/(1 - leverage)"


def _strength(est: Any, n: int) -> float | None:
    """Return the total strength of the fits on n-1 rows, in the units of ``sum of squares + strength
    ||w||^2``.
    """
    if isinstance(est, LinearRegression | SkLinearRegression):
        return 0.0
    if isinstance(est, SkRidge):
        return float(est.alpha) if np.ndim(est.alpha) == 0 else None
    if est.alpha == "1/n":
        return 1.0
    return (n - 1.0) * float(est.alpha) if isinstance(est.alpha, Real) else None


def _kernel_ridge(est: Any, X: Any, y: NDArray[Any]) -> tuple[Outputs, str] | str:
    """``y_i - c_i / (G^-1)_ii`` with ``G = K + alpha I``, ``c = G^-1 y`` (Craven and Wahba 1979)."""
    if np.ndim(est.alpha) != 0 or float(est.alpha) <= 0.0:
        return "alpha must be one positive number for the shortcut"
    model = clone(est).fit(X, y)
    K = np.asarray(model._get_kernel(model.X_fit_), dtype=np.float64)
    K[np.diag_indices_from(K)] += float(est.alpha)
    factor = cho_factor(K, lower=True, overwrite_a=True, check_finite=False)
    inverse = cho_solve(factor, np.eye(len(K)), check_finite=False)
    target = np.asarray(y, dtype=np.float64)
    return Outputs(target - inverse @ target / np.diag(inverse)), "inverse of K + alpha I"


def _own_kernel_ridge(est: Any, X: Any, y: NDArray[Any]) -> tuple[Outputs, str] | str:
    """Leave rows out of our kernel ridge by ``a_i / G_ii``; widths that rows decide are another kernel a
    fold.
    """
    if not (est.alpha == "1/n" or isinstance(est.alpha, Real)) or est.alpha == 0:
        return f"alpha = {est.alpha!r} is chosen anew in every fit"
    # The checks of the estimator, without its fit: the residuals say all, and the kernel matrix is made once.
    model = clone(est)
    rows = model._encoded(X, y, None, fitting=True)
    if model.kernel_ != kernel_of(est.kernel):
        return "the width of the kernel is learned anew in every fit"
    problem = model._posed(rows)
    refuse_no_kernel(problem)
    n = problem.n
    total = 1.0 if est.alpha == "1/n" else (n - 1.0) * float(est.alpha)
    residual = left_out_residuals(problem, np.array([total / n]))[0]
    return Outputs(np.asarray(y, dtype=np.float64) - residual), "inverse of the bordered kernel matrix"


def _own_neighbours(est: Any, X: Any, y: NDArray[Any]) -> tuple[Outputs, str] | str:
    """Each row asks its neighbours without itself and its copies, as ``predict(None)`` does."""
    if isinstance(est.n_neighbors, str):
        return "n_neighbors is chosen anew in every fit"
    if est.n_neighbors > len(y) - 1:
        return f"n_neighbors = {est.n_neighbors} exceeds the {len(y) - 1} other rows"
    model = clone(est).fit(X, y)
    how = "neighbours of each row without itself"
    if isinstance(est, OwnRegressor):
        return Outputs(np.asarray(model.predict(None))), how
    proba = np.asarray(model.predict_proba(None))
    return Outputs(np.asarray(model.predict(None)), proba, None, model.classes_), how


def _smoother(est: Any, X: Any, y: NDArray[Any]) -> tuple[Outputs, str] | str:
    """Each row asks the rows in its window without itself and its copies, as ``predict(None)`` does."""
    if isinstance(est.bandwidth, str):
        return "the bandwidth is chosen anew in every fit"
    if est.standardise:
        return "columns are standardised anew in every fit"
    if len(y) < 2:
        return "no other row is there"
    model = clone(est).fit(X, y)
    return Outputs(np.asarray(model.predict(None))), "windows around each row without itself"


def _neighbours(est: Any, X: Any, y: NDArray[Any]) -> tuple[Outputs, str] | str:
    """Each row asks its neighbours without itself: scikit-learn does that for ``predict(None)``."""
    if est.n_neighbors > len(y) - 1:
        return f"n_neighbors = {est.n_neighbors} exceeds the {len(y) - 1} other rows"
    if est.metric == "precomputed":
        return "the distances are precomputed"
    model = clone(est).fit(X, y)
    how = "neighbours of each row without itself"
    if isinstance(est, KNeighborsRegressor):
        return Outputs(np.asarray(model.predict(None))), how
    proba = np.asarray(model.predict_proba(None))
    return Outputs(np.asarray(model.predict(None)), proba, None, model.classes_), how


SHORTCUTS: dict[type, Shortcut] = {
    Ridge: _linear,
    LinearRegression: _linear,
    SkRidge: _linear,
    SkLinearRegression: _linear,
    KernelRidge: _kernel_ridge,
    OwnKernelRidge: _own_kernel_ridge,
    OwnClassifier: _own_neighbours,
    OwnRegressor: _own_neighbours,
    KernelSmoother: _smoother,
    KNeighborsClassifier: _neighbours,
    KNeighborsRegressor: _neighbours,
}


def shortcut_for(est: Any) -> Shortcut | None:
    """Return the shortcut of exactly this class; a subclass may predict otherwise."""
    return SHORTCUTS.get(type(est))
