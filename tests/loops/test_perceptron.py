"""The pass of the perceptron against plain Python, over every form that it takes."""

from __future__ import annotations

import numpy as np
import pytest

from empirisk import _loops
from tests.loops.layouts import DTYPES, matrix

FORMS = ["C", "padded rows", "csr32", "csr64"]


def twin(A, y, order, v, lag, longest, intercept, time, run, best):
    mistakes = 0
    for k, i in enumerate(order):
        x = np.append(A[i], 1.0) if intercept else A[i]
        if y[i] * float(x @ v) > 0.0:
            run += 1
            continue
        if run > best:
            best, longest = run, v.copy()
        run, mistakes = 0, mistakes + 1
        v = v + y[i] * x
        lag = lag + (time + k) * y[i] * x
    if run > best:
        best, longest = run, v.copy()
    return v, lag, longest, (mistakes, run, best)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("shape", [(1, 1), (7, 1), (65, 8), (129, 17)], ids=str)
def test_pass(form, dtype, intercept, shape, rng) -> None:
    X, A = matrix(rng, shape, dtype, form)
    y = np.where(rng.random(shape[0]) < 0.5, -1.0, 1.0)
    order = rng.permutation(shape[0])
    v, lag, longest = (rng.normal(size=shape[1] + intercept) for _ in range(3))
    want = twin(A, y, order, v, lag, longest, intercept, 5.0, 2, 3)
    counts = _loops.perceptron_pass(X, y, order, v, lag, longest, intercept, 5.0, 2, 3)
    assert tuple(counts) == want[3]
    for got, expected in zip((v, lag, longest), want[:3], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-12, atol=1e-9)


def test_refusals(rng) -> None:
    X, _ = matrix(rng, (4, 3), np.float64, "C")
    y, v = np.ones(4), np.zeros(3)
    with pytest.raises(ValueError, match="order names a row"):
        _loops.perceptron_pass(X, y, np.array([4]), v, None, None, False, 0.0, 0, 0)
    with pytest.raises(ValueError, match="contiguous rows"):
        _loops.perceptron_pass(np.asfortranarray(X), y, np.arange(4), v, None, None, False, 0.0, 0, 0)
