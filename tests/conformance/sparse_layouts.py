"""Every way in which SciPy can hold the same matrix."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import scipy.sparse as sp

FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok", "dia")
FORMS = ("plain", "repeated", "unsorted", "explicit zeros", "int64", "stale flags")
# DIA, DOK and LIL hold a cell once, and have no order that could be wrong.
ORDERED = ("csr", "csc", "coo", "bsr")
LAYOUTS = [
    (form, fmt, array)
    for form, fmt, array in product(FORMS, FORMATS, (True, False))
    if (form == "plain" or fmt in ORDERED) and (form != "stale flags" or fmt in ("csr", "csc"))
]


def dyadic(rng: np.random.Generator, n: int, p: int) -> np.ndarray:
    """Multiples of 1/16 with many zeros, whose halves and sums are exact; the third row is empty."""
    D = np.round(16.0 * rng.normal(size=(n, p))) / 16.0 * (rng.random((n, p)) < 0.6)
    D[2] = 0.0
    return D


def make(D: np.ndarray, form: str, fmt: str, array: bool) -> Any:
    """D in a layout: its form, its format, and whether as sparse array or matrix."""
    rng = np.random.default_rng(0)
    row, col = np.indices(D.shape).reshape(2, -1) if form == "explicit zeros" else np.array(np.nonzero(D))
    data = D[row, col]
    if form in ("repeated", "stale flags"):
        row, col, data = np.tile(row, 2), np.tile(col, 2), np.tile(data / 2.0, 2)
    if form in ("repeated", "unsorted", "stale flags"):
        order = rng.permutation(len(data))
        row, col, data = row[order], col[order], data[order]
    index = np.int64 if form == "int64" else np.int32
    made: Any
    if fmt in ("csr", "csc", "bsr"):
        major, minor, size = (col, row, D.shape[1]) if fmt == "csc" else (row, col, D.shape[0])
        order = np.argsort(major, kind="stable")
        starts = np.r_[0, np.cumsum(np.bincount(major, minlength=size))].astype(index)
        parts = (data[order], minor[order].astype(index), starts)
        if fmt == "bsr":
            made = sp.bsr_array((parts[0][:, None, None], *parts[1:]), shape=D.shape)
            made = made if array else sp.bsr_matrix((made.data, made.indices, made.indptr), shape=D.shape)
        else:
            kind = {("csr", True): sp.csr_array, ("csr", False): sp.csr_matrix, ("csc", True): sp.csc_array}
            made = kind.get((fmt, array), sp.csc_matrix)(parts, shape=D.shape)
            if form == "int64":
                made.indices, made.indptr = made.indices.astype(index), made.indptr.astype(index)
            if form == "stale flags":
                made.has_canonical_format = True
    else:
        coo = sp.coo_array((data, (row.astype(index), col.astype(index))), shape=D.shape)
        coo = coo if array else sp.coo_matrix(coo)
        made = coo if fmt == "coo" else coo.asformat(fmt)
    assert made.format == fmt
    assert isinstance(made, sp.sparray) == array
    return made
