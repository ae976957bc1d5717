"""What is no table, no block of rows or no distance is refused in words; what rounding bent is taken."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone

import empirisk as er
from empirisk.data import BlockList
from tests.conformance.clusterers import USES as CLUSTERERS
from tests.conformance.clusterers import groups
from tests.conformance.estimators import ALL as PREDICTORS
from tests.conformance.posterior_estimators import USES as POSTERIORS
from tests.conformance.process_estimators import USES as PROCESSES

EVERY = {type(use).__name__: use for use in [*(use.make() for use in PREDICTORS), *CLUSTERERS]}
NO_TABLES: dict[str, Any] = {
    "function": lambda: lambda row: row,
    "class": lambda: dict,
    "dict": lambda: {"a": [1.0, 2.0], "b": [3.0, 4.0]},
    "generator": lambda: (row for row in [[1.0], [2.0]]),
    "set": lambda: {1.0, 2.0},
}


@pytest.mark.parametrize("kind", sorted(NO_TABLES))
@pytest.mark.parametrize("name", sorted(EVERY))
def test_what_is_no_table_is_refused_by_its_type(name: str, kind: str) -> None:
    y = None if name in {type(use).__name__ for use in CLUSTERERS} else np.array([0, 1])
    with pytest.raises(TypeError, match=r"^X is (a class|of type \w+); give an array or a data frame"):
        clone(EVERY[name]).fit(NO_TABLES[kind](), y)


INITS = [er.KMeans(2), er.MiniBatchKMeans(2), er.KMedoids(2), er.GaussianMixture(2), er.RegressionMixture(2)]


@pytest.mark.parametrize("est", INITS, ids=repr)
@pytest.mark.parametrize("init", [max, {"a": 1}, object()], ids=["function", "dict", "object"])
def test_starts_that_are_no_numbers_are_refused_by_the_parameter(est: Any, init: Any) -> None:
    X = np.random.default_rng(0).normal(size=(20, 2))
    y = () if not isinstance(est, er.RegressionMixture) else (X[:, 0],)
    with pytest.raises(ValueError, match=r"^init must be "):
        clone(est).set_params(init=init).fit(X, *y)


TREES = sorted(
    name
    for name in dir(er)
    if isinstance(getattr(er, name), type) and hasattr(getattr(er, name), "dendrogram")
)
BLOCKS = sorted(name for name in dir(er) if hasattr(getattr(er, name), "fit_blocks"))


@pytest.mark.parametrize("given", ["array", "arrays", "none"])
@pytest.mark.parametrize("name", BLOCKS)
def test_what_are_no_row_blocks_are_refused_with_the_call_that_makes_them(name: str, given: str) -> None:
    X = np.abs(np.random.default_rng(0).normal(size=(30, 2)))
    rows: Any = {"array": X, "arrays": [X, X], "none": None}[given]
    groups = hasattr(getattr(er, name)(), "n_clusters")
    est = getattr(er, name)(3) if groups else getattr(er, name)()
    with pytest.raises(TypeError, match=r"^rows must be row blocks, got an? \w+: give er\.data\."):
        est.fit_blocks(rows)
    # The call that the message gives, with targets.
    blocks = BlockList.cut(X, (X[:, 0] > 0.5) * 1.0, rows=7)
    assert clone(est).fit_blocks(blocks).n_features_in_ == 2


def rounded(A: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return a matrix with one half off by a share that is drawn for each pair."""
    return np.asarray(A * (1.0 + share * np.tril(rng.uniform(-1.0, 1.0, A.shape), -1)), dtype=A.dtype)


GRAPHS = {
    "adjacency": er.graphs.adjacency,
    "laplacian": er.graphs.laplacian,
    "degrees": er.graphs.degrees,
    "components": er.graphs.components,
    "minimum_cut": er.graphs.minimum_cut,
    "spectral": lambda W: er.SpectralClustering(3, affinity="precomputed").fit(W).labels_,
}


@pytest.mark.parametrize("stored", ["dense", "sparse"])
@pytest.mark.parametrize(("dtype", "share"), [(np.float64, 3e-16), (np.float64, 1e-13), (np.float32, 1e-6)])
@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_weights_that_rounding_tells_apart_are_one_weight(
    name: str, dtype: Any, share: float, stored: str, rng: np.random.Generator
) -> None:
    import scipy.sparse as sp

    X, _ = groups(rng, 30)
    W = np.exp(-0.01 * cdist(X, X, "sqeuclidean")).astype(dtype)
    crooked: Any = rounded(W, share, rng)
    assert (crooked != crooked.T).any()
    made: Any = er.graphs.adjacency(sp.csr_array(crooked) if stored == "sparse" else crooked)
    assert abs(made - made.T).max() == 0.0
    np.testing.assert_allclose(
        made.toarray() if stored == "sparse" else made, W.astype(float), rtol=2.0 * share, atol=1e-38
    )
    GRAPHS[name](sp.csr_array(crooked) if stored == "sparse" else crooked)
    crooked[0, 3] *= 1.0 + 1e-4
    with pytest.raises(ValueError, match=r"symmetric, and W\[0, 3\] = .*, a difference of \d"):
        GRAPHS[name](sp.csr_array(crooked) if stored == "sparse" else crooked)


