"""The compiled pass of Gaussian mixtures against plain NumPy, over formats, widths, strides and threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp
from threadpoolctl import threadpool_limits

from empirisk import _loops


def twin(X: Any, mean: Any, inverse: Any, scale: Any, weight: Any, given: Any = None) -> tuple[Any, ...]:
    """The same sums, log-densities and chances by arrays of all rows and parts."""
    d = X.astype(np.float64)[:, None] - mean
    full = inverse.ndim == 3
    y = (
        np.einsum("kij,nkj->nki", np.broadcast_to(inverse, (len(mean), *inverse.shape[1:])), d)
        if full
        else d * inverse
    )
    logs = scale - 0.5 * (y**2).sum(axis=-1)
    log = logsumexp(logs, axis=1)
    chance = np.exp(logs - log[:, None]) if given is None else given
    r = chance * weight[:, None]
    squares = np.einsum("nk,nki,nkj->kij", r, d, d) if full else np.einsum("nk,nkj->kj", r, d**2)
    squares = np.tril(squares) if full else squares
    return weight @ log, r.sum(axis=0), np.einsum("nk,nkj->kj", r, d), squares, log, chance


def case(rng: np.random.Generator, n: int, p: int, full: bool, shared: bool) -> tuple[Any, ...]:
    """Three parts, with one factor or three."""
    f = 1 if shared else 3
    inverse = np.tril(0.3 * rng.normal(size=(f, p, p))) + np.eye(p) if full else rng.uniform(0.5, 2.0, (f, p))
    return (
        rng.normal(size=(n, p)),
        rng.normal(size=(3, p)),
        inverse,
        rng.normal(size=3),
        rng.integers(0, 3, n) * 1.0,
    )


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("p", [1, 2, 4, 5, 9, 17])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_of_the_twin(dtype: Any, p: int, full: bool, shared: bool, rng: np.random.Generator) -> None:
    X, mean, inverse, scale, weight = case(rng, 2300, p, full, shared)
    X = X.astype(dtype)
    tol = 1e-11 if dtype == np.float64 else 3e-4
    found, log, chance = _loops.gaussian_mixture_pass(X, mean, inverse, scale, weight, rows=True)
    value, *parts, log2, chance2 = twin(X, mean, inverse, scale, weight)
    assert found[0] == pytest.approx(value, rel=tol)
    at = 1
    for part in parts:
        np.testing.assert_allclose(
            found[at : at + part.size].reshape(part.shape), part, atol=tol * np.abs(part).max()
        )
        at += part.size
    np.testing.assert_allclose(log, log2, rtol=tol, atol=tol)
    np.testing.assert_allclose(chance, chance2, atol=10.0 * tol)


@pytest.mark.parametrize("full", [False, True])
def test_given_chances_and_any_strides(full: bool, rng: np.random.Generator) -> None:
    X, mean, inverse, scale, weight = case(rng, 700, 5, full, False)
    given = rng.dirichlet(np.ones(3), 700)
    given[:300, 1] = 0.0
    plain = _loops.gaussian_mixture_pass(X, mean, inverse, scale, weight, given)[0]
    _, *parts, _, _ = twin(X, mean, inverse, scale, weight, given)
    np.testing.assert_allclose(plain[1:], np.concatenate([np.ravel(x) for x in parts]), atol=1e-10)
    for other in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X[::-1].copy()[::-1]):
        other.flags.writeable = False
        np.testing.assert_array_equal(
            _loops.gaussian_mixture_pass(other, mean, inverse, scale, weight, given)[0], plain
        )


@pytest.mark.parametrize("full", [False, True])
def test_same_bits_for_any_number_of_threads(full: bool, rng: np.random.Generator) -> None:
    X, mean, inverse, scale, weight = case(rng, 40_000, 9, full, False)
    with threadpool_limits(1):
        one = _loops.gaussian_mixture_pass(X, mean, inverse, scale, weight, rows=True)
    with threadpool_limits(3):
        other = _loops.gaussian_mixture_pass(X, mean, inverse, scale, weight, rows=True)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


def test_rows_that_no_part_can_tell_are_shared(rng: np.random.Generator) -> None:
    """Where every square overflows the density is 0, the chances are equal, and nothing is NaN."""
    X = np.array([[1e200], [0.0]])
    _, log, chance = _loops.gaussian_mixture_pass(
        X, np.array([[0.0], [1.0]]), np.ones((2, 1)), np.zeros(2), rows=True
    )
    assert log[0] == -np.inf
    np.testing.assert_array_equal(chance[0], [0.5, 0.5])
    # A row of weight 0 adds nothing, however far away it is.
    sums, _, _ = _loops.gaussian_mixture_pass(
        X, np.array([[0.0], [1.0]]), np.ones((2, 1)), np.zeros(2), np.array([0.0, 1.0])
    )
    assert np.isfinite(sums).all()


def test_shapes_are_checked() -> None:
    X, ok = np.zeros((4, 2)), np.zeros((3, 2))
    for arguments, words in (
        ((X, np.zeros((3, 1)), np.ones((3, 2)), np.zeros(3)), "mean has shape"),
        ((X, ok, np.ones((2, 2)), np.zeros(3)), "one factor, or one for each mean"),
        ((X, ok, np.ones((3, 2, 3)), np.zeros(3)), "inverse has shape"),
        ((X, ok, np.ones((3, 2)), np.zeros(2)), "log_scale has shape"),
        ((X, ok, np.ones((3, 2)), np.zeros(3), np.ones(5)), "weights has shape"),
    ):
        with pytest.raises(ValueError, match=words):
            _loops.gaussian_mixture_pass(*arguments)
