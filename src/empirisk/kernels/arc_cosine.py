"""The arc-cosine kernels: layers of infinitely many random steps, ramps or their squares.

Cho and Saul 2009, NeurIPS 22.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.kernels.algebra import MercerKernel
from empirisk.kernels.pairs import inner, squared_norms
from empirisk.typing import Array

__all__ = ["ArcCosine"]


@dataclass(frozen=True)
class ArcCosine(MercerKernel):
    """``k(x, x') = ||x||^q ||x'||^q J_q(t) / pi``, t the angle between the rows and q the order.

    ``J_0 = pi - t``, ``J_1 = sin t + (pi - t) cos t``, ``J_2 = 3 sin t cos t + (pi - t)(1 + 2 cos^2 t)``: the
    limit of ``(2/D) sum_j max(w_j.x, 0)^q max(w_j.x', 0)^q`` with normal w and width D.

    Parameters
    ----------
    order : {0, 1, 2}, default 1
        1 is the layer of rectified linear units.

    Examples
    --------
    >>> ArcCosine(1).block(np.array([[1.0, 0.0], [0.0, 1.0]])).round(4)
    array([[1.    , 0.3183],
           [0.3183, 1.    ]])
    """

    order: int = 1
    name = "arc_cosine"

    def __post_init__(self) -> None:
        if self.order not in (0, 1, 2) or isinstance(self.order, bool):
            raise ValueError(f"order of the kernel 'arc_cosine' must be 0, 1 or 2, got {self.order!r}")

    def block(self, A: Any, B: Any = None) -> Array:
        """Return the closed form for all pairs; a row of zeros has no angle, and order 0 gives it one
        half.
        """
        same = B is None
        a = np.sqrt(squared_norms(A))
        b = a if same else np.sqrt(squared_norms(B))
        size = a[:, None] * b[None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            cosine = np.where(size > 0.0, inner(A, B) / size, 0.0)
        cosine = np.clip(cosine, -1.0, 1.0)
        if same:
            np.fill_diagonal(cosine, np.where(a > 0.0, 1.0, 0.0))
            cosine = np.triu(cosine) + np.triu(cosine, 1).T
        t, sine = np.arccos(cosine), np.sqrt(1.0 - cosine**2)
        form = [
            lambda: np.pi - t,
            lambda: sine + (np.pi - t) * cosine,
            lambda: 3.0 * sine * cosine + (np.pi - t) * (1.0 + 2.0 * cosine**2),
        ][self.order]()
        return np.asarray(size**self.order * form / np.pi)

    def diagonal(self, A: Any) -> Array:
        """Return ``||a||^(2q) J_q(0) / pi``, which is 1, ``||a||^2`` or ``3 ||a||^4`` by the order."""
        norms = squared_norms(A)
        if self.order == 0:
            return np.where(norms > 0.0, 1.0, 0.5)
        return np.asarray(norms if self.order == 1 else 3.0 * norms**2)
