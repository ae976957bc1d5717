"""The map that every estimator of clusters draws: whose rows, which of them, and what is said."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

import empirisk as er
from empirisk.estimators.clusters import REGISTRY
from empirisk.estimators.clusters.base import Clusterer
from empirisk.estimators.clusters.cluster_map import cluster_map
from empirisk.estimators.clusters.spectral_charts import graph_view
from empirisk.results import Certificate, Kind


class Half(Clusterer):
    """A clusterer for tests: rows whose first number is positive, and the others."""

    _takes_sparse = True

    def _group(self, X: Any, weight: np.ndarray) -> None:
        first = X[:, [0]].toarray().ravel() if sp.issparse(X) else X[:, 0]
        self.labels_ = np.where(first > 0.0, 1, 0)
        self.certificate_ = Certificate(Kind.EXACT, 0.0, 1.0, "every row is on its side, by comparison")


class Sided(Half):
    """The same with clusters of new rows."""

    def predict(self, X: Any) -> np.ndarray:
        return np.where(np.asarray(X)[:, 0] > 0.0, 1, 0)


def test_the_map_shows_all_rows_in_their_plane(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 4))
    view = Half().fit(X)._chart(X).view
    centred = X - X.mean(axis=0)
    _, s, V = np.linalg.svd(centred, full_matrices=False)
    at = np.array(view["rows"])
    np.testing.assert_allclose(np.abs(at[:, :2]), np.abs(centred @ V[:2].T), atol=1e-10)
    np.testing.assert_array_equal(at[:, 2], X[:, 0] > 0.0)
    assert view["share"] == pytest.approx((s[:2] ** 2).sum() / (s**2).sum())
    assert view["sizes"] == [int((X[:, 0] <= 0.0).sum()), int((X[:, 0] > 0.0).sum())]
    assert view["rule"] == ""
    assert view["centres"] is None


def test_frames_name_their_columns_and_sparse_rows_lie_where_dense_ones_do(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2))
    frame = pd.DataFrame(X, columns=["age", "dose"])
    assert Half().fit(frame)._chart(frame).view["axes"] == ["age", "dose"]
    X = np.where(rng.random((30, 5)) < 0.4, rng.normal(size=(30, 5)), 0.0)
    one, other = Half().fit(X)._chart(X), Half().fit(sp.csr_array(X))._chart(sp.csr_array(X))
    np.testing.assert_allclose(other.view["rows"], one.view["rows"], atol=1e-10)
    assert one.view["axes"][0].startswith("component 1 (")


def test_centres_lie_where_rows_like_them_would(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    model = Half().fit(X)
    model.cluster_centers_ = X[[4, 7]]
    view = model._chart(X).view
    np.testing.assert_allclose(view["centres"], np.array(view["rows"])[[4, 7], :2], atol=1e-12)


def test_of_many_rows_each_cluster_gives_its_share_and_ten_at_least(rng: np.random.Generator) -> None:
    labels = np.repeat([0, 1, 2, -1], [30_000, 9_970, 25, 5])
    X = rng.normal(size=(len(labels), 3))
    view = cluster_map(X, labels, np.ones(len(labels)))
    drawn = np.array(view["rows"])[:, 2]
    assert [int((drawn == k).sum()) for k in (0, 1, 2, -1)] == [1500, 498, 10, 5]
    assert view["rule"].startswith("2,013 of 40,000 rows are drawn")
    assert view["sizes"] == [30_000, 9_970, 25]
    assert view["outside"] == 5


def test_one_column_is_drawn_against_the_number_of_the_cluster() -> None:
    view = Half().fit([[-2.0], [3.0], [5.0]])._chart([[-2.0], [3.0], [5.0]]).view
    assert view["rows"] == [[-2.0, 0.0, 0], [3.0, 1.0, 1], [5.0, 1.0, 1]]
    assert view["axes"] == ["column 0", "number of the cluster"]


def test_rows_that_do_not_vary_are_drawn_and_said() -> None:
    display = Half().fit(np.zeros((3, 3)))._chart(np.zeros((3, 3)))
    assert display.title == "1 cluster of 3 rows: no column varies"
    display.plot()


def test_other_rows_need_predict(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 3))
    with pytest.raises(ValueError, match="X has 19 rows, the fit had 20: Half does not predict"):
        Half().fit(X).plot(X[1:])
    assert Sided().fit(X)._chart(X[1:]).view["n"] == 19
    with pytest.raises(NotFittedError):
        Half().plot(X)
    with pytest.raises(ValueError, match="infinity"):
        Half().fit(X).plot(np.where(X > 0.0, np.inf, X))


def from_distances() -> list[Any]:
    """Return every estimator of clusters that takes distances in the place of rows."""
    return [
        er.KMedoids(2, metric="precomputed"),
        er.DivisiveClustering(2, method="diana", metric="precomputed"),
        er.AgglomerativeClustering(2, linkage="average", metric="precomputed"),
    ]


def test_every_estimator_that_takes_distances_is_tried() -> None:
    ways = [c(metric="precomputed") for c in REGISTRY.values() if "metric" in signature(c).parameters]
    taking = {type(m).__name__ for m in ways if get_tags(m).input_tags.pairwise}
    assert taking == {"SpectralClustering", *(type(m).__name__ for m in from_distances())}


def test_rows_of_given_distances_in_a_graph_are_drawn_by_eigenvectors(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2)) + np.where(np.arange(30) < 12, 0.0, 20.0)[:, None]
    D = cdist(X, X)
    model = er.SpectralClustering(2, metric="precomputed", n_neighbors=4).fit(D)
    view = model._chart(D).view
    np.testing.assert_array_equal([row[2] for row in view["rows"]], model.labels_)
    assert "eigenvectors" in view["of"]
    assert "eigenvectors" in graph_view(D, model)["of"]


@pytest.mark.parametrize("model", from_distances(), ids=lambda m: type(m).__name__)
def test_distances_are_scaled_and_not_taken_for_columns(model: Any, rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 2)) * [4.0, 1.0] + np.where(np.arange(30) < 12, 0.0, 20.0)[:, None]
    D = cdist(X, X)
    display = model.fit(D)._chart(D)
    at = np.array(display.view["rows"])
    np.testing.assert_allclose(cdist(at[:, :2], at[:, :2]), D, atol=1e-9)
    assert display.title == "2 clusters of 30 rows: the plane shows all of the squared distances"
    assert "classical scaling of their distances" in display.description
    assert "variance" not in " ".join([display.title, display.description, *display.view["axes"]])
    if hasattr(model, "medoid_indices_"):
        np.testing.assert_allclose(display.view["centres"], at[model.medoid_indices_, :2])
    with pytest.raises(ValueError, match=r"columns|features"):
        model.plot(D[:, :10])


def test_of_many_distances_the_rows_that_are_drawn_are_scaled(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr("empirisk.estimators.clusters.cluster_map.MOST", 40)
    X = np.concatenate([rng.normal(size=(100, 3)), rng.normal(size=(100, 3)) + 30.0])
    D = cdist(X, X)
    model = er.KMedoids(2, metric="precomputed").fit(D)
    view = model._chart(D).view
    assert 40 <= len(view["rows"]) <= 42
    middle = np.array(view["centres"])
    assert np.linalg.norm(middle[1] - middle[0]) == pytest.approx(D[tuple(model.medoid_indices_)], rel=0.05)
    with pytest.raises(ValueError, match="distances of the rows"):
        model.plot(D[:50])


def test_similarities_are_drawn_by_their_eigenvectors(rng: np.random.Generator) -> None:
    X = np.concatenate(
        [rng.normal(size=(15, 2)), rng.normal(size=(15, 2)) + 5.0, rng.normal(size=(9, 2)) - 6.0]
    )
    W = np.exp(-(cdist(X, X) ** 2) / 8.0)
    for k in (2, 3):
        model = er.SpectralClustering(k, affinity="precomputed").fit(W)
        display = model._chart(W)
        assert "of the variance of the eigenvectors" in display.title
        assert "eigenvector" in display.description
        at = np.array(display.view["rows"])[:, :2]
        centred = model.embedding_ - model.embedding_.mean(axis=0)
        if k == 3:
            np.testing.assert_allclose(cdist(at, at).max(), cdist(centred, centred).max(), rtol=0.2)
        else:
            np.testing.assert_allclose(at, model.embedding_)
        assert model.plot_graph(W).axes.get_title(loc="left")
