"""EM from several starts: all go most of the way, and the best of them goes on to the end.

Starts are compared where their gradient norm has fallen to 1e-3.  The one of the largest likelihood there is
finished; the others are left and named as such.  Short runs before a long one are the em-EM of Biernacki,
Celeux and Govaert, Computational Statistics and Data Analysis 41 (2003), whose short runs are much shorter:
``python -m bench.em_starts`` compares such rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, cast

import numpy as np

from empirisk.data.brief import Brief
from empirisk.mixtures.base import EMPTY, DegenerateError
from empirisk.problems.latent import LatentProblem
from empirisk.results import Certificate, Solution
from empirisk.solvers.base import State
from empirisk.solvers.expectation_maximization import ExpectationMaximization
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["LatentSolution", "Starts", "expectation_maximization"]

# Nats of a row by which the values of two starts may differ that count as one optimum.
SAME = 1e-6
# Gradient norm at which starts are compared, and its share of the largest one on the way: a start near a
# saddle begins with a small gradient, and is compared after it has left.
COMPARED = 1e-3
FALLEN = 0.01


@dataclass(frozen=True, repr=False)
class Starts(Brief):
    """How the starts of a fit ended.

    Parameters
    ----------
    values : tuple of float
        Mean log-likelihood (less penalty) where each ended or was left; NaN where it degenerated.
    degenerate : tuple of str
        What happened to those.
    left : tuple of int
        Numbers of the starts that were not finished, since another one was ahead.
    n_passes : float
        Passes over the rows of all starts together.

    Examples
    --------
    >>> Starts((-1.5, -1.25, -1.25, float("nan")), ("component 0 has no rows left",)).sentence
    '4 starts: 2 reached the best, the worst ended 0.25 nats a row below; 1 degenerated and was left out'
    >>> Starts((-1.5, -1.25, -1.3), left=(0, 2)).sentence
    '1 of 3 starts was finished; others left at gradient norms up to 0.001, 0.05 to 0.25 nats a row below'
    """

    values: tuple[float, ...]
    degenerate: tuple[str, ...] = ()
    left: tuple[int, ...] = ()
    n_passes: float = math.nan

    @property
    def spread(self) -> float:
        """The difference of the best and the worst value."""
        alive = [v for v in self.values if not math.isnan(v)]
        return max(alive) - min(alive) if alive else math.nan

    @property
    def sentence(self) -> str:
        """How the starts agree, in words."""
        n, lost = len(self.values), len(self.degenerate)
        if n == 1:
            return "one start alone, which says nothing about other optima"
        done = [v for j, v in enumerate(self.values) if j not in self.left and not math.isnan(v)]
        best, same = max(done), sum(max(done) - v <= SAME for v in done)
        if self.left:
            below = sorted(best - self.values[j] for j in self.left)
            ends = list(dict.fromkeys(f"{distance:.2g}" for distance in (below[0], below[-1])))
            told = (
                f"{len(done)} of {n} starts {'was' if len(done) == 1 else 'were'} finished; "
                f"{'another' if len(below) == 1 else 'others'} left at gradient norms up to "
                f"{COMPARED:g}, {' to '.join(ends)} nats a row below"
            )
        else:
            told = f"{n} starts: {same} reached the best"
            if same < len(done):
                told += f", the worst ended {self.spread:.2g} nats a row below"
        if lost:
            told += f"; {lost} degenerated and {'was' if lost == 1 else 'were'} left out"
        return told


@dataclass(frozen=True)
class LatentSolution(Solution):
    """A solution that knows how its starts ended.

    Parameters
    ----------
    starts : Starts
        One value for each.

    Examples
    --------
    >>> import empirisk as er
    >>> issubclass(LatentSolution, er.results.Solution)
    True
    """

    starts: Starts = field(default=Starts(()))


def expectation_maximization(
    problem: LatentProblem,
    w0: Array | Sequence[Callable[[], Array] | Array] | None = None,
    *,
    tol: float = 1e-5,
    max_steps: int = 10_000,
    accelerate: bool = True,
    callback: Callable[[int, Array, Certificate], Any] | None = None,
) -> LatentSolution:
    """Fit the parameters of a latent problem by EM, from one or several starts.

    Parameters
    ----------
    problem : LatentProblem
        A mixture, or anything that has expected sums and a best step from them.
    w0 : array, or sequence of arrays or of functions without arguments, optional
        Starts, in the problem's layout; a function makes its start when it is that one's turn.
    tol : float, default 1e-5
        Stop when the gradient norm ``sqrt(2 gain)`` is at most this.  Of several starts only the best does;
        the others are left where theirs is at most 1e-3.
    max_steps : int
        Steps from each start.
    accelerate : bool, default True
        Whether pairs of steps are extrapolated where that keeps the ascent monotone.
    callback : callable(step, w, certificate), optional
        Called after each step; a true return value ends that start.

    Returns
    -------
    LatentSolution
        The one of the largest likelihood; its claim says how the starts agree, and ``starts`` holds all.

    Raises
    ------
    ValueError
        When every start degenerates (:class:`empirisk.mixtures.DegenerateError`), or a step lowers the
        likelihood by more than rounding.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> from empirisk.data import ArrayBlocks, Design
    >>> X = np.array([[0.0], [1.0], [0.5], [9.0], [10.0], [11.0]])
    >>> rows = ArrayBlocks(Design(X), np.zeros(6), np.ones(6))
    >>> problem = er.LatentProblem(er.mixtures.Spherical(), rows, 2)
    >>> solution = er.expectation_maximization(problem)
    >>> np.sort(problem.parts(solution.w)["means"].ravel()).round(3).tolist()
    [0.5, 10.0]
    """
    given: list[Any] = [w0] if w0 is None or isinstance(w0, np.ndarray) else list(w0)
    solver, runs = ExpectationMaximization(accelerate), dict[int, Solution]()
    left: set[int] = set()
    lost: list[DegenerateError] = []
    passes = 0.0
    for j, start in enumerate(given):
        look = _Comparison(callback, len(given) > 1, tol)
        try:
            w = start() if callable(start) else start
            runs[j] = solve(problem, solver, w0=w, tol=tol, max_steps=max_steps, callback=look)
        except DegenerateError as error:
            lost.append(error)
            continue
        passes += runs[j].n_passes
        if look.reached:
            left.add(j)
    values = {j: -_loss(run) for j, run in runs.items()}
    while runs and (best := max(runs, key=values.__getitem__)) in left:
        left.discard(best)
        try:
            found = _finished(problem, runs[best], accelerate, tol, max_steps, callback)
        except DegenerateError as error:
            lost.append(error)
            del runs[best], values[best]
            continue
        passes += found.n_passes - runs[best].n_passes
        runs[best], values[best] = found, -_loss(found)
    if not runs:
        raise DegenerateError(lost[0].part, f"{lost[0].why} ({_all_lost(lost, problem)})")
    starts = Starts(
        tuple(values.get(j, math.nan) for j in range(len(given))),
        tuple(str(error) for error in lost),
        tuple(sorted(left)),
        passes,
    )
    chosen = runs[best]
    certificate = replace(chosen.certificate, claim=f"{chosen.certificate.claim}; {starts.sentence}")
    kept = {f.name: getattr(chosen, f.name) for f in fields(chosen)}
    return LatentSolution(**{**kept, "certificate": certificate}, starts=starts)


def _loss(run: Solution) -> float:
    """Return the mean negative log-likelihood where a run ended."""
    return float(cast(State, run.state).evaluation.loss)


@dataclass
class _Comparison:
    """A callback that ends a run where it can be compared with others, and says whether it has done so."""

    given: Callable[[int, Array, Certificate], Any] | None
    active: bool
    tol: float
    reached: bool = False
    top: float = 0.0

    def __call__(self, step: int, w: Array, certificate: Certificate) -> bool:
        """Return whether the run ends here, by its gradient norm or by the callback that was given."""
        if self.given is not None and self.given(step, w, certificate):
            return True
        self.top = max(self.top, certificate.value)
        near = certificate.value <= min(COMPARED, FALLEN * self.top)
        ended = certificate.within(self.tol) or certificate.at_floor
        self.reached = self.active and near and not ended
        return self.reached


@dataclass(frozen=True)
class _GoingOn(ExpectationMaximization):
    """Steps of EM from a state in the middle of a run, with what it knows of the steps before."""

    begun: State | None = None

    def init(self, problem: LatentProblem, w0: Array | None) -> State:
        """Return the state where the run was left."""
        return super().init(problem, w0) if self.begun is None else self.begun


def _finished(
    problem: LatentProblem,
    run: Solution,
    accelerate: bool,
    tol: float,
    max_steps: int,
    callback: Callable[[int, Array, Certificate], Any] | None,
) -> Solution:
    """Return a run that was left, gone on to its end, with the steps and the trace of both."""
    n = run.n_steps
    told = None if callback is None else lambda step, w, c: callback(step + n, w, c)
    solver = _GoingOn(accelerate, begun=run.state)
    found = solve(problem, solver, tol=tol, max_steps=max_steps - n, callback=told)
    shift = run.trace[-1].seconds
    later = tuple(p._replace(step=p.step + n, seconds=p.seconds + shift) for p in found.trace)
    return replace(found, n_steps=found.n_steps + n, trace=run.trace + later)


def _all_lost(lost: list[DegenerateError], problem: LatentProblem) -> str:
    """Return what to do when no start is left."""
    n = len(lost)
    which = "the only start" if n == 1 else f"all {n} starts"
    told = f"{which} ended like this: take fewer components, "
    if not problem.family.takes_ridge:
        return told + "more rows, or fewer columns"
    if problem.ridge > 0.0 and all(error.why == EMPTY for error in lost):
        # Each part pays for the ridge: a large one is paid back by too few rows.
        return f"{told}or lower the ridge, under which fewer components have the larger penalised likelihood"
    return (
        f"{told}a family with fewer parameters (tied, diagonal), "
        "drop repeated rows or columns that follow from others, or "
        + ("raise the ridge" if problem.ridge > 0.0 else "give a ridge > 0, which bounds the likelihood")
    )
