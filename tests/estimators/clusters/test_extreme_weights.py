"""Weights of any scale: the tree is that of the rows, and Ward's heights follow the root of the scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist, pdist

import empirisk as er
from empirisk.linkage import REGISTRY

SCALES = (1e-300, 1e-160, 1e-153, 1e-8, 1e8, 1e153, 1e160, 1e300)


def two_groups() -> Any:
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0.0, 1.0, (15, 3)), rng.normal(8.0, 1.0, (15, 3))])


@pytest.mark.parametrize("name", sorted(REGISTRY))
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("along", [False, True])
def test_a_factor_of_all_weights_changes_no_merge(name: str, given: bool, along: bool) -> None:
    B = two_groups()
    X = cdist(B, B) if given else B
    ways = {"metric": "precomputed"} if given else {}
    model = er.AgglomerativeClustering(
        2, linkage=name, connectivity=np.ones((30, 30)) if along else None, **ways
    )
    want = linkage(pdist(B), name)
    for scale in SCALES:
        model.fit(X, sample_weight=np.full(30, scale))
        np.testing.assert_array_equal(model.children_, want[:, :2])
        np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], 15))
        root = np.sqrt(scale) if name == "ward" else 1.0
        np.testing.assert_allclose(model.distances_, want[:, 2] * root, rtol=1e-10)
        assert er.verify(model, X, None, sample_weight=np.full(30, scale)).within(1e-6)
    weight = np.arange(30) % 3 + 1.0
    one = er.AgglomerativeClustering(2, linkage=name, **ways).fit(X, sample_weight=weight)
    for scale in SCALES:
        other = er.AgglomerativeClustering(2, linkage=name, **ways).fit(X, sample_weight=scale * weight)
        np.testing.assert_array_equal(other.children_, one.children_)
        root = np.sqrt(scale) if name == "ward" else 1.0
        np.testing.assert_allclose(other.distances_, one.distances_ * root, rtol=1e-10)


@pytest.mark.parametrize("name", sorted(REGISTRY))
def test_weights_of_unlike_sizes_are_resolved_or_refused_by_their_rows(name: str) -> None:
    """A row that counts next to nothing is met at its distance from the means of the others."""
    B = two_groups()
    weight = np.ones(30)
    for light in (1e-30, 1e-90):
        weight[4] = light
        model = er.AgglomerativeClustering(2, linkage=name).fit(B, sample_weight=weight)
        assert er.verify(model, B, None, sample_weight=weight).within(1e-6)
        np.testing.assert_array_equal(model.labels_, np.repeat([0, 1], 15))
    weight[4] = 1e-200
    model = er.AgglomerativeClustering(2, linkage=name)
    if not REGISTRY[name].counts:
        np.testing.assert_array_equal(model.fit(B, sample_weight=weight).labels_, np.repeat([0, 1], 15))
        return
    with pytest.raises(ValueError, match="sample_weight is 1e-200 in row 4 and 1 in row 0"):
        model.fit(B, sample_weight=weight)


@pytest.mark.parametrize("model", [
    er.AgglomerativeClustering(2),
    er.AgglomerativeClustering(2, linkage="average"),
    er.AgglomerativeClustering(None, linkage="single", scaled_threshold=0.3),
    er.DivisiveClustering(2, method="diana"),
], ids=repr)  # fmt: skip
@pytest.mark.parametrize("scale", [1e307, 1e-310])
def test_rows_at_the_ends_of_the_number_line_are_grouped_or_refused(model: Any, scale: float) -> None:
    B = two_groups()
    B = np.round(B, 1) if scale < 1.0 else B
    said, labels = "", np.zeros(0)
    try:
        labels = model.fit(B * scale).labels_
    except ValueError as error:
        said = str(error)
    if said:
        assert ("overflow" if scale > 1.0 else "vanish") in said
    else:
        np.testing.assert_array_equal(labels, np.repeat([0, 1], 15))


def test_a_tree_of_large_rows_tells_their_distances(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 2))
    model = er.AgglomerativeClustering(2, linkage="average")
    one = model.fit(X).cophenetic(X)
    assert model.fit(X * 1e200).cophenetic(X * 1e200) == pytest.approx(one, rel=1e-10)


def test_a_row_of_small_numbers_has_a_direction() -> None:
    X = np.array([[1.0, 0.0], [1.0, 0.1], [0.0, 1e-200], [1e-201, 1e-200]])
    model = er.AgglomerativeClustering(2, linkage="average", metric="cosine").fit(X)
    np.testing.assert_array_equal(model.labels_, [0, 0, 1, 1])
