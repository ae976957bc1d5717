"""The one loop: take steps, ask the problem for a certificate, stop when it is small."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from empirisk.data.threads import one_thread
from empirisk.losses.base import check_targets
from empirisk.penalties.base import ConstraintSet
from empirisk.problems.certify import sharpened
from empirisk.problems.evaluation import Evaluation
from empirisk.problems.linear import LinearProblem
from empirisk.problems.separation import find_separation, only_zeros, zeros_run_off
from empirisk.results import Certificate, Kind, Solution, Status, TracePoint
from empirisk.solvers.origin import from_near, judged, telling_far
from empirisk.solvers.vertex import to_vertex
from empirisk.typing import Array, Capability

__all__ = ["Solver", "State", "check_capabilities", "solve"]

# Sides of a matrix from which a second BLAS thread pays for a factorisation.
LARGE_FACTOR = 300
# Certificates without progress after which the dual point is looked at.
SHARPEN = (5, 15)
# Newton steps over which a solver has to get on, see `_Watch.creeps`.
SPAN = 400


@dataclass(frozen=True)
class State:
    """What the next step needs; solvers extend it.

    Parameters
    ----------
    w : array
        The iterate.
    evaluation : Evaluation or None
        Loss, gradient and scores at w when the solver has them: the certificate then costs no pass.
    check : bool
        The solver believes that a certificate is worth computing now.
    done : bool
        The solver cannot improve w any further.
    n_passes : float
        Passes over the data so far.
    note : str
        What the user should know.
    theta : array or None
        Dual values, one a score, that prove more than the derivatives at the scores do; a loss with kinks
        needs them.
    diverged : bool
        The solver gives up because its steps lead away; `note` says which step is too long.
    complete : bool
        The solver has taken all the steps that it was told to take, and is no worse for that.
    """

    w: Array
    evaluation: Evaluation | None = None
    check: bool = True
    done: bool = False
    n_passes: float = 0.0
    note: str = ""
    theta: Array | None = field(default=None, kw_only=True)
    diverged: bool = field(default=False, kw_only=True)
    complete: bool = field(default=False, kw_only=True)


class Solver(Protocol):
    """``init`` and ``step``; nothing about stopping."""

    @property
    def name(self) -> str: ...
    @property
    def needs(self) -> frozenset[Capability]: ...

    def init(self, problem: LinearProblem, w0: Array | None) -> State:
        """Return the state before the first step."""
        ...

    def step(self, problem: LinearProblem, state: Any) -> State:
        """Return the state after one step; the given state is not changed and stays valid."""
        ...


def check_capabilities(solver: Solver, problem: LinearProblem) -> None:
    """Refuse, before the first step and by name, a problem that the solver cannot handle."""
    from empirisk.solvers.auto import advice

    missing = solver.needs - problem.capabilities
    if missing:
        listed = ", ".join(sorted(c.value for c in missing))
        raise ValueError(
            f"solver {solver.name!r} needs {listed}, which this problem "
            f"(loss {problem.loss.name!r}, penalty {problem.penalty.name!r}) does not have; "
            + advice(problem)
        )


def solve(
    problem: LinearProblem,
    solver: str | Solver = "auto",
    *,
    w0: Array | None = None,
    tol: float = 1e-6,
    max_steps: int = 10_000,
    check_every: int = 10,
    callback: Callable[[int, Array, Certificate], Any] | None = None,
) -> Solution:
    """Minimise a problem until its certificate is small.

    Parameters
    ----------
    problem : LinearProblem
        What to minimise.
    solver : str or Solver
        A name of :data:`empirisk.solvers.REGISTRY`, ``"auto"``, or an object with init and step.
    w0 : array, optional
        Warm start, in the problem's layout.
    tol : float
        Stop when ``certificate.value / certificate.scale <= tol``.
    max_steps : int
        Step limit.
    check_every : int
        Steps between certificates when the solver does not ask for one itself.
    callback : callable(step, w, certificate), optional
        Called after each certificate; a true return value interrupts.

    Returns
    -------
    Solution
        With the status in words; call ``.require()`` to raise unless certified.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> problem = er.Ridge().problem(np.eye(3), [1.0, 2.0, 3.0])
    >>> er.solve(problem, "conjugate_gradient").require().certificate.within(1e-6)
    True
    """
    from empirisk.solvers.auto import resolve

    chosen = resolve(problem, solver)
    if not tol >= 0.0:
        raise ValueError(f"tol must be a number >= 0, got {tol!r}")
    check_capabilities(chosen, problem)
    check_targets(problem.loss, problem.data.y)
    _check_start(problem, w0)
    if problem.moved is not None:
        origin, near = problem.moved
        found = solve(
            near, chosen, w0=None if w0 is None else origin.to_near(w0), tol=tol, max_steps=max_steps,
            check_every=check_every, callback=telling_far(problem, callback),
        )  # fmt: skip
        return from_near(problem, found, tol)
    if _perfect_at_zero(problem):
        w, kinks = problem.zeros(), Capability.PIECEWISE_LINEAR in problem.capabilities
        dual = np.zeros(len(problem.data.y)) if kinks else None
        certificate = problem.certify(w, theta=dual)
        return Solution(w, Status.CERTIFIED, certificate, n_steps=1, solver=chosen.name, dual=dual)
    unbounded = _unbounded(problem, chosen)
    if unbounded is not None:
        return unbounded
    watch = _Watch(problem, tol, callback, getattr(chosen, "newton", False))
    step = 0
    status = None
    # Overflow on the way (a wild start, an extreme column) ends in a status, not in a warning.
    with np.errstate(over="ignore", invalid="ignore"), _blas_threads(problem, chosen):
        state = chosen.init(problem, w0)
        while status is None and step < max_steps:
            state = chosen.step(problem, state)
            step += 1
            ends = state.done or state.complete or step == max_steps
            if state.check or ends or step % check_every == 0:
                status = watch.look(step, state)
    if watch.best is None:
        watch.best = state.w, problem.certify(state.w, state.evaluation, theta=state.theta), state.theta
    w, certificate, theta = watch.best
    if not np.isfinite(w).all():  # no numbers to give: the null model is a point, at least
        w, theta = problem.null, None
        certificate = problem.certify(w)
    solution = Solution(
        w=w,
        status=status or Status.MAX_STEPS,
        certificate=certificate,
        n_steps=step,
        n_passes=state.n_passes,
        trace=tuple(watch.trace),
        state=state,
        note=state.note,
        solver=chosen.name,
        dual=theta,
    )
    if status is Status.FLOOR and problem.design.dtype != np.float64:
        # That floor is one of passes in the precision of X: in float64 there may be more to be seen.
        sharper = problem.certify(w, theta=theta)
        return judged(solution, sharper, tol) if sharper.within(tol) else solution
    return solution


def _perfect_at_zero(problem: LinearProblem) -> bool:
    """Return whether all targets are 0 and fitted without loss or penalty by parameters of 0."""
    if not getattr(problem.loss, "of_difference", False) or np.any(problem.data.y):
        return False
    return problem.penalty.value(np.zeros(problem.shape)[: problem.data.n_cols]) == 0.0


def _blas_threads(problem: LinearProblem, solver: Solver) -> AbstractContextManager[Any]:
    """One BLAS thread, unless a direct solver has a large matrix to factorise.

    Iterations alternate between our loops and small algebra; a second BLAS thread would spin in between.
    """
    large = solver.name == "least_squares" and min(problem.design.shape) > LARGE_FACTOR
    return nullcontext() if large else one_thread()


def _check_start(problem: LinearProblem, w0: Array | None) -> None:
    if w0 is None:
        return
    if np.shape(w0) != problem.shape:
        raise ValueError(f"w0 must have shape {problem.shape}, got {np.shape(w0)}")
    if not np.isfinite(w0).all():
        raise ValueError("w0 holds NaN or infinity; start from finite numbers, or leave it out")


def _unbounded(problem: LinearProblem, solver: Solver) -> Solution | None:
    """Return a solution that says so when there is no finite minimiser, for want of a penalty or of
    events.
    """
    penalty, escape = problem.penalty, problem.loss.escape
    penalised = penalty.coercive(problem.data.n_cols)
    if not escape or (penalised and escape == "classes"):
        return None
    if isinstance(penalty, ConstraintSet) and not penalised:
        return None  # whether the direction that separates stays in the set is for the solver to see
    if penalised:
        sentence = only_zeros(problem)
    elif escape == "classes":
        separation = find_separation(problem)
        sentence = separation.sentence if separation.separable else ""
    else:
        sentence = zeros_run_off(problem)
    if not sentence:
        return None
    certificate = Certificate(Kind.NONE, math.inf, 1.0, "none: there is no minimum to be near to")
    return Solution(problem.null, Status.UNBOUNDED, certificate, note=sentence, solver=solver.name)


class _Watch:
    """Certificates along the way: the best point so far, and whether it is time to stop."""

    def __init__(
        self, problem: LinearProblem, tol: float, callback: Callable[..., Any] | None, newton: bool = False
    ) -> None:
        self.problem, self.tol, self.callback, self.newton = problem, tol, callback, newton
        self.trace: list[TracePoint] = []
        self.best: tuple[Array, Certificate, Array | None] | None = None
        self.began = time.perf_counter()
        self.lowest = math.inf
        self.since_progress = 0
        self.mark: tuple[float, float] = (math.inf, math.inf)

    def look(self, step: int, state: State) -> Status | None:
        certificate = self.problem.certify(state.w, state.evaluation, self.tol, state.theta)
        objective = (
            state.evaluation.loss + self.problem.penalty.value(self.problem.split(state.w)[0])
            if state.evaluation is not None
            else math.nan
        )
        self.trace.append(
            TracePoint(step, objective, certificate.value, state.n_passes, time.perf_counter() - self.began)
        )
        better = self.best is None or certificate.value < self.best[1].value
        # A certificate may stay behind for long while the objective falls: that is no stall.
        lower = objective < self.lowest - certificate.floor
        self.lowest = min(self.lowest, objective) if lower else self.lowest
        self.since_progress = 0 if better or lower else self.since_progress + 1
        if better:
            self.best = state.w, certificate, state.theta
        if self.callback is not None and self.callback(step, state.w, certificate):
            return Status.INTERRUPTED
        return self.verdict(state, certificate, self.creeps())

    def creeps(self) -> bool:
        """Whether a whole span of Newton steps brought next to nothing, judged at its end.

        They have to halve the certificate in a span, or to lower the objective by as much.
        """
        if not self.newton or len(self.trace) % SPAN or self.best is None:
            return False
        value, objective = self.mark
        now = self.best[1].value
        self.mark = now, self.lowest
        fell = objective - self.lowest if math.isfinite(objective) else 0.0
        return now > 0.5 * value and fell < 0.5 * now

    def verdict(self, state: State, certificate: Certificate, creeps: bool) -> Status | None:
        if certificate.within(self.tol):
            return Status.CERTIFIED
        if state.diverged or (not math.isfinite(certificate.value) and state.done):
            return Status.DIVERGED
        # Far away everything is rounding: a floor as large as the null model's loss is no place to stop.
        if certificate.at_floor and certificate.floor <= certificate.scale:
            return Status.FLOOR
        if state.complete:
            return Status.COMPLETED
        ends = state.done or creeps or self.since_progress >= 50
        if (ends or self.since_progress in SHARPEN) and self.sharpen(ends):
            return Status.CERTIFIED
        return Status.STALLED if ends else None

    def sharpen(self, ends: bool) -> bool:
        """Whether the best point is within the tolerance after all, by a better dual point.

        While the solver goes on, its progress is measured by its own certificates.
        """
        if self.best is None:
            return False
        w, certificate, theta = self.best
        certificate = sharpened(self.problem, w, certificate)
        vertex = to_vertex(self.problem, w)
        if vertex is not None and not certificate.within(self.tol):
            there = sharpened(self.problem, vertex, self.problem.certify(vertex))
            if there.value < certificate.value:
                w, certificate, theta = vertex, there, None
        if ends or certificate.within(self.tol):
            self.best = w, certificate, theta
        return certificate.within(self.tol)