KERNELS = [
    er.SVC(kernel="precomputed"),
    er.KernelRidge(kernel="precomputed"),
    er.OneClassSVM(kernel="precomputed"),
    er.KernelPCA("precomputed", n_components=2),
    er.GaussianProcessRegressor(kernel="precomputed"),
]


@pytest.mark.parametrize(("dtype", "share"), [(np.float64, 1e-15), (np.float32, 3e-7)])
@pytest.mark.parametrize("est", KERNELS, ids=lambda est: type(est).__name__)
def test_kernel_values_that_rounding_tells_apart_are_taken(
    est: Any, dtype: Any, share: float, rng: np.random.Generator
) -> None:
    X, y = groups(rng, 30)
    K = rounded(np.exp(-0.01 * cdist(X, X, "sqeuclidean")).astype(dtype), share, rng)
    clone(est).fit(K, (y > 0).astype(float))
    K[0, 3] *= 1.1
    with pytest.raises(ValueError, match=r"not symmetric: .*, a difference of \d"):
        clone(est).fit(K, (y > 0).astype(float))


DISTANCES = {
    "KMedoids": lambda D, y: er.KMedoids(3, metric="precomputed").fit(D).labels_,
    "average": lambda D, y: (
        er.AgglomerativeClustering(3, linkage="average", metric="precomputed").fit(D).labels_
    ),
    "diana": lambda D, y: er.DivisiveClustering(3, method="diana", metric="precomputed").fit(D).labels_,
    "spectral": lambda D, y: er.SpectralClustering(3, n_neighbors=6, metric="precomputed").fit(D).labels_,
    "neighbors": lambda D, y: er.KNeighborsClassifier(3, metric="precomputed").fit(D, y).predict(D),
    "nearest": lambda D, y: er.NearestNeighbors(n_neighbors=3, metric="precomputed").fit(D).kneighbors(D)[1],
    "silhouette": lambda D, y: er.partitions.Silhouette(metric="precomputed").value(D, y),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", sorted(DISTANCES))
def test_distances_that_rounding_left_below_zero_are_zero(
    name: str, dtype: Any, rng: np.random.Generator
) -> None:
    X, y = groups(rng, 30)
    D = cdist(X, X).astype(dtype)
    below = D.copy()
    np.fill_diagonal(below, -float(np.finfo(dtype).eps) * D.max() / 2.0)
    np.testing.assert_array_equal(DISTANCES[name](below, y), DISTANCES[name](D, y))
    below[2, 2] = -1e-3 * D.max()
    with pytest.raises(ValueError, match=r"X\[2, 2\] is -.*np\.fill_diagonal\(X, 0\)"):
        DISTANCES[name](below, y)
    below[2, 2], below[4, 5] = 0.0, -1e-2 * D.max()
    with pytest.raises(ValueError, match=r"X\[4, 5\] is -.*X\.clip\(0\)"):
        DISTANCES[name](below, y)


FUNCTIONS = {
    "KMedoids": lambda metric: er.KMedoids(3, metric=metric),
    "SpectralClustering": lambda metric: er.SpectralClustering(3, n_neighbors=6, metric=metric),
    "KNeighborsClassifier": lambda metric: er.KNeighborsClassifier(3, metric=metric),
    "KNeighborsRegressor": lambda metric: er.KNeighborsRegressor(3, metric=metric),
    "NearestNeighbors": lambda metric: er.NearestNeighbors(n_neighbors=3, metric=metric),
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_that_are_no_distances_are_refused(name: str, rng: np.random.Generator) -> None:
    X, y = groups(rng, 30)
    plain = {"both": lambda a, b: float(np.abs(a - b).sum())}
    FUNCTIONS[name](plain["both"]).fit(X, y)
    one_way = lambda a, b: float(np.maximum(a - b, 0.0).sum())  # noqa: E731
    with pytest.raises(
        ValueError, match=r"metric\(a, b\) must be metric\(b, a\), and it is \S+ for rows \d+ and \d+"
    ):
        FUNCTIONS[name](one_way).fit(X, y)
    alike = lambda a, b: 1.0 + float(np.abs(a - b).sum())  # noqa: E731
    with pytest.raises(ValueError, match=re.escape("metric(a, a) must be 0, and it is 1 for row 0")):
        FUNCTIONS[name](alike).fit(X, y)


def test_bounds_are_of_the_rows_of_the_fit_alone(rng: np.random.Generator) -> None:
    X, _ = groups(rng)
    for rows in (X, X.astype(np.float32), X + 1e4):
        model = er.KMeans(3).fit(rows)
        assert model.lower_bound(rows).value <= model.inertia_ * (1.0 + 1e-6)
        with pytest.raises(ValueError, match="X has 10 rows, and the fit had 60: give the rows of the fit"):
            model.lower_bound(rows[:10])
        with pytest.raises(ValueError, match="give the rows and weights of the fit"):
            model.lower_bound(rows[::-1] + 1.0)
        with pytest.raises(ValueError, match="give the rows and weights of the fit"):
            model.lower_bound(rows, np.full(60, 2.0))


@pytest.mark.parametrize("epsilon", [1e-300, 1e-200, 1e-160])
def test_no_tolerance_of_a_bound_ends_in_arithmetic(epsilon: float) -> None:
    """A tolerance that no sample reaches is refused in a sentence; others have their answer."""
    from tests.bounds.cases import CASES
    from tests.conformance.test_bounds import SOLVABLE

    for name in sorted(set(SOLVABLE) & set(CASES)):
        try:
            assert SOLVABLE[name](**{**CASES[name].kwargs, "epsilon": epsilon, "delta": 0.1}).n >= 1
        except ValueError as error:
            words = str(error)
            assert "epsilon" in words or "n up to" in words, name
    with pytest.raises(ValueError, match="epsilon must be at least"):
        er.johnson_lindenstrauss_dim(100, 1e-200)
    # The series of e - log(1 + e) and the difference meet.
    assert er.johnson_lindenstrauss_dim(100, 1e-3 - 1e-9) >= er.johnson_lindenstrauss_dim(100, 1e-3 + 1e-9)


@pytest.mark.parametrize("est", CLUSTERERS, ids=repr)
def test_more_clusters_than_rows_are_refused_with_a_number_that_can_be(
    est: Any, rng: np.random.Generator
) -> None:
    X, _ = groups(rng, 30)
    name = "n_clusters" if hasattr(est, "n_clusters") else "n_components"
    with pytest.raises(
        ValueError, match=r"(<=|at most) 30\b|ask for fewer clusters|as many components as rows"
    ):
        clone(est).set_params(**{name: 61}).fit(X)


@pytest.mark.parametrize("name", TREES)
def test_trees_are_drawn_with_the_names_of_the_rows(name: str, rng: np.random.Generator) -> None:
    X, _ = groups(rng, 12)
    frame = pd.DataFrame(X, index=[f"row {i}" for i in range(12)])
    options = {"method": "diana"} if name == "DivisiveClustering" else {}
    model = getattr(er, name)(3, **options).fit(X)
    assert model.dendrogram(frame).plot().figure is not None


@pytest.mark.parametrize("scale", [1e300, 1e-300])
@pytest.mark.parametrize("laplacian", ["unnormalised", "random_walk", "symmetric"])
def test_a_factor_of_given_weights_changes_no_cluster(
    laplacian: str, scale: float, rng: np.random.Generator
) -> None:
    X, y = groups(rng, 30)
    W = np.exp(-0.05 * cdist(X, X))
    model = er.SpectralClustering(3, affinity="precomputed", laplacian=laplacian).fit(W * scale)
    np.testing.assert_array_equal(model.labels_, y)


def test_what_a_number_of_clusters_can_be_is_said_whole() -> None:
    with pytest.raises(ValueError, match="an integer >= 1 or 'eigengap', got None"):
        er.SpectralClustering(None).fit(np.eye(5))


INTERVALS = {
    type(use).__name__: use
    for use in [
        *(use.make() for use in [*POSTERIORS, *PROCESSES]),
        er.LinearRegression(),
        er.RandomForestRegressor(8),
    ]
}


@pytest.mark.parametrize("level", [1.0, 95, "high"])
@pytest.mark.parametrize("name", sorted(INTERVALS))
def test_a_level_that_is_no_probability_inside_is_refused(name: str, level: Any) -> None:
    """Of every method of a fitted model that takes one: 1 would be an endless interval, 95 a slip."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    model = clone(INTERVALS[name]).fit(X, np.round(np.exp(X[:, 0])) if "GLM" in name else X[:, 0] > 0.0)
    tried = 0
    for method in (m for m in dir(model) if not m.startswith(("_", "plot", "set_"))):
        call = getattr(type(model), method, None)
        takes = inspect.signature(call).parameters if inspect.isfunction(call) else {}
        if "level" not in takes:
            continue
        rows: dict[str, Any] = (
            {"X": X[:3]} if "X" in takes and takes["X"].default is inspect.Parameter.empty else {}
        )
        more = {"return_interval": True} if "return_interval" in takes else {}
        with pytest.raises(ValueError, match=r"^(level must lie strictly between 0 and 1|no interval: )"):
            getattr(model, method)(**rows, **more, level=level)
        tried += 1
    assert tried or name in ("GaussianProcessClassifier",), f"{name} has no method with a level"
