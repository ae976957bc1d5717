"""Gram matrices and column moments against NumPy and exact arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from empirisk import _loops
from tests.loops.layouts import (
    DENSE,
    DTYPES,
    FORMS,
    SHAPES,
    check_product,
    for_thread_counts,
    matrix,
    same_bits,
)

WIDER = [*SHAPES, (300, 270), (1030, 97)]  # above 256 columns threads share the tiles of a block


@pytest.mark.parametrize("form", DENSE)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", WIDER)
def test_gram(rng: np.random.Generator, shape: tuple[int, int], dtype: type, form: str) -> None:
    X, A = matrix(rng, shape, dtype, form)
    unit = float(np.finfo(dtype).eps)
    s = rng.random(shape[0]) * (rng.random(shape[0]) < 0.9)
    c = rng.standard_normal(shape[1])
    for weights in (None, s):
        for center in (None, c):
            B = A if center is None else A - c
            root = np.ones(shape[0]) if weights is None else np.sqrt(s)
            R = root[:, None] * B
            G = _loops.gram(X, weights, center)
            check_product(G, R.T, R, unit)
            assert np.array_equal(G, G.T)
            assert G.dtype == np.float64
            if shape[0] <= 300:
                K = _loops.gram_rows(X, weights, center)
                check_product(K, R, R.T, unit)
                assert np.array_equal(K, K.T)


def test_centring_does_not_cancel(rng: np.random.Generator) -> None:
    deviation = rng.standard_normal((500, 20))
    X = deviation + 1e8
    c = X.mean(axis=0)
    exact = (X - c).T @ (X - c)
    assert np.allclose(_loops.gram(X, None, c), exact, rtol=1e-12, atol=1e-12 * np.trace(exact))
    with np.errstate(over="ignore"):
        textbook = X.T @ X - len(X) * np.outer(c, c)
    assert not np.allclose(textbook, exact, rtol=1e-2)  # the case is as hard as it is meant to be


@pytest.mark.parametrize("form", DENSE)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(6000, 40), (900, 400), (40, 6000)])
def test_gram_has_the_same_bits_for_any_number_of_threads(
    rng: np.random.Generator, shape: tuple[int, int], dtype: type, form: str
) -> None:
    X, _ = matrix(rng, shape, dtype, form)
    loop = _loops.gram if shape[0] >= shape[1] or shape[1] < 1000 else _loops.gram_rows
    s, c = rng.random(shape[0]), rng.standard_normal(shape[1])
    assert same_bits(for_thread_counts(lambda: loop(X, s, c)))


@pytest.mark.parametrize("form", DENSE)
@pytest.mark.parametrize("shape", [(700, 40), (700, 270), (40, 700)])
def test_wide_sums_of_float32_are_those_of_the_same_numbers_in_float64(
    rng: np.random.Generator, shape: tuple[int, int], form: str
) -> None:
    X, A = matrix(rng, shape, np.float32, form)
    s, c = rng.random(shape[0]), rng.standard_normal(shape[1])
    for loop in (_loops.gram, _loops.gram_rows):
        assert np.array_equal(loop(X, s, c, wide=True), loop(A, s, c))
        assert not np.array_equal(loop(X, s, c), loop(A, s, c))


def test_float32_far_from_zero_and_of_many_sizes_keeps_the_digits_of_float32(
    rng: np.random.Generator,
) -> None:
    """Columns of deviation 1e-2 to 1e4 with means of 5,000 deviations, summed exactly by their integers."""
    n, p = 3000, 300
    size = 2.0 ** rng.integers(-7, 14, p)
    whole = rng.integers(-500, 501, (n, p))
    X = ((whole + 1_500_000) * size / 256.0).astype(np.float32)
    assert np.array_equal(X.astype(np.float64) * (256.0 / size), whole + 1_500_000)  # float32 holds them
    center = X.mean(axis=0, dtype=np.float64)
    got = _loops.gram(X, None, center) / np.outer(size, size) * 256.0**2
    total = whole.sum(axis=0)
    exact = whole.T @ whole - np.outer(total, total) / n
    root = np.sqrt(np.diagonal(exact))
    # A block of 256 rows is summed in float32: 256 roundings at worst, of which most cancel.
    assert np.abs(got - exact).max() < 16.0 * np.finfo(np.float32).eps * np.outer(root, root).max()
    one_pass = X.T @ X - np.float32(n) * np.outer(center, center).astype(np.float32)
    lost = np.abs(one_pass / np.outer(size, size) * 256.0**2 - exact) / np.outer(root, root)
    assert lost.max() > 1.0  # the case is as hard as it is meant to be


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_moments(rng: np.random.Generator, shape: tuple[int, int], dtype: type, form: str) -> None:
    X, A = matrix(rng, shape, dtype, form)
    n, p = shape
    s = rng.random(n) * (rng.random(n) < 0.9)
    for weights in (None, s):
        w = np.ones(n) if weights is None else s
        mean, square = _loops.col_moments(X, weights)
        want = w @ A / w.sum() if w.sum() > 0 else np.zeros(p)
        assert np.all(np.abs(mean - want) <= 1e-14 * (np.abs(want) + np.abs(A).max(initial=0.0)))
        want_square = w @ (A - want) ** 2
        assert np.all(np.abs(square - want_square) <= 1e-13 * want_square + 1e-28)


@pytest.mark.parametrize("form", FORMS)
def test_moments_keep_their_digits_far_from_zero(form: str) -> None:
    # Mean 1e8, deviation 1, and (second column) a first row that is itself an outlier; exact rational truth.
    rng = np.random.default_rng(3)
    A = 1e8 + rng.standard_normal((1200, 2))
    A[:, 1] -= 1e8
    A[0, 1] = 1e8
    s = rng.integers(0, 4, 1200).astype(float)
    mean, square = _loops.col_moments(FORMS[form](A), s)
    for j in range(2):
        x, w = [Fraction(v) for v in A[:, j]], [Fraction(v) for v in s]
        m = sum(a * b for a, b in zip(x, w, strict=True)) / sum(w)
        ssq = sum(b * (a - m) ** 2 for a, b in zip(x, w, strict=True))
        assert mean[j] == pytest.approx(float(m), rel=32 * np.finfo(float).eps)
        assert square[j] == pytest.approx(float(ssq), rel=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_moments_of_a_constant_column_are_exact(form: str) -> None:
    mean, square = _loops.col_moments(FORMS[form](np.full((5000, 3), 0.1)))
    assert np.all(np.abs(mean - 0.1) <= 2e-17 * 5000**0.5)
    assert np.all(square <= 5000 * (1e-15) ** 2)


@pytest.mark.parametrize("form", FORMS)
def test_moments_have_the_same_bits_for_any_number_of_threads(rng: np.random.Generator, form: str) -> None:
    X, _ = matrix(rng, (5000, 70), np.float64, form)
    s = rng.random(5000)
    assert same_bits(for_thread_counts(lambda: _loops.col_moments(X, s)))


def test_no_weight_gives_zeros() -> None:
    X = np.ones((4, 2))
    for result in (_loops.gram(X, np.zeros(4)), *_loops.col_moments(X, np.zeros(4)), _loops.gram(X[:0])):
        assert not result.any()


def test_wrong_arguments_are_named() -> None:
    X = np.ones((4, 2))
    with pytest.raises(ValueError, match=r"weights has shape \(3,\), expected \(4,\)"):
        _loops.gram(X, np.ones(3))
    with pytest.raises(ValueError, match=r"col_center has shape \(4,\), expected \(2,\)"):
        _loops.gram_rows(X, None, np.ones(4))
    with pytest.raises(ValueError, match="X must be a dense array"):
        _loops.gram(FORMS["csr32"](X))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"weights has shape \(4, 1\)"):
        _loops.col_moments(X, np.ones((4, 1)))
