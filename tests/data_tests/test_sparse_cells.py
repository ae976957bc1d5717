"""The canonical form of a sparse matrix has its dense form, and X is left alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from empirisk.data.sparse_cells import canonical
from tests.conformance.sparse_layouts import LAYOUTS, dyadic, make


def snapshot(A: Any) -> list[Any]:
    """Everything that an in-place change could touch."""
    if A.format == "dok":
        return [sorted((tuple(map(int, k)), float(v)) for k, v in A.items())]
    if A.format == "lil":
        return [[list(r) for r in A.rows], [list(r) for r in A.data]]
    names = ("data", "indices", "indptr", "row", "col", "offsets")
    return [np.array(getattr(A, name)).tolist() for name in names if hasattr(A, name)]


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_dense_form_is_kept_and_x_is_left_alone(
    layout: tuple[str, str, bool], rng: np.random.Generator
) -> None:
    D = dyadic(rng, 17, 6)
    A = make(D, *layout)
    before, kind = snapshot(A), type(A)
    C = canonical(A)
    np.testing.assert_array_equal(C.toarray(), D)
    assert C.format in ("csr", "csc")
    assert isinstance(C, sp.sparray) == isinstance(A, sp.sparray)
    # Not the flags of C: a look at its cells.
    for a, b in zip(C.indptr, C.indptr[1:], strict=False):
        assert (np.diff(C.indices[a:b]) > 0).all()
    assert (C.data != 0.0).all()
    assert snapshot(A) == before
    assert type(A) is kind


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix])
def test_flags_of_scipy_are_not_believed(kind: Any) -> None:
    # Columns 0 and 1 are joined by renaming: SciPy keeps both flags.
    A = kind(np.array([[1.0, 2.0, 0.0], [0.0, 4.0, 8.0], [16.0, 0.0, 32.0]]))
    assert A.has_canonical_format
    assert A.has_sorted_indices
    A.indices = np.array([0, 0, 1], dtype=A.indices.dtype)[A.indices]
    assert A.has_canonical_format
    C = canonical(A)
    np.testing.assert_array_equal(C.toarray(), A.toarray())
    assert C.nnz < A.nnz


def test_what_is_canonical_is_shared() -> None:
    A = sp.csr_array(np.eye(3))
    C = canonical(A)
    assert np.shares_memory(A.data, C.data)
    assert np.shares_memory(A.indices, C.indices)
    assert canonical(C.toarray()) is not None
    D = np.eye(3)
    assert canonical(D) is D


def test_long_rows_and_rows_across_the_pieces(rng: np.random.Generator) -> None:
    p = 200_000
    A = sp.random_array((3, p), density=0.4, format="csr", rng=rng)
    np.testing.assert_array_equal(canonical(A).indices, A.indices)
    for cell in (0, 65_535, 65_536, A.nnz - 2):
        B = A.copy()
        if cell + 1 in B.indptr:
            continue
        B.indices[cell + 1] = B.indices[cell]
        assert canonical(B).nnz == A.nnz - 1


@pytest.mark.parametrize("bad", [-1, 3])
def test_indices_outside_are_refused(bad: int) -> None:
    A = sp.csr_array(np.eye(3))
    A.indices[1] = bad
    with pytest.raises(ValueError, match=f"column {bad} of a sparse matrix with 3 columns"):
        canonical(A)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.float32])
def test_cells_are_added_in_their_own_type(dtype: Any) -> None:
    A = sp.csr_array(
        (np.array([100, 100, 1]).astype(dtype), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2)
    )
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(canonical(A).toarray(), A.toarray())
    assert canonical(A).dtype == dtype
