"""What the proof costs that eigenvalues are the smallest: `python -m bench.inertia` prints the table.

Processor seconds of one thread, the least of three fits; the rows are those that are named, with seed 0.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_blobs, make_moons
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.problems import SpectralProblem

RUNS = 3
CASES: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "two moons, 5,000 x 2": (lambda: moons(5_000), {"n_clusters": 2}),
    "two moons, 50,000 x 2": (lambda: moons(50_000), {"n_clusters": 2}),
    "one normal group, 5,000 x 3": (lambda: normal(5_000, 3), {"n_clusters": 3}),
    "one normal group, 20,000 x 3": (lambda: normal(20_000, 3), {"n_clusters": 3}),
    "one normal group, 3,000 x 5": (lambda: normal(3_000, 5), {"n_clusters": 3}),
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


def seconds(X: np.ndarray, options: dict[str, Any]) -> tuple[float, float, str]:
    """Return the processor seconds of a fit, those of its proof, and what was proved."""
    plain, spent = SpectralProblem.proved, [0.0]

    def timed(self: SpectralProblem, *given: Any) -> Any:
        start = time.process_time()
        made = plain(self, *given)
        spent[0] = time.process_time() - start
        return made

    setattr(SpectralProblem, "proved", timed)  # noqa: B010  # a method, which mypy lets nobody assign
    try:
        start = time.process_time()
        model = er.SpectralClustering(**options).fit(X)
        whole = time.process_time() - start
    finally:
        setattr(SpectralProblem, "proved", plain)  # noqa: B010
    claim = model.certificate_.claim
    return (
        whole,
        spent[0],
        claim.split("is not proved: ")[1].split("; ")[0] if "not proved" in claim else "proved",
    )


def main() -> None:
    """Print the table of all data sets, one a line."""
    print("| rows | fit, s | of it the proof, s | |\n|---|---|---|---|")
    with threadpool_limits(1):
        for name, (make, options) in CASES.items():
            X = make()
            whole, proof, said = min(seconds(X, options) for _ in range(RUNS))
            print(f"| {name} | {whole:.2f} | {proof:.2f} | {said} |")


if __name__ == "__main__":
    main()
