"""How the cost of k-means grows with rows, columns and clusters: ``python -m bench.kmeans_growth``.

CPU seconds of one thread for ten of Lloyd's steps from given rows, and for k-means++; the exponents are
slopes of least squares on logarithms, each over one of the three while the others stay.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bench.datasets.clouds import clouds
from empirisk.clustering.lloyd import Lloyd
from empirisk.clustering.seedings import KMeansPlusPlus

BASE = {"n": 50_000, "p": 32, "k": 64}
TIMES = (1, 2, 4, 8)
RUNS = 3


def steps(X: np.ndarray, start: np.ndarray) -> None:
    """Take ten of the steps that compare all rows with all centres."""
    Lloyd(X, None, "lloyd").run(start.astype(float), 0.0, 10)


def converged(X: np.ndarray, start: np.ndarray) -> None:
    """Take steps with bounds until few rows move."""
    lloyd = Lloyd(X, None, "auto")
    lloyd.run(start.astype(float), 1e-8 * lloyd.scale(), 300)


def seeds(X: np.ndarray, start: np.ndarray) -> None:
    """Draw as many seeds as there are starts."""
    KMeansPlusPlus(4).centers(X, None, len(start), np.random.default_rng(0))


WORK: dict[str, Callable[[np.ndarray, np.ndarray], None]] = {
    "ten steps": steps,
    "converged": converged,
    "k-means++": seeds,
}


def cost(run: Callable[[Any, Any], None], X: np.ndarray, start: np.ndarray) -> float:
    """Return the least CPU time of some runs."""
    took = []
    for _ in range(RUNS):
        began = time.process_time()
        run(X, start)
        took.append(time.process_time() - began)
    return min(took)


def main(base: dict[str, int] = BASE) -> None:
    """Print the seconds and the exponents."""
    print("| work | changed | " + " | ".join(f"x {t}" for t in TIMES) + " | exponent |")
    with threadpool_limits(1):
        for name, run in WORK.items():
            for which in base:
                found = []
                for t in TIMES:
                    X, start = clouds(**{**base, which: base[which] * t})
                    found.append(cost(run, X, start))
                slope = np.polyfit(np.log(TIMES), np.log(found), 1)[0]
                shown = " | ".join(f"{s:.3f}" for s in found)
                print(f"| {name} | {which} from {base[which]} | {shown} | {slope:.2f} |", flush=True)


if __name__ == "__main__":
    main()
