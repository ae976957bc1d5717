"""MiniBatchKMeans: near the best of k-means, true certificates, the same from streams, and pieces of rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.data import BlockList
from empirisk.results import Kind


def blobs(rng: np.random.Generator, n: int, k: int, p: int = 4) -> np.ndarray:
    """Return rows of groups that overlap a little."""
    return 4.0 * rng.normal(size=(k, p))[rng.integers(0, k, n)] + rng.normal(size=(n, p))


def step_of(model: er.MiniBatchKMeans, X: np.ndarray, s: np.ndarray) -> float:
    """Return by how much moving the centres to the means of their rows lowers J at least."""
    label = ((X[:, None, :] - model.cluster_centers_) ** 2).sum(axis=2).argmin(axis=1)
    out = 0.0
    for k, centre in enumerate(model.cluster_centers_):
        own = label == k
        if s[own].sum() > 0.0:
            mean = np.average(X[own], axis=0, weights=s[own])
            out += s[own].sum() * float(((mean - centre) ** 2).sum())
    return out / s.sum()


def test_objectives_are_near_those_of_all_rows_at_once(rng: np.random.Generator) -> None:
    X = blobs(rng, 6000, 6)
    best = er.KMeans(6, n_init=10).fit(X).inertia_
    found = [er.MiniBatchKMeans(6, batch_size=200, random_state=seed).fit(X) for seed in range(5)]
    assert min(model.inertia_ for model in found) <= 1.01 * best
    for model in found:
        assert model.inertia_ >= best * (1.0 - 1e-9)
        assert model.n_steps_ > 10
        assert model.inertia_ == pytest.approx(
            float(((X - model.cluster_centers_[model.labels_]) ** 2).sum()), rel=1e-10
        )


@pytest.mark.parametrize("final_steps", [0, 1])
def test_certificates_are_about_all_rows(final_steps: int, rng: np.random.Generator) -> None:
    X, s = blobs(rng, 3000, 5), rng.integers(0, 3, 3000).astype(float)
    model = er.MiniBatchKMeans(5, batch_size=100, final_steps=final_steps).fit(X, sample_weight=s)
    c = model.certificate_
    assert c.kind is Kind.STATIONARITY
    assert c.value == pytest.approx(step_of(model, X, s), rel=1e-6, abs=1e-20)
    assert f"{model.n_steps_} batches were taken" in c.claim
    assert er.verify(model, X, None, sample_weight=s).value == pytest.approx(c.value, rel=1e-6)
    np.testing.assert_allclose(model.counts_, np.bincount(model.labels_, weights=s, minlength=5), rtol=1e-12)
    if final_steps == 0:
        assert c.relative > 1e-9, "batches alone do not end at a fixed point"


def test_pieces_are_batches_and_keep_the_numbers(rng: np.random.Generator) -> None:
    X = blobs(rng, 900, 3)
    first = er.MiniBatchKMeans(3).partial_fit(X[:300])
    centers, counts = first.cluster_centers_.copy(), first.counts_.copy()
    assert counts.sum() == 300.0
    first.partial_fit(X[300:])
    label = ((X[300:, None, :] - centers) ** 2).sum(axis=2).argmin(axis=1)
    for k in range(3):
        own = X[300:][label == k]
        right = (counts[k] * centers[k] + own.sum(axis=0)) / (counts[k] + len(own))
        np.testing.assert_allclose(first.cluster_centers_[k], right, rtol=1e-10)
    assert first.certificate_.kind is Kind.NONE
    assert "2 batches were taken" in first.certificate_.claim
    assert (len(first.labels_), first.n_steps_) == (600, 2)
    with pytest.raises(TypeError, match="has no certificate that could be verified"):
        er.verify(first, X, None)


def test_weights_in_pieces_are_repetitions(rng: np.random.Generator) -> None:
    X, s = blobs(rng, 200, 3), rng.integers(0, 3, 200)
    start = X[:3].copy()
    one = er.MiniBatchKMeans(3, init=start).partial_fit(X, sample_weight=s.astype(float))
    other = er.MiniBatchKMeans(3, init=start).partial_fit(np.repeat(X, s, axis=0))
    np.testing.assert_allclose(one.cluster_centers_, other.cluster_centers_, rtol=1e-10)
    np.testing.assert_allclose(one.counts_, other.counts_)


def test_streams_have_the_same_bits_wherever_they_lie(rng: np.random.Generator, tmp_path: Path) -> None:
    X, s = blobs(rng, 5000, 4), rng.exponential(size=5000)
    held = np.memmap(tmp_path / "rows", dtype=np.float64, mode="w+", shape=X.shape)
    held[:] = X
    models = [
        er.MiniBatchKMeans(4, batch_size=256).fit(BlockList.cut(rows, np.zeros(5000), s, rows=700))
        for rows in (X, held)
    ]
    np.testing.assert_array_equal(models[0].cluster_centers_, models[1].cluster_centers_)
    model = models[0]
    assert not hasattr(model, "labels_")
    again = er.MiniBatchKMeans(4, batch_size=256).fit_blocks(BlockList.cut(X, np.zeros(5000), s, rows=700))
    np.testing.assert_array_equal(again.cluster_centers_, model.cluster_centers_)
    assert model.certificate_.value == pytest.approx(step_of(model, X, s), rel=1e-5)
    assert er.verify(model, X, None, sample_weight=s).value == pytest.approx(
        model.certificate_.value, rel=1e-5
    )
    labels = model.predict(X)
    assert list(dict.fromkeys(labels.tolist())) == list(range(4))
    best = er.KMeans(4).fit(X, sample_weight=s)
    assert model.inertia_ <= 1.3 * best.inertia_


def test_sparse_rows_and_single_precision_end_at_the_same_groups(rng: np.random.Generator) -> None:
    X = np.where(rng.random((800, 6)) < 0.5, 0.0, blobs(rng, 800, 3, 6))
    dense, sparse = er.MiniBatchKMeans(3).fit(X), er.MiniBatchKMeans(3).fit(sp.csr_array(X))
    np.testing.assert_array_equal(dense.labels_, sparse.labels_)
    single = er.MiniBatchKMeans(3).partial_fit(X.astype(np.float32)).partial_fit(X.astype(np.float32))
    assert single.cluster_centers_.dtype == np.float32


def test_what_cannot_be_is_refused_by_name(rng: np.random.Generator) -> None:
    X = blobs(rng, 50, 3)
    for parameters, words in (
        ({"batch_size": 0}, "batch_size must be an integer >= 1"),
        ({"max_no_improvement": 0}, "max_no_improvement must be an integer >= 1"),
        ({"final_steps": -1}, "final_steps must be an integer >= 0"),
        ({"reassignment_ratio": 2.0}, "reassignment_ratio must be a finite number >= 0 and <= 1"),
        ({"n_clusters": 51}, "more than the 50 distinct rows"),
    ):
        with pytest.raises(ValueError, match=words):
            er.MiniBatchKMeans(**parameters).fit(X)
    model = er.MiniBatchKMeans(3).partial_fit(X)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2])
    assert model.n_steps_ == 1
    with pytest.raises(ValueError, match="more than the 2 distinct rows"):
        er.MiniBatchKMeans(3).partial_fit(X[:2])
