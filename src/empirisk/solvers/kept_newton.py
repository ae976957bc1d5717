"""Proximal Newton on Hessians that are kept: one pass over the rows a step, for one score or for all classes.

A step minimises a model of the mean loss plus the penalty, one quadratic a class,

    min_t  grad.(t - w) + sum_c s_c (t_c - w_c)' G_c (t_c - w_c) / 2 + P(t),

with ``G_c = X' diag(h_c) X`` from the curvatures h_c at an earlier point, on evenly spaced rows when there
are many, and ``s_c`` the ratio of the curvatures now to those then.  Only columns that are in use or that
violate their dual constraint enter G_c.  What the kept matrices and the curvature between classes leave
undone, secants over the last steps correct: the affine combination of them whose moves cancel best is tried
first, and kept when it lowers the objective enough; else a line search goes along the step itself.

Where the gap hardly falls between two matrices, the next one reads four times as many rows; a few classes
then have one Hessian together, because what is slow may be what ties them.

A Gram matrix costs n p^2 / 2 a class and a step 4 n p K, so that few of the former are a bargain where the
latter are cheap: columns by the thousand, or classes by the hundred.

Lee, Sun & Saunders 2014 (SIAM J. Optim. 24), proximal Newton-type methods; Mai & Johansson 2020 (ICML),
Anderson acceleration of proximal gradient methods.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from empirisk.data.sums import inner
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.solvers.base import State
from empirisk.solvers.kept_metric import MOST_CELLS, JointMetric, KeptMetric, keep, keep_jointly
from empirisk.solvers.newton_block import MOST_DOUBLINGS, STRAIGHT
from empirisk.solvers.screening import constraint_size
from empirisk.solvers.standardise import Standardisation, column_scales
from empirisk.typing import Array, Capability, IndexArray

__all__ = ["KeptNewton", "KeptState"]

Memory = tuple[tuple[Array, Array], ...]

MEMORY = 8  # steps that secants go through
JOINT = 600  # parameters up to which all classes have one Hessian
SLOW_JOINT = 2_000  # and where matrices of 16 times the rows left the steps small,
NEAR = 0.5  # of its dual constraint, from which a column enters a Gram matrix that is made,
ALL = 0.75  # and share of the columns from which all do
SUFFICIENT = 0.1  # share of the promised fall that a step has to bring
HALVINGS = 40
WORTH_A_LOOK = 1e-5  # relative gap by the sums of a pass from which certificates are asked for,
SMALLER = 0.3  # and again whenever it fell to this share
SLOW = 0.1  # share to which matrices that are worth their rows bring the gap before they are made anew,
GROWTH = 4.0  # and times the rows of the next ones where they do not


@dataclass(frozen=True)
class KeptState(State):
    """The iterate, the models that are kept, and the last steps.

    Parameters
    ----------
    metric : KeptMetric or None
        Gram matrices of the classes.
    standard : Standardisation or None
        Units in which steps are compared.
    memory : tuple of (array, array)
        Points of the last steps, and where their models had their minimum.
    move : float
        Size of the last step in units of scores.
    age : float
        Passes since the Gram matrices were made.
    looked : float
        Gap by sums when a certificate was last asked for.
    gap, made : float
        Gap by sums now, and when the Gram matrices were made.
    growth : float
        Times the rows of Gram matrices at first.
    """

    metric: KeptMetric | JointMetric | None = None
    standard: Standardisation | None = None
    memory: Memory = ()
    move: float = np.inf
    age: float = 0.0
    looked: float = np.inf
    gap: float = np.inf
    made: float = np.inf
    growth: float = 1.0


@dataclass(frozen=True)
class KeptNewton:
    """Kept Gram matrices, coordinate descent on them, secants over the steps.

    Parameters
    ----------
    warm : KeptState, optional
        Where a solve of the same data at another strength ended.

    Notes
    -----
    One pass over X a step; O(m p^2 K) when Gram matrices are made, of m = 5 p to 10 p rows.

    Examples
    --------
    >>> import empirisk as er
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> problem = er.LogisticRegression(alpha=0.1, l1_ratio=1.0).problem(X, y)
    >>> er.solve(problem, "kept_newton").status.ok
    True
    """

    warm: KeptState | None = None

    name = "kept_newton"
    newton = True
    needs = frozenset(
        {
            Capability.DESIGN,
            Capability.GRAD,
            Capability.HESS,
            Capability.SEPARABLE_PENALTY,
            Capability.CONJUGATE,
            Capability.CONVEX,
        }
    )

    def init(self, problem: LinearProblem, w0: Array | None = None) -> KeptState:
        if self.warm is not None:
            return replace(
                self.warm, memory=(), move=np.inf, looked=np.inf, gap=np.inf, made=np.inf, check=True,
                done=False, n_passes=0.0,
            )  # fmt: skip
        w = problem.null.copy() if w0 is None else np.array(w0, dtype=np.float64)
        mean, sd = column_scales(problem)
        coef, _ = problem.split(w)
        coef[sd == 0.0] = 0.0  # a constant column has no part beside the intercept
        if problem.penalty.positive:
            np.maximum(coef, 0.0, out=coef)
        e = problem.evaluate(w)
        if w0 is not None and not e.loss + problem.penalty.value(coef) <= problem.null_loss:
            w = problem.null.copy()  # the better start, or the only finite one
            e = problem.evaluate(w)
        standard = Standardisation(mean, np.where(sd > 0.0, sd, 1.0), problem.intercept)
        return KeptState(w, e, True, False, 2.0, standard=standard)

    def step(self, problem: LinearProblem, state: Any) -> KeptState:
        here = self._with_metric(problem, state)
        assert here.metric is not None
        assert here.standard is not None
        size = float(np.sqrt(2.0 * problem.null_excess))
        goal = max(1e-3 * min(here.move, size), 1e-15 * size)
        target = here.metric.minimiser(problem, here.w, here.evaluation, goal)
        if not np.isfinite(target).all():
            return replace(here, done=True, check=True)
        memory = (*here.memory[1 - MEMORY :], (here.w, target))
        found, passes, memory = _search(problem, here, target, memory)
        if found is None:
            return replace(here, done=True, check=True)
        still = bool(np.array_equal(target, here.w))
        gap = _gap_by_sums(problem, *found) / (problem.null_excess or 1.0)
        check = still or gap <= min(WORTH_A_LOOK, SMALLER * here.looked)
        move = float(np.abs(here.standard.to_u(target - here.w)).max(initial=0.0))
        return replace(
            here, w=found[0], evaluation=found[1], memory=memory, check=check, done=still, move=move,
            age=here.age + passes, n_passes=here.n_passes + passes, looked=gap if check else here.looked,
            gap=gap,
        )  # fmt: skip

    def _with_metric(self, problem: LinearProblem, state: KeptState) -> KeptState:
        """Return the state with Gram matrices of all columns that may move now, made anew where that pays."""
        w, e, metric = state.w, state.evaluation, state.metric
        coef, penalty = problem.split(w)[0], problem.penalty
        violation = constraint_size(penalty.l2 * -coef - problem.split(e.grad)[0], penalty.positive)
        used = constraint_size(coef, positive=False) > 0.0
        outside = np.ones(len(coef), dtype=bool)
        if metric is not None:
            outside[metric.index] = False
        missing = outside & (used | (violation > penalty.l1))
        # As many passes as new Gram matrices cost may go by before they are made, at least two.
        if metric is not None and not missing.any() and state.age < 2.0 + metric.price:
            return replace(state, metric=metric.scaled(problem, e))
        # Rows that know too little of the others are what makes steps small, where no column was missing.
        slow = not missing.any() and SLOW * abs(state.made) < abs(state.gap) < np.inf
        growth = state.growth * (GROWTH if slow and state.growth < problem.design.shape[0] else 1.0)
        state = replace(state, memory=(), age=0.0, made=state.gap, growth=growth)
        small = math.prod(problem.design.shape) <= MOST_CELLS
        few = SLOW_JOINT if small and growth >= GROWTH**2 else JOINT
        if problem.loss.multinomial and math.prod(problem.shape) <= few:
            return replace(state, metric=keep_jointly(problem, e, growth))
        index: IndexArray = np.flatnonzero(~outside | used | (violation >= NEAR * penalty.l1))
        if len(index) > ALL * len(coef):
            index = np.arange(len(coef))
        return replace(state, metric=keep(problem, e, index, growth))


def _search(
    problem: LinearProblem, state: KeptState, target: Array, memory: Memory
) -> tuple[tuple[Array, Evaluation] | None, float, Memory]:
    """Return a point of lower objective with its evaluation, the passes, and the memory that is left.

    Secants come first, then the step to the target, which is halved until the objective falls enough.
    """
    penalty, w, e = problem.penalty, state.w, state.evaluation
    coef, moved = problem.split(w)[0], problem.split(target)[0]
    fall = min(inner(e.grad, target - w) + penalty.value(moved) - penalty.value(coef), 0.0)
    value, passes = e.loss + penalty.value(coef), 0.0
    rounding = 4.0 * float(np.finfo(problem.design.dtype).eps) * abs(value)
    if len(memory) > 1:
        assert state.standard is not None
        ahead = _secants(problem, state.standard, memory)
        new = problem.evaluate(ahead)
        passes += 1.0
        if problem.objective(ahead, new) <= value + SUFFICIENT * fall:
            return (ahead, new), passes, memory
    t = 1.0
    for _ in range(HALVINGS):
        ahead = target if t == 1.0 else w + t * (target - w)
        new = problem.evaluate(ahead)
        passes += 1.0
        # Near the optimum both numbers drown in rounding while the dual point still gains.
        if problem.objective(ahead, new) <= value + SUFFICIENT * t * fall + rounding:
            far, more = _further(problem, w, (ahead, new), value, fall) if t == 1.0 else ((ahead, new), 0.0)
            return far, passes + more, memory if more <= 1.0 else ()
        t, memory = 0.5 * t, memory[-1:]
    return None, passes, memory


def _further(
    problem: LinearProblem, w: Array, found: tuple[Array, Evaluation], value: float, fall: float
) -> tuple[tuple[Array, Evaluation], float]:
    """Return the point 1, 2, 4, ... steps from w while the objective falls, and the passes.

    That is tried where a full step gained more than a model can explain: a quadratic gains half of what its
    slope promises.  Far from the rows the curvature dies away, and full steps would creep.
    """
    step, passes, best = found[0] - w, 0.0, problem.objective(*found)
    if not best - value < STRAIGHT * fall < 0.0:
        return found, passes
    for doublings in range(1, MOST_DOUBLINGS):
        ahead = w + 2.0**doublings * step
        new = problem.evaluate(ahead)
        passes += 1.0
        if not problem.objective(ahead, new) < best:
            break
        found, best = (ahead, new), problem.objective(ahead, new)
    return found, passes


def _secants(problem: LinearProblem, standard: Standardisation, memory: Memory) -> Array:
    """Return the affine combination of the last minimisers whose moves cancel best.

    Coefficients that the last model put to 0, or on the other side of it, stay there.
    """
    moves = np.stack([standard.to_u(target - w).ravel() for w, target in memory], axis=1)
    steps = np.diff(moves, axis=1)
    share = np.linalg.lstsq(steps, moves[:, -1], rcond=1e-10)[0]
    targets = [target for _, target in memory]
    out = targets[-1].copy()
    for s, before, after in zip(share, targets, targets[1:], strict=False):
        out -= s * (after - before)
    coef, last = problem.split(out)[0], problem.split(targets[-1])[0]
    coef[last * coef <= 0.0] = 0.0
    return out


def _gap_by_sums(problem: LinearProblem, w: Array, e: Evaluation) -> float:
    """About the duality gap of w, from the sums of its pass alone, as if the slopes were balanced."""
    coef, penalty = problem.split(w)[0], problem.penalty
    v = -problem.split(e.grad)[0]
    scale = penalty.feasible_scale(v)
    conjugate = inner(w, e.grad) - e.loss
    # A class whose slopes sum to less than 0 is balanced by a share of every row's dual value.
    off = -problem.split(e.grad)[1] if problem.intercept and problem.n_outputs else np.zeros(1)
    share = problem.facts.null_curvature
    unbalanced = float(np.max(np.abs(off) / np.maximum(share, 1e-12)))
    gap = e.loss + penalty.value(coef) + scale * conjugate + penalty.conjugate(scale * v)
    return gap + unbalanced * problem.null_loss
