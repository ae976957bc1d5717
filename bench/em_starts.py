"""How several starts of EM are best run: ``python -m bench.em_starts``.

Eight starts of each problem are run to the end, with every pass noted, so that rules can be replayed: which
starts are compared when, and which of them go on.  A rule is judged by the likelihood that it ends at and by
the passes over the rows that it takes, against four starts that all run to the end by pairs of extrapolated
steps.  The last row is what a fit with four starts does.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from bench.datasets.hidden_groups import Row, problems
from empirisk.mixtures import DegenerateError
from empirisk.problems import LatentProblem
from empirisk.solvers import ExpectationMaximization, expectation_maximization

N_INIT, MOST = 4, 8
EQUAL = 1e-6  # nats of a row
TOL, STEPS = 1e-5, 2000


@dataclass(frozen=True)
class Run:
    """The passes, losses and gradient norms along one start, and where it ended; NaN where it degenerated."""

    trace: np.ndarray
    end: float

    @property
    def passes(self) -> float:
        """All passes that the run made over its rows."""
        return float(self.trace[-1, 0]) if len(self.trace) else 0.0

    def at_pass(self, passes: float) -> tuple[float, float]:
        """Return the passes and the loss after so many passes."""
        return self._at(self.trace[:, 0] >= passes)

    def at_norm(self, norm: float) -> tuple[float, float]:
        """Return the passes and the loss where the gradient norm has fallen to this, and to a hundredth."""
        top = np.maximum.accumulate(self.trace[:, 2])
        return self._at(self.trace[:, 2] <= np.minimum(norm, 0.01 * top))

    def _at(self, reached: np.ndarray) -> tuple[float, float]:
        if not reached.any():
            return self.passes, self.end
        return tuple(self.trace[int(reached.argmax()), :2])


def follow(problem: LatentProblem, start: Callable[[], np.ndarray], secants: bool) -> Run:
    """Return the run from a start, with a note of each step."""
    solver, trace = ExpectationMaximization(secants=secants), []
    try:
        state = solver.init(problem, start())
        for _ in range(STEPS):
            e = state.evaluation
            certificate = problem.certify(state.w, e)
            trace.append((state.n_passes, e.loss, certificate.value))
            if certificate.within(TOL) or certificate.at_floor:
                break
            state = solver.step(problem, state)
        return Run(np.array(trace), trace[-1][1])
    except DegenerateError:
        return Run(np.array(trace).reshape(-1, 3), math.nan)


# What a rule says of a problem: the loss where it ends, and the passes over the rows.
Outcome = tuple[float, float]
Stage = tuple[Callable[[Run], tuple[float, float]], int]


def staged(runs: list[Run], stages: Iterable[Stage]) -> Outcome:
    """Return the outcome where starts are compared at each stage, so many go on, and the best is finished."""
    passes = np.zeros(len(runs))
    order = list(range(len(runs)))
    behind: list[int] = []
    for where, keep in stages:
        loss = {}
        for j in order:
            passes[j], loss[j] = where(runs[j])
        alive = sorted((j for j in order if not math.isnan(loss[j])), key=loss.__getitem__)
        order, behind = alive[:keep], alive[keep:] + behind
    last = len(order)
    best, done = math.nan, 0
    for j in order + behind:  # one that degenerates on its way is replaced by the next
        if done == last:
            break
        passes[j] = runs[j].passes
        if not math.isnan(runs[j].end):
            best, done = float(np.nanmin([best, runs[j].end])), done + 1
    return best, float(passes.sum())


def all_of(runs: list[Run]) -> Outcome:
    """Return the outcome where every start runs to the end."""
    ends = [run.end for run in runs if not math.isnan(run.end)]
    return min(ends, default=math.nan), sum(run.passes for run in runs)


def norm(value: float, keep: int) -> Stage:
    """Return a stage at a gradient norm."""
    return lambda run: run.at_norm(value), keep


def after(passes: float, keep: int) -> Stage:
    """Return a stage after so many passes."""
    return lambda run: run.at_pass(passes), keep


# Name, starts, whether secants are used, stages; without stages every start runs to the end.
RULES: list[tuple[str, int, bool, list[Stage]]] = [
    ("4 starts, all to the end, pairs", 4, False, []),
    ("4 starts, all to the end, secants", 4, True, []),
    ("8 starts, all to the end, secants", 8, True, []),
    ("4 starts, the best after 8 passes", 4, True, [after(8, 1)]),
    ("8 starts, the best after 8 passes", 8, True, [after(8, 1)]),
    ("8 starts, the best two after 8 passes", 8, True, [after(8, 2)]),
    ("8 starts, halved after 8, 16 and 32 passes", 8, True, [after(8, 4), after(16, 2), after(32, 1)]),
    ("4 starts, the best at norm 0.03", 4, True, [norm(0.03, 1)]),
    ("4 starts, the best at norm 0.01", 4, True, [norm(0.01, 1)]),
    ("4 starts, the best at norm 0.001", 4, True, [norm(0.001, 1)]),
    ("6 starts, two at norm 0.01, one at 0.001", 6, True, [norm(0.01, 2), norm(0.001, 1)]),
    ("8 starts, two at norm 0.01, one at 0.001", 8, True, [norm(0.01, 2), norm(0.001, 1)]),
]


def outcomes(row: Row) -> list[Outcome]:
    """Return the outcome of each rule, and of a fit with four starts."""
    _, model, data = row
    problem = model.problem(*data)
    starts = model._begun(problem, 0)
    runs = {secants: [follow(problem, start, secants) for start in starts] for secants in (False, True)}
    told = [
        staged(runs[secants][:count], stages) if stages else all_of(runs[secants][:count])
        for _, count, secants, stages in RULES
    ]
    try:
        fit = expectation_maximization(problem, starts[:N_INIT], tol=TOL, max_steps=STEPS)
        told.append((fit.state.evaluation.loss, fit.starts.n_passes))
    except DegenerateError:
        told.append((math.nan, math.nan))
    return told


def table(found: np.ndarray) -> str:
    """Return the table of outcomes (problems, rules, 2)."""
    found = found[~np.isnan(found[:, 0, 0])]  # where every start degenerates there is nothing to compare
    base, base_passes = found[:, 0].T
    lines = [
        f"{len(found)} problems; likelihoods in nats a row, equal within {EQUAL:g}\n",
        "| rule | passes | better | equal | worse | mean difference | worst |\n|---|---|---|---|---|---|---|",
    ]
    for name, (loss, passes) in zip([*(r[0] for r in RULES), "a fit with n_init=4"],
                                    found.transpose(1, 2, 0), strict=True):  # fmt: skip
        rise = base - loss
        better, worse = int((rise > EQUAL).sum()), int((~(rise >= -EQUAL)).sum())
        equal = len(rise) - better - worse
        lines.append(
            f"| {name} | {np.nansum(passes) / base_passes.sum():.2f} | {better} | {equal} | {worse} "
            f"| {np.nanmean(rise):+.5f} | {np.nanmin(rise):+.4f} |"
        )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Run every problem, or every so many, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.em_starts", description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=1, help="one of so many problems")
    every = parser.parse_args(arguments).every
    found = []
    for i, row in enumerate(problems(MOST)):
        if i % every == 0:
            found.append(outcomes(row))
            print(f"{row[0]}, {row[1].n_components} parts", flush=True)
    print(table(np.array(found)))


if __name__ == "__main__":
    main()
