"""The linear programme in standard form and its dual."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog

from empirisk.convex.problem import ConvexProblem
from empirisk.typing import Array

__all__ = ["LinearProgram"]


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """``min c.x`` such that ``A x = b, x >= 0``; its dual ``max b.lam`` such that ``A' lam <= c``.

    The minimum of ``c.x + lam.(b - A x)`` over ``x >= 0`` is ``b.lam`` if ``A' lam <= c`` and -inf otherwise.

    Parameters
    ----------
    c : array, shape (n,)
        Costs.
    A : array, shape (m, n)
        Equations.
    b : array, shape (m,)
        Their values.

    References
    ----------
    Boyd & Vandenberghe 2004, section 5.2.1.

    Examples
    --------
    >>> lp = LinearProgram([1.0, 2.0], [[1.0, 1.0]], [1.0])
    >>> x, lam = lp.solve()
    >>> x, lam, lp.dual_function(lam), lp.dual_function([1.5])
    (array([1., 0.]), array([1.]), 1.0, -inf)
    """

    c: Any
    A: Any
    b: Any

    def __post_init__(self) -> None:
        c, A, b = (np.asarray(v, dtype=float) for v in (self.c, self.A, self.b))
        if c.ndim != 1 or A.shape != (b.size, c.size) or b.ndim != 1:
            raise ValueError(f"A must have shape (len(b), len(c)), got {A.shape} for {b.shape} and {c.shape}")
        for name, value in (("c", c), ("A", A), ("b", b)):
            if not np.isfinite(value).all():
                raise ValueError(f"{name} holds NaN or infinity: all of its entries must be finite")
            if np.any(np.abs(value) >= 1e20):
                raise ValueError(
                    f"{name} holds a number of 1e20 or more, which counts as infinite here: rescale it"
                )
            object.__setattr__(self, name, value)

    def dual_function(self, lam: Any) -> float:
        """``b.lam`` where ``A' lam <= c`` up to rounding, else -inf."""
        lam = np.asarray(lam, dtype=float)
        if lam.shape != self.b.shape:
            raise ValueError(f"lam must have shape {self.b.shape}, got {lam.shape}")
        slack = self.c - self.A.T @ lam
        size = np.abs(self.c) + np.abs(self.A).T @ np.abs(lam)
        return float(self.b @ lam) if np.all(slack >= -1e-12 * size) else -math.inf

    @property
    def dual(self) -> ConvexProblem:
        """The dual as a minimisation of ``-b.lam``."""
        rows = [(lambda lam, j=j: float(self.A[:, j] @ lam - self.c[j])) for j in range(len(self.c))]
        return ConvexProblem(lambda lam: -float(self.b @ lam), len(self.b), rows)

    @property
    def primal(self) -> ConvexProblem:
        """The programme as a convex problem over the box ``x >= 0``."""
        return ConvexProblem(
            lambda x: float(self.c @ x),
            len(self.c),
            equalities=(self.A, self.b),
            gradient=lambda x: self.c,
            lower=0.0,
        )

    def solve(self) -> tuple[Array, Array]:
        """Return a vertex and its multipliers, by SciPy's HiGHS.

        Raises
        ------
        ValueError
            When there is no feasible point, or the costs fall without bound.
        """
        found = linprog(self.c, A_eq=self.A, b_eq=self.b, method="highs")
        if found.status == 2:
            raise ValueError("the programme has no feasible point: no x >= 0 satisfies A x = b")
        if found.status == 3:
            raise ValueError("the programme has no minimum: c.x falls without bound on the feasible points")
        if found.status != 0:
            raise ValueError(f"the programme was not solved: {found.message}")
        return np.asarray(found.x), np.asarray(found.eqlin.marginals)
