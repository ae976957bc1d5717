"""What the lower bound in the certificate of k-means costs and proves: ``python -m bench.kmeans_bound``.

CPU seconds of one thread for a whole fit, the share of them that the bound takes, and the bound over the
inertia, for rows in clusters and rows of one Gaussian.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

import empirisk as er
from bench.datasets.clouds import clouds
from empirisk.clustering.affordable_bound import affordable_axes, affordable_bound
from empirisk.clustering.lloyd import Lloyd
from empirisk.clustering.restarts import run_restarts
from empirisk.clustering.seedings import seeding_of

SHAPES = (
    (150, 4, 3),
    (100, 2, 3),
    (1000, 5, 4),
    (1000, 50, 8),
    (10_000, 10, 8),
    (10_000, 2, 8),
    (10_000, 64, 32),
    (100_000, 16, 8),
    (20_000, 200, 8),
    (500, 2000, 5),
)
RUNS = 5


def seconds(run: Callable[[], object]) -> float:
    """Return the least CPU time of some runs."""
    took = []
    for _ in range(RUNS):
        began = time.process_time()
        run()
        took.append(time.process_time() - began)
    return min(took)


def main(shapes: tuple[tuple[int, int, int], ...] = SHAPES) -> None:
    """Print a row for each shape and kind of rows."""
    print("| rows | n | p | K | fit (ms) | axes | bound (% of the fit) | bound / inertia |")
    print("|---|---|---|---|---|---|---|---|")
    for n, p, k in shapes:
        for kind in ("clusters", "one Gaussian"):
            rng = np.random.default_rng(0)
            X = clouds(n, p, k)[0].astype(float) if kind == "clusters" else rng.normal(size=(n, p))
            model = er.KMeans(k)
            fit = seconds(lambda m=model, x=X: m.fit(x))  # type: ignore[misc]
            lloyd = Lloyd(X, None, "auto")
            passes = run_restarts(
                lloyd, seeding_of("k-means++"), k, 4, np.random.default_rng(0), 1e-8 * lloyd.scale(), 300
            ).passes
            axes = affordable_axes(n, p, k, passes)
            bound = seconds(lambda x=X, k=k, q=passes: affordable_bound(x, None, k, q))  # type: ignore[misc]
            proved = model.inertia_bound_
            told = (
                "none | | " if axes is None or proved is None else f"{axes} | {100 * bound / fit:.0f} | "
            ) + ("" if proved is None else f"{proved / model.inertia_:.2f}")
            print(f"| {kind} | {n} | {p} | {k} | {1e3 * fit:.1f} | {told} |", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        main()
