"""One matrix in every form that the loops read, and the rounding bound that their results must keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from empirisk.typing import Array

# Empty axes, one row, one column, fewer entries than a vector register, just above multiples of the
# register and of the blocks (64, 128, 256, 1024 rows), wide, and enough work for several threads.
SHAPES = [(0, 3), (4, 0), (1, 1), (1, 9), (7, 1), (5, 3), (65, 8), (129, 17), (40, 300), (2051, 61)]


def _strided(A: Array) -> Array:
    """A view with neither axis contiguous, rows running backwards."""
    store = np.full((2 * A.shape[0] + 1, 3 * A.shape[1] + 1), np.nan, A.dtype)
    view = store[1::2, 1::3][: A.shape[0], : A.shape[1]][::-1]
    view[...] = A
    return view


def _compressed(format: str, index: type) -> Callable[[Array], Any]:
    def make(A: Array) -> Any:
        X = sp.csr_array(A) if format == "csr" else sp.csc_array(A)
        X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
        return X

    return make


DENSE: dict[str, Callable[[Array], Any]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": _strided,
    "padded rows": lambda A: np.hstack([A, np.full((len(A), 5), np.nan, A.dtype)])[:, : A.shape[1]],
}
SPARSE: dict[str, Callable[[Array], Any]] = {
    "csr32": _compressed("csr", np.int32),
    "csr64": _compressed("csr", np.int64),
    "csc32": _compressed("csc", np.int32),
    "csc64": _compressed("csc", np.int64),
}
FORMS = DENSE | SPARSE
DTYPES = [np.float64, np.float32]


def matrix(rng: np.random.Generator, shape: tuple[int, int], dtype: type, form: str) -> tuple[Any, Array]:
    """A random matrix in the wanted form, read-only, and the same numbers as a float64 array."""
    A = rng.standard_normal(shape) + 0.5
    if form in SPARSE:
        A *= rng.random(shape) < 0.3
    A = A.astype(dtype)
    X = FORMS[form](A)
    for part in (X.data, X.indices, X.indptr) if form in SPARSE else (X,):
        part.setflags(write=False)
    return X, A.astype(np.float64)


def check_product(got: Array, left: Array, right: Array, unit: float = np.finfo(float).eps) -> None:
    """``got = left @ right`` up to a multiple of unit times |left| @ |right|, entry by entry."""
    want = left @ right
    assert np.shape(got) == np.shape(want)
    bound = 16.0 * unit * (np.abs(left) @ np.abs(right))
    error = np.abs(got - want)
    assert np.all(error <= bound), float(np.max(error - bound))


def for_thread_counts(compute: Callable[[], Any]) -> Iterator[Any]:
    """The result of compute() with one, two, three and seven OpenMP threads."""
    for limit in (1, 2, 3, 7):
        with threadpool_limits(limit, user_api="openmp"):
            yield compute()


def same_bits(results: Iterator[Any]) -> bool:
    """Whether all results (arrays, floats, None or tuples of them) agree bit by bit."""

    def flat(result: Any) -> list[bytes]:
        parts = result if isinstance(result, tuple) else (result,)
        return [np.asarray(part, dtype=float).tobytes() for part in parts if part is not None]

    first, *others = [flat(result) for result in results]
    return all(other == first for other in others)
