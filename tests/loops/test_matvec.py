"""Products with X against NumPy, in every storage."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk import _loops
from tests.loops.layouts import DTYPES, FORMS, SHAPES, check_product, for_thread_counts, matrix, same_bits


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_products(rng: np.random.Generator, shape: tuple[int, int], dtype: type, form: str) -> None:
    X, A = matrix(rng, shape, dtype, form)
    n, p = shape
    ones = np.ones((n, 1))
    for k in (0, 1, 2, 3, 4, 7, 10):
        W, U, b = rng.standard_normal((p, k)), rng.standard_normal((n, k)), rng.standard_normal(k)
        check_product(_loops.matvec(X, W, b), np.hstack([A, ones]), np.vstack([W, b]))
        check_product(_loops.rmatvec(X, U), A.T, U)
    w, u = rng.standard_normal(p), rng.standard_normal(n)
    check_product(_loops.matvec(X, w), A, w)
    check_product(_loops.matvec(X, w, 0.25), np.hstack([A, ones]), np.append(w, 0.25))
    check_product(_loops.rmatvec(X, u), A.T, u)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_hessian_products(rng: np.random.Generator, shape: tuple[int, int], dtype: type, form: str) -> None:
    X, A = matrix(rng, shape, dtype, form)
    n, p = shape
    B = np.hstack([A, np.ones((n, 1))])
    d, v = rng.random(n), rng.standard_normal(p + 1)
    product, product_b = _loops.weighted_hessian_product(X, d, v[:p], v[p])
    bound = np.abs(B.T) @ (d * (np.abs(B) @ np.abs(v)))
    assert np.all(np.abs(np.append(product, product_b) - B.T @ (d * (B @ v))) <= 1e-14 * bound)
    for k, s in ((1, None), (3, d), (10, None)):
        P, V = rng.dirichlet(np.ones(k), size=n), rng.standard_normal((p + 1, k))
        G, G_b = _loops.softmax_hessian_product(X, P, s, V[:p], V[p])
        weight = np.ones(n) if s is None else d
        want, bound = np.zeros((p + 1, k)), np.zeros((p + 1, k))
        for c in range(k):
            for j in range(k):  # block (c, j) of the Hessian: X' diag(s p_c (1[c = j] - p_j)) X
                want[:, c] += B.T @ (weight * P[:, c] * ((c == j) - P[:, j]) * (B @ V[:, j]))
                bound[:, c] += abs(B.T) @ (weight * P[:, c] * ((c == j) + P[:, j]) * (abs(B) @ abs(V[:, j])))
        assert np.all(np.abs(np.vstack([G, G_b]) - want) <= 1e-14 * bound)


@pytest.mark.parametrize("form", FORMS)
def test_same_bits_for_any_number_of_threads(rng: np.random.Generator, form: str) -> None:
    X, _ = matrix(rng, (4000, 90), np.float64, form)
    w, u, U = rng.standard_normal(90), rng.standard_normal(4000), rng.standard_normal((4000, 3))
    assert same_bits(for_thread_counts(lambda: _loops.matvec(X, w)))
    assert same_bits(for_thread_counts(lambda: _loops.rmatvec(X, u)))
    assert same_bits(for_thread_counts(lambda: _loops.rmatvec(X, U)))
    assert same_bits(for_thread_counts(lambda: _loops.weighted_hessian_product(X, u, w, 1.0)))


def test_out_is_written_and_returned(rng: np.random.Generator) -> None:
    X, A = matrix(rng, (30, 4), np.float64, "C")
    w, u, z, g = rng.standard_normal(4), rng.standard_normal(30), np.full(30, np.nan), np.full(4, np.nan)
    assert _loops.matvec(X, w, out=z) is z
    assert _loops.rmatvec(X, u, out=g) is g
    check_product(z, A, w)
    check_product(g, A.T, u)
    read_only = np.zeros(30)
    read_only.setflags(write=False)
    for bad in (read_only, np.zeros(60)[::2], np.zeros(30, np.float32), np.zeros(29)):
        with pytest.raises(ValueError, match="out"):
            _loops.matvec(X, w, out=bad)


def test_other_types_are_converted(rng: np.random.Generator) -> None:
    X, A = matrix(rng, (30, 4), np.float64, "C")
    w = np.array([1, -2, 3, 4])
    check_product(_loops.matvec(X, w), A, w.astype(float))
    check_product(_loops.matvec(X, np.array([w, w]).astype(np.float32)[1]), A, w.astype(float))
    check_product(_loops.matvec(X, np.array([w, w]).T[::-1]), A, np.array([w, w]).T[::-1].astype(float))


def test_wrong_arguments_are_named(rng: np.random.Generator) -> None:
    X = rng.standard_normal((6, 4))
    with pytest.raises(ValueError, match=r"w has shape \(3,\), expected \(4,\)"):
        _loops.matvec(X, np.zeros(3))
    with pytest.raises(ValueError, match=r"b has shape \(3,\), expected \(2,\)"):
        _loops.matvec(X, np.zeros((4, 2)), np.zeros(3))
    with pytest.raises(ValueError, match=r"u has shape \(4,\), expected \(6,\)"):
        _loops.rmatvec(X, np.zeros(4))
    with pytest.raises(ValueError, match=r"X has shape \(24,\), expected two dimensions"):
        _loops.matvec(X.ravel(), np.zeros(4))
    with pytest.raises(ValueError, match="X must be float64 or float32"):
        _loops.matvec(X.astype(int), np.zeros(4))
    with pytest.raises(ValueError, match="X must be a NumPy array"):
        _loops.matvec([[1.0]], np.zeros(1))
    with pytest.raises(ValueError, match="X must be dense, CSR or CSC, not coo"):
        _loops.matvec(sp.coo_array(X), np.zeros(4))
    with pytest.raises(ValueError, match=r"d has shape \(5,\)"):
        _loops.weighted_hessian_product(X, np.zeros(5), np.zeros(4))
    with pytest.raises(ValueError, match=r"V has shape \(4, 2\), expected \(4, 3\)"):
        _loops.softmax_hessian_product(X, np.zeros((6, 3)), None, np.zeros((4, 2)))


def test_broken_sparse_structure_is_refused() -> None:
    X = sp.csr_array(np.eye(4))
    w = np.zeros(4)
    X.indptr[-1] = 5
    with pytest.raises(ValueError, match="X: indptr does not fit the stored values"):
        _loops.matvec(X, w)
    X = sp.csr_array(np.eye(4))
    X.indptr = X.indptr.astype(np.int64)
    with pytest.raises(ValueError, match="X: indices and indptr must both be int32 or both int64"):
        _loops.matvec(X, w)
