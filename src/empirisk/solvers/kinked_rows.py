"""A piecewise linear loss with an L1 penalty as one sum of kinks.

    sum_i max(low_i r_i, high_i r_i) + constant,    r_i = z_i - at_i

The absolute, quantile, hinge and perceptron losses have one kink a row, the epsilon-insensitive loss two; the
L1 penalty is one more kink for each coefficient, at 0 with slopes ``-l1`` and ``l1``.  The weights are in the
slopes, and the columns are standardised: ``z`` is linear in the (u, c) of `solvers/standardise.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from empirisk import _loops
from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.newton import weighted_block
from empirisk.solvers.standardise import Standardisation, standardise
from empirisk.typing import Array, IndexArray

__all__ = ["KinkedRows", "Kinks", "kinked_rows"]

# Numbers up to which the standardised rows are stored: products with them skip the change of variables.
SMALL = 2**18
CAP = 2.0  # times the longest gradient: a strength beyond it changes nothing
ROUNDING = 16.0 * float(np.finfo(np.float64).eps)


class Kinks(Protocol):
    """What steps along the central path and the crossover read: places, slopes, and a map A to the scores."""

    @property
    def at(self) -> Array: ...
    @property
    def low(self) -> Array: ...
    @property
    def high(self) -> Array: ...
    @property
    def ridge(self) -> Array: ...
    @property
    def offset(self) -> Array: ...
    def scores(self, u: Array) -> Array:
        """Return the scores ``A u`` of all kinks."""
        ...

    def adjoint(self, v: Array) -> Array:
        """Return the transpose of A times a vector over the kinks."""
        ...

    def gram(self, d: Array) -> Array:
        """Return ``A' diag(d) A + ridge`` for one weight of each kink."""
        ...

    def select(self, index: IndexArray) -> Array:
        """Return the rows of A that belong to these kinks, dense."""
        ...

    def own(self, on: IndexArray) -> IndexArray:
        """Return the parameters that have one of these kinks for themselves."""
        ...

    def constant(self, on: IndexArray, w: Array) -> Array:
        """Return a simpler point on the same kinks, or w."""
        ...


