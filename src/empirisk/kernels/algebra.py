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

from empirisk.kernels import compiled
from empirisk.kernels.base import Kernel, Loop, is_kernel
from empirisk.kernels.made_of import checked_columns, checked_factor, refuse_addend, refuse_parts
from empirisk.typing import Array, IndexArray

__all__ = ["MercerKernel", "OnColumns", "Product", "Scaled", "Sum"]


# Rows of a block that is made in Python on the way to a product.
ROWS = 512


class MercerKernel:
    """Base of the kernels: the operators, and the answers that most kernels give."""

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


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _parts(kernel: Kernel, kind: type) -> tuple[Kernel, ...]:
    """Return the parts of a sum (product), so that ``a + b + c`` is one sum of three."""
    return kernel.parts if isinstance(kernel, kind) else (kernel,)  # type: ignore[attr-defined]


def _joined(parts: list[list[float] | None]) -> list[float] | None:
    """Return the numbers of all parts, or None where one of them does not know its own."""
    return None if any(part is None for part in parts) else [v for part in parts for v in part or ()]


class _Composite(MercerKernel):
    """What a sum and a product share: parts, whose parameters are called ``0.gamma``, ``1.gamma``, ..."""

    parts: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        refuse_parts(self.name, self.parts)

    @property
    def title(self) -> str:
        """The titles of the parts, with the sign between them."""
        return f" {self._sign} ".join(part.title for part in self.parts)

    @property
    def _sign(self) -> str:
        raise NotImplementedError

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        """Whether every part of the kernel is."""
        return all(part.stationary for part in self.parts)

    @property
    def proved(self) -> bool:  # type: ignore[override]
        """Whether every part of the kernel is proved to be one."""
        return all(part.proved for part in self.parts)

    @property
    def precomputed(self) -> bool:  # type: ignore[override]
        """Whether every part reads rows of a matrix of values; a mixture is refused when it is made."""
        return all(part.precomputed for part in self.parts)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Those of the parts, each with the number of its part before its name."""
        return {f"{i}.{k}": v for i, part in enumerate(self.parts) for k, v in part.parameters.items()}

    def with_parameters(self, **values: Any) -> Self:
        """Return the composite with other numbers in its parts."""
        unknown = sorted(set(values) - set(self.parameters))
        if unknown:
            known = ", ".join(self.parameters) or "none"
            raise ValueError(f"the kernel {self.name!r} has no parameter {unknown[0]!r} (it has {known})")
        own: list[dict[str, Any]] = [{} for _ in self.parts]
        for key, value in values.items():
            i, _, name = key.partition(".")
            own[int(i)][name] = value
        parts = tuple(p.with_parameters(**v) for p, v in zip(self.parts, own, strict=True))
        return replace(self, parts=parts)  # type: ignore[type-var]

    def resolved(self, X: Any, weight: Array | None = None) -> Self:
        """Return the composite of the resolved parts."""
        return replace(self, parts=tuple(p.resolved(X, weight) for p in self.parts))  # type: ignore[type-var]

    def check(self, X: Any) -> None:
        """Refuse rows that one of the parts refuses."""
        for part in self.parts:
            part.check(X)

    def centres(self, X: Any, rows: IndexArray) -> Any:
        """Return the rows as the parts want them: either all of them are precomputed or none is."""
        return self.parts[0].centres(X, rows)


@dataclass(frozen=True)
class Sum(_Composite):
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
class Product(_Composite):
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


class _Around(MercerKernel):
    """What a kernel around another one shares with it."""

    kernel: Kernel

    @property
    def stationary(self) -> bool:  # type: ignore[override]
        """Whether the kernel inside is one."""
        return self.kernel.stationary

    @property
    def proved(self) -> bool:  # type: ignore[override]
        """Whether the kernel inside is proved to be one."""
        return self.kernel.proved

    @property
    def precomputed(self) -> bool:  # type: ignore[override]
        """Whether the kernel inside is one."""
        return self.kernel.precomputed

    def check(self, X: Any) -> None:
        """Refuse what the inner kernel refuses."""
        self.kernel.check(X)

    def resolved(self, X: Any, weight: Array | None = None) -> Self:
        """Resolve the words of the inner kernel."""
        return replace(self, kernel=self.kernel.resolved(X, weight))  # type: ignore[type-var]

    def centres(self, X: Any, rows: IndexArray) -> Any:
        """Return the rows as the inner kernel wants them."""
        return self.kernel.centres(X, rows)


@dataclass(frozen=True)
class Scaled(_Around):
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
class OnColumns(_Around):
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
