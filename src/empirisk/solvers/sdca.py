"""Stochastic dual coordinate ascent: one row at a time, each dual value solved for exactly.

With ``w = (1/(S l2)) sum_i s_i theta_i x_i`` a step maximises the dual over ``theta_i`` alone, in O(entries
of the row).  Rows whose dual value sits at an end of its interval are set aside (shrinking) until the next
certificate.  A free intercept ties the dual values together, ``sum_i s_i theta_i = 0``: it is found by the
proximal point method, whose problems ``F + pull (b - c)^2 / 2`` have no such tie, and whose limit has no
trace of the pull.

Shalev-Shwartz & Zhang 2013 (JMLR 14); Hsieh et al. 2008 (ICML), shrinking; Rockafellar 1976, the intercept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk import _loops
from empirisk.data.seeds import Seed, check_seed, within
from empirisk.data.sums import inner, weighted_sum
from empirisk.losses.dual_rows import DualRows, dual_rows
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.free_rows import ascend_free_rows
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["SDCA"]

# Epochs between two certificates: they cost about three passes, and the first epoch revives shrunk rows.
EPOCHS = 5


@dataclass(frozen=True)
class Rows:
    """What the loop reads: X by rows, weights that sum to 1 (times costs), squared norms, conjugates."""

    X: Any
    share: Array
    square: Array
    dual: DualRows
    order: IndexArray
    pull: float


@dataclass(frozen=True)
class SDCAState(State):
    """The dual values are `own` (theta without costs); `center` is where the intercept is pulled to."""

    rows: Rows | None = None
    own: Array | None = None
    center: float = 0.0
    calls: int = 0


@dataclass(frozen=True)
class SDCA:
    """Dual coordinate ascent with shrinking, in a random order that depends on `seed` alone.

    For losses with a dual step (hinge, squared hinge, logistic, epsilon-insensitive and its square, absolute,
    quantile, Huber, squared, perceptron) and an L2 penalty.

    Parameters
    ----------
    seed : int, Generator, RandomState or None, default 0
        Of the order of the rows.  A generator is drawn from once, when the solver is made.

    Notes
    -----
    O(entries of X) per epoch; five epochs a step.  Many columns and few entries a row suit it; with a weak
    penalty (``alpha`` below the mean square of a row over n) it takes many epochs.  X is read by rows: CSC
    and dense column-major arrays are converted once, a copy of X.
    """

    seed: Seed = 0

    name = "sdca"
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.DUAL_STEP,
            Capability.L2_PENALTY,
            Capability.SMOOTH_PENALTY,
            Capability.SCALAR_SCORE,
        }
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", check_seed(self.seed, "seed"))

    def init(self, problem: LinearProblem, w0: Array | None = None) -> SDCAState:
        """Begin at the dual values that the scores of w0 suggest, or at 0."""
        if problem.data.total_weight == 0.0:
            return SDCAState(problem.null.copy())
        rows = _rows(problem)
        own: Array = np.zeros(len(rows.share))
        b = 0.0
        if w0 is not None:
            z = problem.scores(w0)
            if np.isfinite(z).all():
                own = _dual_values(problem, rows, z)
                b = float(problem.split(np.asarray(w0, dtype=np.float64))[1])
        state = SDCAState(problem.zeros(), rows=rows, own=own, center=b)
        return _look(problem, state, own, 0.0)

    def step(self, problem: LinearProblem, state: Any) -> SDCAState:
        if state.rows is None:
            stopped: SDCAState = replace(state, done=True)
            return stopped
        rows: Rows = state.rows
        own = np.array(state.own, dtype=np.float64)
        w, order = np.array(problem.split(state.w)[0], dtype=np.float64), rows.order.copy()
        at = np.array([_intercept(rows, own, state.center)])
        _, _, moved, visits = _loops.dual_ascend(
            rows.X, rows.dual.center, rows.dual.low, rows.dual.high, rows.dual.tube, rows.dual.curvature,
            rows.dual.logistic, rows.share, rows.square, problem.penalty.l2, rows.pull, own, w, at, order,
            len(order), np.inf, EPOCHS, (within(check_seed(self.seed), 32) << 32) + state.calls,
        )  # fmt: skip
        passes = 2.0 * visits / max(len(order), 1)
        better = None
        if state.calls > 0:
            better = ascend_free_rows(
                rows.X,
                rows.share,
                rows.dual,
                rows.square,
                problem.penalty.l2,
                rows.pull,
                own,
                w,
                float(at[0]),
            )
        if better is not None:
            own, w, iterations = better
            passes += 2.0 * iterations
        after = _look(problem, replace(state, calls=state.calls + 1), own, passes, w)
        return replace(after, done=moved == 0.0 and np.array_equal(own, state.own))


def _rows(problem: LinearProblem) -> Rows:
    X = problem.design.X
    if problem.design.sparse:
        X = X.tocsr()
        square = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    else:
        X = np.ascontiguousarray(X)
        square = np.einsum("ij,ij->i", X, X, dtype=np.float64)
    data = problem.data
    dual = dual_rows(problem.loss, data.y)
    share = data.weight / data.total_weight
    if dual.cost is not None:
        share = share * dual.cost
    order = np.flatnonzero(share > 0.0).astype(np.int64)
    pull = 0.0
    if problem.intercept:
        # As if the constant column had the size of a typical row.
        typical = float(weighted_sum(share, square)) / float(share.sum())
        pull = problem.penalty.l2 / (typical if typical > 0.0 else 1.0)
    return Rows(X, share, square, dual, order, pull)


def _dual_values(problem: LinearProblem, rows: Rows, z: Array) -> Array:
    """``-l'(z)`` in units of the costs."""
    theta = -problem.loss.grad(problem.data.y, z)
    return theta if rows.dual.cost is None else theta / rows.dual.cost


