"""Principal components against published values, NumPy's singular values and scikit-learn."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import decomposition

import empirisk as er
from empirisk.data.block_list import BlockList
from empirisk.estimators.features.base import FewerComponentsWarning
from empirisk.results import Kind
from empirisk.typing import Array

DATA = Path(__file__).parents[2] / "data"
COLUMNS = ["murder", "assault", "urban_pop", "rape"]
# R 4: prcomp(USArrests, scale. = TRUE) and prcomp(USArrests), standard deviations and rotations.
SCALED = [1.57487827439123, 0.994869414817764, 0.597129115502526, 0.41644938195396]
SCALED_ROTATION = [
    [-0.535899474938155, -0.418180865420955, 0.341232727952828, 0.649227804341944],
    [-0.583183634909671, -0.187985604231939, 0.268148427832886, -0.74340747993671],
    [-0.278190874619433, 0.872806193060425, 0.378015793086999, 0.133877730824248],
    [-0.543432091445683, 0.167318635401746, -0.817777907626166, 0.0890243227036244],
]
PLAIN = [83.7324002464017, 14.2124018491813, 6.48942607287723, 2.48279000001273]
EXACT = ["auto", "covariance", "svd", "lanczos", "randomized"]
EVERY = [*EXACT, "gram", "power"]


def arrests() -> pd.DataFrame:
    return pd.read_csv(DATA / "usarrests.csv", index_col="state")


def same_up_to_sign(one: Any, other: Any, tol: float) -> None:
    """Compare directions, the rows of both, up to the sign of each."""
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    sign = np.sign(np.sum(one * other, axis=1))
    np.testing.assert_allclose(one, sign[:, None] * other, atol=tol)


def oracle(X: Array, weight: Array | None = None) -> tuple[Array, Array]:
    """Return variances (divisor S - 1) and directions from NumPy's singular values of repeated rows."""
    rows = X if weight is None else np.repeat(X, weight.astype(int), axis=0)
    _, size, V = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)
    return size**2 / (len(rows) - 1.0), V


@pytest.mark.parametrize("method", EXACT)
def test_published_components_of_usarrests(method: str) -> None:
    frame = arrests()
    scaled = er.PCA(4, method=method, tol=1e-13).fit((frame - frame.mean()) / frame.std())
    np.testing.assert_allclose(np.sqrt(scaled.explained_variance_), SCALED, rtol=1e-10)
    same_up_to_sign(scaled.components_, np.transpose(SCALED_ROTATION), 1e-10)
    assert list(scaled.feature_names_in_) == COLUMNS
    plain = er.PCA(4, method=method, tol=1e-13).fit(frame)
    np.testing.assert_allclose(np.sqrt(plain.explained_variance_), PLAIN, rtol=1e-10)


@pytest.mark.parametrize("shape", [(60, 8), (9, 40)])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("method", EVERY)
def test_every_method_finds_the_singular_vectors(
    method: str, sparse: bool, shape: tuple[int, int], rng: np.random.Generator
) -> None:
    X = rng.normal(size=shape) * np.geomspace(8.0, 0.5, shape[1]) + 1.0
    X[np.abs(X - 1.0) < 0.2] = 0.0
    weight = rng.integers(0, 4, shape[0]).astype(float)
    weight[:2] = 1.0
    given: Any = sp.csr_array(X) if sparse else X
    pca = er.PCA(3, method=method, tol=1e-11, power_iterations=40).fit(given, sample_weight=weight)
    values, V = oracle(X, weight)
    np.testing.assert_allclose(pca.explained_variance_, values[:3], rtol=1e-8)
    same_up_to_sign(pca.components_, V[:3], 1e-6)
    np.testing.assert_allclose(pca.explained_variance_ratio_, values[:3] / values.sum(), rtol=1e-8)
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(3), atol=1e-12)
    assert all(row[np.abs(row).argmax()] > 0.0 for row in pca.components_)
    assert pca.certificate_.kind is Kind.EIGEN_RESIDUAL
    assert np.abs(pca.explained_variance_ - values[:3]).max() <= pca.certificate_.value * 1.01
    assert er.verify(pca, given, None, sample_weight=weight).within(1e-8)


