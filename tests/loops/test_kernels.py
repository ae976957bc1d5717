"""Blocks of kernels and products with them against plain NumPy, over layouts, formats and threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from empirisk.kernels import compiled
from empirisk.kernels.base import Loop
from tests.loops.layouts import DENSE, DTYPES, SHAPES, for_thread_counts, matrix, same_bits


def plain(loop: Loop, A: Any, B: Any) -> Any:
    """Return the kernel's definition in plain NumPy, in float64."""
    inner, d = A @ B.T, A[:, None, :] - B[None, :, :]
    a, b = (*loop.numbers, 0.0, 0.0)[:2]
    with np.errstate(over="ignore"):
        r = np.sqrt((d**2).sum(-1))
        forms = {
            "linear": lambda: inner,
            "gaussian": lambda: np.exp(-a * r**2),
            "polynomial": lambda: (a * inner + b) ** loop.numbers[2],
            "laplacian": lambda: np.exp(-a * np.abs(d).sum(-1)),
            "matern": lambda: {
                1.0: np.exp(-r * b),
                3.0: (1.0 + 3**0.5 * r * b) * np.exp(-(3**0.5) * r * b),
                5.0: (1.0 + 5**0.5 * r * b + 5.0 * (r * b) ** 2 / 3.0) * np.exp(-(5**0.5) * r * b),
            }[a],
        }
        return forms[loop.form]()


LOOPS = [
    Loop("inner", "linear"),
    Loop("squared_distance", "gaussian", (0.3,)),
    Loop("inner", "polynomial", (0.2, 0.5, 3.0)),
    Loop("manhattan", "laplacian", (0.1,)),
    *(Loop("squared_distance", "matern", (halves, 0.7)) for halves in (1.0, 3.0, 5.0)),
]


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: f"{loop.form}{loop.numbers}")
@pytest.mark.parametrize("form", [*DENSE, "csr32", "csr64"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_blocks_are_those_of_the_definition(
    rng: np.random.Generator, shape: tuple[int, int], dtype: type, form: str, loop: Loop
) -> None:
    X, A = matrix(rng, shape, dtype, form)
    X, A = X[:300], A[:300]
    Y, B = matrix(rng, (37, shape[1]), dtype, form)
    expected, unit = plain(loop, A, B), float(np.finfo(dtype).eps)
    # A distance of equal size may have lost half of its digits to cancellation, and a root halves them.
    scale = 1.0 + np.abs(expected)
    slack = unit * (8.0 + shape[1]) * scale * (1.0 + np.abs(A).max(initial=0.0) ** 2)
    slack = np.sqrt(unit) * scale if loop.form == "matern" else slack * 4.0
    block = compiled.block(loop, X, Y)
    assert block.dtype == dtype
    assert (np.abs(block - expected) <= slack).all()
    weights = rng.standard_normal((37, 3))
    for w in (weights, weights[:, 0]):
        got = compiled.product(loop, X, Y, w)
        assert got.shape == (len(A), *w.shape[1:])
        assert (np.abs(got - expected @ w) <= slack.max(initial=0.0) * np.abs(w).sum(axis=0)).all()


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: f"{loop.form}{loop.numbers}")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", ["C", "csr32"])
def test_a_matrix_of_one_side_is_symmetric_and_equal_rows_are_equal(
    rng: np.random.Generator, dtype: type, form: str, loop: Loop
) -> None:
    X, A = matrix(rng, (90, 700), dtype, form)
    X = X[np.r_[0:90, 0:90]]
    K = compiled.block(loop, X)
    assert np.array_equal(K, K.T)
    assert np.array_equal(K[:90], K[90:])
    if loop.base != "inner":
        assert (np.diag(K) == 1.0).all()
        assert (K[np.arange(90), np.arange(90, 180)] == 1.0).all()
    assert not np.array_equal(A[0], A[1])


@pytest.mark.parametrize("form", ["C", "csr32"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_any_number_of_threads_gives_the_same_bits(rng: np.random.Generator, dtype: type, form: str) -> None:
    X, _ = matrix(rng, (700, 50), dtype, form)
    w = rng.standard_normal(700)
    loop = LOOPS[1]
    assert same_bits(for_thread_counts(lambda: (compiled.block(loop, X), compiled.product(loop, X, X, w))))
