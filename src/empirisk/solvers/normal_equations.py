"""Means, centred Gram matrix and cross products with y of a dense design, in as few reads as possible."""

from __future__ import annotations

import numpy as np

from empirisk import _loops
from empirisk.data.sums import weighted_sum
from empirisk.problems.facts import NormalEquations
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["cross_products", "keep_products", "normal_equations", "row_gram"]

# Below this many numbers a separate read for the means costs nothing and is the more accurate way.
LARGE = 1_000_000
# Rows whose mean is the provisional centre: it need only lie near the columns, because the sums of the full
# pass correct it exactly.
SAMPLE = 1_000


def normal_equations(problem: LinearProblem) -> NormalEquations:
    """Two reads of X when the columns can be centred by a sample's means first, else three.

    Notes
    -----
    With provisional centres c, ``X~' s X~ = (X - 1c')' s (X - 1c') - S (m - c)(m - c)'``: the subtraction
    loses no digits as long as c is within a few standard deviations of m, which is checked.
    """
    return problem.facts.normal or _shifted(problem) or _centred(problem)


def row_gram(problem: LinearProblem) -> Array:
    """``D X~ X~' D / S`` with ``D = diag(sqrt(s))``: the products of the rows, for n < p; a fresh array."""
    kept = problem.facts.row_gram
    if kept is not None:
        return kept.copy()
    mean, _ = problem.moments
    center = mean if problem.intercept else None
    return _loops.gram_rows(problem.design.X, _weight(problem), center) / problem.data.total_weight


def keep_products(problem: LinearProblem) -> None:
    """Compute the products once for all strengths of a path; ``with_strength`` hands them on.

    They take ``min(n, p)^2`` numbers for as long as the problem lives.
    """
    if problem.data.n_cols <= int(np.count_nonzero(problem.data.weight)) - int(problem.intercept):
        problem.facts.normal = normal_equations(problem)
    else:
        problem.facts.row_gram = row_gram(problem)


def _weight(problem: LinearProblem) -> Array | None:
    return None if problem.data.unit_weights else problem.data.weight


def _y_mean(problem: LinearProblem) -> Array:
    data = problem.data
    if not problem.intercept:
        return np.zeros(data.y.shape[1:])
    return np.asarray(weighted_sum(data.weight, data.y) / data.total_weight)


def _shares(problem: LinearProblem, y_mean: Array) -> Array:
    """``s_i (y_i - mean) / S``, in the precision of X."""
    data = problem.data
    weighted = ((data.weight / data.total_weight) * (data.y - y_mean).T).T
    return np.asarray(weighted, dtype=problem.design.dtype)


def _centred(problem: LinearProblem) -> NormalEquations:
    mean, _ = problem.moments
    center = mean if problem.intercept else None
    gram = _loops.gram(problem.design.X, _weight(problem), center) / problem.data.total_weight
    return NormalEquations(gram, *cross_products(problem))


def cross_products(problem: LinearProblem) -> tuple[Array, Array]:
    """Return ``X~' diag(s) y~ / S`` and the mean of the targets, in one read of X."""
    mean, _ = problem.moments
    y_mean = _y_mean(problem)
    shares = _shares(problem, y_mean)
    v = np.asarray(_loops.rmatvec(problem.design.X, shares), dtype=np.float64)
    # sum_i s_i y~_i = 0 up to rounding; what rounding left is taken out of columns of large mean.
    v -= np.multiply.outer(mean, shares.sum(axis=0, dtype=np.float64))
    return v, y_mean


def _shifted(problem: LinearProblem) -> NormalEquations | None:
    data, total = problem.data, problem.data.total_weight
    n, p = problem.design.shape
    if problem.facts.known_moments is not None or n * p < LARGE or not problem.intercept:
        return None
    if problem.design.dtype != np.float64:
        return None
    rows = np.linspace(0, n - 1, min(n, SAMPLE)).astype(np.intp)
    center = np.asarray(problem.design.X[rows].mean(axis=0), dtype=np.float64)
    y_mean = _y_mean(problem)
    shares = _shares(problem, y_mean).reshape(n, -1)
    sums = _loops.rmatvec(problem.design.X, np.column_stack([data.weight / total, shares]))
    mean, v = sums[:, 0], sums[:, 1:]
    shift = mean - center
    gram = _loops.gram(problem.design.X, _weight(problem), center) / total
    variance = np.diag(gram) - shift**2
    # Far provisional centres, or columns that are nearly constant, deserve the careful way.
    if not np.all((variance > 0.01 * shift**2) & (variance > 1e-12 * mean**2)):
        return None
    gram -= np.multiply.outer(shift, shift)
    problem.facts.known_moments = mean, variance
    v = v - np.multiply.outer(mean, shares.sum(axis=0))
    return NormalEquations(gram, v.reshape(p, *data.y.shape[1:]), y_mean)
