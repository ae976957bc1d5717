"""KMeans of one column: the optimum, with a certificate that says so."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.clustering import best_line_clusters
from empirisk.results import Kind


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_one_column_is_solved_to_the_optimum(dtype: type, rng: np.random.Generator) -> None:
    x = rng.standard_t(3, size=400).astype(dtype)
    s = rng.integers(0, 3, 400).astype(float)
    X = x[:, None]
    for rows in (X, sp.csr_array(X)):
        model = er.KMeans(7).fit(rows, sample_weight=s)
        right = best_line_clusters(x.astype(float), 7, s)
        assert model.certificate_.kind is Kind.EXACT
        assert model.certificate_.within(1e-12 if dtype == np.float64 else 1e-9)
        assert model.inertia_ == pytest.approx(right.inertia, rel=1e-12 if dtype == np.float64 else 1e-6)
        assert model.cluster_centers_.dtype == dtype
        np.testing.assert_array_equal(model.predict(rows), model.labels_)
        assert "no clusters of one column are better" in model.certificate_.claim
        checked = er.verify(model, rows, None, sample_weight=s)
        assert checked.kind is Kind.EXACT
        assert checked.value == pytest.approx(model.certificate_.value, abs=1e-6 * model.inertia_)
    assert list(dict.fromkeys(model.labels_[s > 0].tolist())) == list(range(7))


def test_starts_are_no_better_than_the_optimum(rng: np.random.Generator) -> None:
    X = rng.normal(size=(300, 1))
    best = er.KMeans(9).fit(X)
    for seed in range(3):
        steps = er.KMeans(9, algorithm="lloyd", random_state=seed).fit(X)
        assert steps.inertia_ >= best.inertia_ * (1.0 - 1e-12)
        assert steps.certificate_.kind is Kind.STATIONARITY
    given = er.KMeans(9, init=np.linspace(-3.0, -2.0, 9)[:, None]).fit(X)
    assert given.certificate_.kind is Kind.STATIONARITY, "given centres are where steps begin"


@pytest.mark.parametrize("scale", [2.0**-300, 2.0**300])
def test_units_of_one_column_do_not_matter(scale: float, rng: np.random.Generator) -> None:
    X = rng.normal(size=(100, 1))
    one, other = er.KMeans(4).fit(X), er.KMeans(4).fit(X * scale)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.cluster_centers_ * scale, other.cluster_centers_)
    assert er.verify(other, X * scale, None).kind is Kind.EXACT


def test_wrong_centres_and_rows_are_not_confirmed(rng: np.random.Generator) -> None:
    X = np.concatenate([rng.normal(size=50), 30.0 + rng.normal(size=50)])[:, None]
    model = er.KMeans(2).fit(X)
    model.cluster_centers_ = model.cluster_centers_ + 1.0
    assert er.verify(model, X, None).value > 0.9, "J is above the least J by the square of the shift"
    assert er.verify(model, X[::-1], None).kind is Kind.NONE
    with pytest.raises(ValueError, match="more than the 2 distinct rows"):
        er.KMeans(3).fit(np.repeat([[0.0], [1.0]], 5, axis=0))
