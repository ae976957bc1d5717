"""Rows that a kernel can tell apart: neither do their squares overflow nor do they vanish."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.estimators.checks import check_columns
from empirisk.kernels import Kernel
from empirisk.typing import Array

__all__ = ["check_kernel_rows", "checked_squares", "refuse_underflow", "squares_of"]

# Squares of smaller mean have lost digits, and no width of a kernel can be told from them.
VANISHING = 1e-302


def check_kernel_rows(kernel: Kernel, X: Any, names: Any = None) -> None:
    """Refuse rows whose squares overflow, by column, or vanish.

    Parameters
    ----------
    kernel : Kernel
        As given; the values of a precomputed one are not squared.
    X : array or CSR, shape (n, p)
        Finite rows.
    names : sequence of str, optional
        Of the columns.

    Raises
    ------
    ValueError
        Names a column, and says what to do.

    Notes
    -----
    O(n p), or the stored cells.

    Examples
    --------
    >>> from empirisk.kernels import Gaussian
    >>> check_kernel_rows(Gaussian(), np.array([[1.0], [1e-160]]))
    >>> check_kernel_rows(Gaussian(), np.array([[2e-160], [1e-160]]))
    Traceback (most recent call last):
    ...
    ValueError: X holds no number above 2e-160 in size, and squares of such numbers vanish; rescale it
    """
    design = Design(X)
    refuse_underflow(kernel, design, checked_squares(design, names))


def checked_squares(design: Design, names: Any = None) -> Array:
    """Return the sum of squares of each column; refuses those that overflow, by name."""
    squares = squares_of(design)
    check_columns(squares, names)
    return squares


def refuse_underflow(kernel: Kernel, design: Design, squares: Array) -> None:
    """Refuse rows so small that their squares vanish: to a kernel they would be one row."""
    least = 0.0 if kernel.precomputed else VANISHING * float(np.prod(design.shape))
    if design.size and float(squares.sum()) <= least:
        largest = float(np.abs(design.X.data if design.sparse else design.X).max(initial=0.0))
        if largest > 0.0:
            raise ValueError(
                f"X holds no number above {largest:.2g} in size, and squares of such numbers vanish; "
                "rescale it"
            )


def squares_of(design: Design) -> Array:
    """Return the sum of squares of each column; infinite where it overflows."""
    X: Any = design.X
    with np.errstate(over="ignore"):
        if design.sparse:
            cells = X.astype(np.float64)
            return np.asarray(cells.multiply(cells).sum(axis=0)).ravel()
        return np.asarray(np.einsum("ij,ij->j", X, X, dtype=np.float64))
