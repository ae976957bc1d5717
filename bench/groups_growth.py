"""How the cost of groups and components grows: ``python -m bench.groups_growth [WORD]``.

CPU seconds of one thread, the least of three runs; WORD chooses the tasks whose name contains it.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import numpy as np

import empirisk as er
from bench.datasets.blobs import blobs
from bench.datasets.clouds import clouds
from bench.datasets.factors import factor_rows, sparse_counts
from bench.datasets.groups import gaussian_groups
from bench.datasets.points import points
from bench.exponents import Task, report
from bench.solvers.gaussian_mixture import steps_from
from empirisk.clustering.lloyd import Lloyd
from empirisk.clustering.seedings import KMeansPlusPlus

DOUBLED = (1, 2, 4, 8)


def _steps(data: Any, **sizes: int) -> None:
    """Take ten of the steps that compare all rows with all centres."""
    X, start = data
    Lloyd(X, None, "lloyd").run(start.astype(float), 0.0, 10)


def _converged(data: Any, **sizes: int) -> None:
    """Take steps with bounds until few rows move."""
    X, start = data
    lloyd = Lloyd(X, None, "auto")
    lloyd.run(start.astype(float), 1e-8 * lloyd.scale(), 300)


def _seeds(data: Any, **sizes: int) -> None:
    """Draw as many seeds as there are starts."""
    X, start = data
    KMeansPlusPlus(4).centers(X, None, len(start), np.random.default_rng(0))


def _mixture(data: Any, **sizes: int) -> None:
    """Take ten steps of EM from given means."""
    X, means = data
    steps_from(X, means, 10)


def _tree(link: str, data: Any, **sizes: int) -> None:
    er.AgglomerativeClustering(2, linkage=link).fit(data[0])


def _spectral(data: Any, n: int, p: int, k: int) -> None:
    er.SpectralClustering(k, random_state=0).fit(data[0])


def _components(data: Any, k: int = 10, **sizes: int) -> None:
    er.PCA(k, random_state=0).fit(data[0])


def _project(data: Any, k: int, **sizes: int) -> None:
    er.RandomProjection(k, kind="srht", random_state=0).fit_transform(data[0])


def _rows(n: int, p: int) -> Any:
    return points(n, p, 1)


def _factors(n: int, p: int, k: int = 0) -> Any:
    return factor_rows(n, p)


def _counts(n: int, p: int, k: int = 0) -> Any:
    return sparse_counts(n, p, 1e-3)


GROUPS = {"n": DOUBLED, "p": DOUBLED, "k": DOUBLED}
TREES = {"n": DOUBLED, "p": (1, 2, 4)}
CLOUDS = {"n": 50_000, "p": 32, "k": 64}
TASKS = [
    Task("k-means, ten steps", clouds, _steps, CLOUDS, GROUPS),
    Task("k-means to convergence", clouds, _converged, CLOUDS, GROUPS),
    Task("k-means++", clouds, _seeds, CLOUDS, GROUPS),
    Task("ten steps of EM", gaussian_groups, _mixture, {"n": 20_000, "p": 8, "k": 8}, GROUPS),
    *(
        Task(f"tree, {link}", _rows, partial(_tree, link), {"n": 2000, "p": 16}, TREES)
        for link in ("single", "ward", "average", "complete")
    ),
    Task(
        "tree, single, in the plane", _rows, partial(_tree, "single"), {"n": 20_000, "p": 2}, {"n": DOUBLED}
    ),
    Task("spectral", blobs, _spectral, {"n": 2500, "p": 10, "k": 4}, GROUPS),
    Task("components, tall", _factors, _components, {"n": 10_000, "p": 100}, {"n": DOUBLED, "p": (1, 2, 4)}),
    Task("components, wide", _factors, _components, {"n": 250, "p": 10_000}, {"n": (1, 2, 4), "p": DOUBLED}),
    Task(
        "components, sparse", _counts, _components, {"n": 20_000, "p": 20_000, "k": 5},
        {"n": (1, 2, 4), "p": (1, 2, 4), "k": (1, 2, 4)},
    ),
    Task(
        "projection, SRHT", _factors, _project, {"n": 1000, "p": 10_000, "k": 100},
        {"n": (1, 2, 4), "p": (1, 2, 4), "k": (1, 2, 4)},
    ),
]  # fmt: skip


def main(word: str = "", runs: int = 3) -> None:
    """Print the seconds and the exponents of the tasks whose name contains the word."""
    report([task for task in TASKS if word in task.name], runs)


if __name__ == "__main__":
    main(*sys.argv[1:2])
