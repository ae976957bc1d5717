"""Proofs that two classes are, or are not, on two sides of a hyperplane."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

from empirisk.data.brief import Brief
from empirisk.data.design import Design
from empirisk.hypotheses.exact import integers, null_vector
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array, IndexArray

__all__ = ["ConvexWitness", "find_witness", "on_their_sides"]

# Elimination in whole numbers of any length: seconds beyond.
MOST_COLUMNS = 60
USED = 1e-9  # multipliers above this share of their sum belong to the witness


@dataclass(frozen=True, eq=False, repr=False)
class ConvexWitness(Brief):
    """A point that both classes have in common, or without an intercept a relation that no rule satisfies.

    ``sum_i c_i x_i`` over the positive rows equals that over the negative rows, c >= 0, and each class's c
    sum to 1: a half-space that holds one class strictly cannot exclude the other.  Without an intercept
    the sums of c differ, and the two sums of vectors are what is equal.

    Parameters
    ----------
    rows : array of int
        Rows of the training data, p + 2 at most.
    weights : array
        c, > 0.
    positive : array of bool
        Which of the rows are of the second class.
    exact : bool
        Whether it was verified without rounding that such weights exist for the numbers as stored.
    """

    rows: IndexArray
    weights: Array
    positive: Any
    exact: bool

    def points(self, X: Any) -> tuple[Array, Array]:
        """Return the two weighted sums of rows of X, equal up to rounding."""
        block = Design(X).rows(self.rows).X
        dense = np.asarray(block.toarray() if hasattr(block, "toarray") else block, dtype=np.float64)
        c = self.weights
        return c[self.positive] @ dense[self.positive], c[~self.positive] @ dense[~self.positive]


def find_witness(problem: LinearProblem, multipliers: Array) -> ConvexWitness | None:
    """A witness among the rows with positive multipliers ``theta_i y_i``; None when none is found.

    A basic solution of ``sum_i c_i y_i (x_i, 1) = 0``, ``c >= 0``, ``sum_i c_i = 2`` uses at most p + 2 rows
    (Gordan's alternative).
    """
    y, p = problem.data.y, problem.data.n_cols
    rows = np.flatnonzero(multipliers > USED * float(multipliers.max(initial=0.0)))
    block = problem.design.rows(rows).X
    X = np.asarray(block.toarray() if problem.design.sparse else block, dtype=np.float64)
    mean = X.mean(axis=0) if problem.intercept and len(X) else np.zeros(p)
    spread = np.sqrt(np.mean((X - mean) ** 2, axis=0)) if len(X) else np.ones(p)
    columns = [(X - mean) / np.where(spread > 0.0, spread, 1.0)]
    columns += [np.ones((len(rows), 1))] if problem.intercept else []
    signed = y[rows, None] * np.hstack(columns)
    equal = np.vstack([signed.T, np.ones(len(rows))])
    found = linprog(
        np.zeros(len(rows)), A_eq=equal, b_eq=np.append(np.zeros(len(equal) - 1), 2.0), method="highs-ds"
    )
    if found.status != 0 or found.x is None:
        return None
    used = np.flatnonzero(found.x > USED)
    chosen, c = rows[used], np.asarray(found.x)[used]
    exact = _exact_weights(X[used], y[chosen], problem.intercept) if p <= MOST_COLUMNS else None
    return ConvexWitness(chosen, c if exact is None else exact, y[chosen] > 0.0, exact is not None)


def _exact_weights(X: Array, y: Array, intercept: bool) -> Array | None:
    """Return the weights of the one relation between these rows, when they are all positive; no rounding."""
    A = np.column_stack([X, np.ones(len(X))]) if intercept else X
    whole, _ = integers(A)
    null = null_vector(whole.T)
    if null is None:
        return None
    c = [int(v) if label > 0.0 else -int(v) for v, label in zip(null, y, strict=True)]
    c = c if sum(c) > 0 else [-v for v in c]
    if min(c) <= 0:
        return None
    half = Fraction(sum(c), 2)
    return np.array([float(v / half) for v in c])


def on_their_sides(problem: LinearProblem, w: Array) -> tuple[bool, Array]:
    """Whether every row with weight is strictly on its side, proved; and the margins ``y_i f(x_i)``.

    A margin proves its row when it exceeds the bound on the rounding of its own sum, ``(p + 2) eps (|x|.|w| +
    |b|)`` and a little; rows in doubt are added up without rounding.
    """
    coef, b = problem.split(np.asarray(w, dtype=np.float64))
    X, y = problem.design.X, problem.data.y
    wide = X if problem.design.dtype == np.float64 else X.astype(np.float64)
    margin = y * (np.asarray(wide @ coef) + b)
    bound = 1.01 * (len(coef) + 2) * float(np.finfo(np.float64).eps) * (abs(wide) @ np.abs(coef) + abs(b))
    doubt = np.flatnonzero((margin <= bound) & (problem.data.weight > 0.0))
    if len(doubt) > 1_000 or (margin[doubt] <= -bound[doubt]).any():
        return False, margin
    numbers = [Fraction(float(v)) for v in coef]
    for i in doubt:
        row = problem.design.rows(np.array([i])).X
        x = (row.toarray() if problem.design.sparse else np.asarray(row))[0]
        score = sum((Fraction(float(v)) * c for v, c in zip(x, numbers, strict=True)), Fraction(float(b)))
        if score * int(y[i]) <= 0:
            return False, margin
    return True, margin
