"""Whether a kernel is one on some rows: the smallest eigenvalue of its matrix, and a vector that shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh

from empirisk.data.brief import Brief
from empirisk.data.memory import refuse_memory
from empirisk.data.threads import for_rows
from empirisk.kernels.base import Kernel
from empirisk.typing import Array, IndexArray

__all__ = ["PSDCheck", "check_psd"]


@dataclass(frozen=True, repr=False)
class PSDCheck(Brief):
    """The smallest eigenvalue of a kernel matrix, with its witness.

    Parameters
    ----------
    smallest, largest : float
        Eigenvalues.
    witness : array, shape (n,)
        A unit vector c with ``c'K c = smallest``.
    error : float
        What rounding can have done to the eigenvalues: ``n eps`` times the largest one.
    title : str
        The kernel.
    rows : int array, shape (n,), optional
        Numbers that the sentence gives to the rows, those of a larger table; 0 to n - 1 by default.
    """

    smallest: float
    largest: float
    witness: Array
    error: float
    title: str
    rows: IndexArray | None = None

    @property
    def holds(self) -> bool:
        """Whether no eigenvalue is negative beyond rounding."""
        return self.smallest >= -self.error

    @property
    def sentence(self) -> str:
        """What was found, in one sentence of words."""
        what = f"the smallest eigenvalue of {self.title} on {len(self.witness):,} rows is {self.smallest:.3g}"
        if self.holds:
            return f"{what}, not negative beyond rounding ({self.error:.1g})"
        places = np.argsort(-np.abs(self.witness))[:3]
        rows = ", ".join(map(str, places if self.rows is None else self.rows[places]))
        return f"{what} < 0: it is no Mercer kernel; the witness weighs rows {rows} most"

    def __repr__(self) -> str:
        return f"PSDCheck({self.sentence})"


def check_psd(kernel: Kernel, X: Any) -> PSDCheck:
    """Return the smallest eigenvalue of a kernel's matrix on the rows of X, with an eigenvector as witness.

    Parameters
    ----------
    kernel : Kernel
        Its words ("scale", "median") are resolved on X.
    X : array or CSR, shape (n, p)

    Returns
    -------
    PSDCheck
        ``holds``, ``smallest``, ``witness``, and a sentence.

    Raises
    ------
    MemoryError
        When the matrix and its eigenvectors do not fit into memory.

    Notes
    -----
    ``O(n^3)``: a full eigendecomposition, whose eigenvalues are exact to ``n eps`` times the largest (Weyl).

    Examples
    --------
    >>> from empirisk.kernels import Precomputed
    >>> found = check_psd(Precomputed(), np.array([[1.0, 2.0], [2.0, 1.0]]))
    >>> found.holds, round(found.smallest, 6)
    (False, -1.0)
    """
    n = int(X.shape[0])
    refuse_memory(f"the eigenvectors of {n} rows", 24.0 * float(n) ** 2, "check a sample of the rows")
    kernel.check(X)
    made = kernel.resolved(X)
    with for_rows(n):
        value, vector = eigh(np.asarray(made.block(X), dtype=np.float64))
    largest = float(np.abs(value).max(initial=0.0))
    eps = float(np.finfo(np.float64 if X.dtype == np.float64 else np.float32).eps)
    return PSDCheck(float(value[0]), float(value[-1]), vector[:, 0], n * eps * largest, made.title)
