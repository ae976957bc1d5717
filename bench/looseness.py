"""How loose each bound is on the distributions of its test: `python -m bench.looseness` writes the page."""

from __future__ import annotations

import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import empirisk as er
from tests.bounds.cases import CASES, Case

PAGE = Path(__file__).resolve().parents[1] / "docs" / "maths" / "bound-looseness.md"
SEED = 0
HEAD = """# How loose the bounds are

Made by `python -m bench.looseness` with seed 0. For each theorem the test suite has a distribution on which
it can fail (`tests/bounds/cases.py`). *Tolerance* is what the theorem gives there for n rows and delta;
*needed* is the tolerance that would have failed in a share delta of the samples (600 to 4000); *factor* is
their ratio.

For an upper bound a factor of 1 would be perfect on that distribution; another distribution may be harder, so
that the factor can overstate the looseness. For the lower bounds (`lower_`, `no_free_lunch`) a factor below 1
says how much more could be claimed there. The factor of a number of rows is about its square, or itself where
the tolerance falls like 1/n.

| bound | n | delta | tolerance | needed | factor |
|---|---|---|---|---|---|
"""


@cache
def tolerance(name: str, **observed: Any) -> float:
    """What the theorem gives in its case, for what was observed."""
    case = CASES[name]
    given = {**case.kwargs, **observed, "n": case.n, "delta": case.delta}
    return float(er.bounds.REGISTRY[name](**given).epsilon)


def failing(name: str, case: Case, factor: float, reps: int) -> float:
    """The share of samples, always the same ones, on which the claim with tolerance / factor fails."""

    def epsilon(**observed: Any) -> float:
        return tolerance(name, **observed) / factor

    rng = np.random.default_rng([SEED, zlib.crc32(name.encode())])
    return float(case.simulate(case.n, epsilon, reps, rng).mean())


def factor_of(name: str, case: Case, reps: int = 4000) -> float:
    """The factor at which the share of failures crosses delta, by bisection of its logarithm."""
    low, high = 1e-2, 1e4
    while high / low > 1.01:
        middle = (low * high) ** 0.5
        low, high = (low, middle) if failing(name, case, middle, reps) > case.delta else (middle, high)
    return (low * high) ** 0.5


def main() -> None:
    """Simulate how loose the bounds are, and write the page."""
    rows = []
    for name, case in CASES.items():
        given = tolerance(name)
        factor = factor_of(name, case, reps=min(4000, 2 * case.reps))
        cells = (
            f"`{name}`",
            f"{case.n:,}",
            f"{case.delta:.3g}",
            f"{given:.3g}",
            f"{given / factor:.2g}",
        )
        rows.append(f"| {' | '.join(cells)} | {factor:.2g} |")
        print(rows[-1], flush=True)
    PAGE.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
