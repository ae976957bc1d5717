"""How fast solvers approach the minimum of one problem, beside the rates that theory promises."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from empirisk.data.brief import Brief
from empirisk.data.tabular import Tabular
from empirisk.penalties.base import ConstraintSet
from empirisk.problems.linear import LinearProblem
from empirisk.results import Certificate, Kind, Solution
from empirisk.solvers.auto import resolve
from empirisk.solvers.base import Solver
from empirisk.solvers.gradient_descent import GradientDescent
from empirisk.solvers.solve import solve
from empirisk.solvers.subgradient import Subgradient
from empirisk.typing import Array

__all__ = ["Convergence", "Rate", "convergence"]


@dataclass(frozen=True, repr=False)
class Rate(Brief):
    """A bound of theory on ``F(w_T) - min F``, from the constants of the problem.

    Parameters
    ----------
    method : str
        The run that it stands beside.
    setting : str
        What the theorem is about: the step sizes and the output, with the variables as they are.  A run with
        other steps, with restarts or in other variables is not held to it.
    formula : str
        The bound in symbols.
    steps, bound : arrays
        Its values at step numbers T.
    proved : bool
        Whether its constants are proved or estimated.

    Examples
    --------
    >>> Rate("fista", "steps 1/L", "2 L D^2 / (T + 1)^2", np.ones(1), np.array([2.0]), True).setting
    'steps 1/L'
    """

    method: str
    setting: str
    formula: str
    steps: Array
    bound: Array
    proved: bool


@dataclass(frozen=True, repr=False)
class Convergence(Tabular):
    """Runs of several solvers on one problem.

    Parameters
    ----------
    runs : dict of str to Solution
        By the solver's name.
    lowest : float
        Largest lower bound of ``min F`` that a certificate proves, else the least objective that was seen.
    proved : bool
        Whether `lowest` is a proved bound.
    rates : tuple of Rate
        Theory for those methods that have a bound in closed form.

    Examples
    --------
    >>> import empirisk as er
    >>> problem = er.Ridge(alpha=0.5).problem([[0.0], [1.0], [2.0]], [1.0, 2.0, 4.0])
    >>> c = er.convergence(problem, ["least_squares", "gradient_descent"])
    >>> c.runs["gradient_descent"].certificate.within(1e-6), c.rates[0].setting
    (True, 'steps g of 1/(2 L) at least')
    """

    runs: dict[str, Solution]
    lowest: float
    proved: bool
    rates: tuple[Rate, ...] = ()
    _tol: float = field(default=1e-6, repr=False)

    @property
    def title(self) -> str:
        """The first line above the table: how many solvers ran, and to which accuracy."""
        return f"Convergence of {len(self.runs)} solvers to a relative {self._tol:g}"

    def gap(self, name: str) -> tuple[Array, Array, Array, Array]:
        """Steps, passes, seconds and ``F(w) - lowest`` along a run; NaN where F was not computed."""
        trace = self.runs[name].trace
        columns = np.array([[t.step, t.passes, t.seconds, t.objective - self.lowest] for t in trace]).T
        steps, passes, seconds, gap = columns if len(trace) else np.empty((4, 0))
        return steps, passes, seconds, np.maximum(gap, 0.0)

    def _columns(self) -> dict[str, list[Any]]:
        s = list(self.runs.values())
        return {
            "solver": list(self.runs),
            "status": [r.status.name for r in s],
            "steps": [r.n_steps for r in s],
            "passes": [r.n_passes for r in s],
            "seconds": [r.trace[-1].seconds if r.trace else 0.0 for r in s],
            "certificate": [r.certificate.relative for r in s],
        }

    def _shown(self) -> dict[str, list[Any]]:
        columns = self._columns()
        columns["status"] = [word.lower() for word in columns["status"]]
        columns["passes"] = [f"{v:.0f}" for v in columns["passes"]]
        columns["seconds"] = [f"{v:.3g}" for v in columns["seconds"]]
        columns["certificate"] = [f"{v:.1g}" for v in columns["certificate"]]
        return columns

    def _notes(self) -> list[str]:
        known = "proved by a certificate" if self.proved else "the least objective that was seen"
        out = [f"min F >= {self.lowest:.6g}" if self.proved else f"min F taken as {self.lowest:.6g}, {known}"]
        for rate in self.rates:
            how = "" if rate.proved else " (with estimated constants)"
            out.append(f"theory for {rate.method} with {rate.setting}: F(w_T) - min F <= {rate.formula}{how}")
        return out

    def plot(self, by: str = "steps", *, ax: Any = None) -> Any:
        """Draw the objective above the minimum; returns the Plot.

        Parameters
        ----------
        by : {"steps", "passes", "seconds"}, default "steps"
            What it is drawn against.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.convergence import ConvergenceDisplay

        if by not in ("steps", "passes", "seconds"):
            raise ValueError(f'by must be "steps", "passes" or "seconds", got {by!r}')
        runs = []
        for name in self.runs:
            steps, passes, seconds, gap = self.gap(name)
            x = {"steps": steps, "passes": passes, "seconds": seconds}[by]
            runs.append({"name": name, "x": x.tolist(), "gap": gap.tolist()})
        rates = [
            {
                "name": r.method,
                "setting": r.setting,
                "formula": r.formula,
                "x": r.steps.tolist(),
                "gap": r.bound.tolist(),
            }
            for r in self.rates
            if by == "steps"
        ]
        return ConvergenceDisplay({"by": by, "runs": runs, "rates": rates}).plot(ax)