@dataclass(frozen=True, eq=False)
class KinkedRows:
    """The kinks of a problem and the linear map to their scores.

    Parameters
    ----------
    problem : LinearProblem
        Rows of positive weight only, in float64.
    standard : Standardisation
        The change of variables.
    copies : int
        Kinks a row; the flat order is row by row for each copy, then the coefficients.
    at, low, high : arrays, shape (m,)
        Places and slopes.
    ridge : array, shape (p or p + 1,)
        L2 strengths in the standardised variables; 0 for the intercept.
    kept : index array or None
        Rows of the original problem that have weight, when not all do.
    n_rows : int
        Rows of the original problem.
    offset : array, shape (p or p + 1,)
        A linear function of the standardised parameters that is added to the kinks.
    """

    problem: LinearProblem
    standard: Standardisation
    copies: int
    at: Array
    low: Array
    high: Array
    ridge: Array
    kept: IndexArray | None
    n_rows: int
    offset: Array

    @property
    def n(self) -> int:
        """The number of rows of the data."""
        return len(self.problem.data.y)

    @property
    def penalised(self) -> bool:
        """Whether the coefficients have kinks of their own."""
        return self.problem.penalty.l1 > 0.0

    @cached_property
    def stored(self) -> Array | None:
        """The standardised rows with their constant column, where they are small and dense."""
        design, p = self.problem.design, self.problem.data.n_cols
        if design.sparse or len(self.problem.data.y) * self.problem.n_params > SMALL:
            return None
        A = np.ones((len(self.problem.data.y), self.problem.n_params))
        np.subtract(design.X, self.standard.mean, out=A[:, :p])
        A[:, :p] /= self.standard.scale
        return A

    def scores(self, u: Array) -> Array:
        """Return the scores of all kinks at standardised parameters u."""
        A = self.stored
        z = self.problem.scores(self.standard.to_w(u)) if A is None else A @ u
        parts = [z] * self.copies
        if self.penalised:
            parts.append(u[: self.problem.data.n_cols])
        return np.concatenate(parts) if len(parts) > 1 else z

    def rows_of(self, v: Array) -> tuple[Array, Array]:
        """Return what a vector over the kinks sums to on the rows, and on the coefficients."""
        n = len(self.problem.data.y)
        rows = v[:n] if self.copies == 1 else v[:n] + v[n : 2 * n]
        return rows, v[self.copies * n :]

    def adjoint(self, v: Array) -> Array:
        """Return the transpose of :meth:`scores` applied to a vector over the kinks."""
        rows, own = self.rows_of(v)
        A = self.stored
        if A is None:
            w = self.problem.join(self.problem.design.rmatvec(rows), rows.sum())
            out = self.standard.grad_to_u(np.asarray(w, dtype=np.float64))
        else:
            out = rows @ A
        out[: len(own)] += own
        return out

    def gram(self, d: Array) -> Array:
        """``A' diag(d) A + ridge``, A the map of :meth:`scores`."""
        rows, own = self.rows_of(d)
        A = self.stored
        if A is None or not rows.min(initial=0.0) >= 0.0:
            H = weighted_block(self.problem, self.standard, rows)
        else:
            H = np.asarray(_loops.gram(A, rows, None))
        diagonal = H.reshape(-1)[:: len(H) + 1]
        diagonal += self.ridge
        diagonal[: len(own)] += own
        return H

    def select(self, index: IndexArray) -> Array:
        """Return the rows of A, dense, shape (len(index), parameters)."""
        n, p = len(self.problem.data.y), self.problem.data.n_cols
        out = np.zeros((len(index), self.problem.n_params))
        data = index < self.copies * n
        X = self.problem.design.rows(index[data] % n).X
        dense = np.asarray(X.toarray() if self.problem.design.sparse else X)
        out[data, :p] = (dense - self.standard.mean) / self.standard.scale
        out[data, p:] = 1.0
        out[~data, index[~data] - self.copies * n] = 1.0
        return out

    def take(self, index: IndexArray, factor: float, offset: Array) -> KinkedRows:
        """Return some of the rows, their slopes multiplied, with a linear function added; for a part of a
        solve.
        """
        flat = np.concatenate([index + k * self.n for k in range(self.copies)])
        own = np.arange(self.copies * self.n, len(self.at))
        block = self.problem.data.take(index)
        return replace(
            self,
            problem=replace(self.problem, data=ArrayBlocks(block.design, block.y, block.weight)),
            at=self.at[np.concatenate([flat, own])],
            low=np.concatenate([factor * self.low[flat], self.low[own]]),
            high=np.concatenate([factor * self.high[flat], self.high[own]]),
            offset=offset,
        )

    def nearest(self, r: Array) -> Array:
        """Return the smallest absolute residual of each row."""
        return np.asarray(np.abs(r[: self.copies * self.n]).reshape(self.copies, -1).min(axis=0))

    def spread(self, chosen: Any) -> Any:
        """Return a choice of rows as a choice of kinks; coefficients are never chosen."""
        own = np.zeros(len(self.at) - self.copies * self.n, dtype=bool)
        return np.concatenate([*[chosen] * self.copies, own])

    def any_of(self, kinks: Any) -> Any:
        """Return the rows that have one of these kinks."""
        return kinks[: self.copies * self.n].reshape(self.copies, -1).any(axis=0)

    def own(self, on: IndexArray) -> IndexArray:
        """Return the parameters that have one of these kinks for themselves."""
        own = on - self.copies * self.n
        return own[own >= 0]

    def constant(self, on: IndexArray, w: Array) -> Array:
        """Return the constant model where it is the one point on the kinks `on`, else w.

        Rounding would leave coefficients of 1e-17 in the place of 0, and scores that are equal for all rows
        and classes would differ in their last bit: that bit, and not the data, would choose the class.
        """
        places = self.at[on[on < self.copies * self.n]]
        place = places[0] if len(places) else 0.0
        if np.any(places != place) or (place != 0.0 and not self.problem.intercept):
            return w
        constant = np.zeros_like(w)
        constant[self.problem.data.n_cols :] = place
        return constant

    def matrix(self) -> Any:
        """Return all rows of A, sparse where X is (whose columns are then not centred)."""
        problem = self.problem
        m = self.copies * len(problem.data.y) + (problem.data.n_cols if self.penalised else 0)
        if not problem.design.sparse:
            return sp.csc_array(self.select(np.arange(m)))
        ones = [sp.csc_array(np.ones((len(problem.data.y), 1)))] if problem.intercept else []
        block = sp.hstack([problem.design.X, *ones])
        own = [sp.eye_array(problem.data.n_cols, problem.n_params)] if self.penalised else []
        return sp.vstack([*[block] * self.copies, *own], format="csc")

    def theta(self, slope: Array) -> Array:
        """Dual values of the original rows from subgradients of the kinks."""
        rows, _ = self.rows_of(slope)
        values = -rows * (self.problem.data.total_weight / self.problem.data.weight)
        if self.kept is None:
            return np.asarray(values)
        out = np.zeros(self.n_rows)
        out[self.kept] = values
        return out

    def value(self, r: Array) -> float:
        """Return the sum of the kinks at residuals r, without the constant."""
        return float(np.maximum(self.low * r, self.high * r).sum())


