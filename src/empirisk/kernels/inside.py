"""What kernels made of other kernels ask those inside them: what they are, their words, their rows.

:class:`Composite` has several kernels inside, as sums and products do, :class:`Around` has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from empirisk.kernels.answers import Answers
from empirisk.kernels.base import Kernel
from empirisk.kernels.made_of import refuse_parts
from empirisk.typing import Array, IndexArray

__all__ = ["Around", "Composite"]


class Composite(Answers):
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


class Around(Answers):
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
