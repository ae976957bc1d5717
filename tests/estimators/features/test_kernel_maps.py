"""Features of kernels: exact where they have to be, and their stated errors against all pairs of rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate

import empirisk as er
from empirisk.estimators.features.base import FewerComponentsWarning
from empirisk.estimators.features.entry_error import entry_error
from empirisk.estimators.features.landmarks import leverage_scores
from empirisk.estimators.features.random_relu import arc_cosine
from empirisk.kernels import Gaussian, Linear
from empirisk.kernels.base import Kernel
from empirisk.problems import Layers
from empirisk.problems.activations import ReLU

SAMPLINGS = ("uniform", "kmeans++", "leverage")


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_all_rows_as_landmarks_give_the_kernel_itself(sampling: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 5))
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    fitted = er.Nystroem(Gaussian(gamma=0.5), 1000, sampling=sampling).fit(X)
    Z = fitted.transform(X)
    np.testing.assert_allclose(Z @ Z.T, K, atol=1e-9)
    assert sorted(fitted.landmarks_) == list(range(40))
    assert fitted.error_.largest_entry < 1e-9


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_what_nystroem_misses_is_bounded_by_what_it_says(sampling: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    fitted = er.Nystroem(Gaussian(gamma=0.5), 12, sampling=sampling).fit(X)
    Z = fitted.transform(X)
    missed = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2)) - Z @ Z.T
    error = fitted.error_
    assert error.trace == pytest.approx(np.trace(missed) / 60, abs=1e-12)
    assert error.share == pytest.approx(error.trace, abs=1e-12)  # k(x, x) = 1
    assert error.largest_entry == pytest.approx(np.diagonal(missed).max(), abs=1e-12)
    assert np.abs(missed).max() <= error.largest_entry + 1e-12
    assert np.linalg.norm(missed, 2) / 60 <= error.trace + 1e-12
    assert np.linalg.eigvalsh(missed)[0] > -1e-9


def test_landmarks_that_depend_on_each_other_are_cut_and_said(rng: np.random.Generator) -> None:
    fitted = er.Nystroem("linear", 10).fit(rng.normal(size=(30, 3)))
    assert fitted.n_components_ == 3
    assert "7 eigenvalues of the landmarks are 0 up to rounding" in repr(fitted)
    assert fitted.error_.share < 1e-12


def test_leverage_scores_are_those_of_the_definition(rng: np.random.Generator) -> None:
    X, s = rng.normal(size=(30, 2)), rng.uniform(0.5, 2.0, size=30)
    s /= s.sum()
    K = Gaussian(gamma=0.5).block(X)
    A = np.sqrt(s)[:, None] * K * np.sqrt(s)
    expected = np.diagonal(A @ np.linalg.inv(A + 0.03 * np.eye(30)))
    values, vectors = np.linalg.eigh(K)
    Z = vectors * np.sqrt(np.maximum(values, 0.0))
    np.testing.assert_allclose(leverage_scores(Z, np.diagonal(K), s, 0.03), expected, atol=1e-9)
    few = leverage_scores(Z[:, -20:], np.diagonal(K), s, 0.03)
    np.testing.assert_allclose(few, expected, rtol=0.1)


def test_leverage_finds_the_row_that_uniform_draws_miss() -> None:
    X = np.concatenate([np.random.default_rng(0).normal(size=(400, 2)) * 0.01, [[50.0, 50.0]]])
    found = [
        sum(
            400 in er.Nystroem(Gaussian(gamma=1.0), 4, sampling=s, random_state=i).fit(X).landmarks_
            for i in range(20)
        )
        for s in SAMPLINGS
    ]
    assert found[0] <= 5
    assert found[1] == 20


def test_a_matrix_that_is_no_kernel_is_refused_with_its_eigenvalue() -> None:
    K = np.array([[1.0, 2.0], [2.0, 1.0]])  # eigenvalues 3 and -1
    with pytest.raises(ValueError, match=r"not positive semi-definite: .* has the eigenvalue -1 beside 3"):
        er.Nystroem("precomputed").fit(K)


def test_a_precomputed_kernel_gives_the_same_features(rng: np.random.Generator) -> None:
    X, new = rng.normal(size=(20, 2)), rng.normal(size=(5, 2))
    kernel = Gaussian(gamma=0.5)
    whole = er.Nystroem(kernel).fit(X).transform(new)
    given = er.Nystroem("precomputed").fit(kernel.block(X)).transform(kernel.block(new, X))
    np.testing.assert_allclose(given @ given.T, whole @ whole.T, atol=1e-9)


# -- random features ------------------------------------------------------------------------------

KERNELS = [
    Gaussian(gamma=0.5),
    Gaussian(length_scale=0.7) * 3.0,
    Gaussian(gamma=0.2) + 2.0 * Gaussian(gamma=3.0),
    Gaussian(gamma=0.2) * Gaussian(gamma=0.5).columns(1),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.title)
@pytest.mark.parametrize("width", [3, 60])
def test_random_waves_have_the_kernel_as_their_mean(
    kernel: Kernel, width: int, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(8, 2))
    drawn = [
        er.RandomFourierFeatures(kernel, width, random_state=seed).fit_transform(X) for seed in range(30)
    ]
    values = np.stack([Z @ Z.T for Z in drawn])
    error = values.std(axis=0, ddof=1) / np.sqrt(30)
    assert (np.abs(values.mean(axis=0) - kernel.block(X)) <= 6.0 * error + 1e-12).all()


def test_no_entry_is_off_by_more_than_hoeffding_says(rng: np.random.Generator) -> None:
    X = rng.normal(size=(60, 2))
    fitted = er.RandomFourierFeatures(Gaussian(gamma=0.5), 1000).fit(X)
    Z = fitted.transform(X)
    off = np.abs(Gaussian(gamma=0.5).block(X) - Z @ Z.T).max()
    assert off <= fitted.largest_entry_ < 10.0 * off


def test_kernels_without_a_spectral_measure_and_bad_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="kernel linear gives no spectral measure"):
        er.RandomFourierFeatures("linear").fit(np.eye(3))
    with pytest.raises(ValueError, match="n_components must be an integer >= 1"):
        er.RandomFourierFeatures(n_components=0).fit(np.eye(3))
    with pytest.raises(ValueError, match="order must be '0' or '1' or '2'"):
        er.RandomReluFeatures(3).fit(np.eye(3))


@pytest.mark.parametrize("order", [0, 1, 2])
def test_the_arc_cosine_kernel_is_the_integral_over_units(order: int) -> None:
    a, b = np.array([[1.0, 2.0]]), np.array([[-0.5, 1.5]])
    # In the plane, w = r (cos u, sin u): the radius gives E r^(2 q) = 2^q q!, the angle is integrated.
    radius = [1.0, 2.0, 8.0][order]

    def units(u: float) -> float:
        w = np.array([np.cos(u), np.sin(u)])
        one, two = float(a[0] @ w), float(b[0] @ w)
        return (one * two) ** order if one > 0.0 and two > 0.0 else 0.0

    bends = [np.arctan2(v[1], v[0]) + s for v in (a[0], b[0]) for s in (-np.pi / 2, np.pi / 2)]
    whole, _ = integrate.quad(
        units, -np.pi, np.pi, points=sorted((np.array(bends) + np.pi) % (2 * np.pi) - np.pi)
    )
    assert arc_cosine(a, b, order)[0] == pytest.approx(2.0 * radius * whole / (2.0 * np.pi), rel=1e-7)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_random_units_have_the_arc_cosine_kernel_as_their_mean(order: int, rng: np.random.Generator) -> None:
    X = rng.normal(size=(6, 3))
    values = np.stack(
        [
            Z @ Z.T
            for seed in range(30)
            for Z in [er.RandomReluFeatures(order, 60, random_state=seed).fit_transform(X)]
        ]
    )
    exact = np.stack([arc_cosine(X, np.tile(x, (6, 1)), order) for x in X])
    error = values.std(axis=0, ddof=1) / np.sqrt(30)
    # An entry that every draw gives exactly (order 0, the diagonal, differs) has no spread.
    assert (np.abs(values.mean(axis=0) - exact) <= 6.0 * error + 1e-12).all()


@pytest.mark.parametrize("order", [0, 1])
def test_in_the_wide_limit_the_kernel_of_units_is_the_arc_cosine_kernel(
    order: int, rng: np.random.Generator
) -> None:
    X, draws, widths = rng.normal(size=(8, 4)), 12, 4 ** np.arange(1, 6)  # 4 to 1024 units
    exact = np.stack([arc_cosine(X, np.tile(x, (8, 1)), order) for x in X])
    drawn = er.RandomReluFeatures(order, draws * int(widths[-1])).fit(X[:1])  # of one row, without pairs
    units = drawn.transform(X)
    errors = []
    for m in widths:
        # Units are independent: those of a wide layer are a dozen layers of width m.
        Z = np.sqrt(units.shape[1] / m) * units[:, : draws * m].reshape(8, draws, m).transpose(1, 0, 2)
        errors.append(np.sqrt(np.mean((Z @ Z.transpose(0, 2, 1) - exact) ** 2)))
    slope = np.polyfit(np.log(widths), np.log(errors), 1)[0]
    # Of 12 draws, whose entries go together, each logarithm is known to about 1 / sqrt(24) = 0.2, and the
    # slope of five of them, one log 4 apart, to 0.2 / (log 4 sqrt(10)) = 0.047.  Three of these.
    assert abs(slope + 0.5) < 0.14


def test_a_hidden_layer_at_its_random_start_has_the_arc_cosine_kernel(rng: np.random.Generator) -> None:
    X, m = rng.normal(size=(6, 3)), 4096
    # He's weights have variance 2 / 3 here: the products of the outputs are 3 / m of the kernel's in the
    # mean.
    layers = Layers.of((3, m, 1), ReLU())
    values = []
    for seed in range(20):
        weights, bias = next(iter(layers.split(layers.draw(seed))))
        H = ReLU().value(X @ weights + bias)
        values.append(3.0 / m * H @ H.T)
    exact = np.stack([arc_cosine(X, np.tile(x, (6, 1)), 1) for x in X])
    error = np.std(values, axis=0, ddof=1) / np.sqrt(20)
    assert (np.abs(np.mean(values, axis=0) - exact) <= 6.0 * error).all()
    assert np.abs(np.mean(values, axis=0) / exact - 1.0).max() < 0.05


@pytest.mark.slow
def test_the_interval_of_the_error_covers_the_mean_over_all_pairs() -> None:
    X = np.random.default_rng(1).normal(size=(80, 2))
    fitted = er.RandomFourierFeatures(Gaussian(gamma=0.5), 100).fit(X)
    Z = fitted.transform(X)
    truth = np.sqrt(np.mean((Z @ Z.T - Gaussian(gamma=0.5).block(X)) ** 2))
    inside = 0
    for seed in range(1000):
        rng = np.random.default_rng(seed)
        e = entry_error(fitted.transform, fitted._exact, X, np.ones(80), rng)
        inside += e.low <= truth <= e.high
    assert inside >= 925  # 950 less 3.6 standard deviations of a count


# -- principal components -------------------------------------------------------------------------


def test_linear_components_are_those_of_the_singular_values(rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 4)) * [3.0, 2.0, 1.0, 0.5] + 10.0
    centred = X - X.mean(axis=0)
    U, s, _ = np.linalg.svd(centred, full_matrices=False)
    fitted = er.KernelPCA("linear", 3).fit(X)
    np.testing.assert_allclose(fitted.explained_variance_, s[:3] ** 2 / 30, rtol=1e-9)
    np.testing.assert_allclose(fitted.explained_variance_ratio_, s[:3] ** 2 / (s**2).sum(), rtol=1e-9)
    Z = fitted.transform(X)
    np.testing.assert_allclose(np.abs(Z), np.abs(U[:, :3] * s[:3]), atol=1e-9)
    assert (Z.max(axis=0) == np.abs(Z).max(axis=0)).all()


def test_components_of_a_polynomial_kernel_are_those_of_its_explicit_features(
    rng: np.random.Generator,
) -> None:
    X, new = rng.normal(size=(25, 2)), rng.normal(size=(7, 2))

    def features(A: np.ndarray) -> np.ndarray:
        return np.stack([A[:, 0] ** 2, np.sqrt(2.0) * A[:, 0] * A[:, 1], A[:, 1] ** 2], axis=1)

    fitted = er.KernelPCA(Linear() * Linear(), 3).fit(X)
    phi, middle = features(X), features(X).mean(axis=0)
    _, s, Vt = np.linalg.svd(phi - middle, full_matrices=False)
    np.testing.assert_allclose(fitted.explained_variance_, s**2 / 25, rtol=1e-9)
    np.testing.assert_allclose(
        np.abs(fitted.transform(new)), np.abs((features(new) - middle) @ Vt.T), atol=1e-9
    )


def test_the_certificate_bounds_how_far_the_variances_are_off(rng: np.random.Generator) -> None:
    X = rng.normal(size=(40, 3))
    fitted = er.KernelPCA(Gaussian(gamma=0.5), 4).fit(X)
    H = np.eye(40) - 1.0 / 40
    values = np.linalg.eigvalsh(H @ Gaussian(gamma=0.5).block(X) @ H / 40)[::-1]
    assert np.abs(fitted.explained_variance_ - values[:4]).max() <= fitted.certificate_.value
    assert fitted.certificate_.within(1e-9)
    assert "by the eigen-residual" in repr(fitted)


def test_fewer_components_where_there_are_no_more_and_none_at_all() -> None:
    with pytest.warns(
        FewerComponentsWarning, match=r"^ER004: n_components = 5, .*matrix of 9 rows is 2"
    ) as told:
        few = er.KernelPCA("linear", 5).fit(np.random.default_rng(0).normal(size=(9, 2)))
    assert few.n_components_ == 2
    assert [w.filename for w in told] == [__file__]
    with pytest.raises(ValueError, match=r"same for all pairs of rows \(n_samples = 4\)"):
        er.KernelPCA().fit(np.ones((4, 2)))


@pytest.mark.parametrize("preimage", ["ridge", "fixed_point"])
def test_noise_around_a_circle_is_taken_off(preimage: str) -> None:
    rng = np.random.default_rng(0)
    turn = rng.uniform(0.0, 2.0 * np.pi, 150)
    clean = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    noisy = clean + 0.1 * rng.normal(size=clean.shape)
    pca = er.KernelPCA(Gaussian(gamma=0.5), 4, preimage=preimage).fit(noisy)
    back = pca.inverse_transform(pca.transform(noisy))
    off = [np.sqrt(np.mean((np.linalg.norm(x, axis=1) - 1.0) ** 2)) for x in (noisy, back)]
    assert off[1] < 0.6 * off[0]


def test_a_fixed_point_is_stationary_for_the_distance_in_the_feature_space() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    kernel = Gaussian(gamma=0.5)
    pca = er.KernelPCA(kernel, 5, preimage="fixed_point").fit(X)
    Z = pca.transform(X[:4])
    back = pca.inverse_transform(Z)
    # |phi(x) - P|^2 up to constants, P the mean of the features plus the components.
    K = kernel.block(X)
    H = np.eye(40) - 1.0 / 40
    values, vectors = np.linalg.eigh(H @ K @ H)
    V = vectors[:, ::-1][:, :5] / np.sqrt(values[::-1][:5])
    new = (kernel.block(X[:4], X) - K.mean(axis=0)) @ H @ V
    coef = 1.0 / 40 + new @ V.T @ H

    def distance(at: np.ndarray, i: int) -> float:
        return float(-2.0 * kernel.block(at[None], X)[0] @ coef[i])

    for i in range(4):
        slope = [(distance(back[i] + h, i) - distance(back[i] - h, i)) / 2e-5 for h in 1e-5 * np.eye(2)]
        assert np.abs(slope).max() < 1e-6


def test_there_is_no_way_back_without_one() -> None:
    X = np.random.default_rng(0).normal(size=(9, 2))
    with pytest.raises(ValueError, match="learned no way back"):
        er.KernelPCA().fit(X).inverse_transform(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="no fixed point: use preimage"):
        er.KernelPCA("linear", preimage="fixed_point").fit(X)
