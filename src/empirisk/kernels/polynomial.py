"""The polynomial kernels: all products of up to `degree` columns as features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.kernels.base import Loop
from empirisk.kernels.pairs import squared_norms
from empirisk.kernels.words import check_width, gamma_of, is_positive
from empirisk.typing import Array

__all__ = ["Polynomial"]

DEGREES = 60  # beyond it powers leave the range of floating-point numbers


@dataclass(frozen=True)
class Polynomial(MercerKernel):
    """``k(x, x') = (gamma x.x' + constant)^degree``; homogeneous with constant 0.

    Parameters
    ----------
    degree : int, default 3
        From 1 to 60.
    gamma : float > 0, "scale" or None, default None
        ``"scale"``, the default, is 1/(number of columns * variance of all entries).
    constant : float >= 0, default 1.0
        0 leaves products of exactly `degree` columns; a positive number adds those of fewer.

    Examples
    --------
    >>> Polynomial(2, gamma=1.0).block(np.array([[1.0], [2.0]]))
    array([[ 4.,  9.],
           [ 9., 25.]])
    """

    degree: int = 3
    gamma: float | str | None = None
    constant: float = 1.0
    name = "polynomial"

    def __post_init__(self) -> None:
        check_width(self.name, self.gamma, None)
        if not (isinstance(self.degree, int) and 1 <= self.degree <= DEGREES):
            raise ValueError(
                f"degree of the kernel 'polynomial' must be an integer from 1 to {DEGREES}, got "
                f"{self.degree!r}"
            )
        if not is_positive(self.constant, or_zero=True):
            raise ValueError(
                f"constant of the kernel 'polynomial' must be a finite number >= 0, got {self.constant!r}: "
                "with others its matrices have negative eigenvalues"
            )

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Gamma, and the constant where it is not 0."""
        if not isinstance(self.gamma, float | int):
            raise ValueError(f"the kernel {self.title} is to learn gamma from rows: call resolved(X) first")
        return {"gamma": float(self.gamma), **({"constant": self.constant} if self.constant > 0.0 else {})}

    @property
    def loop(self) -> Loop:
        """The compiled function of the inner product."""
        return Loop(
            "inner", "polynomial", (self.parameters["gamma"], float(self.constant), float(self.degree))
        )

    def resolved(self, X: Any, weight: Array | None = None) -> Self:
        """Return the kernel with a number for gamma."""
        return replace(self, gamma=gamma_of(self.gamma, X, weight))

    def diagonal(self, A: Any) -> Array:
        """Return the values ``(gamma ||a||^2 + constant)^degree`` of every row with itself."""
        return np.asarray((self.parameters["gamma"] * squared_norms(A) + self.constant) ** self.degree)

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return ``degree base^(degree - 1)`` times gamma x.x', and times the constant where there is one."""
        base = replace(self, degree=1).block(A, B)
        slope = self.degree * base ** (self.degree - 1)
        out = [np.asarray(slope * (base - self.constant))]
        return [*out, np.asarray(slope * self.constant)] if self.constant > 0.0 else out
