"""The contract of a Mercer kernel: symmetric in two rows, and its matrices have no negative eigenvalue.

``k(x, x') = <phi(x), phi(x')>`` for some map phi into a Hilbert space (Mercer 1909, Philosophical
Transactions A 209; Aronszajn 1950, Transactions of the AMS 68).  A kernel is frozen: it can be compared,
pickled and put into an estimator's parameters.  What it can do is asked of it; nobody outside the folder
looks at its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeGuard, runtime_checkable

import numpy as np

from empirisk.typing import Array, IndexArray

__all__ = ["Kernel", "Loop", "is_kernel"]


@dataclass(frozen=True)
class Loop:
    """How the compiled loops know a kernel: ``form(base(x, x'), numbers)`` on the rows of `Kernel.mapped`.

    Parameters
    ----------
    base : {"inner", "squared_distance", "manhattan"}
        What of two rows the function is of.
    form : str
        Name of the compiled function.
    numbers : tuple of float
        Its constants.
    """

    base: str
    form: str
    numbers: tuple[float, ...] = ()


@runtime_checkable
class Kernel(Protocol):
    """``k(x, x')``: symmetric and positive semi-definite.

    Attributes
    ----------
    name : str
        Registry name.
    title : str
        What claims and errors call it, with its numbers.
    stationary : bool
        Whether it is a function of ``x - x'`` alone.
    normalised : bool
        Whether ``k(x, x) = 1`` for every row.
    precomputed : bool
        Whether the rows that it is given are rows of the matrix of its values.
    proved : bool
        Whether it is positive semi-definite by its formula; given matrices and functions of the user's are
        not.
    parameters : mapping of str to float or array
        Its positive numbers that can be learned, in the order of :meth:`derivatives`; words ("scale",
        "median") have to be resolved first.
    loop : Loop or None
        How the compiled loops know it; None where its blocks are made in Python.

    Notes
    -----
    Rows A, B are dense matrices or CSR, float32 or float64, finite.  Blocks have the wider format of the two;
    what is summed is summed in float64 where the rows are float64, and with float32 products otherwise.
    """

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def stationary(self) -> bool: ...
    @property
    def normalised(self) -> bool: ...
    @property
    def precomputed(self) -> bool: ...
    @property
    def proved(self) -> bool: ...
    @property
    def parameters(self) -> Mapping[str, Any]: ...
    @property
    def loop(self) -> Loop | None: ...

    def resolved(self, X: Any, weight: Array | None = None) -> Self:
        """Return the kernel with numbers in place of words, learned from the rows of positive weight."""
        ...

    def with_parameters(self, **values: Any) -> Self:
        """Return the kernel with other numbers for some of its parameters."""
        ...

    def check(self, X: Any) -> None:
        """Refuse rows that the kernel is not defined for, and name the first one."""
        ...

    def mapped(self, X: Any) -> Any:
        """Return the rows that `loop` is a function of: X itself for most kernels."""
        ...

    def block(self, A: Any, B: Any = None) -> Array:
        """``K[i, j] = k(a_i, b_j)``, shape (n, m); without B it is A, and K exactly symmetric."""
        ...

    def product(self, A: Any, B: Any, weights: Array) -> Array:
        """``sum_j k(a_i, b_j) weights[j]`` in float64, without storing the matrix; B is rows or centres.

        `weights` has shape (m,) or (m, c).
        """
        ...

    def diagonal(self, A: Any) -> Array:
        """Return ``k(a_i, a_i)`` for every row, shape (n,)."""
        ...

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Derivatives of the block by the logarithms of `parameters`, in their order.

        A parameter that is an array of q numbers gives q matrices.
        """
        ...

    def contracted(self, adjoint: Array, block: Array, A: Any, B: Any = None) -> list[float]:
        """``sum_ij adjoint_ij dK_ij`` for each of :meth:`derivatives`, which need not be stored for it.

        `block` is ``block(A, B)``; the adjoint of a symmetric block may be one triangle of its sums.
        """
        ...

    def log_slopes(self, product: Array, A: Any, B: Any = None) -> list[float] | None:
        """``sum_ij product_ij d log K_ij`` for each of the parameters, or None where they are not known
        without the derivatives; ``product = adjoint * block`` makes them the numbers of :meth:`contracted`.
        """
        ...

    def explicit(self, X: Any) -> Any | None:
        """Return finitely many features with ``K = phi phi'`` where they are no more than X, else None.

        A linear kernel answers: whoever solves kernel problems then solves the linear one.
        """
        ...

    def spectrum(self, generator: np.random.Generator, n_columns: int, count: int) -> Array | None:
        """Draw frequencies w with ``k(x, x') = k(0, 0) E cos(w . (x - x'))``, shape (n_columns, count).

        None where the kernel knows no such measure (Bochner's theorem gives one to every kernel of
        differences).
        """
        ...

    def attraction(self, A: Any, B: Any) -> Array | None:
        """Return ``-dk/d(||a - b||^2)`` for all pairs, up to a factor, where the kernel is a function of the
        squared distance that is smooth at 0; else None.
        """
        ...

    def centres(self, X: Any, rows: IndexArray) -> Any:
        """Return what ``block(A, centres)`` needs to know of some of the training rows."""
        ...


def is_kernel(thing: Any) -> TypeGuard[Kernel]:
    """Return whether an object is a kernel, without asking it for numbers that it may still have to learn."""
    return not isinstance(thing, type) and all(
        hasattr(type(thing), m) for m in ("block", "resolved", "centres")
    )