def _intercept(rows: Rows, own: Array, center: float) -> float:
    """Return the minimiser of ``pull (b - c)^2 / 2 - b sum_i share_i theta_i``; 0 without an intercept."""
    return center + float(rows.share @ own) / rows.pull if rows.pull > 0.0 else 0.0


def _look(
    problem: LinearProblem, state: SDCAState, own: Array, passes: float, coef: Array | None = None
) -> SDCAState:
    """w and b anew from the dual values, scores, and whether the intercept's pull moves on."""
    rows, l2 = state.rows, problem.penalty.l2
    assert rows is not None
    if coef is None or problem.design.dtype == np.float64:  # the loop adds up float32 in float64
        coef = np.asarray(problem.design.rmatvec(rows.share * own), dtype=np.float64) / l2
    b = _intercept(rows, own, state.center)
    theta = own if rows.dual.cost is None else own * rows.dual.cost
    w = problem.join(coef, b)
    z = problem.scores(w)
    loss, pulled = problem.mean_loss(z), rows.pull * (b - state.center)
    center = state.center
    if rows.pull > 0.0 and state.calls > 0:
        # What balancing the dual values costs, beside the gap of the problem with the pull.
        tie = abs(pulled) * (abs(b - center) + float(weighted_sum(rows.share, np.abs(z - b))))
        if tie > _fenchel(problem, loss, theta, l2 * inner(coef, coef) + b * pulled):
            center = b
    return replace(
        state,
        w=w,
        evaluation=Evaluation(loss, problem.join(-l2 * coef, -pulled), z),
        hint=theta,
        own=own,
        center=center,
        n_passes=state.n_passes + passes + 2.0,
    )


def _fenchel(problem: LinearProblem, loss: float, theta: Array, product: float) -> float:
    """``(1/S) sum_i s_i (l(z_i) + l*(-theta_i) + theta_i z_i)``: the gap of the problem with the pull."""
    conjugate = weighted_sum(problem.data.weight, problem.loss.conjugate(problem.data.y, -theta))
    return loss + float(conjugate) / problem.data.total_weight + product
