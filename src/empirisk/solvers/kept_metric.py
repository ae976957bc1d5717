"""Gram matrices of the curvatures of every class, made once and scaled later.

``G_c = sum_i h_ic (x_i - m_c)(x_i - m_c)'`` of some columns about their h_c-weighted means m_c, with
``h_ic = s_i / S`` times the second derivative of the loss in score c.  A model of a few thousand columns is
summed in single precision: it is where a step leads to that has to be exact, not the step.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from empirisk import _loops
from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.joint_newton import joint_direction
from empirisk.solvers.newton import full_hessian
from empirisk.solvers.standardise import Standardisation, column_scales
from empirisk.typing import Array, IndexArray

__all__ = ["JointMetric", "KeptMetric", "keep", "keep_jointly"]

ROWS_PER_COLUMN = 5  # of the Gram matrices: secants mend what so few rows do not know
ROWS_PER_PARAMETER = 10  # of the Hessian over all classes
FEWEST_ROWS = 2_000
EPOCHS = 1_000  # of coordinate descent on one model, at most
MOST_CELLS = 50_000_000  # of a table, all of whose rows may be read for the Hessian over all classes
BLOCK = 2_048  # rows whose columns are gathered at a time
SINGLE = 256  # columns from which single precision is worth its copy
ODD = 2.0  # times the variance among all rows, or its inverse, from which that among few is not believed
LIFT = 1e-2  # of the variance among all rows, to which a column is lifted at least
CURVATURE_FLOOR = 1e-6  # of the loss's largest, so that saturated rows do not make the model singular
# A pass reads X twice, at memory speed; products of a Gram matrix run many times faster than that.
FLOPS_OF_PASS = 32.0


@dataclass(frozen=True, eq=False)
class KeptMetric:
    """One Gram matrix a class, and how the curvatures have grown since.

    Parameters
    ----------
    index : array of int, shape (k,)
        The columns.
    rows : slice
        The rows that were read.
    grams : tuple of arrays, shape (k, k)
        One a class.
    means : tuple of arrays, shape (k,)
        Weighted means of the columns; 0 without an intercept.
    masses : tuple of float
        Sums of the curvatures.
    factors : tuple of float
        Curvatures now over curvatures then.
    price : float
        Passes over all rows that cost as much as making it.
    """

    index: IndexArray
    rows: slice
    grams: tuple[Array, ...]
    means: tuple[Array, ...]
    masses: tuple[float, ...]
    factors: tuple[float, ...]
    price: float

    def minimiser(self, problem: LinearProblem, w: Array, e: Evaluation, goal: float) -> Array:
        """Return the minimiser of the model plus the penalty, class by class; moves below `goal` end it."""
        penalty, index, p = problem.penalty, self.index, problem.data.n_cols
        old, grad = w.reshape(len(w), -1), e.grad.reshape(len(w), -1)
        new = old.copy()
        for c, (gram, mean, mass, factor) in enumerate(
            zip(self.grams, self.means, self.masses, self.factors, strict=True)
        ):
            slope = grad[p, c] if problem.intercept else 0.0
            q = (slope * mean - grad[index, c]) / factor
            coef = np.ascontiguousarray(old[index, c])
            l1, l2 = penalty.l1 / factor, penalty.l2 / factor
            _loops.descend_gram(gram, 1.0, q, coef, l1, l2, penalty.positive, EPOCHS, 0.0, goal)
            new[index, c] = coef
            if problem.intercept:
                new[p, c] -= slope / (factor * mass) + mean @ (coef - old[index, c])
        return new.reshape(w.shape)

    def scaled(self, problem: LinearProblem, e: Evaluation) -> KeptMetric:
        """Return it with the factors of the curvatures at another point."""
        now = _curvatures(problem, e, self.rows).sum(axis=0)
        factors = tuple(max(float(a) / b, 1e-12) for a, b in zip(now, self.masses, strict=True))
        return replace(self, factors=factors)


@dataclass(frozen=True, eq=False)
class JointMetric:
    """The Hessian over all classes and columns, for so few of them that it costs next to nothing.

    Parameters
    ----------
    index : array of int, shape (p,)
        All columns.
    rows : slice
        The rows that were read.
    hessian : array, shape (K p, K p), intercepts included
        In centred columns.
    mass : float
        Sum of the curvatures of all classes.
    factor : float
        Curvatures now over curvatures then.
    standard : Standardisation
        The centring.
    price : float
        Passes over all rows that cost as much as making it.
    """

    index: IndexArray
    rows: slice
    hessian: Array
    mass: float
    factor: float
    standard: Standardisation
    price: float

    def minimiser(self, problem: LinearProblem, w: Array, e: Evaluation, goal: float) -> Array:
        """Return the minimiser of the model plus the penalty over all classes; moves below `goal` end it."""
        size = float(np.sqrt(2.0 * problem.null_excess)) or 1.0
        d = joint_direction(problem, self.standard, self.hessian, w, e, self.factor, goal / size)
        return w.copy() if d is None else w + d

    def scaled(self, problem: LinearProblem, e: Evaluation) -> JointMetric:
        """Return it with the factor of the curvatures at another point."""
        return replace(self, factor=float(_curvatures(problem, e, self.rows).sum()) / self.mass)


def keep_jointly(problem: LinearProblem, e: Evaluation, growth: float = 1.0) -> JointMetric:
    """Return the Hessian of all classes at the point of e, from evenly spaced rows; from all rows where a
    column varies much less among those.
    """
    data, p = problem.data, problem.data.n_cols
    parameters = p * problem.n_outputs
    rows = _spaced(problem, ROWS_PER_PARAMETER * parameters, growth)
    mean, sd = column_scales(problem)
    X = _dense(problem, rows, slice(None), np.arange(p))
    unseen = ((X - mean) ** 2).mean(axis=0) < sd**2 / ODD
    # A level that these rows do not have is all but free in them.
    if unseen.any() and math.prod(problem.design.shape) <= MOST_CELLS:
        rows = slice(None)
        X = _dense(problem, rows, rows, np.arange(p))
    few = ArrayBlocks(Design(X), data.y[rows], data.weight[rows])
    small = replace(problem, data=few)
    standard = Standardisation(mean, np.ones_like(sd), problem.intercept)
    h = _curvatures(problem, e, rows)
    H = full_hessian(small, standard, Evaluation(e.loss, e.grad, e.scores[rows]))
    typical = np.zeros((problem.n_outputs, problem.n_params))
    typical[:, :p] = np.multiply.outer(h.sum(axis=0), sd**2)
    H[np.diag_indices_from(H)] += 1e-6 * typical.ravel()
    price = len(few.y) * parameters**2 / (FLOPS_OF_PASS * max(problem.design.size, 1))
    return JointMetric(np.arange(p), rows, H, float(h.sum()), 1.0, standard, price)


def _spaced(problem: LinearProblem, size: int, growth: float) -> slice:
    """Return evenly spaced rows, about as many as asked for; all of them where those have no weight."""
    n = problem.design.shape[0]
    rows = slice(None, None, max(1, int(n / min(growth * max(size, FEWEST_ROWS), n))))
    return rows if float(problem.data.weight[rows].sum()) > 0.0 else slice(None)


def keep(problem: LinearProblem, e: Evaluation, index: IndexArray, growth: float = 1.0) -> KeptMetric:
    """Return the Gram matrices of these columns at the point of e, from `growth` times the fewest rows."""
    rows = _spaced(problem, ROWS_PER_COLUMN * len(index), growth)
    h = _curvatures(problem, e, rows)
    masses = h.sum(axis=0)
    k, outputs, mean = len(index), h.shape[1], problem.moments[0][index]
    grams, sums = [np.zeros((k, k)) for _ in range(outputs)], np.zeros((k, outputs))
    dtype = np.dtype(np.float32) if k >= SINGLE else problem.design.dtype
    for start in range(0, len(h), BLOCK):
        at = slice(start, start + BLOCK)
        block = _dense(problem, rows, at, index).astype(dtype, copy=False)
        sums += _loops.rmatvec(block, h[at].astype(dtype))
        for c in range(outputs):
            grams[c] += _loops.gram(block, np.ascontiguousarray(h[at, c]), mean)
    centred = np.zeros((outputs, k))
    if problem.intercept:
        centred = (sums / masses).T
    for c, gram in enumerate(grams):
        # Measured from the means of all rows (0 without an intercept), so that little cancels here.
        shift = centred[c] - mean
        gram -= masses[c] * np.multiply.outer(shift, shift)
    if len(h) < problem.design.shape[0]:
        wanted = _rescaled(problem, e, index, np.array([gram.diagonal() for gram in grams]))
        for gram, diagonal in zip(grams, wanted, strict=True):
            _scale_to(gram, diagonal)
    for c, gram in enumerate(grams):
        _lift(problem, index, gram, float(masses[c]))
    ones = (1.0,) * outputs
    price = len(h) * k * k / (FLOPS_OF_PASS * max(problem.design.size, 1))
    return KeptMetric(index, rows, tuple(grams), tuple(centred), tuple(map(float, masses)), ones, price)


def _dense(problem: LinearProblem, rows: slice, at: slice, index: IndexArray) -> Array:
    """Return some columns of some of the evenly spaced rows as a dense array, a view of X where it can be."""
    numbers = np.arange(problem.design.shape[0])[rows][at]
    if problem.design.sparse:
        return np.asarray(problem.design.rows(numbers).X[:, index].toarray())
    X = problem.design.X[rows][at]
    return np.asarray(X if len(index) == X.shape[1] else X[:, index])


def _curvatures(problem: LinearProblem, e: Evaluation, rows: slice) -> Array:
    """Return ``h_ic`` of the rows, one column a class, as if they were all rows."""
    data, loss = problem.data, problem.loss
    weight = data.weight[rows]
    h = np.asarray(loss.hess(data.y[rows], e.scores[rows]))
    largest = loss.curvature[1] if np.isfinite(loss.curvature[1]) else float(h.max(initial=0.0))
    h = np.maximum(h.reshape(len(h), -1), CURVATURE_FLOOR * largest)
    return np.ascontiguousarray(h * (weight / weight.sum())[:, None])


def _rescaled(problem: LinearProblem, e: Evaluation, index: IndexArray, seen: Array) -> Array:
    """Return the diagonals (outputs, k) of the Gram matrices, of all rows where the few that were read
    cannot be believed.

    A level that few rows have may have none among them, and its step would be a hundred times too long.
    """
    h = _curvatures(problem, e, slice(None))
    masses = h.sum(axis=0)
    typical = np.multiply.outer(masses, column_scales(problem)[1][index] ** 2)
    odd = np.flatnonzero(((seen < typical / ODD) | (seen > typical * ODD)).any(axis=0))
    if len(odd) == 0:
        return seen
    mean = problem.moments[0][index[odd]]
    first, second = np.zeros((len(odd), len(seen))), np.zeros((len(odd), len(seen)))
    for start in range(0, len(h), BLOCK):
        at = slice(start, start + BLOCK)
        X = _dense(problem, slice(None), at, index[odd]).astype(np.float64, copy=False) - mean
        first += X.T @ h[at]
        second += (X * X).T @ h[at]
    out = seen.copy()
    out[:, odd] = (second - (first * first / masses if problem.intercept else 0.0)).T
    return np.maximum(out, 0.0)


def _scale_to(gram: Array, diagonal: Array) -> None:
    """Scale rows and columns alike to another diagonal, so that correlations stay."""
    own = gram.diagonal()
    unseen = own <= 1e-9 * diagonal
    scale = np.sqrt(np.where(unseen, 1.0, diagonal / np.where(unseen, 1.0, own)))
    gram *= np.multiply.outer(scale, scale)
    gram[unseen, unseen] = diagonal[unseen]


def _lift(problem: LinearProblem, index: IndexArray, gram: Array, mass: float) -> None:
    """Clear columns that are constant, and lift diagonals that the rows that were read make too small."""
    sd = column_scales(problem)[1][index]
    dead = sd == 0.0
    gram[dead, :] = 0.0
    gram[:, dead] = 0.0
    diagonal = np.diag_indices_from(gram)
    seen, typical = gram[diagonal], mass * sd**2
    gram[diagonal] = np.maximum(seen, LIFT * typical) + 1e-6 * typical