def test_scikit_learn_agrees_on_all_that_both_have(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 6)) @ rng.normal(size=(6, 6)) + 3.0
    for count in (2, 6, 0.8):
        ours, peer = er.PCA(count).fit(X), decomposition.PCA(count, svd_solver="full").fit(X)
        for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"):
            np.testing.assert_allclose(getattr(ours, name), getattr(peer, name), rtol=1e-10)
        assert ours.n_components_ == peer.n_components_
        assert ours.noise_variance_ == pytest.approx(peer.noise_variance_, rel=1e-9)
        same_up_to_sign(ours.transform(X).T, peer.transform(X).T, 1e-10)
        np.testing.assert_allclose(ours.score_samples(X), peer.score_samples(X), rtol=1e-9)
        back = ours.inverse_transform(ours.transform(X))
        np.testing.assert_allclose(back, peer.inverse_transform(peer.transform(X)), atol=1e-10)
    white = er.PCA(3, whiten=True).fit(X)
    peer = decomposition.PCA(3, whiten=True).fit(X)
    same_up_to_sign(white.transform(X).T, peer.transform(X).T, 1e-10)
    np.testing.assert_allclose(
        white.inverse_transform(white.transform(X)), peer.inverse_transform(peer.transform(X)), atol=1e-10
    )


def test_weights_are_repetitions_in_all_that_is_said(rng: np.random.Generator) -> None:
    X, weight = rng.normal(size=(40, 5)), rng.integers(0, 4, 40).astype(float)
    one = er.PCA(3, whiten=True).fit(X, sample_weight=weight)
    two = er.PCA(3, whiten=True).fit(np.repeat(X, weight.astype(int), axis=0))
    for name in ("explained_variance_", "singular_values_", "noise_variance_", "total_weight_"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-12)
    np.testing.assert_allclose(one.transform(X), two.transform(X), rtol=1e-9, atol=1e-12)
    error, again = one.reconstruction_error(X, weight), two.reconstruction_error(X, weight)
    assert (error.low, error.high) == pytest.approx((again.low, again.high))
    with pytest.raises(ValueError, match="sample_weight sums to 1: weights are repetitions"):
        er.PCA().fit(X, sample_weight=np.full(40, 1.0 / 40.0))


@pytest.mark.parametrize("method", ["covariance", "svd", "lanczos", "randomized"])
def test_a_memory_map_and_its_blocks_give_the_bits_of_memory(
    method: str, rng: np.random.Generator, tmp_path: Path
) -> None:
    X = rng.normal(size=(500, 7)) + 100.0
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    weight = rng.integers(0, 3, 500).astype(float)
    one = er.PCA(3, method=method).fit(X, sample_weight=weight)
    two = er.PCA(3, method=method).fit(mapped, sample_weight=weight)
    np.testing.assert_array_equal(one.components_, two.components_)
    three = er.PCA(3, method=method).fit(BlockList.cut(mapped, np.zeros(500), weight))
    np.testing.assert_array_equal(one.components_, three.components_)
    np.testing.assert_array_equal(one.explained_variance_, three.explained_variance_)
    small = er.PCA(3, method=method).fit(BlockList.cut(mapped, np.zeros(500), weight, rows=37))
    np.testing.assert_allclose(small.components_, one.components_, atol=1e-7)
    np.testing.assert_allclose(small.explained_variance_, one.explained_variance_, rtol=1e-12)


def test_blocks_with_gaps_are_refused(rng: np.random.Generator) -> None:
    X = rng.normal(size=(50, 3))
    X[20, 1] = np.nan
    with pytest.raises(ValueError, match="NaN in column 1"):
        er.PCA().fit(BlockList.cut(X, np.zeros(50), rows=20))