def convergence(
    problem: LinearProblem,
    solvers: Iterable[str | Solver],
    *,
    tol: float = 1e-6,
    max_steps: int = 10_000,
    check_every: int = 1,
) -> Convergence:
    """Run several solvers on one problem from the null model and keep their traces.

    Parameters
    ----------
    problem : LinearProblem
        What to minimise.
    solvers : iterable of str or Solver
        Names of :data:`empirisk.solvers.REGISTRY`, or solver objects.
    tol, max_steps : float, int
        As in :func:`empirisk.solve`, for each of them.
    check_every : int, default 1
        Steps between two rows of the trace.  Certificates cost passes of their own, which are not counted;
        they do count in the seconds.  A first step of each solver is taken beforehand, off the clock.

    Returns
    -------
    Convergence

    Raises
    ------
    ValueError
        When a solver cannot handle the problem; it is named.

    References
    ----------
    Nesterov 2018, Lectures on Convex Optimization, chapter 2 (gradient descent, acceleration) and 3.2.3
    (subgradients); Shalev-Shwartz et al. 2011, Pegasos.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2
    >>> er.convergence(er.LogisticRegression().problem(X, y), ["newton", "fista"]).to_frame().shape
    (2, 6)
    """
    runs: dict[str, Solution] = {}
    named: dict[str, Solver] = {}
    for solver in solvers:
        chosen = resolve(problem, solver)
        name = chosen.name
        while name in named:
            name += "'"
        named[name] = chosen
        # What is loaded and cached on first use is no one's time.
        solve(problem, chosen, tol=tol, max_steps=1)
    for name, chosen in named.items():
        found = solve(problem, chosen, tol=tol, max_steps=max_steps, check_every=check_every)
        runs[name] = _completed(problem, chosen, found, tol, max_steps, check_every)
    if not runs:
        raise ValueError("solvers must name at least one solver")
    values = {name: problem.value(s.w) for name, s in runs.items()}
    bounds = [
        values[name] - s.certificate.value
        for name, s in runs.items()
        if s.certificate.kind in (Kind.DUALITY_GAP, Kind.EXACT) and math.isfinite(s.certificate.value)
    ]
    best = min(runs, key=lambda name: values[name])
    lowest = max(bounds) if bounds else values[best]
    longest = max(s.n_steps for s in runs.values())
    rates = tuple(_rates(problem, named, runs[best].w, longest))
    return Convergence(runs, float(min(lowest, min(values.values()))), bool(bounds), rates, tol)


