"""What every index of a partition owes: its definition, weights as repetition, storage, units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import metrics

from empirisk.partitions.indices import REGISTRY, index_of
from tests.oracles.complete import complete


def _centres(X: Any, labels: Any) -> dict[int, Any]:
    return {k: X[labels == k].mean(axis=0) for k in set(labels.tolist())}


def inertia(X: Any, labels: Any) -> float:
    """Sum half the squared distances of all pairs in a cluster over its size: no mean takes part."""
    out = 0.0
    for k in set(labels.tolist()):
        own = X[labels == k]
        out += sum(float(np.sum((a - b) ** 2)) for a in own for b in own) / (2.0 * len(own))
    return out


def silhouette(X: Any, labels: Any) -> float:
    """Follow Rousseeuw's definition row by row."""
    each = []
    for i, x in enumerate(X):
        gaps = np.linalg.norm(X - x, axis=1)
        own = (labels == labels[i]) & (np.arange(len(X)) != i)
        if not own.any():
            each.append(0.0)
            continue
        a = gaps[own].mean()
        b = min(gaps[labels == k].mean() for k in set(labels.tolist()) if k != labels[i])
        each.append((b - a) / max(a, b))
    return float(np.mean(each))


def calinski_harabasz(X: Any, labels: Any) -> float:
    """Take the between inertia as what the total has beyond the within one."""
    n, k = len(X), len(set(labels.tolist()))
    within = inertia(X, labels)
    return (inertia(X, np.zeros(n, dtype=int)) - within) / (k - 1) / (within / (n - k))


def davies_bouldin(X: Any, labels: Any) -> float:
    """Compare every cluster with every other, one pair at a time."""
    centre = _centres(X, labels)
    width = {k: np.linalg.norm(X[labels == k] - m, axis=1).mean() for k, m in centre.items()}
    worst = [
        max((width[k] + width[j]) / np.linalg.norm(centre[k] - centre[j]) for j in centre if j != k)
        for k in centre
    ]
    return float(np.mean(worst))


DEFINITIONS: dict[str, Callable[[Any, Any], float]] = {
    "inertia": inertia,
    "silhouette": silhouette,
    "calinski_harabasz": calinski_harabasz,
    "davies_bouldin": davies_bouldin,
}
PEERS = {
    "silhouette": metrics.silhouette_score,
    "calinski_harabasz": metrics.calinski_harabasz_score,
    "davies_bouldin": metrics.davies_bouldin_score,
}
EACH = pytest.mark.parametrize("name", sorted(REGISTRY))


def rows(rng: np.random.Generator, n: int = 40) -> tuple[Any, Any]:
    """Return rows far from the origin in three groups that overlap, one of them a single row."""
    labels = np.concatenate([rng.integers(0, 3, n - 1), [3]])
    labels[:3] = [0, 1, 2]
    return rng.normal(size=(n, 3)) + 2.0 * np.eye(4, 3)[labels] + 50.0, labels


def test_every_index_has_a_definition() -> None:
    complete(DEFINITIONS, REGISTRY, "a definition", "DEFINITIONS in this file")


@EACH
def test_the_value_is_that_of_the_definition(name: str, rng: np.random.Generator) -> None:
    X, labels = rows(rng)
    found = index_of(name).value(X, labels)
    assert found == pytest.approx(DEFINITIONS[name](X, labels), rel=1e-9)
    if name in PEERS:
        assert found == pytest.approx(PEERS[name](X, labels), rel=1e-9)


@EACH
def test_a_weight_is_a_repetition_and_its_scale_is_nothing(name: str, rng: np.random.Generator) -> None:
    X, labels = rows(rng)
    s = rng.integers(0, 3, len(X))
    s[:3] = 1
    repeated = index_of(name).value(np.repeat(X, s, axis=0), np.repeat(labels, s))
    assert index_of(name).value(X, labels, s) == pytest.approx(repeated, rel=1e-9)
    assert index_of(name).value(X, labels, 0.3 * s) == pytest.approx(repeated, rel=1e-9)


@EACH
def test_storage_names_and_order_do_not_matter(name: str, rng: np.random.Generator) -> None:
    X, labels = rows(rng)
    X[np.abs(X - 50.0) < 0.3] = 0.0
    value = index_of(name).value(X, labels)
    words = np.array(["d", "a", "c", "b"])[labels]
    order = rng.permutation(len(X))
    for other, called in ((sp.csr_array(X), labels), (np.asfortranarray(X), words)):
        assert index_of(name).value(other, called) == pytest.approx(value, rel=1e-12)
    assert index_of(name).value(X[order], labels[order]) == pytest.approx(value, rel=1e-9)
    assert index_of(name).value(X.astype(np.float32), labels) == pytest.approx(value, rel=1e-4)


@EACH
@pytest.mark.parametrize("scale", [2.0**-200, 2.0**200])
def test_units_change_nothing_but_the_unit(name: str, scale: float, rng: np.random.Generator) -> None:
    X, labels = rows(rng)
    value = index_of(name).value(X, labels) * (scale**2 if name == "inertia" else 1.0)
    assert index_of(name).value(X * scale, labels) == pytest.approx(value, rel=1e-9)


@EACH
def test_rows_and_labels_that_make_no_sense_are_refused_in_words(name: str) -> None:
    X = np.arange(8.0).reshape(4, 2)
    index = index_of(name)
    with pytest.raises(ValueError, match=r"labels has shape \(3,\); give one label for each of the 4 rows"):
        index.value(X, [0, 1, 1])
    with pytest.raises(ValueError, match="labels is missing in row 2"):
        index.value(X, [0.0, 1.0, np.nan, 1.0])
    with pytest.raises(ValueError, match="NaN in column 1, row 0"):
        index.value(np.where(X == 1.0, np.nan, X), [0, 0, 1, 1])
    if not index.single:
        with pytest.raises(ValueError, match=r"labels holds 1 cluster and .* needs at least 2"):
            index.value(X, [5, 5, 5, 5])


@EACH
def test_identical_points_and_flat_columns_have_a_value(name: str) -> None:
    value = index_of(name).value(np.ones((6, 2)), [0, 0, 0, 1, 1, 1])
    assert value == 0.0
    X = np.column_stack([np.arange(6.0), np.full(6, 7.0)])
    assert np.isfinite(index_of(name).value(X, [0, 0, 0, 1, 1, 1]))
