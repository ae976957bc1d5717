"""What most kernels answer to the questions of the contract: products in blocks, no features, no derivatives.

The contract is :class:`~empirisk.kernels.base.Kernel`; what kernels make of each other is in `algebra.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np

from empirisk.kernels import compiled
from empirisk.kernels.base import Kernel, Loop
from empirisk.typing import Array, IndexArray

__all__ = ["Answers"]

# Rows of a block that is made in Python on the way to a product.
ROWS = 512


class Answers:
    """The answers of a kernel without numbers, words or a compiled form, which others override."""

    name: str
    stationary = False
    normalised = False
    precomputed = False
    proved = True

    @property
    def title(self) -> str:
        """The name, with its numbers in brackets."""
        shown = ", ".join(f"{k} = {_number(v)}" for k, v in vars(self).items() if v is not None)
        return f"{self.name} ({shown})" if shown else self.name

    @property
    def parameters(self) -> Mapping[str, Any]:
        """No positive number that could be learned."""
        return {}

    @property
    def loop(self) -> Loop | None:
        """None: blocks of this kernel are made in Python."""
        return None

    def resolved(self, X: Any, weight: Array | None = None) -> Self:
        """Return the kernel itself: it has no words."""
        return self

    def with_parameters(self, **values: Any) -> Self:
        """Return the kernel with other numbers."""
        unknown = sorted(set(values) - set(self.parameters))
        if unknown:
            known = ", ".join(self.parameters) or "none"
            raise ValueError(f"the kernel {self.name!r} has no parameter {unknown[0]!r} (it has {known})")
        return replace(self, **values) if values else self  # type: ignore[type-var]  # kernels are dataclasses

    def check(self, X: Any) -> None:
        """Accept all rows: the kernel is defined everywhere."""

    def mapped(self, X: Any) -> Any:
        """Return the rows as they are."""
        return X

    def explicit(self, X: Any) -> Any | None:
        """Return None: the features are many more than the columns."""
        return None

    def spectrum(self, generator: np.random.Generator, n_columns: int, count: int) -> Array | None:
        """Return None: the kernel knows no spectral measure."""
        return None

    def attraction(self, A: Any, B: Any) -> Array | None:
        """Return None: the kernel is no smooth function of the squared distance."""
        return None

    def centres(self, X: Any, rows: IndexArray) -> Any:
        """Return the rows themselves, by their numbers."""
        return X[rows]

    def block(self, A: Any, B: Any = None) -> Array:
        """Return ``k(a_i, b_j)`` by the compiled function; kernels without one define it."""
        loop = self.loop
        if loop is None:
            raise NotImplementedError
        return compiled.block(loop, self.mapped(A), None if B is None else self.mapped(B))

    def product(self, A: Any, B: Any, weights: Array) -> Array:
        """Return ``sum_j k(a_i, b_j) weights[j]`` without the whole matrix."""
        loop = self.loop
        if loop is not None:
            return compiled.product(loop, self.mapped(A), self.mapped(B), weights)
        out = np.empty((A.shape[0], *np.shape(weights)[1:]))
        for start in range(0, A.shape[0], ROWS):
            out[start : start + ROWS] = self.block(A[start : start + ROWS], B) @ weights
        return out

    def diagonal(self, A: Any) -> Array:
        """``k(a_i, a_i)``: 1 for normalised kernels, which the others override."""
        if not self.normalised:
            raise NotImplementedError
        return np.ones(A.shape[0], dtype=A.dtype)

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return nothing: there is no parameter to derive by."""
        return []

    def contracted(self: Kernel, adjoint: Array, block: Array, A: Any, B: Any = None) -> list[float]:
        """Return the sums by the logarithms where they are known, else from the derivatives."""
        found = self.log_slopes(adjoint * block, A, B)
        return [float(np.vdot(adjoint, d)) for d in self.derivatives(A, B)] if found is None else found

    def log_slopes(self, product: Array, A: Any, B: Any = None) -> list[float] | None:
        """Return None, or nothing for a kernel without parameters."""
        return None if self.parameters else []


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
