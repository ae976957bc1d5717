"""The estimators that group rows under test: every class, in each of the ways that it can be used."""

from __future__ import annotations

from typing import Any

import numpy as np

import empirisk as er

# Every use finds the three groups of `groups`, whatever its seed.
USES: list[Any] = [
    er.AgglomerativeClustering(3),
    er.AgglomerativeClustering(3, linkage="single"),
    er.AgglomerativeClustering(3, linkage="complete", metric="manhattan"),
    er.AgglomerativeClustering(3, linkage="average"),
    er.AgglomerativeClustering(3, linkage="weighted"),
    er.AgglomerativeClustering(3, linkage="centroid"),
    er.AgglomerativeClustering(3, linkage="median"),
    er.DivisiveClustering(3),
    er.DivisiveClustering(3, method="diana"),
    er.KMeans(3),
    er.KMeans(3, init="k-means||", algorithm="bounds", tol=0.0),
    er.KMeans(3, init="farthest-first", n_init=1, algorithm="lloyd"),
    er.KMedoids(3),
    er.KMedoids(3, metric="chebyshev", init="k-medoids++", n_init=3),
    er.KMedoids(3, metric="manhattan", init="random", random_state=7),
    er.MiniBatchKMeans(3),
    er.MiniBatchKMeans(3, init="farthest-first", batch_size=16, final_steps=2),
    # Without a ridge the likelihood has no maximum on the small tables of some checks, as the errors say.
    er.GaussianMixture(3, ridge=1e-3),
    er.GaussianMixture(3, covariance="spherical", init="random", n_init=10, ridge=1e-3),
    er.SpectralClustering(3, n_neighbors=6),
    er.SpectralClustering(
        3, n_neighbors=17, laplacian="symmetric", affinity="mutual_knn", weights="gaussian"
    ),
    er.SpectralClustering(3, laplacian="unnormalised", affinity="epsilon"),
    er.SpectralClustering(3, affinity="gaussian"),
    er.SpectralClustering("eigengap", n_resamples=2, n_neighbors=6, max_clusters=5),
    er.Mixture(3, family="vei", ridge=1e-3),
]

COPIES = "copies of a row would take several places among the neighbours: such weights are refused"
# Tests in which rows count differently, which graphs of neighbours refuse.
UNLIKE = dict.fromkeys(
    (
        "weights",
        "check_sample_weights_not_overwritten",
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    COPIES,
)

# Checks on tables of 10 to 16 rows.
SHORT = dict.fromkeys(
    (
        "check_n_features_in_after_fitting",
        "check_sample_weights_pandas_series",
        "check_sample_weights_not_an_array",
        "check_sample_weights_shape",
        "check_estimators_nan_inf",
        "check_fit2d_1feature",
    ),
    "there are not 17 other rows, which is refused",
)

# Class, or the repr of one use, then test, then the reason why it cannot hold there.
SHUFFLED = "clusters are numbered by their first rows, and this check shuffles the weighted rows"
OWN_MEAN = "DIANA leaves a row out of its own mean, and refuses weights"
ORDERED = "starts are drawn by the order of the rows, which the check shuffles"
EXCUSED: dict[str, dict[str, str]] = {
    "DivisiveClustering(method='diana', n_clusters=3)": {
        "weights": OWN_MEAN,
        "check_sample_weight_equivalence_on_dense_data": OWN_MEAN,
        "check_sample_weights_not_overwritten": OWN_MEAN,
    },
    "KMeans": {
        "check_sample_weight_equivalence_on_dense_data": ORDERED,
        "check_sample_weight_equivalence_on_sparse_data": ORDERED,
    },
    "KMedoids": {
        "check_sample_weight_equivalence_on_dense_data": SHUFFLED,
        "check_sample_weight_equivalence_on_sparse_data": SHUFFLED,
    },
    "MiniBatchKMeans": {
        "check_sample_weight_equivalence_on_dense_data": ORDERED,
        "check_sample_weight_equivalence_on_sparse_data": ORDERED,
    },
    "GaussianMixture": {"check_sample_weight_equivalence_on_dense_data": SHUFFLED},
    **{
        repr(use): {**UNLIKE, **(SHORT if use.n_neighbors == 17 else {})}
        for use in USES
        if isinstance(use, er.SpectralClustering) and use.affinity in ("knn", "mutual_knn")
    },
    "Mixture": {"check_sample_weight_equivalence_on_dense_data": SHUFFLED},
}


def excuses(est: Any) -> dict[str, str]:
    """Return what a use cannot do, by its class and by itself."""
    return {**EXCUSED.get(type(est).__name__, {}), **EXCUSED.get(repr(est), {})}


def groups(rng: np.random.Generator, n: int = 60, p: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return rows in three groups that lie far apart, all different, and the group of each."""
    centres = 40.0 * np.eye(3, p)
    group = np.arange(n) % 3
    return centres[group] + rng.normal(size=(n, p)), group


def same_partition(one: Any, other: Any) -> bool:
    """Return whether two arrays of labels put the same rows together."""
    pairs = set(zip(np.asarray(one).tolist(), np.asarray(other).tolist(), strict=True))
    return len(pairs) == len(set(map(int, one))) == len(set(map(int, other)))
