"""A constraint set written out as smooth inequalities and equations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from empirisk.typing import Array

__all__ = ["Inequalities"]


@dataclass(frozen=True, eq=False)
class Inequalities:
    """``A w <= b``, ``||w|| <= r`` for each r, ``E w = f``.

    Parameters
    ----------
    A, b : arrays, shape (m, p) and (m,)
        Linear inequalities.
    radii : tuple of float
        Of balls about the origin.
    E, f : arrays, shape (k, p) and (k,)
        Equations.

    Examples
    --------
    >>> from empirisk.penalties import Simplex
    >>> s = Simplex().inequalities(2)
    >>> s.count, s.slacks(np.array([0.25, 0.75])), s.E @ [0.25, 0.75] - s.f
    (2, array([0.25, 0.75]), array([0.]))
    """

    A: Array
    b: Array
    radii: tuple[float, ...]
    E: Array
    f: Array

    @classmethod
    def of(
        cls,
        p: int,
        *,
        rows: tuple[Array, Array] | None = None,
        radii: Sequence[float] = (),
        equations: tuple[Array, Array] | None = None,
    ) -> Self:
        """Return a description in R^p; what is left out is empty."""
        A, b = rows or (np.zeros((0, p)), np.zeros(0))
        E, f = equations or (np.zeros((0, p)), np.zeros(0))
        return cls(A, b, tuple(radii), E, f)

    @classmethod
    def together(cls, parts: Sequence[Inequalities]) -> Self:
        """Return the inequalities and equations of all parts as one set: their intersection."""
        return cls(
            np.vstack([s.A for s in parts]),
            np.concatenate([s.b for s in parts]),
            tuple(r for s in parts for r in s.radii),
            np.vstack([s.E for s in parts]),
            np.concatenate([s.f for s in parts]),
        )

    @property
    def count(self) -> int:
        """The number of inequalities, linear ones and balls; equations do not count."""
        return len(self.b) + len(self.radii)

    def slacks(self, w: Array) -> Array:
        """Return ``b - A w`` and ``r^2 - ||w||^2``, which are all positive exactly in the interior."""
        return np.concatenate([self.b - self.A @ w, [r**2 - w @ w for r in self.radii]])
