"""What every kernel owes: its formula, symmetry, no negative eigenvalue, derivatives, layouts, algebra."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.integrate import quad

from empirisk.kernels import REGISTRY, Gaussian, Linear, Matern, Polynomial, UserKernel, check_psd, kernel_of
from empirisk.typing import Array
from tests.oracles.complete import complete

# Kernels with numbers, and their formulas of two rows in plain NumPy.
SAMPLES: list[tuple[Any, Any]] = [
    (Linear(), lambda a, b: a @ b),
    (Gaussian(gamma=0.7), lambda a, b: np.exp(-0.7 * ((a - b) ** 2).sum())),
    (Gaussian(length_scale=0.6), lambda a, b: np.exp(-((a - b) ** 2).sum() / 0.72)),
    (REGISTRY["laplacian"](0.4), lambda a, b: np.exp(-0.4 * np.abs(a - b).sum())),
    (Polynomial(3, gamma=0.5), lambda a, b: (0.5 * a @ b + 1.0) ** 3),
    (Polynomial(2, gamma=1.5, constant=0.0), lambda a, b: (1.5 * a @ b) ** 2),
    *(
        (
            Matern(0.8, nu),
            lambda a, b, nu=nu: (
                lambda r: {0.5: 1.0, 1.5: 1.0 + r, 2.5: 1.0 + r + r * r / 3.0}[nu] * np.exp(-r)
            )(np.sqrt(2.0 * nu) * np.linalg.norm(a - b) / 0.8),
        )
        for nu in (0.5, 1.5, 2.5)
    ),
    (
        REGISTRY["rational_quadratic"](0.7, 1.3),
        lambda a, b: (1.0 + ((a - b) ** 2).sum() / (2.6 * 0.49)) ** -1.3,
    ),
    (REGISTRY["analytic"](), lambda a, b: 1.0 / (1.0 - a @ b)),
    (
        REGISTRY["periodic"](0.9, 1.1),
        lambda a, b: np.exp(-2.0 * (np.sin(np.pi * (a - b) / 0.9) ** 2).sum() / 1.21),
    ),
    *((REGISTRY["arc_cosine"](q), None) for q in (0, 1, 2)),
    (REGISTRY["precomputed"](), None),
    (2.0 * Gaussian(gamma=0.7) + Linear() * Matern(0.8, 1.5), None),
    (Linear().columns(1) * Gaussian(gamma=0.3), None),
    (2.0 * (Gaussian(length_scale=0.6) * (0.5 * Gaussian(gamma=0.3).columns(0, 2))), None),
    (0.7 * (Matern(0.8, 2.5) + Gaussian(gamma=0.3)), None),
    (UserKernel(lambda A, B: np.exp(np.asarray(A @ B.T))), lambda a, b: np.exp(a @ b)),
]
each = pytest.mark.parametrize(("kernel", "formula"), SAMPLES, ids=lambda v: getattr(v, "title", ""))


def rows(rng: np.random.Generator, n: int = 12) -> Array:
    """Rows inside of the unit ball, where every kernel is defined."""
    X = rng.normal(size=(n, 3))
    return np.asarray(0.8 * X / np.maximum(1.0, np.linalg.norm(X, axis=1, keepdims=True)))


def test_every_registered_kernel_is_tested() -> None:
    made_of_others = {"sum", "product", "scaled", "user"}
    named = {k.name for k, _ in SAMPLES} - made_of_others
    complete(named, set(REGISTRY), "a sample", "SAMPLES in tests/conformance/test_kernels.py")


@each
def test_blocks_are_the_formula(kernel: Any, formula: Any, rng: np.random.Generator) -> None:
    A, B = rows(rng), rows(rng, 7)
    if kernel.precomputed:
        return
    K = kernel.block(A, B)
    assert K.shape == (12, 7)
    if formula is not None:
        wanted = np.array([[formula(a, b) for b in B] for a in A])
        np.testing.assert_allclose(K, wanted, rtol=1e-9, atol=1e-12)
    same = kernel.block(A)
    np.testing.assert_array_equal(same, same.T)
    np.testing.assert_allclose(same, kernel.block(A, A), rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(kernel.diagonal(A), np.diag(same), rtol=1e-9)
    if kernel.normalised:
        np.testing.assert_array_equal(np.diag(same), 1.0)
    w = rng.normal(size=(7, 2))
    np.testing.assert_allclose(kernel.product(A, B, w), K @ w, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(kernel.product(A, B, w[:, 0]), K @ w[:, 0], rtol=1e-9, atol=1e-11)


@each
def test_no_eigenvalue_is_negative(kernel: Any, formula: Any, rng: np.random.Generator) -> None:
    X = rows(rng, 40)
    X = X @ X.T if kernel.precomputed else X
    found = check_psd(kernel, X)
    assert found.holds, found.sentence
    assert found.witness @ kernel.block(X) @ found.witness == pytest.approx(found.smallest, abs=found.error)


@each
def test_derivatives_are_those_of_differences(kernel: Any, formula: Any, rng: np.random.Generator) -> None:
    if kernel.precomputed:
        return
    A, B = rows(rng), rows(rng, 5)
    told = dict(kernel.parameters)
    found = kernel.derivatives(A, B)
    assert len(found) == len(told)
    for (name, value), slope in zip(told.items(), found, strict=True):
        up, down = (kernel.with_parameters(**{name: value * np.exp(h)}).block(A, B) for h in (1e-5, -1e-5))
        np.testing.assert_allclose(slope, (up - down) / 2e-5, rtol=1e-5, atol=1e-8)


@each
def test_contracted_derivatives_are_their_sums(kernel: Any, formula: Any, rng: np.random.Generator) -> None:
    if kernel.precomputed:
        return
    A, B = rows(rng), rows(rng, 5)
    for one, other in ((A, None), (A, B), *([(sp.csr_array(A), None)] if kernel.name != "user" else [])):
        K = np.asarray(kernel.block(one, other))
        adjoint = rng.normal(size=K.shape)
        # Half of the upper triangle stands for the whole: blocks of A with itself are symmetric.
        adjoint = adjoint if other is not None else np.triu(adjoint)
        wanted = [float((adjoint * d).sum()) for d in kernel.derivatives(one, other)]
        before = adjoint.copy()
        np.testing.assert_allclose(kernel.contracted(adjoint, K, one, other), wanted, rtol=1e-9, atol=1e-11)
        np.testing.assert_array_equal(adjoint, before)
        np.testing.assert_array_equal(kernel.block(one, other), K)


@each
def test_formats_and_layouts_agree(kernel: Any, formula: Any, rng: np.random.Generator) -> None:
    if kernel.precomputed:
        return
    A = rows(rng)
    A[rng.random(A.shape) < 0.4] = 0.0
    K = kernel.block(A)
    np.testing.assert_allclose(kernel.block(np.asfortranarray(A)), K, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel.block(np.repeat(A, 2, axis=0)[::2]), K, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel.block(A.astype(np.float32)), K, rtol=2e-4, atol=2e-4)
    if kernel.name != "user":
        np.testing.assert_allclose(kernel.block(sp.csr_array(A)), K, rtol=1e-7, atol=1e-7)
        assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert kernel == kernel.resolved(A)
    centres = kernel.centres(A, np.array([3, 1]))
    np.testing.assert_allclose(kernel.block(A, centres), K[:, [3, 1]], rtol=1e-7, atol=1e-7)


@each
def test_spectra_belong_to_the_kernel(kernel: Any, formula: Any) -> None:
    rng = np.random.default_rng(3)
    waves = None if kernel.precomputed else kernel.spectrum(rng, 3, 200_000)
    if waves is None:
        return
    x = np.array([[0.3, -0.2, 0.1]])
    wanted = kernel.block(x, np.zeros((1, 3)))[0, 0] / kernel.diagonal(x)[0]
    assert np.cos(x @ waves).mean() == pytest.approx(wanted, abs=5.0 / np.sqrt(200_000))


@pytest.mark.parametrize("order", [0, 1, 2])
def test_arc_cosine_is_the_integral_over_the_layer(order: int) -> None:
    # In the plane of the two rows w is normal: its length integrates to 2^q q!, and its angle is left.
    a, b = np.array([[0.6, 0.1]]), np.array([[-0.2, 0.7]])

    def layer(angle: float) -> float:
        w = np.array([np.cos(angle), np.sin(angle)])
        u, v = float(a[0] @ w), float(b[0] @ w)
        return u**order * v**order if u > 0.0 and v > 0.0 else 0.0

    turns = [float(np.arctan2(r[0, 0], -r[0, 1])) + half for r in (a, b) for half in (0.0, np.pi)]
    borders = np.sort(np.mod(turns, 2.0 * np.pi))
    value, _ = quad(layer, 0.0, 2.0 * np.pi, points=borders, epsabs=1e-12)
    value *= 2.0 * 2.0**order * math.factorial(order) / (2.0 * np.pi)
    assert REGISTRY["arc_cosine"](order).block(a, b)[0, 0] == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("name", ["gaussian", "laplacian", "polynomial"])
def test_widths_by_words(name: str, rng: np.random.Generator) -> None:
    X = rng.normal(size=(30, 4)) * 3.0 + 1.0
    made = kernel_of(name).resolved(X)
    assert made.parameters["gamma"] == pytest.approx(1.0 / (4.0 * X.var()))
    s = rng.integers(0, 3, 30).astype(float)
    again = kernel_of(name).resolved(np.repeat(X, s.astype(int), axis=0))
    assert kernel_of(name).resolved(X, s).parameters["gamma"] == pytest.approx(again.parameters["gamma"])
    sparse = kernel_of(name).resolved(sp.csr_array(X)).parameters["gamma"]
    assert sparse == pytest.approx(made.parameters["gamma"])


def test_a_median_is_that_of_all_pairs(rng: np.random.Generator) -> None:
    X = rng.normal(size=(25, 2))
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))[np.triu_indices(25, 1)]
    gamma = Gaussian("median").resolved(X).parameters["gamma"]
    assert (d <= 1.0 / np.sqrt(2.0 * gamma) + 1e-12).sum() == len(d) // 2


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Gaussian(gamma=0.0), "gamma of the kernel 'gaussian' must be .* finite number > 0, got 0.0"),
        (lambda: Gaussian(gamma=1.0, length_scale=1.0), "gamma or length_scale, not both"),
        (lambda: Gaussian(gamma="wide"), '"scale" or "median"'),
        (lambda: Matern(1.0, 2.0), "nu of the kernel 'matern' must be 0.5, 1.5 or 2.5"),
        (lambda: Polynomial(0), "degree of the kernel 'polynomial' must be an integer from 1"),
        (lambda: Polynomial(2, constant=-1.0), "negative eigenvalues"),
        (lambda: REGISTRY["arc_cosine"](3), "order of the kernel 'arc_cosine' must be 0, 1 or 2"),
        (lambda: REGISTRY["periodic"](0.0), "period of the kernel 'periodic' must be"),
        (lambda: -1.0 * Linear(), "multiplied by a finite number > 0"),
        (lambda: REGISTRY["analytic"]().check(np.eye(2)), "row 0 has norm 1"),
        (lambda: Linear().columns(5).check(np.eye(2)), "column 5, and X has 2 columns"),
        (lambda: Gaussian(gamma=1.0).with_parameters(width=2.0), "no parameter 'width'"),
        (lambda: UserKernel(lambda A, B: A).block(np.eye(3)[:2]), r"of shape \(2, 2\), got shape \(2, 3\)"),
        (lambda: UserKernel(lambda A, B: np.triu(A @ B.T + 1.0)).block(np.eye(2)), "must be symmetric"),
    ],
)
def test_what_is_no_kernel_is_refused(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


def test_a_matrix_with_a_negative_eigenvalue_has_a_witness() -> None:
    K = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0], [2.0, 0.0, 1.0]])
    found = check_psd(REGISTRY["precomputed"](), K)
    assert not found.holds
    assert found.witness @ K @ found.witness == pytest.approx(-1.0)
    assert "no Mercer kernel" in found.sentence
