"""Quadratic models of a smooth loss on a working set: minimise one, search along the line, move on."""

from __future__ import annotations

import numpy as np

from empirisk.data.sums import weighted_sum
from empirisk.penalties.base import Penalty
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.columns import Columns
from empirisk.solvers.quadratic import GramSet, Quadratic, gram_fits
from empirisk.solvers.scored_rows import scored_rows
from empirisk.solvers.working_set import minimise
from empirisk.typing import Array, IndexArray

__all__ = ["NewtonBlocks"]

STALE = 0.1  # relative change of the curvatures up to which a Gram matrix is used again,
SLOW = 0.25  # provided that a sweep with it lowers the gap to this share
STRAIGHT = 0.6  # share of the promised fall from which a longer step is tried, and how often it is doubled
MOST_DOUBLINGS = 60  # of a step
CURVATURE_FLOOR = 1e-6  # of the loss's largest, so that saturated rows do not make the model singular


class NewtonBlocks:
    """The coefficients of a working set, one block per output, with the scores kept along.

    Parameters
    ----------
    problem : LinearProblem
        The problem.
    columns : Columns
        Its columns.
    coef, b : arrays
        Coefficients (of all columns) and intercept to start from.
    scores : array
        ``X coef + b``.
    grams : tuple of GramSet or None
        Gram matrices of an earlier working set.
    """

    def __init__(
        self,
        problem: LinearProblem,
        columns: Columns,
        coef: Array,
        b: Array,
        scores: Array,
        grams: tuple[GramSet | None, ...],
    ) -> None:
        self.problem, self.columns, self.coef = problem, columns, coef
        self.penalty = problem.penalty
        self.share = problem.data.weight / problem.data.total_weight
        self.b, self.rows = np.array(b, dtype=np.float64), scored_rows(problem, scores)
        self.vector = scores.ndim == 2
        outputs = scores.shape[1] if self.vector else 1
        self.grams: tuple[GramSet | None, ...] = grams or (None,) * outputs
        self.reuse = True
        self.work_on(np.empty(0, dtype=np.int64))

    def reusable(self, support: IndexArray) -> IndexArray:
        """Return the columns of the Gram matrices when all of these can be used again, else the support."""
        for c, gram in enumerate(self.grams):
            if gram is None or not _close(self._curvature(self._pick(c)), gram.h):
                return support
        assert self.grams[0] is not None
        return self.grams[0].index

    def work_on(self, index: IndexArray, penalty: Penalty | None = None) -> None:
        """Choose the working set; it begins with the columns of a Gram matrix that is to be used again.

        `penalty` is the part of the problem's that is about these columns, where it is another object.
        """
        self.index, self.w = index, self.coef[index].copy()
        self.penalty = self.problem.penalty if penalty is None else penalty
        self.grams = tuple(
            g if g is not None and np.array_equal(g.index, index[: len(g.index)]) else None
            for g in self.grams
        )

    def _pick(self, c: int) -> tuple[slice | int, ...]:
        """Return what picks column c of vector scores, or all of scalar ones."""
        return (slice(None), c) if self.vector else (slice(None),)

    def descend(self, goal: float, sweeps: int) -> None:
        """Sweep until the gap on the working set is at most goal, or nothing moves any more."""
        gap = np.inf
        for _ in range(sweeps):
            moved = self.sweep(goal)
            before, gap = gap, self.gap()
            if gap <= goal or not (moved or self.reuse):
                return
            self.reuse = moved and gap <= SLOW * before

    def sweep(self, goal: float) -> bool:
        """Minimise one model for each output, and return whether anything moved."""
        moved = False
        self.rows.refresh()
        for c in range(len(self.grams)):
            moved = self._newton(c, goal) or moved
        if self.problem.loss.multinomial:
            self._recentre()
        return moved

    def gap(self) -> float:
        """Duality gap of the problem restricted to the working set."""
        problem = self.problem
        theta = -problem.loss.grad(problem.data.y, self.rows.z)
        if problem.intercept:
            theta = problem.loss.balance(problem.data.y, theta, problem.data.weight)
        v = self.columns.correlations((self.share * theta.T).T, self.index)
        scale = self.penalty.feasible_scale(v)
        conjugate = float(weighted_sum(self.share, problem.loss.conjugate(problem.data.y, -scale * theta)))
        value = self.rows.loss + self.penalty.value(self.w) + conjugate + self.penalty.conjugate(scale * v)
        return value if np.isfinite(value) else np.inf

    # -- one model ------------------------------------------------------------------------------

    def _newton(self, c: int, goal: float) -> bool:
        problem, penalty = self.problem, self.penalty
        pick = self._pick(c)
        u = -self.share * self.rows.slope(pick)
        h = self._curvature(pick)
        w = np.ascontiguousarray(self.w[pick])
        task = self._model(c, h, u)
        total = float(task.h.sum())
        new, _, _ = minimise(task, w, penalty, max(0.1 * goal, 1e-16 * self.rows.loss), 1e-12, max_epochs=200)
        d = new - w
        shift = 0.0
        if task.mean is not None:
            shift = float(u.sum()) / total - float(task.mean @ d)
        along = problem.data.without_absent(self.columns.scores_of(self.index, d) + shift)
        t = self._line_search(pick, along, w, d, -float(weighted_sum(u, along)))
        if t == 0.0:
            return False
        self.w[pick] = new if t == 1.0 else w + t * d
        if problem.intercept:
            if self.vector:
                self.b[c] += t * shift
            else:
                self.b = self.b + t * shift
        return True

    def _curvature(self, pick: tuple[slice | int, ...]) -> Array:
        loss = self.problem.loss
        h = self.rows.curvature(pick)
        largest = loss.curvature[1] if np.isfinite(loss.curvature[1]) else float(h.max())
        return self.share * np.maximum(h, CURVATURE_FLOOR * largest)

    def _model(self, c: int, h: Array, u: Array) -> Quadratic:
        """Return the model with curvatures h, or with those of an earlier Gram matrix that is close
        enough.
        """
        columns, index = self.columns, self.index
        centred = self.problem.intercept
        gram = self.grams[c]
        pays = self._pays(len(index))
        if gram is not None and self.reuse and pays and _close(h, gram.h):
            gram = gram.with_features(index[len(gram.index) :], self._means(gram.h, index[len(gram.index) :]))
        elif pays and gram_fits(columns, len(index)):
            gram = GramSet(columns, h).with_features(index, self._means(h, index))
        else:
            gram = None
        self.grams = (*self.grams[:c], gram, *self.grams[c + 1 :])
        mean: Array
        curvature: Array
        if gram is not None:
            mean, curvature, h = gram.mean, np.zeros(0), gram.h
        else:
            mean, curvature = columns.moments(h, index)
            if not centred:
                curvature = curvature + float(h.sum()) * mean**2
        raw = columns.correlations(u, index) + float(u.sum()) * columns.mean[index]
        q = raw - float(u.sum()) * mean if centred else raw
        return Quadratic(columns, index, h, u, q, mean if centred else None, curvature, gram)

    def _pays(self, k: int) -> bool:
        """Whether products with k columns cost less on their Gram matrix, its making included.

        Groups know cheap exact steps on columns in place; single columns take many more epochs.
        """
        return not self.penalty.grouped or 2 * k <= self.problem.design.shape[0]

    def _means(self, h: Array, index: IndexArray) -> Array:
        if not self.problem.intercept or len(index) == 0:
            return np.zeros(len(index))
        return self.columns.means(h, index)

    def _line_search(
        self, pick: tuple[slice | int, ...], along: Array, w: Array, d: Array, slope: float
    ) -> float:
        """Return the first of 1, 1/2, 1/4, ... that lowers the objective enough (then the scores move), else
        0.
        """
        penalty, loss = self.penalty, self.rows.loss
        before = penalty.value(w)
        # Near the optimum both numbers drown in rounding while the dual point still gains: a full step that
        # changes nothing measurable is taken.
        rounding = 4.0 * float(np.finfo(np.float64).eps) * (abs(loss) + before)
        expected = min(slope + penalty.value(w + d) - before, 0.0)
        if not np.any(d) and not np.any(along):
            return 0.0
        t = 1.0
        for _ in range(40):
            after, take = self.rows.trial(pick, t * along)
            change = after - loss + penalty.value(w + t * d) - before
            if change <= 1e-3 * t * expected + (rounding if t == 1.0 else 0.0):
                take()
                return self._further(pick, along, w, d, expected, change) if t == 1.0 else t
            t *= 0.5
        return 0.0

    def _further(
        self, pick: tuple[slice | int, ...], along: Array, w: Array, d: Array, expected: float, change: float
    ) -> float:
        """1, or 2, 4, ... while the objective falls, where a full step gained more than a model can explain.

        A quadratic gains half of what its slope promises.  Far from the rows the curvature is next to nothing
        (absolute tails) or dies away (exponential tails), and full steps would creep.
        """
        t = 1.0
        if not change < STRAIGHT * expected < 0.0:
            return t
        base = self.rows.loss - change + self.penalty.value(w + d)  # the objective before the step
        for _ in range(MOST_DOUBLINGS):
            after, take = self.rows.trial(pick, t * along)
            longer = after + self.penalty.value(w + 2.0 * t * d) - base
            if not longer < change:
                break
            take()
            t, change = 2.0 * t, longer
        return t

    # -- vector scores --------------------------------------------------------------------------

    def _recentre(self) -> None:
        """Shift each row of w by a constant, which softmax cannot see, to lessen the penalty."""
        penalty = self.penalty
        shift = _best_shift(self.w, penalty.l1, penalty.l2)
        if penalty.positive or not np.any(shift):
            return
        self.w = self.w - shift[:, None]
        self.rows.shift(-self.columns.scores_of(self.index, shift))


