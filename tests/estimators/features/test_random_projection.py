"""Random projections: the formula, the matrices behind the fast ways, and the distances that they keep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import hadamard
from scipy.stats import binomtest, chi2
from threadpoolctl import threadpool_limits

import empirisk as er
from empirisk.reduction import projection
from empirisk.reduction.distortion import pairs_of
from empirisk.results import Kind

KINDS = ["gaussian", "sparse", "srht"]


@pytest.mark.parametrize(("n", "eps", "delta"), [(10_000, 0.2, 0.05), (100, 0.1, 0.01), (2, 0.5, 0.5)])
def test_the_dimension_is_that_of_the_notes(n: int, eps: float, delta: float) -> None:
    d = (4.0 * math.log(n) + 2.0 * math.log(1.0 / delta)) / (eps - math.log1p(eps))
    assert er.johnson_lindenstrauss_dim(n, eps, delta) == math.ceil(d)
    X = sp.csr_array((n, math.ceil(d)))
    fit = er.RandomProjection(epsilon=eps, delta=delta).fit(X)
    assert fit.n_components_ == math.ceil(d)
    assert f"within a factor 1 -+ {eps:.3g}" in fit.guarantee_
    sparse = (4.0 * math.log(n) + 2.0 * math.log(1.0 / delta)) / (eps**2 / 2.0 - eps**3 / 3.0)
    wide = sp.csr_array((n, 2 * math.ceil(d)))
    achlioptas = er.RandomProjection(kind="sparse", epsilon=eps, delta=delta).fit(wide)
    assert achlioptas.n_components_ == math.ceil(sparse)
    promised = float(achlioptas.guarantee_.rsplit(" ", 1)[1])
    assert 0.98 * eps < promised <= eps, "the dimension is rounded up, which can only help"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("density", [1.0 / 3.0, 0.02])
def test_rows_are_multiplied_by_the_matrix(kind: str, density: float, rng: np.random.Generator) -> None:
    X = np.where(rng.random((50, 1500)) < 0.1, rng.normal(size=(50, 1500)), 0.0)
    fit = er.RandomProjection(60, kind=kind, density=density).fit(X)
    A = fit.components_
    A = A.toarray() if sp.issparse(A) else A
    assert A.shape == (60, 1500)
    for given in (X, np.asfortranarray(X), sp.csr_array(X), sp.csc_array(X)):
        np.testing.assert_allclose(fit.transform(given), X @ A.T, atol=1e-12)
    single = fit.transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, X @ A.T, atol=1e-4)


def test_entries_are_distributed_as_said() -> None:
    gaussian = er.RandomProjection(200).fit(sp.csr_array((2, 2500))).components_.ravel() * math.sqrt(200)
    count = len(gaussian)
    assert abs(gaussian.mean()) < 4.0 / math.sqrt(count)
    assert chi2.ppf(1e-4, count) < np.square(gaussian).sum() < chi2.ppf(1.0 - 1e-4, count)
    for density in (1.0 / 3.0, 0.02):
        fit = er.RandomProjection(200, kind="sparse", density=density).fit(sp.csr_array((2, 2500)))
        A = fit.components_
        cells = A.toarray() if sp.issparse(A) else A
        size = 1.0 / math.sqrt(density * 200)
        np.testing.assert_allclose(np.abs(cells[cells != 0.0]), size)
        plus, minus = int((cells > 0.0).sum()), int((cells < 0.0).sum())
        assert binomtest(plus + minus, cells.size, density).pvalue > 1e-4
        assert binomtest(plus, plus + minus, 0.5).pvalue > 1e-4


@pytest.mark.parametrize("p", [1, 3, 8, 300, 512, 1500])
def test_the_fast_transform_is_the_explicit_matrix(p: int, rng: np.random.Generator) -> None:
    order = 1 << (p - 1).bit_length()
    width = min(40, order)
    fit = er.RandomProjection(width, kind="srht", random_state=5).fit(np.ones((2, p)))
    sign, rows = fit._projection.draws()
    assert set(np.unique(sign)) <= {-1.0, 1.0}
    assert len(set(rows.tolist())) == width
    A = (hadamard(order)[rows, :p] * sign) / math.sqrt(width)
    np.testing.assert_allclose(fit.components_, A, atol=1e-14)
    X = rng.normal(size=(37, p))
    np.testing.assert_allclose(fit.transform(X), X @ A.T, atol=1e-12)
    np.testing.assert_allclose(fit.transform(sp.csr_array(X)), X @ A.T, atol=1e-12)


def test_all_rows_of_the_transform_keep_all_lengths(rng: np.random.Generator) -> None:
    X = rng.normal(size=(10, 64))
    Z = er.RandomProjection(64, kind="srht").fit_transform(X)
    np.testing.assert_allclose(Z @ Z.T, X @ X.T, atol=1e-12)
    more = er.RandomProjection(128, kind="srht").fit_transform(X)
    np.testing.assert_allclose(more @ more.T, X @ X.T, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_of_rows_and_threads_have_no_say(
    kind: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(300, 1100))
    fit = er.RandomProjection(32, kind=kind).fit(X)
    whole = fit.transform(X)
    np.testing.assert_allclose(np.vstack([fit.transform(X[:7]), fit.transform(X[7:])]), whole, atol=1e-12)
    with threadpool_limits(1):
        np.testing.assert_allclose(fit.transform(X), whole, atol=1e-12)
        if kind == "srht":
            np.testing.assert_array_equal(fit.transform(X), whole)
    monkeypatch.setattr(projection, "ROWS", 64)
    np.testing.assert_allclose(fit.transform(X), whole, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_report_measures_the_pairs(kind: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(25, 400)) + 100.0
    fit = er.RandomProjection(60, kind=kind, epsilon=0.2).fit(X)
    report = fit.distortion_report(X, n_pairs=300)
    Z, one, two = fit.transform(X), *np.triu_indices(25, 1)
    ratio = np.square(Z[one] - Z[two]).sum(axis=1) / np.square(X[one] - X[two]).sum(axis=1)
    np.testing.assert_allclose(report.ratios, np.sort(ratio), rtol=1e-9)
    assert report.all_pairs
    assert report.share.value == pytest.approx(np.mean(np.abs(ratio - 1.0) > 0.2))
    some = fit.distortion_report(X, n_pairs=100)
    hits = round(some.share.value * 100)
    exact = binomtest(hits, 100).proportion_ci(0.95)
    assert (some.share.low, some.share.high) == pytest.approx((exact.low, exact.high))
    assert str(some).endswith(some.theorem)
    assert "pairs" in some.plot().axes.get_title(loc="left")
    sparse = fit.distortion_report(sp.csr_array(X), n_pairs=300)
    np.testing.assert_allclose(sparse.ratios, report.ratios, rtol=1e-9)


def test_equal_rows_are_kept_and_pairs_are_of_different_rows(rng: np.random.Generator) -> None:
    fit = er.RandomProjection(5, epsilon=0.5).fit(np.ones((4, 30)))
    report = fit.distortion_report(np.ones((4, 30)))
    assert report.share.value == 0.0
    one, two, every = pairs_of(50, 400, rng)
    assert not every
    assert (one != two).all()
    assert two.max() == 49


def test_the_theorem_holds_as_often_as_it_says(rng: np.random.Generator) -> None:
    n, eps, delta, runs = 12, 0.5, 0.3, 200
    d = er.johnson_lindenstrauss_dim(n, eps, delta)
    X = rng.normal(size=(n, 300))
    for kind in ("gaussian", "sparse"):
        fits = (
            er.RandomProjection(kind=kind, epsilon=eps, delta=delta, random_state=seed).fit(X)
            for seed in range(runs)
        )
        failures = sum(fit.distortion_report(X).share.value > 0.0 for fit in fits)
        assert binomtest(failures, runs, delta, alternative="greater").pvalue > 1e-3
    narrow = (er.RandomProjection(d // 8, epsilon=eps, random_state=s).fit(X) for s in range(50))
    assert sum(fit.distortion_report(X).share.value > 0.0 for fit in narrow) > 25, "the test can fail"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_components": 0}, "n_components"),
        ({"n_components": "all"}, "n_components"),
        ({"kind": "dense"}, "kind"),
        ({"epsilon": 1.0}, "epsilon"),
        ({"delta": 0.0}, "delta"),
        ({"density": 0.0}, "density"),
        ({"density": 1.5}, "density"),
        ({}, "the theorem asks for"),
    ],
)
def test_parameters_out_of_range_are_named(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.RandomProjection(**given).fit(np.ones((9, 20)))


def test_one_row_has_no_distances() -> None:
    with pytest.raises(ValueError, match="two rows"):
        er.RandomProjection().fit(np.ones((1, 5)))
    fit = er.RandomProjection(2).fit(np.ones((1, 5)))
    assert "no theorem" in fit.guarantee_
    with pytest.raises(ValueError, match="two rows"):
        fit.distortion_report(np.ones((1, 5)))


@pytest.mark.parametrize("kind", ["srht", "sparse"])
def test_what_no_theorem_covers_is_said(kind: str) -> None:
    fit = er.RandomProjection(20, kind=kind, density=0.01).fit(np.ones((9, 50)))
    assert "no theorem" in fit.guarantee_
    few = er.RandomProjection(3).fit(np.ones((9, 50)))
    assert "too few for a bound on all pairs of 9 rows" in few.guarantee_


def test_the_formula_and_the_draws_of_the_seed_are_verified(rng: np.random.Generator) -> None:
    X = rng.normal(size=(12, 1200))
    for kind in ("gaussian", "sparse"):
        for seed in (None, 3, np.random.default_rng(5)):
            fit = er.RandomProjection(kind=kind, epsilon=0.3, random_state=seed).fit(X)
            assert fit.certificate_.kind is Kind.EXACT
            assert fit.guarantee_ in fit.certificate_.claim
            assert er.verify(fit, X) == fit.certificate_
            assert "n_components_ is" in er.verify(fit, X[:5]).claim
    other = er.RandomProjection(epsilon=0.3, random_state=1).fit(X)
    fit = er.RandomProjection(epsilon=0.3).fit(X)
    fit._projection = other._projection
    assert "the matrix is not that of the seed" in er.verify(fit, X).claim
    fit = er.RandomProjection(epsilon=0.3).fit(X)
    fit.guarantee_ = fit.guarantee_.replace("0.3", "0.1")
    assert er.verify(fit, X).kind is Kind.NONE


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"n_components": 20},
            "the 20 directions were given, and no optimum is sought; 20 directions",
        ),
        ({"kind": "srht", "epsilon": 0.3}, "no theorem promises a bound for all pairs here"),
        ({"kind": "sparse", "density": 0.1, "epsilon": 0.3}, "no theorem promises a bound"),
    ],
)
def test_without_a_theorem_nothing_is_claimed(options: dict[str, Any], words: str) -> None:
    X = np.ones((12, 1200))
    fit = er.RandomProjection(**options).fit(X)
    assert fit.certificate_.kind is Kind.NONE
    with pytest.raises(TypeError, match=f"has no certificate that could be verified: {words}"):
        er.verify(fit, X)


def test_loops_refuse_what_they_cannot_read() -> None:
    loop = projection._loops.signed_hadamard
    with pytest.raises(ValueError, match="next power of two"):
        loop(np.ones((2, 3)), np.ones(3), np.array([4]))
    with pytest.raises(ValueError, match="sign has shape"):
        loop(np.ones((2, 3)), np.ones(4), np.array([0]))
    with pytest.raises(ValueError, match="dense or CSR"):
        loop(sp.csc_array(np.ones((2, 3))), np.ones(3), np.array([0]))