def test_a_stream_has_the_components_of_all_its_rows(rng: np.random.Generator) -> None:
    X, weight = rng.normal(size=(90, 4)) * [5.0, 2.0, 1.0, 0.1] + 1e6, rng.integers(0, 3, 90).astype(float)
    stream = er.PCA(3)
    for a in range(0, 90, 17):
        stream.partial_fit(X[a : a + 17], sample_weight=weight[a : a + 17])
    whole = er.PCA(3).fit(X, sample_weight=weight)
    np.testing.assert_allclose(stream.explained_variance_, whole.explained_variance_, rtol=1e-10)
    np.testing.assert_allclose(stream.mean_, whole.mean_, rtol=1e-15)
    np.testing.assert_allclose(stream.components_, whole.components_, atol=1e-9)
    assert er.verify(stream, X, None, sample_weight=weight).within(1e-7)
    with pytest.raises(ValueError, match="partial_fit keeps sums alone"):
        er.PCA("parallel").partial_fit(X)


def exact_variances(X: Array) -> Array:
    """Return the variances in 60 digits, from the covariance of the rows as they are stored."""
    with mpmath.workdps(60):
        A = mpmath.matrix(X.tolist())
        n, p = X.shape
        mean = [mpmath.fsum(A[i, j] for i in range(n)) / n for j in range(p)]
        C = mpmath.matrix(p, p)
        for a in range(p):
            for b in range(p):
                C[a, b] = mpmath.fsum((A[i, a] - mean[a]) * (A[i, b] - mean[b]) for i in range(n)) / (n - 1)
        values = mpmath.eigsy(C, eigvals_only=True)
        return np.array([float(v) for v in values])[::-1]


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e9])
def test_rows_far_from_the_origin_keep_their_digits(offset: float, rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 3)) * [4.0, 2.0, 1.0] + offset
    exact = exact_variances(X)
    for method in ("covariance", "svd", "lanczos"):
        pca = er.PCA(3, method=method, tol=1e-13).fit(X)
        np.testing.assert_allclose(pca.explained_variance_, exact, rtol=1e-11)
        Z = pca.transform(X)
        np.testing.assert_allclose(Z.var(axis=0, ddof=1), exact, rtol=1e-9)


def test_badly_scaled_columns_are_decomposed_by_singular_values(rng: np.random.Generator) -> None:
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    X = (rng.normal(size=(30, 3)) * [1e7, 1.0, 0.3]) @ turn
    exact = exact_variances(X)
    chosen, squared = er.PCA(3).fit(X), er.PCA(3, method="covariance").fit(X)
    assert "singular values" in chosen.certificate_.claim
    np.testing.assert_allclose(chosen.explained_variance_, exact, rtol=1e-7)
    kept = exact[: squared.n_components_]
    assert np.abs(squared.explained_variance_ - kept).max() <= squared.certificate_.value
    lost = np.abs(squared.explained_variance_ / kept - 1.0).max()
    assert lost > 1e-4 or squared.n_components_ < 3, "squaring costs digits, or this test needs other rows"


def test_single_precision_is_summed_in_double_where_variances_are_small(rng: np.random.Generator) -> None:
    X = (rng.normal(size=(3000, 4)) * [100.0, 10.0, 1.0, 0.5]).astype(np.float32)
    values, _ = oracle(X.astype(np.float64))
    pca = er.PCA().fit(X)
    assert pca.components_.dtype == np.float32
    assert pca.transform(X).dtype == np.float32
    np.testing.assert_allclose(pca.explained_variance_, values, rtol=1e-6)


