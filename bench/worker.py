"""The process that fits: every solver of one row in turn, again and again, on the same arrays.

It writes one JSON line an event to the descriptor that the parent gives, before and after each fit, so
that the parent can watch the memory and end a fit that takes too long.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from typing import Any

from bench.datasets import REGISTRY as DATASETS
from bench.objectives import REGISTRY as OBJECTIVES
from bench.solvers import solvers_for
from bench.solvers.base import Solver
from bench.watch import resident_bytes

# The first call of a solver is made on this many rows: what it costs to get going (import, compilation).
WARM_UP_ROWS = 300


def main(descriptor: int, objective: str, dataset: str, quick: bool, runs: int, skip: list[str]) -> None:
    """Measure one row; solvers in `skip` took too long in an earlier process."""
    channel = os.fdopen(descriptor, "w", buffering=1)

    def tell(event: str, **facts: Any) -> None:
        channel.write(json.dumps({"event": event, **facts}) + "\n")

    warnings.simplefilter("ignore")
    goal = OBJECTIVES[objective]
    X, y = DATASETS[dataset][int(quick)]()
    strength = goal.strength(X, y)
    tell("data", shape=list(X.shape), bytes=_size(X))
    racers = [s for s in solvers_for(objective, X.shape[1]) if s.name not in skip]
    racers = [s for s in racers if _warm_up(s, X, y, goal, tell)]
    values: dict[str, float] = {}
    for _ in range(runs):
        for solver in racers:
            tell("start", solver=solver.name, resident=resident_bytes())
            cpu, start = time.process_time(), time.perf_counter()
            try:
                result = solver.fit(X, y, strength)
            except Exception as error:  # a peer's failure is a result
                tell("failed", solver=solver.name, why=f"{type(error).__name__}: {error}"[:300])
                continue
            seconds = time.perf_counter() - start
            cpu = time.process_time() - cpu
            factor = goal.factor(result) if hasattr(goal, "factor") else 1.0
            tell("end", solver=solver.name, seconds=factor * seconds, cpu=factor * cpu)
            values[solver.name] = goal.value(X, y, strength, result)
            del result
    tell("values", values=values, null=goal.null(X, y))
    tell("reference")
    tell("best", value=goal.value(X, y, strength, goal.reference(X, y, strength)))
    channel.flush()
    os._exit(0)  # some peers crash when their thread pools are taken down


def _warm_up(solver: Solver, X: Any, y: Any, goal: Any, tell: Any) -> bool:
    rows = slice(0, None if solver.whole_first_call else WARM_UP_ROWS)
    small, target = (X, y) if solver.whole_first_call else (X[rows], y[rows])
    tell("start", solver=solver.name, resident=resident_bytes())
    start = time.perf_counter()
    try:
        solver.fit(small, target, goal.strength(small, target))
    except Exception as error:
        tell("failed", solver=solver.name, why=f"{type(error).__name__}: {error}"[:300])
        return False
    tell("first", solver=solver.name, seconds=time.perf_counter() - start)
    return True


def _size(X: Any) -> int:
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes if hasattr(X, "indptr") else X.nbytes)


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    main(**given)
