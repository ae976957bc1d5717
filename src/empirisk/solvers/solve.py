"""The one loop: take steps, ask the problem for a certificate, stop when it is small."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.data.threads import on_one_thread, one_thread
from empirisk.problems.base import Problem
from empirisk.results import Certificate, Solution, Status, TracePoint
from empirisk.solvers.auto import advice, resolve
from empirisk.solvers.base import Solver, State
from empirisk.typing import Array

__all__ = ["check_capabilities", "solve"]

# Certificates without progress after which the dual point is looked at.
SHARPEN = (5, 15)
# Newton steps over which a solver has to get on, see `_Watch.creeps`.
SPAN = 400


def check_capabilities(solver: Solver, problem: Problem) -> None:
    """Refuse, before the first step and by name, a problem that the solver cannot handle."""
    missing = solver.needs - problem.capabilities
    if missing:
        listed = ", ".join(sorted(c.value for c in missing))
        raise ValueError(
            f"solver {solver.name!r} needs {listed}, which this problem "
            f"({problem.title}) does not have; " + advice(problem)
        )


def solve(
    problem: Problem,
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
    problem : Problem
        What to minimise: anything that meets the contract of :class:`empirisk.problems.Problem`.
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
    chosen = resolve(problem, solver)
    if not tol >= 0.0:
        raise ValueError(f"tol must be a number >= 0, got {tol!r}")
    check_capabilities(chosen, problem)
    if w0 is not None:
        problem.layout.check_start(w0)
    ended = problem.preflight()
    if ended is not None:
        return replace(ended, solver=chosen.name)
    other = problem.rewritten()
    if other is not None:
        found = solve(
            other.problem, chosen, w0=None if w0 is None else other.there(w0), tol=tol, max_steps=max_steps,
            check_every=check_every, callback=_in_given_parameters(callback, other.back),
        )  # fmt: skip
        return other.told(found, tol)
    watch = _Watch(problem, tol, callback, getattr(chosen, "newton", False))
    step = 0
    status = None
    # Overflow on the way (a wild start, an extreme column) ends in a status, not in a warning.
    with np.errstate(over="ignore", invalid="ignore"), _blas_threads(problem, chosen):
        state = chosen.init(problem, w0)
        while status is None and step < max_steps:
            state = chosen.step(problem, state)
            step += state.taken
            ends = state.done or state.complete or step >= max_steps
            if state.check or ends or step % check_every == 0:
                status = watch.look(step, state)
    if watch.best is None:
        watch.best = state.w, problem.certify(state.w, state.evaluation, 0.0, state.hint), state.hint
    w, certificate, hint = watch.best
    if not np.isfinite(w).all():  # no numbers to give: where a fit may begin is a point, at least
        w, hint = problem.start(), None
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
        dual=hint,
    )
    return problem.finish(solution, tol)


def _in_given_parameters(
    callback: Callable[..., Any] | None, back: Callable[[Array], Array]
) -> Callable[..., Any] | None:
    """Return a callback for the problem that is solved instead, which hears of given parameters."""
    if callback is None:
        return None
    return lambda step, w, certificate: callback(step, back(w), certificate)


def _blas_threads(problem: Problem, solver: Solver) -> AbstractContextManager[Any]:
    """Return one BLAS thread, unless the solver says that the algebra of this problem is worth more.

    Iterations alternate between our loops and small algebra; a second BLAS thread would spin in between.
    """
    large = getattr(solver, "large", None)
    if large is not None and large(problem):
        return nullcontext()
    design = getattr(problem, "design", None)
    if design is None:
        return one_thread()
    rows, columns = design.shape
    small = on_one_thread(rows, columns, getattr(problem, "n_outputs", 0))
    return nullcontext() if small else one_thread()


class _Watch:
    """Certificates along the way: the best point so far, and whether it is time to stop."""

    def __init__(
        self, problem: Problem, tol: float, callback: Callable[..., Any] | None, newton: bool = False
    ) -> None:
        self.problem, self.tol, self.callback, self.newton = problem, tol, callback, newton
        self.trace: list[TracePoint] = []
        self.best: tuple[Array, Certificate, Any] | None = None
        self.began = time.perf_counter()
        self.lowest = math.inf
        self.since_progress = 0
        self.mark: tuple[float, float] = (math.inf, math.inf)

    def look(self, step: int, state: State) -> Status | None:
        certificate = self.problem.certify(state.w, state.evaluation, self.tol, state.hint)
        objective = (
            self.problem.objective(state.w, state.evaluation) if state.evaluation is not None else math.nan
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
            self.best = state.w, certificate, state.hint
        if self.callback is not None and self.callback(step, np.array(state.w), certificate):
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
        w, certificate, hint = self.problem.sharpen(*self.best, self.tol)
        if ends or certificate.within(self.tol):
            self.best = w, certificate, hint
        return certificate.within(self.tol)