def _close(h: Array, other: Array) -> bool:
    return float(np.abs(h - other).sum()) <= STALE * float(other.sum())


def _best_shift(w: Array, l1: float, l2: float) -> Array:
    """``argmin_t l1 sum_c |w_jc - t| + l2 sum_c (w_jc - t)^2 / 2`` for each row j.

    The derivative in t grows from knot to knot (the values of the row); the minimiser is between two knots
    or at one of them, where the derivative changes sign.
    """
    k = w.shape[1]
    knots = np.sort(w, axis=1)
    if l2 == 0.0:
        middle = knots[:, (k - 1) // 2], knots[:, k // 2]
        return np.where(middle[0] * middle[1] <= 0.0, 0.0, np.where(middle[0] > 0.0, *middle))
    mean = w.mean(axis=1)
    # With i knots below t: l1 (2 i - k) + l2 k (t - mean) = 0.
    best = np.full(len(w), np.nan)
    for i in range(k + 1):
        t = mean - l1 * (2 * i - k) / (l2 * k)
        low = knots[:, i - 1] if i > 0 else -np.inf
        high = knots[:, i] if i < k else np.inf
        best = np.where((t >= low) & (t <= high), t, best)
    for i in range(k):  # at knot i the derivative jumps from 2 i - k to 2 (i + 1) - k
        t = knots[:, i]
        left = l1 * (2 * i - k) + l2 * k * (t - mean)
        best = np.where(np.isnan(best) & (left <= 0.0) & (left + 2.0 * l1 >= 0.0), t, best)
    return np.where(np.isnan(best), 0.0, best)