def _completed(
    problem: LinearProblem, solver: Solver, found: Solution, tol: float, max_steps: int, check_every: int
) -> Solution:
    """Return the solution with objectives that its solver did not need: the same run again, off the clock."""
    if not any(math.isnan(t.objective) for t in found.trace):
        return found
    values: dict[int, float] = {}

    def look(step: int, w: Array, _: Certificate) -> None:
        values[step] = problem.value(w)

    solve(problem, solver, tol=tol, max_steps=max_steps, check_every=check_every, callback=look)
    return replace(
        found, trace=tuple(t._replace(objective=values.get(t.step, t.objective)) for t in found.trace)
    )


def _rates(problem: LinearProblem, solvers: dict[str, Solver], w: Array, longest: int) -> Iterable[Rate]:
    """Return the bounds of formulas in closed form, at steps up to the longest run; w stands for the
    minimiser.
    """
    c, steps = problem.constants, np.unique(np.geomspace(1, max(longest, 2), 200).round())
    L, D2 = c.L.value, float(np.sum((w - problem.null) ** 2))
    ball = problem.penalty.size if isinstance(problem.penalty, ConstraintSet) else None
    ball = ball if ball is not None and ball.euclidean else None
    for name, solver in solvers.items():
        if isinstance(solver, GradientDescent):
            yield from _descent(problem, name, solver.step_size, steps, D2)
        elif solver.name == "fista" and math.isfinite(L):
            bound = 2.0 * L * D2 / (steps + 1.0) ** 2
            yield Rate(name, "steps 1/L, no restart", "2 L D^2 / (T + 1)^2", steps, bound, c.L.proved)
        elif isinstance(solver, Subgradient) and ball is not None and not problem.intercept:
            B, rho, N = ball.bound, c.rho.value, float(solver.n_steps)
            bound = 0.5 * B * rho * (math.sqrt(N) / steps + 1.0 / math.sqrt(N))
            said = "N steps B/(rho sqrt N), mean of the iterates"
            if math.isfinite(rho) and solver.schedule == "auto" and solver.output == "average":
                yield Rate(name, said, "(B rho/2) (sqrt(N)/T + 1/sqrt(N))", steps, bound, c.rho.proved)
        elif solver.name == "sgd" and problem.penalty.l2 > 0.0 and not problem.intercept:
            T = steps * max(int((problem.data.weight > 0.0).sum()), 1)  # a step of the solver is an epoch
            bound = 2.0 * c.rho.value**2 * (1.0 + np.log(T)) / (problem.penalty.l2 * T)
            said = "T rows, steps 1/(alpha t), mean of the iterates, in expectation"
            if math.isfinite(c.rho.value):
                yield Rate(name, said, "2 rho^2 (1 + log T) / (alpha T)", steps, bound, c.rho.proved)


def _descent(problem: LinearProblem, name: str, size: float | str, steps: Array, D2: float) -> Iterable[Rate]:
    """Gradient descent decreases F by ``g ||grad F||^2 / 2`` a step or more: the smaller of two bounds."""
    L, mu = problem.constants.L.value, problem.constants.mu.value
    if not (math.isfinite(L) and L > 0.0 and math.isfinite(problem.penalty.smoothness)):
        return
    g = {"1/L": 1.0 / L, "backtracking": 0.5 / L}.get(str(size), size)
    if not isinstance(g, float) or g > 1.0 / L:
        return
    said = {"1/L": "steps g = 1/L", "backtracking": "steps g of 1/(2 L) at least"}.get(
        str(size), f"g = {g:.3g}"
    )
    formula, bound = "D^2 / (2 g T)", D2 / (2.0 * g * steps)
    if mu > 0.0:
        formula = "min(D^2 / (2 g T), (L/2) (1 - g mu)^T D^2)"
        bound = np.minimum(bound, 0.5 * L * (1.0 - g * mu) ** steps * D2)
    yield Rate(name, said, formula, steps, bound, problem.constants.L.proved)
