"""How many passes plain steps of EM take, extrapolated ones, and secants: ``python -m bench.squarem``.

From the same starts each, until the gradient norm is 1e-6; and how far the likelihoods where they end differ.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_iris

from empirisk.data import ArrayBlocks, Design
from empirisk.estimators.clusters.mixture_starts import starts_of
from empirisk.mixtures import REGISTRY
from empirisk.problems import LatentProblem
from empirisk.solvers import ExpectationMaximization, solve

STARTS = 3
TOL = 1e-6


def _near_groups() -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 3))
    X[::2] += 1.7 / np.sqrt(3.0)
    return X


def _answers() -> np.ndarray:
    rng = np.random.default_rng(1)
    chance = np.array([[0.3] * 8, [0.7] * 8])
    return (rng.random((1000, 8)) < chance[rng.integers(2, size=1000)]).astype(float)


def _counts() -> np.ndarray:
    rng = np.random.default_rng(2)
    rate = np.array([[2.0, 3.0, 4.0], [4.0, 3.0, 2.0], [6.0, 6.0, 6.0]])
    return rng.poisson(rate[rng.integers(3, size=800)]).astype(float)


ROWS: list[tuple[str, np.ndarray, str, int]] = [
    ("iris, 150 x 4", load_iris().data, "full", 3),
    ("iris, 150 x 4", load_iris().data, "tied", 4),
    ("two normal groups 1.7 deviations apart, 2000 x 3", _near_groups(), "full", 2),
    ("the same", _near_groups(), "diagonal", 3),
    ("the same", _near_groups(), "tied", 2),
    ("answers to 8 questions, 1000 x 8", _answers(), "bernoulli", 2),
    ("counts, 800 x 3", _counts(), "poisson", 3),
]


# Plain steps, pairs that are extrapolated, pairs with quasi-Newton directions near the end.
SOLVERS = (
    ExpectationMaximization(accelerate=False),
    ExpectationMaximization(secants=False),
    ExpectationMaximization(),
)


def passes(X: np.ndarray, family: str, k: int) -> list[tuple[list[float], float]]:
    """Return the passes of each solver from some starts, and how the likelihoods of their ends differ."""
    problem = LatentProblem(REGISTRY[family](), ArrayBlocks(Design(X), np.zeros(len(X)), np.ones(len(X))), k)
    found = []
    for start in starts_of(problem, "random", STARTS, 0):
        w0 = start()
        ends = [solve(problem, solver, w0=w0, tol=TOL, max_steps=20_000) for solver in SOLVERS]
        values = [problem.evaluate(solution.w).loss for solution in ends]
        found.append(([solution.n_passes for solution in ends], max(values) - min(values)))
    return found


def main(rows: list[tuple[str, np.ndarray, str, int]] = ROWS) -> None:
    """Print the passes of each start."""
    print("| data | family, parts | plain | extrapolated | with secants | likelihoods differ by |")
    print("|---|---|---|---|---|---|")
    for name, X, family, k in rows:
        found = passes(X, family, k)
        told = " | ".join(", ".join(f"{one[0][i]:.0f}" for one in found) for i in range(len(SOLVERS)))
        print(f"| {name} | {family}, {k} | {told} | {max(one[1] for one in found):.1g} |", flush=True)


if __name__ == "__main__":
    main()
