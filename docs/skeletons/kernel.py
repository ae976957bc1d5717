"""The Cauchy kernel: a copy-me file for a kernel.

Copy to src/empirisk/kernels/<name>.py, rename, change the formulas, and add one row to REGISTRY of that
folder and one to SAMPLES in tests/conformance/test_kernels.py (the formula of two rows, in plain NumPy).  The
tests then try it: no negative eigenvalue, symmetry, derivatives by differences, layouts and formats, pickles.

A kernel that is a function of the inner product, the squared distance or the sum of absolute differences can
be compiled: a functor in cpp/kernels/forms.hpp with its name in cpp/bind/kernel_arg.hpp, and a `loop`
property in place of `block`; see gaussian.py there.  Until then blocks are made in NumPy, and solvers read
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.kernels.pairs import squared_distances
from empirisk.kernels.words import check_width
from empirisk.typing import Array

__all__ = ["Cauchy"]


@dataclass(frozen=True)
class Cauchy(MercerKernel):
    """``k(x, x') = 1 / (1 + ||x - x'||^2 / length_scale^2)``.

    Parameters
    ----------
    length_scale : float > 0, default 1.0

    Examples
    --------
    >>> Cauchy().block(np.array([[0.0], [1.0]]))
    array([[1. , 0.5],
           [0.5, 1. ]])
    """

    length_scale: float = 1.0
    name = "cauchy"
    stationary = True
    normalised = True

    def __post_init__(self) -> None:
        check_width(self.name, None, self.length_scale)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The length scale, which can be learned."""
        return {"length_scale": self.length_scale}

    def block(self, A: Any, B: Any = None) -> Array:
        """Return ``1 / (1 + d)`` for all pairs, d the squared distance in units of the length scale."""
        return np.asarray(1.0 / (1.0 + squared_distances(A, B) / self.length_scale**2))

    def derivatives(self, A: Any, B: Any = None) -> list[Array]:
        """Return ``2 d / (1 + d)^2`` by the logarithm of the length scale."""
        d = squared_distances(A, B) / self.length_scale**2
        return [np.asarray(2.0 * d / (1.0 + d) ** 2)]
