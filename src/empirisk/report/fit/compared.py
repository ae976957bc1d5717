"""The candidates that compare rows: nearest neighbours and machines with a Gaussian kernel, on standardised
columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.report.fit.candidates import Candidate

__all__ = [
    "MOST_ROWS",
    "compared_estimator",
    "compared_grid",
    "compared_seconds",
    "n_kept",
    "numbers_kept",
]

Floats = NDArray[np.float64]
# Training rows up to which each is tried: the searches of neighbours are O(n^2 p), the machine reads most
# values of the kernel, and the factor of kernel ridge is n numbers wide and long.
MOST_ROWS = {"neighbors": 100_000, "svc": 50_000, "kernel_ridge": 5_000}
NEIGHBORS = (1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 70, 100, 150, 200)
# Rows added to each class, so that a class without a neighbour is not impossible.
SMOOTHING = 0.5
# Strengths of a machine and folds that make its probabilities, for few rows and for many: a fit of these
# takes seconds.  LIBSVM's C = 1 / (n alpha) goes from 0.1 to 30, or from 0.3 to 10.
FEW_ROWS = 1_000
PRICES = {True: np.logspace(-1.0, 1.5, 5), False: np.logspace(-0.5, 1.0, 3)}
FOLDS = {True: 3, False: 2}
RIDGES = 9  # strengths of kernel ridge
# Of the gap of a machine, looser than by default; the certificate says how far from the optimum a fit is.
TOLERANCE = 1e-4
# Seconds for a row, and for a pair of rows and a column of a search, and for a value of the kernel in each
# solve; for a row in each solve of a pair of classes, whose machines are too small for the values to be what
# they cost.
_TREE, _SEARCH, _VALUE, _FACTOR, _ROW = 9.0e-5, 6.0e-11, 1.2e-9, 3.0e-11, 1.4e-5


def compared_estimator(candidate: Candidate, task: str, value: float, seed: int, n: int) -> Any:
    """Return the unfitted estimator at one value of the candidate's parameter.

    Parameters
    ----------
    candidate : Candidate
    task : {"binary", "multiclass", "regression"}
    value : float
        Number of neighbours, or the strength of a kernel machine.
    seed : int
        Of the folds that make probabilities.
    n : int
        Rows of the table.
    """
    from empirisk import estimators

    if candidate.kind == "neighbors":
        if task == "regression":
            return estimators.REGISTRY["KNeighborsRegressor"](int(value))
        return estimators.REGISTRY["KNeighborsClassifier"](int(value), smoothing=SMOOTHING)
    if candidate.name == "kernel_ridge":
        return estimators.REGISTRY["KernelRidge"](value)
    return estimators.REGISTRY["SVC"](
        value, probability=True, cv=FOLDS[n <= FEW_ROWS], random_state=seed, tol=TOLERANCE
    )


def compared_grid(candidate: Candidate, n: int, fewest: int, size: int) -> Floats:
    """Return the values to try, the simplest model first: many neighbours, or a strong penalty.

    Neighbours are at most a quarter of the rows of the smallest fit.  Strengths are ``1 / (n C)`` with the
    prices C of :data:`PRICES` for the support vector machine, and from 10 to a ten-millionth for kernel
    ridge, whose kernel has the value 1 at equal rows.

    Parameters
    ----------
    candidate : Candidate
    n : int
        Training rows.
    fewest : int
        Rows of the smallest fit.
    size : int
        Values at most.
    """
    if candidate.kind == "neighbors":
        some = [k for k in NEIGHBORS if k <= max(1, fewest // 4)]
        return np.array(some[-size:][::-1], dtype=np.float64)
    if candidate.name == "kernel_ridge":
        return np.logspace(1.0, -7.0, min(RIDGES, size))
    prices = PRICES[n <= FEW_ROWS]
    return 1.0 / (n * prices[-size:])


def compared_seconds(candidate: Candidate, n: float, p: int, outputs: int) -> float:
    """Return the predicted seconds of the fits of one fold: all values, predictions included.

    Parameters
    ----------
    candidate : Candidate
    n : float
        Rows of a fit.
    p : int
        Encoded columns.
    outputs : int
        Scores of a row.
    """
    if candidate.kind == "neighbors":
        return 0.02 + _TREE * n + _SEARCH * 1.25 * n * n * (p + 20.0)
    if candidate.name == "kernel_ridge":
        return 0.05 + RIDGES * (_FACTOR * n**3 + _VALUE * n * n)
    pairs = max(1.0, 0.5 * outputs * (outputs - 1.0)) if outputs > 1 else 1.0
    # Each pair of classes has its share of the rows; every strength takes a fit and those of the folds.
    share = 1.0 if outputs == 1 else 2.0 / outputs
    few = n <= FEW_ROWS
    fits = len(PRICES[few]) * (1.0 + 0.4 * FOLDS[few])
    rows = share * n
    each = _VALUE * rows**2 * (4.0 + 0.1 * p) + (_ROW * rows if outputs > 1 else 0.0)
    return 0.1 + fits * pairs * each


def n_kept(model: Any) -> int:
    """Return how many training rows a fitted model keeps: all of them, or those with a weight."""
    support = getattr(model, "support_", None)
    return int(model.n_samples_fit_) if support is None else len(support)


def numbers_kept(model: Any) -> int:
    """Return how many numbers a fitted model keeps: the columns of its rows, and a weight for each."""
    return n_kept(model) * (int(model.n_features_in_) + 1)
