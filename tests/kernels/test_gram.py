"""The kept kernel matrix: its values, what it keeps and forgets, and its limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import empirisk as er
from empirisk.data import memory as system_memory
from empirisk.kernels import Gaussian, Gram, Linear, Precomputed

KERNEL = Gaussian(gamma=0.3)


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The kernel values of each whole matrix that is made from now on."""
    made: list[int] = []
    plain = Gaussian.block

    def block(self: Gaussian, A: Any, B: Any = None) -> Any:
        out = plain(self, A, B)
        if out.shape[0] > 100:  # fewer rows are the look at how alike they are
            made.append(out.size)
        return out

    monkeypatch.setattr(Gaussian, "block", block)
    return made


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", ["dense", "csr", "precomputed"])
def test_rows_products_and_the_matrix_have_the_values(
    form: str, dtype: Any, rng: np.random.Generator
) -> None:
    X = rng.normal(size=(30, 4)) * (rng.uniform(size=(30, 4)) < 0.7)
    K = np.exp(-0.3 * ((X[:, None] - X) ** 2).sum(axis=2))
    given = {"dense": X, "csr": sp.csr_array(X), "precomputed": 0.5 * (K + K.T)}[form]
    gram = Gram(Precomputed() if form == "precomputed" else KERNEL, given, memory=1.0, dtype=dtype)
    v = rng.normal(size=(30, 2))
    close = {"atol": 1e-6 if dtype == np.float32 else 1e-12, "rtol": 0.0}
    for _ in range(2):  # nothing kept, then some rows
        np.testing.assert_allclose(gram.product(v), K @ v, atol=30 * close["atol"])
        np.testing.assert_allclose(gram.product(v[:, 0]), K @ v[:, 0], atol=30 * close["atol"])
        np.testing.assert_allclose(gram.rows([4, -1, 4]), K[[4, 29, 4]], **close)
    assert gram.rows([0]).dtype == dtype
    whole = gram.matrix()
    assert np.array_equal(whole, whole.T)
    np.testing.assert_allclose(whole, K, **close)
    assert not whole.flags.writeable
    assert gram.matrix() is whole
    np.testing.assert_allclose(gram.product(v), K @ v, atol=30 * close["atol"])
    np.testing.assert_allclose(gram.rows([4]), K[[4]], **close)
    if form == "precomputed":
        assert given.flags.writeable


def test_the_rows_that_were_not_used_the_longest_leave(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20, 3))
    gram = Gram(KERNEL, X, memory=4 * 160 / 1e6)  # four rows of twenty numbers
    gram.rows([0, 1, 2, 3])
    assert (gram.made, gram.kept, gram.nbytes) == (4, 4, 640)
    gram.rows([0])  # 1 is now the oldest
    gram.rows([7])
    assert (gram.made, gram.kept) == (5, 4)
    gram.rows([0, 2, 3, 7])
    assert gram.made == 5
    gram.rows([1])
    assert gram.made == 6
    for _ in range(30):
        gram.rows(rng.integers(0, 20, 4))
        assert gram.nbytes <= 640


def test_an_answer_belongs_to_its_caller(rng: np.random.Generator) -> None:
    gram = Gram(KERNEL, rng.normal(size=(6, 2)))
    first = gram.rows([2])
    kept = first.copy()
    first[:] = 0.0
    assert np.array_equal(gram.rows([2]), kept)


def test_what_passes_the_limit_is_refused_with_a_forecast(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(1000, 2))
    gram = Gram(KERNEL, X, memory=1.0)
    message = (
        "all 1000 rows of the kernel matrix take 8 MB and the limit of this Gram is 1 MB: read it by rows"
    )
    with pytest.raises(MemoryError, match=message):
        gram.matrix()
    with pytest.raises(MemoryError, match=r"200 rows of the kernel matrix take 1.6 MB and .* ask for fewer"):
        gram.rows(range(200))
    assert gram.kept == 0
    assert gram.rows(range(125)).shape == (125, 1000)
    assert gram.product(np.ones(1000)).shape == (1000,)  # a product needs no room
    assert gram.kept == 125
    none = Gram(KERNEL, X, memory=0.0)
    np.testing.assert_allclose(none.product(np.ones(1000)), gram.product(np.ones(1000)), rtol=1e-12)
    monkeypatch.setattr(system_memory, "available_memory", lambda: 1e-6)
    with pytest.raises(MemoryError, match=r"needs about .* GB are free"):
        Gram(KERNEL, X).matrix()


def test_bad_arguments_are_named(rng: np.random.Generator) -> None:
    X = rng.normal(size=(5, 2))
    for memory in (-1.0, np.nan):
        with pytest.raises(ValueError, match="memory must be a number of MB >= 0"):
            Gram(KERNEL, X, memory=memory)
    with pytest.raises(ValueError, match="dtype must be float32 or float64"):
        Gram(KERNEL, X, dtype=np.int64)
    with pytest.raises(ValueError, match="a number for each of the 5 rows, got 4"):
        Gram(KERNEL, X).product(np.ones(4))
    with pytest.raises(IndexError):
        Gram(KERNEL, X).rows([5])
    with pytest.raises(ValueError, match="not symmetric"):
        Gram(Precomputed(), np.array([[1.0, 0.5], [0.0, 1.0]]))


def test_no_rows_are_an_empty_answer(rng: np.random.Generator) -> None:
    assert Gram(Linear(), rng.normal(size=(5, 2))).rows([]).shape == (0, 5)


@pytest.mark.parametrize(
    "model",
    [
        er.KernelRidge("cv", kernel=KERNEL, alphas=5),
        er.KernelRidge("cv", kernel=KERNEL, alphas=5, cv=3),
        er.KernelLogisticRegression("cv", kernel=KERNEL, alphas=3, cv=3),
    ],
    ids=["leave-one-out", "folds", "logistic folds"],
)
def test_the_choice_of_a_strength_and_the_fit_share_one_matrix(
    model: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(150, 2))
    y = X[:, 0] + 0.3 * rng.normal(size=150)
    y = y > 0.0 if "Logistic" in type(model).__name__ else y
    made = counted(monkeypatch)
    model.fit(X, y)
    assert made == [150 * 150]


def test_a_list_of_kernels_makes_one_matrix_each(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(150, 2))
    made = counted(monkeypatch)
    model = er.KernelRidge("cv", kernel=[Gaussian(gamma=g) for g in (0.01, 0.3, 9.0)], alphas=5)
    model.fit(X, np.sin(2.0 * X[:, 0]))
    assert made == [150 * 150] * 3
    best = min(model.selections_, key=lambda one: one[1].loss.min())
    assert model.kernel_ == best[0]
    assert model.alpha_ == best[1].alpha


def test_leave_one_out_of_an_evaluation_makes_one_matrix(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = rng.normal(size=(150, 2))
    made = counted(monkeypatch)
    er.cross_evaluate(er.KernelRidge(0.01, kernel=KERNEL), X, X[:, 0], cv="loo")
    assert made == [150 * 150]
