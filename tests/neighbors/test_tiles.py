"""Distances by tiles of rows: the bits of the metric, and no copy of all rows in float64."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.neighbors import METRICS, metric_of, tiles
from empirisk.neighbors.metrics import cosine


@pytest.mark.parametrize("name", sorted(METRICS))
def test_tiles_have_the_bits_of_the_metric(
    name: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X: Any = rng.uniform(0.1, 1.0, size=(23, 2)).astype(np.float32)
    if name == "precomputed":
        X = np.abs(np.subtract.outer(X[:, 0], X[:, 0]))
    metric = metric_of(name)
    want = metric.distances(X[:11], X)
    monkeypatch.setattr(tiles, "TILE", 10)
    np.testing.assert_array_equal(tiles.pair_distances(metric, X[:11], X), want)
    if name != "precomputed":
        sparse = sp.csr_array(X)
        np.testing.assert_array_equal(tiles.pair_distances(metric, sparse[:11], sparse), want)


@pytest.mark.parametrize("stored", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("affinity", "metric"), [("gaussian", "euclidean"), ("gaussian", "manhattan"), ("knn", "cosine")]
)
def test_graphs_of_float32_rows_copy_no_rows_to_float64(
    affinity: str, metric: str, stored: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiles, "TILE", 1 << 17)
    monkeypatch.setattr(cosine, "CHECKED", 1 << 17)
    X = np.zeros((60, 20_000), dtype=np.float32)
    X[:, :40] = rng.normal(size=(60, 40))
    rows, graph = stored(X), er.graphs.REGISTRY[affinity]
    given: dict[str, Any] = {"metric": metric}
    graph(**given).matrix(rows[:20, :50])
    tracemalloc.start()
    graph(**given).matrix(rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The search takes the medians of its rows, in their own format: up to two thousand of them.
    assert peak < 1.5 * X.nbytes, "half of what the rows take in float64 is left for the search"
