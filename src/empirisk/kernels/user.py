"""A kernel from a function of two blocks of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.typing import Array

__all__ = ["UserKernel"]


@dataclass(frozen=True)
class UserKernel(MercerKernel):
    """``function(A, B)`` returns the matrix of all pairs of rows, shape (n, m).

    Whether it is positive semi-definite is not known; fits say so when they meet a direction in which it
    curves down, and :func:`empirisk.kernels.check_psd` looks for one.

    Examples
    --------
    >>> UserKernel(lambda A, B: A @ B.T).block(np.array([[2.0]]))
    array([[4.]])
    """

    function: Callable[[Any, Any], Any]
    name = "user"
    proved = False

    @property
    def title(self) -> str:
        """The name of the function that was given."""
        return f"{getattr(self.function, '__name__', 'function')} of the user"

    def block(self, A: Any, B: Any = None) -> Array:
        """Return what the function says; refused where that has another shape, or is not finite."""
        other = A if B is None else B
        # Of its own rows: a function that changes them in place changes no others.
        rows = A.copy()
        out = np.asarray(self.function(rows, rows if B is None else other.copy()), dtype=np.float64)
        if out.shape != (A.shape[0], other.shape[0]) or not np.isfinite(out).all():
            raise ValueError(
                f"kernel(A, B) must return finite numbers of shape {(A.shape[0], other.shape[0])}, got "
                f"shape {out.shape}" + ("" if np.isfinite(out).all() else " with NaN or infinity")
            )
        if B is None and np.abs(out - out.T).max(initial=0.0) > 1e-8 * np.abs(out).max(initial=0.0):
            i, j = (int(v) for v in np.unravel_index(int(np.abs(out - out.T).argmax()), out.shape))
            raise ValueError(
                f"kernel(A, A) must be symmetric: it says {out[i, j]:g} and {out[j, i]:g} of rows {i} and "
                f"{j}, a difference of {abs(out[i, j] - out[j, i]):.2g}"
            )
        return 0.5 * (out + out.T) if B is None else out

    def diagonal(self, A: Any) -> Array:
        """Return the values of each row with itself, asked in pieces."""
        pieces = [np.diagonal(self.block(A[i : i + 256])) for i in range(0, A.shape[0], 256)]
        return np.concatenate(pieces) if pieces else np.zeros(0)
