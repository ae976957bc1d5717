"""Functions that take rows and are no estimators: they take the tables that estimators take, and refuse what
those refuse, in the same words."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.partitions.indices import REGISTRY as INDICES

G, N = er.graphs, 24
ROWS = np.random.default_rng(4).normal(size=(N, 3)) + 4.0 * (np.arange(N) % 2)[:, None]
LABELS = np.arange(N) % 2
ONES = np.ones(N)
CENTRES = ROWS[:2].copy()
NAMES = ["a", "b", "c"]

# What a call tells in numbers, by public name.
CALLS: dict[str, Callable[[Any], Any]] = {
    "kneighbors_graph": lambda X: er.kneighbors_graph(X, 4, mode="distance").toarray(),
    "radius_graph": lambda X: er.radius_graph(X, 3.0, mode="distance").toarray(),
    "graphs.bridged": lambda X: G.bridged(X, sp.csr_array(np.kron(np.eye(2), np.ones((12, 12)))))[1],
    "clustering.assign": lambda X: np.column_stack(er.clustering.assign(X, CENTRES)),
    "clustering.inertia_lower_bound": lambda X: er.clustering.inertia_lower_bound(X, 2).value,
    "clustering.axis_bound": lambda X: er.clustering.axis_bound(X, 2, ONES),
    "clustering.semidefinite_bound": lambda X: er.clustering.semidefinite_bound(X, 2, ONES, max_steps=20),
}
# Those that take an object before the rows, and methods of objects.
FURTHER: dict[str, Callable[[Any], Any]] = {
    **{f"graphs.{k}": lambda X, kind=v: dense(kind().matrix(X)) for k, v in G.REGISTRY.items()},
    **{f"partitions.{k}": lambda X, kind=v: kind().value(X, LABELS) for k, v in INDICES.items()},
    "partitions.Regrouped": lambda X: er.partitions.Regrouped(er.KMeans(2, n_init=1))(X),
    "partition_stability": lambda X: (
        er.partitions.partition_stability(er.KMeans(2, n_init=1), X, n_resamples=20).overall.value
    ),
    "choose_k": lambda X: er.choose_k(er.KMeans(2, n_init=1), X, [1, 2], n_draws=19, n_subsamples=5).k,
    "kernel_matrix": lambda X: er.kernel_matrix("gaussian", X, LABELS).values,
    "distortion_report": lambda X: (
        er.RandomProjection(2, random_state=0).fit(ROWS).distortion_report(X, n_pairs=20).share.value
    ),
}
EVERY = {**CALLS, **FURTHER}
FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "list": lambda X: X.tolist(),
    "fortran": np.asfortranarray,
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
}


def dense(W: Any) -> np.ndarray:
    """Return weights as an array, whose zeros are no edges."""
    return W if isinstance(W, np.ndarray) else W.toarray()


def test_every_public_function_of_rows_is_here() -> None:
    """Those whose first argument is X, no targets, at the top and in the modules about groups."""
    spaces: dict[str, ModuleType] = {"": er, "graphs.": G, "clustering.": er.clustering}
    spaces["partitions."] = er.partitions
    found = {
        prefix + name
        for prefix, space in spaces.items()
        for name in space.__all__
        if inspect.isfunction(thing := getattr(space, name))
        and next(iter(inspect.signature(thing).parameters), "") == "X"
        and "y" not in inspect.signature(thing).parameters
    }
    assert found == set(CALLS)


@pytest.mark.parametrize("form", sorted(FORMS))
@pytest.mark.parametrize("name", sorted(EVERY))
def test_tables_of_all_kinds_give_the_same(name: str, form: str) -> None:
    if name == "distortion_report" and form in ("pandas", "polars"):
        pytest.skip("scikit-learn warns that the fit had no names of columns")
    np.testing.assert_allclose(EVERY[name](FORMS[form](ROWS)), EVERY[name](ROWS), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", sorted(EVERY))
def test_what_is_no_number_is_refused_by_place(name: str) -> None:
    bad = ROWS.copy()
    bad[2, 1] = np.nan
    told = "a feature name" if name == "distortion_report" else "NaN in column 'b', row 2"
    for form, words in ((FORMS["csr"], "NaN in column 1, row 2"), (np.array, "NaN in column 1, row 2")):
        with pytest.raises(ValueError, match=words):
            EVERY[name](form(bad))
    if name == "distortion_report":
        return
    with pytest.raises(ValueError, match=told):
        EVERY[name](FORMS["pandas"](bad))
    frame = FORMS["pandas"](ROWS).assign(b=["x"] * N)
    with pytest.raises(ValueError, match="the text 'x' in column 'b', row 0"):
        EVERY[name](frame)


def test_numbers_on_a_line_are_finite_and_one_column() -> None:
    best = er.clustering.best_line_clusters
    assert best(pd.Series([1.0, 9.0, 2.0]), 2).labels.tolist() == best([1.0, 9.0, 2.0], 2).labels.tolist()
    with pytest.raises(ValueError, match="1 of its numbers are not finite"):
        best([1.0, np.nan], 1)
    with pytest.raises(ValueError, match=r"it has shape \(1, 2\)"):
        best([[1.0, 2.0]], 1)


def test_centres_are_finite() -> None:
    with pytest.raises(ValueError, match=r"centers\[0, 1\] is nan; give finite numbers"):
        er.clustering.assign(ROWS, [[0.0, np.nan, 0.0]])


def test_sparse_graphs_have_indices_of_32_bits() -> None:
    """scikit-learn refuses wider ones of a given graph."""
    model = er.NearestNeighbors(n_neighbors=4, radius=3.0).fit(ROWS)
    W = G.NearestNeighborGraph(4).matrix(ROWS)
    made = [
        *[kind().matrix(ROWS) for kind in G.REGISTRY.values()],
        *[er.kneighbors_graph(ROWS, 4, symmetric=how) for how in ("no", "either", "both")],
        er.radius_graph(ROWS, 3.0),
        G.bridged(ROWS, W)[0],
        G.laplacian(W),
        G.adjacency(W),
        model.kneighbors_graph(),
        model.radius_neighbors_graph(),
        er.SpectralClustering(2).fit(ROWS).affinity_matrix_,
        er.SpectralClustering(2).fit(np.repeat(ROWS, 2, axis=0)).affinity_matrix_,
    ]
    for graph in made:
        if not isinstance(graph, np.ndarray):
            assert graph.indices.dtype == graph.indptr.dtype == np.int32