@pytest.mark.parametrize("shape", [(400, 40), (40, 400)])
def test_the_certificate_of_single_precision_holds_far_from_the_origin(
    shape: tuple[int, int], rng: np.random.Generator
) -> None:
    """Columns of deviations 0.03 to 30 at a thousand deviations from 0, against float64."""
    X = rng.normal(size=(shape[0], 6)) @ rng.normal(size=(6, shape[1])) + rng.normal(size=shape)
    X = ((X + 1000.0) * np.geomspace(0.01, 10.0, shape[1])).astype(np.float32)
    values, axes = oracle(X.astype(np.float64))
    pca = er.PCA(6).fit(X)
    said = pca.certificate_
    bound = max(said.value, said.floor)
    assert np.abs(pca.explained_variance_ - values[:6]).max() <= bound < 0.5 * (values[5] - values[6])
    outside = pca.components_ - (pca.components_ @ axes[:6].T) @ axes[:6]
    assert np.linalg.norm(outside) <= bound / (values[5] - values[6] - bound)
    assert er.verify(pca, X, None).kind is Kind.EIGEN_RESIDUAL
    with np.errstate(invalid="ignore"):
        mean = X.mean(axis=0)
        one_pass = X.T @ X / np.float32(len(X)) - np.outer(mean, mean)
    lost = np.linalg.eigvalsh(one_pass.astype(np.float64))[::-1][:6] * len(X) / (len(X) - 1.0)
    assert np.abs(lost - values[:6]).max() > bound  # the rows are as hard as they are meant to be


def test_fewer_components_than_asked_for_are_named(rng: np.random.Generator) -> None:
    X = np.outer(rng.normal(size=20), [1.0, 2.0, -1.0, 0.5])
    for method in ("auto", "covariance", "gram", "svd", "lanczos", "power"):
        with pytest.warns(FewerComponentsWarning, match=r"^ER004: n_components = 3, and the rank of .* is 1"):
            pca = er.PCA(3, method=method).fit(X)
        assert pca.n_components_ == 1, method
        assert "of the 3 components asked for, 1 have variance" in pca.certificate_.claim
    with pytest.warns(
        FewerComponentsWarning, match=r"of the 4 centred rows of 30 columns is 3.*give .* <= 3"
    ):
        wide = er.PCA(10).fit(rng.normal(size=(4, 30)))
    assert wide.n_components_ == 3
    with pytest.warns(FewerComponentsWarning, match="n_components = 100, .* is 3") as told:
        er.PCA(100).fit(rng.normal(size=(30, 3)))
    assert [w.filename for w in told] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        er.PCA(3).fit(rng.normal(size=(30, 3)))
        er.PCA().fit(X)


def test_weights_that_overflow_beside_squares_are_named(rng: np.random.Generator) -> None:
    X, weight = rng.normal(size=(20, 3)), np.full(20, 1e300)
    with pytest.raises(
        ValueError, match=r"^sample_weight sums to 2e\+301, and its products with squares of X"
    ):
        er.PCA(2).fit(1e100 * X, sample_weight=weight)
    shares = weight * (20.0 / weight.sum())  # what the message advises
    large = er.PCA(2).fit(1e100 * X, sample_weight=shares)
    np.testing.assert_allclose(
        large.explained_variance_ / 1e200, er.PCA(2).fit(X).explained_variance_, rtol=1e-12
    )


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.ones((1, 3)), "n_samples = 1"),
        (np.ones((5, 3)), "no column of X varies"),
        (sp.csr_array((5, 3)), "no column of X varies"),
        (np.diag([1e200, 1.0, 1.0]), "overflow"),
        (np.diag([1e-170, 0.0, 0.0]), "vanish"),
    ],
)
def test_rows_without_components_are_refused_in_words(X: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        er.PCA(2).fit(X)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_components": 0}, "n_components"),
        ({"n_components": 1.5}, "n_components"),
        ({"n_components": "all"}, "n_components"),
        ({"method": "qr"}, "method"),
        ({"tol": 0.0}, "tol"),
        ({"max_iter": 0}, "max_iter"),
        ({"whiten": 2}, "whiten"),
        ({"n_components": 0.5, "method": "lanczos"}, "leading ones alone"),
        ({"n_components": "bcv", "X": sp.csr_array(np.eye(6))}, "dense rows"),
    ],
)
def test_parameters_out_of_range_are_named(given: dict[str, Any], words: str) -> None:
    X = given.pop("X", np.random.default_rng(0).normal(size=(12, 6)))
    with pytest.raises((ValueError, TypeError), match=words):
        er.PCA(**given).fit(X)


