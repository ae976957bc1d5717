"""EM from several starts: which of them ended where, and the best of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from empirisk.mixtures.base import EMPTY, DegenerateError
from empirisk.problems.latent import LatentProblem
from empirisk.results import Certificate, Solution
from empirisk.solvers.expectation_maximization import ExpectationMaximization
from empirisk.solvers.solve import solve
from empirisk.typing import Array

__all__ = ["LatentSolution", "Starts", "expectation_maximization"]

# Nats of a row by which the values of two starts may differ that count as one optimum.
SAME = 1e-6


@dataclass(frozen=True)
class Starts:
    """How the starts of a fit ended.

    Parameters
    ----------
    values : tuple of float
        Mean log-likelihood (less penalty) where each ended; NaN where it degenerated.
    degenerate : tuple of str
        What happened to those.

    Examples
    --------
    >>> Starts((-1.5, -1.25, -1.25, float("nan")), ("component 0 has no rows left",)).sentence
    '4 starts: 2 reached the best, the worst ended 0.25 nats a row below; 1 degenerated and was left out'
    """

    values: tuple[float, ...]
    degenerate: tuple[str, ...] = ()

    @property
    def spread(self) -> float:
        """The difference of the best and the worst value."""
        alive = [v for v in self.values if not math.isnan(v)]
        return max(alive) - min(alive) if alive else math.nan

    @property
    def sentence(self) -> str:
        """How the starts agree, in words."""
        n, lost = len(self.values), len(self.degenerate)
        alive = [v for v in self.values if not math.isnan(v)]
        if n == 1:
            return "one start alone, which says nothing about other optima"
        same = sum(max(alive) - v <= SAME for v in alive)
        told = f"{n} starts: {same} reached the best"
        if same < len(alive):
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
        Stop when the gradient norm ``sqrt(2 gain)`` is at most this.
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
    best: Solution | None = None
    lowest, values, lost = math.inf, [], []
    for start in given:
        try:
            w = start() if callable(start) else start
            solver = ExpectationMaximization(accelerate)
            found = solve(problem, solver, w0=w, tol=tol, max_steps=max_steps, callback=callback)
        except DegenerateError as error:
            values.append(math.nan)
            lost.append(error)
            continue
        loss = found.state.evaluation.loss
        values.append(-loss)
        if best is None or loss < lowest:
            best, lowest = found, loss
    starts = Starts(tuple(values), tuple(str(error) for error in lost))
    if best is None:
        advice = _all_lost(lost, problem)
        raise DegenerateError(lost[0].part, f"{lost[0].why} ({advice})")
    claim = f"{best.certificate.claim}; {starts.sentence}"
    certificate = replace(best.certificate, claim=claim)
    kept = {f.name: getattr(best, f.name) for f in fields(best)}
    return LatentSolution(**{**kept, "certificate": certificate}, starts=starts)


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
