"""Estimators whose X may hold a number for each pair of rows: distances, weights, or kernel values."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.base import clone

import empirisk as er
from empirisk.estimators import REGISTRY as ALL
from empirisk.estimators.checks import pair_noun
from empirisk.estimators.clusters import REGISTRY as CLUSTERERS
from empirisk.estimators.features import REGISTRY as FEATURES
from empirisk.estimators.unsupervised import REGISTRY as UNSUPERVISED

ROOMS = {**ALL, **CLUSTERERS, **FEATURES, **UNSUPERVISED}


def ways() -> list[Any]:
    out: list[Any] = []
    for name, made in sorted(ROOMS.items()):
        known = signature(made).parameters
        for word in ("metric", "affinity", "kernel"):
            if word in known:
                more = {"linkage": "average"} if "linkage" in known else {}
                more |= {"method": "diana"} if name == "DivisiveClustering" else {}
                more |= {"n_neighbors": 3} if "n_neighbors" in known else {}
                more |= {"n_clusters": 2} if "n_clusters" in known else {}
                out.append(made(**{word: "precomputed"}, **more))
    return [est for est in out if takes(est)]


def takes(est: Any) -> bool:
    """Return whether a class takes such a matrix at all."""
    try:
        fit(clone(est), *table(est))
    except ValueError:
        return False
    return True


def table(est: Any) -> tuple[Any, Any]:
    """Return distances or similarities of twelve rows, and two classes."""
    X = np.random.default_rng(0).normal(size=(12, 2))
    D = cdist(X, X)
    return (D if pair_noun(est) == "distance" else np.exp(-D)), np.arange(12) % 2


def fit(est: Any, X: Any, y: Any) -> Any:
    """Fit with targets, which those without them ignore."""
    return est.fit(X, y)


WAYS = ways()
DISTANCES = [est for est in WAYS if pair_noun(est) == "distance"]


def test_the_rooms_have_such_estimators() -> None:
    names = {type(est).__name__ for est in WAYS}
    wanted = {"AgglomerativeClustering", "DivisiveClustering", "KMedoids", "SpectralClustering", "SVC"}
    assert wanted | {"KNeighborsClassifier", "NearestNeighbors", "KernelPCA"} <= names


@pytest.mark.parametrize("est", WAYS, ids=repr)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_pair_without_a_number_is_named(est: Any, bad: float) -> None:
    X, y = table(est)
    fit(est, X, y)
    X[2, 3] = X[3, 2] = bad
    with pytest.raises(ValueError, match=rf"X\[2, 3\].*the {pair_noun(est)} of two rows") as said:
        fit(est, X, y)
    assert "impute" not in str(said.value)
    if pair_noun(est) != "distance":
        with pytest.raises(ValueError, match=r"X\[2, 3\]"):
            fit(est, sp.csr_array(X), y)


@pytest.mark.parametrize("est", DISTANCES, ids=repr)
@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csr_array, sp.coo_array])
def test_sparse_distances_are_refused_in_words(est: Any, form: Any) -> None:
    X, y = table(est)
    with pytest.raises(TypeError, match="dense"):
        fit(est, form(X), y)


@pytest.mark.parametrize("est", [e for e in DISTANCES if hasattr(e, "n_clusters")], ids=repr)
def test_rows_in_one_place_are_not_told_apart(est: Any) -> None:
    """The rule is that of rows: no more clusters than places."""
    if type(est) is er.SpectralClustering:
        with pytest.raises(ValueError, match=r"copies|rows|different|distinct"):
            est.set_params(n_neighbors=3, affinity="epsilon").fit(np.zeros((6, 6)))
        return
    with pytest.raises(ValueError, match=r"at 1 different place \(distance 0 is the same place\)"):
        est.fit(np.zeros((6, 6)))
    two = np.kron(1.0 - np.eye(2), np.ones((3, 3)))
    np.testing.assert_array_equal(est.fit(two).labels_, [0, 0, 0, 1, 1, 1])
    with pytest.raises(ValueError, match="at 2 different places"):
        est.set_params(n_clusters=3).fit(two)
    est.set_params(n_clusters=2)


@pytest.mark.parametrize(
    "est", [e for e in WAYS if hasattr(e, "fit_predict")], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize(
    "call",
    [
        lambda est, M: er.choose_k(est, M, [1, 2]),
        er.selection.stability,
        lambda est, M: er.partitions.Regrouped(est),
    ],
    ids=["choose_k", "stability", "Regrouped"],
)
def test_pairs_of_rows_are_not_drawn_again_as_rows(est: Any, call: Any) -> None:
    words = "='precomputed' takes the .*s of all pairs of rows, and such a matrix cannot be resampled as rows"
    with pytest.raises(ValueError, match=f"^{type(est).__name__} with .*{words}"):
        call(est, table(est)[0])
