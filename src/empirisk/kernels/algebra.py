"""What is closed under what: sums, products, positive multiples and column subsets of kernels are kernels.

Shawe-Taylor and Cristianini 2004, Kernel Methods for Pattern Analysis, proposition 3.22.  The operators live
here, beside what they make, so that every kernel that derives from :class:`MercerKernel` has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Self

import numpy as np

from empirisk.kernels.answers import Answers
from empirisk.kernels.base import Kernel, is_kernel
from empirisk.kernels.inside import Around, Composite
from empirisk.kernels.made_of import checked_columns, checked_factor, refuse_addend
from empirisk.typing import Array

__all__ = ["MercerKernel", "OnColumns", "Product", "Scaled", "Sum"]


class MercerKernel(Answers):
    """Base of the kernels: the operators, and the answers that most kernels give."""

    def __add__(self: Kernel, other: Kernel) -> Sum:
        refuse_addend(other)
        return Sum((*_parts(self, Sum), *_parts(other, Sum)))

    __radd__ = __add__

    def __mul__(self: Kernel, other: Kernel | float) -> Product | Scaled:
        if is_kernel(other):
            return Product((*_parts(self, Product), *_parts(other, Product)))
        return Scaled(self, checked_factor(other))

    def __rmul__(self: Kernel, factor: float) -> Scaled:
        return Scaled(self, factor)

    def columns(self: Kernel, *columns: int) -> OnColumns:
        """Return the kernel as one of some columns alone, by their numbers."""
        return OnColumns(self, tuple(columns))


def _parts(kernel: Kernel, kind: type) -> tuple[Kernel, ...]:
    """Return the parts of a sum (product), so that ``a + b + c`` is one sum of three."""
    return kernel.parts if isinstance(kernel, kind) else (kernel,)  # type: ignore[attr-defined]


def _joined(parts: list[list[float] | None]) -> list[float] | None:
    """Return the numbers of all parts, or None where one of them does not know its own."""
    return None if any(part is None for part in parts) else [v for part in parts for v in part or ()]


@dataclass(frozen=True)
class Sum(Composite, MercerKernel):
    """``k(x, x') = k1(x, x') + k2(x, x') + ...``: the features of all parts side by side.

    Examples
    --------
    >>> from empirisk.kernels import Linear
    >>> (Linear() + Linear()).block(np.array([[2.0]]))
    array([[8.]])
    """

    parts: tuple[Kernel, ...]
    name = "sum"
    _sign = "+"

    def block(self, A: Any, B: Any = None) -> Array:
        """Return the sum of the blocks of the parts."""
        return reduce(np.add, (part.block(A, B) for part in self.parts))

    def diagonal(self, A: Any) -> Array:
        """Return the sum of the diagonals of the parts."""
        return reduce(np.add, (part.diagonal(A) for part in self.parts))

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return the derivatives of the parts, one part after the other."""
        return [each for part in self.parts for each in part.derivatives(A, B)]

    def contracted(self, adjoint: Array, block: Array, A: Any, B: Any = None) -> list[float]:
        """Return the sums of the parts, whose blocks are made again."""
        return [v for k in self.parts for v in k.contracted(adjoint, np.asarray(k.block(A, B)), A, B)]

    def spectrum(self, generator: np.random.Generator, n_columns: int, count: int) -> Array | None:
        """Draw each frequency from one of the parts, with their values at 0 as chances."""
        drawn = [part.spectrum(generator, n_columns, count) for part in self.parts]
        if any(each is None for each in drawn):
            return None
        size = np.array([float(part.diagonal(np.zeros((1, n_columns)))[0]) for part in self.parts])
        chosen = generator.choice(len(size), count, p=size / size.sum())
        return np.asarray(np.stack(drawn)[chosen, :, np.arange(count)].T)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Product(Composite, MercerKernel):
    """``k(x, x') = k1(x, x') k2(x, x') ...``: all products of features of the parts (Schur's theorem).

    Examples
    --------
    >>> from empirisk.kernels import Linear
    >>> (Linear() * Linear()).block(np.array([[2.0]]))
    array([[16.]])
    """

    parts: tuple[Kernel, ...]
    name = "product"
    _sign = "*"

    @property
    def normalised(self) -> bool:  # type: ignore[override]
        """Whether every part of the kernel is."""
        return all(part.normalised for part in self.parts)

    @property
    def title(self) -> str:
        """The titles of the parts; sums stand in brackets."""
        shown = (f"({p.title})" if isinstance(p, Sum) else p.title for p in self.parts)
        return " * ".join(shown)

    def block(self, A: Any, B: Any = None) -> Array:
        """Return the elementwise product of the blocks of the parts."""
        return reduce(np.multiply, (part.block(A, B) for part in self.parts))

    def diagonal(self, A: Any) -> Array:
        """Return the product of the diagonals of the parts."""
        return reduce(np.multiply, (part.diagonal(A) for part in self.parts))

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return the derivatives by the rule for products."""
        blocks = [part.block(A, B) for part in self.parts]
        out: list[Array] = []
        for i, part in enumerate(self.parts):
            others = [b for j, b in enumerate(blocks) if j != i]
            out.extend(reduce(np.multiply, others, each) for each in part.derivatives(A, B))
        return out

    def log_slopes(self, product: Array, A: Any, B: Any = None) -> list[float] | None:
        """Return those of the parts: logarithms of products are sums."""
        return _joined([part.log_slopes(product, A, B) for part in self.parts])

    def spectrum(self, generator: np.random.Generator, n_columns: int, count: int) -> Array | None:
        """Draw the sum of a frequency of each part: measures of products are convolutions."""
        drawn = [part.spectrum(generator, n_columns, count) for part in self.parts]
        return None if any(each is None for each in drawn) else reduce(np.add, drawn)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Scaled(Around, MercerKernel):
    """``k(x, x') = factor * k1(x, x')``, factor > 0.

    Examples
    --------
    >>> from empirisk.kernels import Linear
    >>> (3.0 * Linear()).block(np.array([[2.0]]))
    array([[12.]])
    """

    kernel: Kernel
    factor: float
    name = "scaled"

    def __post_init__(self) -> None:
        object.__setattr__(self, "factor", checked_factor(self.factor))

    @property
    def title(self) -> str:
        """The factor before the title of the inner kernel."""
        inner = f"({self.kernel.title})" if isinstance(self.kernel, Sum) else self.kernel.title
        return f"{self.factor:g} * {inner}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The factor, and the parameters of the inner kernel."""
        return {"factor": self.factor, **self.kernel.parameters}

    def with_parameters(self, **values: Any) -> Self:
        """Return the kernel with another factor, or other numbers inside."""
        factor = float(values.pop("factor", self.factor))
        return replace(self, factor=factor, kernel=self.kernel.with_parameters(**values))

    def block(self, A: Any, B: Any = None) -> Array:
        """Return the factor times the inner block."""
        inner = self.kernel.block(A, B)
        # What a loop has made is nobody else's.
        return np.multiply(inner, self.factor, out=None if self.kernel.loop is None else inner)

    def diagonal(self, A: Any) -> Array:
        """Return the factor times the inner diagonal."""
        return np.asarray(self.factor * self.kernel.diagonal(A))

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return the block itself for the factor, then the inner derivatives times the factor."""
        inner = [np.asarray(self.factor * each) for each in self.kernel.derivatives(A, B)]
        return [self.block(A, B), *inner]

    def log_slopes(self, product: Array, A: Any, B: Any = None) -> list[float] | None:
        """Return the sum of the product for the factor, then those of the inner kernel."""
        return _joined([[float(product.sum())], self.kernel.log_slopes(product, A, B)])

    def spectrum(self, generator: np.random.Generator, n_columns: int, count: int) -> Array | None:
        """Draw from the measure of the inner kernel: the factor is its mass."""
        return self.kernel.spectrum(generator, n_columns, count)

    def attraction(self, A: Any, B: Any) -> Array | None:
        """Return that of the inner kernel: a factor changes nothing."""
        return self.kernel.attraction(A, B)

    def explicit(self, X: Any) -> Any | None:
        """Return the features of the inner kernel times the root of the factor."""
        features = self.kernel.explicit(X)
        return None if features is None else features * float(np.sqrt(self.factor))


@dataclass(frozen=True)
class OnColumns(Around, MercerKernel):
    """``k(x, x') = k1(x[columns], x'[columns])``: the kernel of some columns alone.

    Examples
    --------
    >>> from empirisk.kernels import Linear
    >>> Linear().columns(1).block(np.array([[5.0, 2.0]]))
    array([[4.]])
    """

    kernel: Kernel
    on: tuple[int, ...]
    name = "on_columns"

    def __post_init__(self) -> None:
        object.__setattr__(self, "on", checked_columns(self.on))

    @property
    def title(self) -> str:
        """The title of the inner kernel, and the columns."""
        return f"{self.kernel.title} of columns {', '.join(map(str, self.on))}"

    @property
    def normalised(self) -> bool:  # type: ignore[override]
        """Whether the kernel inside is one."""
        return self.kernel.normalised

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the kernel inside."""
        return self.kernel.parameters

    def with_parameters(self, **values: Any) -> Self:
        """Return the kernel with other numbers inside."""
        return replace(self, kernel=self.kernel.with_parameters(**values))

    def resolved(self, X: Any, weight: Array | None = None) -> Self:
        """Resolve the words of the inner kernel by these columns."""
        return replace(self, kernel=self.kernel.resolved(self._pick(X), weight))

    def check(self, X: Any) -> None:
        """Refuse columns that X does not have, and what the inner kernel refuses."""
        missing = [j for j in self.on if not 0 <= j < X.shape[1]]
        if missing:
            raise ValueError(f"the kernel is one of column {missing[0]}, and X has {X.shape[1]} columns")
        self.kernel.check(self._pick(X))

    def _pick(self, X: Any) -> Any:
        return X[:, list(self.on)]

    def block(self, A: Any, B: Any = None) -> Array:
        """Return the inner block of these columns."""
        return self.kernel.block(self._pick(A), None if B is None else self._pick(B))

    def diagonal(self, A: Any) -> Array:
        """Return the inner diagonal of these columns."""
        return self.kernel.diagonal(self._pick(A))

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return the inner derivatives of these columns."""
        return self.kernel.derivatives(self._pick(A), None if B is None else self._pick(B))

    def log_slopes(self, product: Array, A: Any, B: Any = None) -> list[float] | None:
        """Return the inner sums of these columns."""
        return self.kernel.log_slopes(product, self._pick(A), None if B is None else self._pick(B))

    def spectrum(self, generator: np.random.Generator, n_columns: int, count: int) -> Array | None:
        """Draw frequencies of these columns, with 0 for the others."""
        inner = self.kernel.spectrum(generator, len(self.on), count)
        if inner is None:
            return None
        out = np.zeros((n_columns, count))
        np.add.at(out, list(self.on), inner)
        return out

    def explicit(self, X: Any) -> Any | None:
        """Return the inner features of these columns."""
        return self.kernel.explicit(self._pick(X))
