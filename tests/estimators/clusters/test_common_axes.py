"""EVE and VVE: stationary axes by the gradient on the orthogonal matrices, and another algorithm for them."""

from __future__ import annotations

import numpy as np
import pytest

import empirisk as er
from empirisk.mixtures import family_of

EACH = pytest.mark.parametrize("letters", ["EVE", "VVE"])
SIZES = pytest.mark.parametrize(("p", "k", "apart"), [(2, 2, 0.2), (3, 3, 1.0), (6, 3, 0.1), (10, 4, 0.4)])


def scatters(rng: np.random.Generator, p: int, k: int, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Masses, and scatters of rows whose axes differ by about so much from common ones."""
    axes = np.linalg.qr(rng.normal(size=(p, p)))[0]
    mass = rng.uniform(40.0, 200.0, k)
    rows = [
        rng.normal(size=(4 * p, p)) * np.exp(rng.normal(size=p)) @ axes.T
        @ (np.eye(p) + apart * rng.normal(size=(p, p)) / p)
        for _ in range(k)
    ]  # fmt: skip
    return mass, np.array([m * X.T @ X / len(X) for m, X in zip(mass, rows, strict=True)])


def cost(mass: np.ndarray, scatter: np.ndarray, sigma: np.ndarray) -> float:
    """Twice the negative expected log-likelihood, by the definition of the normal density."""
    return float(
        sum(
            m * np.linalg.slogdet(s)[1] + np.trace(np.linalg.solve(s, w))
            for m, w, s in zip(mass, scatter, sigma, strict=True)
        )
    )


def variances(letters: str, mass: np.ndarray, scatter: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """The best variances along given axes: Celeux and Govaert 1995, with the scatter in these axes."""
    square = np.array([np.diag(axes.T @ s @ axes) for s in scatter])
    if letters == "VVE":
        return square / mass[:, None]
    size = np.prod(square, axis=1) ** (1.0 / len(axes))
    return np.asarray(size.sum() / mass.sum() * square / size[:, None])


def majorised(
    letters: str, mass: np.ndarray, scatter: np.ndarray, axes: np.ndarray, steps: int
) -> tuple[np.ndarray, list[float]]:
    """Steps of Browne and McNicholas 2014: with ``S - w I``, w the largest eigenvalue of S, the trace of
    ``S D B D'`` is below its tangent, and the best axes of the tangent are the polar factor of its slope.
    """
    top, values = np.linalg.eigvalsh(scatter)[:, -1], []
    for _ in range(steps):
        inverse = 1.0 / variances(letters, mass, scatter, axes)
        sigma = np.array([(axes / b) @ axes.T for b in inverse])
        values.append(cost(mass, scatter, sigma))
        slope = sum(
            (b[:, None] * axes.T) @ (s - w * np.eye(len(axes)))
            for b, s, w in zip(inverse, scatter, top, strict=True)
        )
        left, _, right = np.linalg.svd(-slope)
        axes = right.T @ left.T
    return axes, values


@EACH
@SIZES
def test_the_axes_are_stationary_and_common(
    letters: str, p: int, k: int, apart: float, rng: np.random.Generator
) -> None:
    """The slope of the cost along every rotation is 0: ``D' G`` is symmetric, G being the plain gradient."""
    mass, scatter = scatters(rng, p, k, apart)
    sigma = family_of(letters).covariances(mass, scatter)
    axes = np.linalg.eigh(sum(rng.uniform(1.0, 2.0) * s for s in sigma))[1]
    inner = axes.T @ sigma @ axes
    off = inner - np.array([np.diag(np.diag(s)) for s in inner])
    assert np.abs(off).max() < 1e-8 * np.abs(inner).max()
    found = np.array([np.diag(s) for s in inner])
    np.testing.assert_allclose(found, variances(letters, mass, scatter, axes), rtol=1e-6)
    plain = sum(2.0 * s @ axes / v for s, v in zip(scatter, found, strict=True))
    turn = axes.T @ plain
    assert np.abs(turn - turn.T).max() < 1e-6 * np.abs(turn).max()
    if letters == "EVE":
        np.testing.assert_allclose(np.prod(found, axis=1), np.prod(found[0]), rtol=1e-10)


@EACH
@SIZES
def test_majorised_steps_end_at_no_better_axes(
    letters: str, p: int, k: int, apart: float, rng: np.random.Generator
) -> None:
    mass, scatter = scatters(rng, p, k, apart)
    start = np.linalg.eigh(scatter.sum(axis=0))[1]
    _, values = majorised(letters, mass, scatter, start, 50)
    assert np.all(np.diff(values) <= 1e-9 * abs(values[0]))  # the oracle itself is monotone
    sigma = family_of(letters).covariances(mass, scatter)
    axes = np.linalg.eigh(sum(rng.uniform(1.0, 2.0) * s for s in sigma))[1]
    _, values = majorised(letters, mass, scatter, axes, 50)
    assert values[0] == pytest.approx(cost(mass, scatter, sigma), rel=1e-12)
    assert values[0] - values[-1] <= 1e-10 * abs(values[0])


@EACH
def test_steps_begin_at_the_axes_that_a_mixture_has(letters: str, rng: np.random.Generator) -> None:
    """EM is monotone: a step finds no worse covariances than those before, even where phi has two minima."""
    family = family_of(letters)
    for _ in range(20):
        mass, scatter = scatters(rng, 3, 3, 3.0)
        own = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        sigma = np.array([(own * v) @ own.T for v in variances(letters, mass, scatter, own)])
        parts = {"means": np.zeros((3, 3)), "factors": np.linalg.cholesky(sigma)}
        better = family.best(parts, mass, scatter)  # type: ignore[attr-defined]
        assert cost(mass, scatter, better) <= cost(mass, scatter, sigma) + 1e-9


@EACH
def test_a_mixture_with_common_axes_is_recovered(letters: str, rng: np.random.Generator) -> None:
    angle = 0.5
    axes = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    spread = np.array([[3.0, 0.5], [0.5, 3.0]])
    X = np.concatenate([9.0 * k + (rng.normal(size=(1500, 2)) * spread[k]) @ axes.T for k in (0, 1)])
    model = er.GaussianMixture(2, covariance=letters, n_init=2).fit(X)
    for sigma, s in zip(model.covariances_[np.argsort(model.means_[:, 0])], spread, strict=True):
        np.testing.assert_allclose(sigma, (axes * s**2) @ axes.T, atol=0.7)
    assert er.verify(model, X, None).within(1e-4)
    free = er.GaussianMixture(2, n_init=2).fit(X)
    assert model.log_likelihood_ <= free.log_likelihood_ < model.log_likelihood_ + 12.0
    assert model.bic_ < free.bic_


def test_all_models_of_mclust_have_their_letters() -> None:
    letters = "EII VII EEI VEI EVI VVI EEE EVE VEE VVE EEV VEV EVV VVV"
    assert [family_of(word).letters for word in letters.split()] == letters.split()