def kinked_rows(problem: LinearProblem, *, standardised: bool = True) -> KinkedRows:
    """Return the kinks of a problem: rows without weight are left out, float32 becomes float64.

    Without `standardised` the columns stay as they are.
    """
    live = _live(problem)
    data, p = live.data, problem.data.n_cols
    plain = Standardisation(np.zeros(p), np.ones(p), problem.intercept)
    standard = standardise(live) if standardised else plain
    share = data.weight / data.total_weight
    triples = problem.loss.kinks(np.asarray(data.y, dtype=np.float64))
    at, low, high = (np.concatenate([t[k] for t in triples]) for k in range(3))
    shares = np.tile(share, len(triples))
    low, high = low * shares, high * shares
    if problem.penalty.l1 > 0.0:
        # No gradient is longer than the Lipschitz constant (columns have mean square 1 at most): beyond it
        # the strength makes no difference, and the lengths of the intervals stay comparable.  The rounding
        # of a gradient is left free, so that multipliers at an end stay feasible when they are certified.
        longest = problem.loss.lipschitz
        size = np.minimum(problem.penalty.l1 / standard.scale, CAP * longest)
        size = np.maximum(size - ROUNDING * longest, 0.1 * size)
        at, low, high = (np.concatenate([a, b]) for a, b in ((at, np.zeros(p)), (low, -size), (high, size)))
    ridge = np.zeros(problem.n_params)
    ridge[:p] = problem.penalty.l2 / standard.scale**2
    zero = problem.data.weight == 0.0
    kept = np.flatnonzero(~zero) if zero.any() else None
    n_rows, none = len(problem.data.y), np.zeros(problem.n_params)
    return KinkedRows(live, standard, len(triples), at, low, high, ridge, kept, n_rows, none)


def _live(problem: LinearProblem) -> LinearProblem:
    data, design = problem.data, problem.design
    y, weight = data.y, data.weight
    zero = weight == 0.0
    if design.dtype != np.float64:
        design = Design(design.X.astype(np.float64))
    elif not zero.any():
        return problem
    if zero.any():
        rows = np.flatnonzero(~zero)
        design, y, weight = design.rows(rows), y[rows], weight[rows]
    return replace(problem, data=ArrayBlocks(design, y, weight))