def test_constant_columns_and_absent_rows_take_no_part(rng: np.random.Generator) -> None:
    X = np.column_stack([rng.normal(size=30), np.full(30, 7.0), rng.normal(size=30)])
    pca = er.PCA().fit(X)
    assert pca.n_components_ == 2
    np.testing.assert_allclose(pca.components_[:, 1], 0.0, atol=1e-15)
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(X)), X, atol=1e-12)


def test_a_verification_does_not_confirm_other_rows(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 4)) * [4.0, 3.0, 2.0, 1.0]
    pca = er.PCA(2).fit(X)
    assert er.verify(pca, X, None).within(1e-10)
    assert er.verify(pca, X[:-1], None).kind is Kind.NONE
    assert er.verify(pca, X + 1.0, None).kind is Kind.NONE
    other = er.verify(
        pca, X - X.mean(axis=0) + pca.mean_ + rng.normal(size=X.shape) * [1.0, 0.0, 0.0, 0.0], None
    )
    assert other.kind is Kind.NONE or not other.within(1e-4)
    lower = er.PCA(1, method="power", max_iter=1).fit(X)
    lower.components_, lower.explained_variance_ = pca.components_[1:], pca.explained_variance_[1:]
    assert er.verify(lower, X, None).kind is Kind.NONE


def test_the_bound_of_a_random_space_holds(rng: np.random.Generator) -> None:
    X = rng.normal(size=(80, 60)) * np.geomspace(1.0, 0.05, 60)
    values, _ = oracle(X)
    for seed in range(20):
        pca = er.PCA(5, method="randomized", power_iterations=0, random_state=seed).fit(X)
        claim = pca.certificate_.claim
        bound = float(claim.split("each is at most ")[1].split(" ")[0])
        below = values[:5] - pca.explained_variance_
        assert below.min() >= -1e-12
        assert below.max() <= bound * 1.05
        assert below.max() > 1e-6, "without power iterations something is missed"


def test_lanczos_restarts_until_its_residual_is_small(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("empirisk.reduction.lanczos.BASIS", 6)
    X = sp.random_array((400, 300), density=0.05, rng=rng, format="csr")
    pca = er.PCA(4, method="lanczos").fit(X)
    values, _ = oracle(X.toarray())
    np.testing.assert_allclose(pca.explained_variance_, values[:4], rtol=1e-10)
    assert pca.certificate_.within(1.1e-8)
    assert pca.n_iter_ > 2 * (3 * 5 + 6), "the spectrum is flat, so that one basis is not enough"
    few = er.PCA(4, method="lanczos", max_iter=30).fit(X)
    assert not few.certificate_.within(1e-8)


def test_large_shapes_take_products_and_agree_with_the_covariance(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("empirisk.reduction.leading.DENSE", 50)
    monkeypatch.setattr("empirisk.reduction.leading.SPARSE", 50)
    X = rng.normal(size=(150, 90)) * np.geomspace(5.0, 0.5, 90)
    for given in (X, sp.csr_array(X)):
        one, two = er.PCA(2).fit(given), er.PCA(2, method="covariance").fit(given)
        assert "products with the covariance" in one.certificate_.claim
        np.testing.assert_allclose(one.explained_variance_, two.explained_variance_, rtol=1e-10)
        np.testing.assert_allclose(one.components_, two.components_, atol=1e-6)


@pytest.mark.parametrize("method", ["covariance", "gram", "lanczos"])
def test_what_memory_cannot_hold_is_refused_before_the_work(
    method: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("empirisk.data.memory.available_memory", lambda: 1e-9)
    with pytest.raises(MemoryError, match="GB"):
        er.PCA(2, method=method).fit(rng.normal(size=(20, 10)))


def test_the_arrests_have_their_published_means_and_deviations() -> None:
    np.testing.assert_allclose(arrests().mean(), [7.788, 170.76, 65.54, 21.232], rtol=1e-12)
    np.testing.assert_allclose(
        arrests().std(), [4.35550976420929, 83.3376608400171, 14.4747634008368, 9.36638453105965], rtol=1e-12
    )
