"""Compiled sequential minimal optimisation: optimality, small caches, threads, and rounding of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from empirisk import _loops
from empirisk.kernels import Gaussian
from empirisk.kernels.compiled import arguments

LIMIT = 5.0


def overlapping(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 0] * X[:, 1] + 0.7 * rng.normal(size=n) > 0.0, 1.0, -1.0)


def machine(X: Any, y: Any, cache: float, tolerance: float = 1e-6) -> tuple[dict[str, Any], Any, Any]:
    """Run the loop from 0 with ``0 <= y v <= 5``, and return its report, the values and ``K v``."""
    form, numbers, rows, centre = arguments(Gaussian(gamma=0.5).loop, X)
    return minimised(_loops.Smo.of_kernel(form, numbers, rows, centre, cache), y, tolerance)


def minimised(smo: Any, y: Any, tolerance: float) -> tuple[dict[str, Any], Any, Any]:
    """Run the loop on its rows of K from 0, and return its report, the values and ``K v``."""
    n = len(y)
    v, f = np.zeros(n), np.zeros(n)
    low, high = np.minimum(0.0, LIMIT * y), np.maximum(0.0, LIMIT * y)
    return smo.run(v, f, np.arange(n), low, high, -y, tolerance, 1000), v, f


def violation(X: Any, y: Any, v: Any) -> float:
    """The largest violation of the optimality conditions at v, with K in float64."""
    slope = Gaussian(gamma=0.5).block(X) @ v - y
    rises, falls = v < np.maximum(0.0, LIMIT * y), v > np.minimum(0.0, LIMIT * y)
    return float(slope[falls].max() - slope[rises].min())


@pytest.mark.parametrize("share", [2.0, 0.5, 0.2, 0.01])
def test_small_caches_change_the_memory_and_not_the_work(share: float, rng: np.random.Generator) -> None:
    """Rows that stay in a small cache when columns leave have to keep their values."""
    X, y = overlapping(rng, 600)
    whole, _, _ = machine(X, y, 1e8)
    found, v, f = machine(X, y, share * 4.0 * 600 * 600)
    assert found["inner"] <= 3 * whole["inner"]
    assert abs(v.sum()) <= 1e-9
    assert violation(X, y, v) <= 1e-3
    np.testing.assert_allclose(f, Gaussian(gamma=0.5).block(X) @ v, atol=1e-3)


def test_any_number_of_threads_gives_the_same_bits(rng: np.random.Generator) -> None:
    X, y = overlapping(rng, 1500)
    answers = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            answers.append(machine(X, y, 2e6)[1])
    np.testing.assert_array_equal(*answers)


def test_rows_far_from_0_are_centred_before_they_are_rounded(rng: np.random.Generator) -> None:
    """In float32 numbers near 1e6 are 0.06 apart: the differences of these rows would be lost."""
    X, y = overlapping(rng, 300)
    far = np.round(X, 3) + 2.0**20
    _, v, _ = machine(far, y, 1e8)
    assert violation(far - 2.0**20, y, v) <= 1e-3


def test_rows_too_long_for_float32_keep_their_digits(rng: np.random.Generator) -> None:
    """Two clouds far apart: squares of 1e10 leave float32 no digits for distances of 1."""
    X, y = overlapping(rng, 300)
    X[::2, 0] += 1e5
    _, v, _ = machine(X, y, 1e8)
    assert violation(X, y, v) <= 1e-3


def test_sparse_rows_are_the_same_machine(rng: np.random.Generator) -> None:
    X, y = overlapping(rng, 300)
    X[rng.random(X.shape) < 0.5] = 0.0
    _, v, _ = machine(sp.csr_matrix(X), y, 1e8)
    assert violation(X, y, v) <= 1e-3


@pytest.mark.parametrize("share", [2.0, 0.1])
def test_rows_of_a_function_are_those_of_the_compiled_kernel(share: float, rng: np.random.Generator) -> None:
    X, y = overlapping(rng, 300)
    kernel = Gaussian(gamma=0.5)

    def block(rows: Any, columns: Any) -> Any:
        return np.ascontiguousarray(kernel.block(X[rows], X[columns]))

    smo = _loops.Smo.of_blocks(300, block, np.ones(300), share * 4.0 * 300 * 300)
    _, v, f = minimised(smo, y, 1e-6)
    assert violation(X, y, v) <= 1e-3
    np.testing.assert_allclose(f, kernel.block(X) @ v, atol=1e-3)
