"""What the proof costs that eigenvalues are the smallest: `python -m bench.inertia` prints the table.

Processor seconds of one thread, the least of three; the rows are those that are named, with seed 0.  What is
allowed and forecast is in multiplications of a sparse factor that take as long.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs, make_moons
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.estimators.clusters.spectral_embedding import proof_budget
from empirisk.graphs import LaplacianOperator
from empirisk.problems import SpectralProblem
from empirisk.problems.inertia import forecast

RUNS = 3
# Work that a proof without a limit is not tried for: some ten seconds.
LONG = 2e10
CASES: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "two moons, 5,000 x 2": (lambda: moons(5_000), {"n_clusters": 2}),
    "two moons, 50,000 x 2": (lambda: moons(50_000), {"n_clusters": 2}),
    "one normal group, 800 x 2": (lambda: normal(800, 2), {"n_clusters": 3}),
    "one normal group, 990 x 5": (lambda: normal(990, 5), {"n_clusters": 3}),
    "one normal group, 5,000 x 3": (lambda: normal(5_000, 3), {"n_clusters": 3}),
    "one normal group, 20,000 x 3": (lambda: normal(20_000, 3), {"n_clusters": 3}),
    "one normal group, 3,000 x 5": (lambda: normal(3_000, 5), {"n_clusters": 3}),
    "one normal group, 5,000 x 10": (lambda: normal(5_000, 10), {"n_clusters": 3}),
    "eight normal groups, 10,000 x 10": (lambda: groups(10_000, 10, 8), {"n_clusters": 8}),
    "four normal groups, 1,500 x 3, Gaussian graph": (
        lambda: groups(1_500, 3, 4),
        {"n_clusters": 4, "affinity": "gaussian"},
    ),
}


def moons(n: int) -> np.ndarray:
    """Return the rows of two moons with noise 0.1."""
    return np.asarray(make_moons(n, noise=0.1, random_state=0)[0])


def normal(n: int, p: int) -> np.ndarray:
    """Return rows of one normal distribution."""
    return np.random.default_rng(0).normal(size=(n, p))


def groups(n: int, p: int, k: int) -> np.ndarray:
    """Return rows of k normal groups with deviation 3."""
    return np.asarray(make_blobs(n, p, centers=k, cluster_std=3.0, random_state=0)[0])


def seconds(task: Callable[[], Any]) -> tuple[float, Any]:
    """Return the processor seconds of a task, the least of several, and what it returns."""
    spent = []
    for _ in range(RUNS):
        start = time.process_time()
        made = task()
        spent.append(time.process_time() - start)
    return min(spent), made


def told(model: er.SpectralClustering, budget: float) -> tuple[float, bool]:
    """Return the processor seconds of the proof of a fitted model within a budget, and whether it is one.

    The rows are different, so that the graph that is cut is that of the rows.
    """
    problem = SpectralProblem(LaplacianOperator(model.affinity_matrix_, normalised=True), model.n_clusters_)
    spectrum = problem.evaluate(model.eigenvectors_)
    certificate = problem.certify(model.eigenvectors_, spectrum)
    following = model.next_eigenvalue_
    spent, made = seconds(lambda: problem.proved(certificate, spectrum, following, budget))
    return spent, "not proved" not in made.claim


def main() -> None:
    """Print the table of all data sets, one a line."""
    print(
        "| rows | fit, s | of it the proof, s | proved | allowed | forecast | without a limit, s |\n"
        "|---|---|---|---|---|---|---|"
    )
    with threadpool_limits(1):
        for name, (make, options) in CASES.items():
            X = make()
            fit, model = seconds(lambda X=X, options=options: er.SpectralClustering(**options).fit(X))
            operator = LaplacianOperator(model.affinity_matrix_, normalised=True)
            budget = proof_budget(operator, model.n_clusters_, model.n_iter_)
            work = forecast(operator.entries()).work
            within, proved = told(model, budget)
            alone = f"{told(model, math.inf)[0]:.2f}" if work < LONG else ""
            print(
                f"| {name} | {fit:.2f} | {within:.3f} | {'yes' if proved else 'no'} | {budget:.1e} "
                f"| {work:.1e} | {alone} |"
            )


if __name__ == "__main__":
    main()
