"""Weak duality at a feasible point and any multipliers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.convex.lagrangian import dual_function
from empirisk.convex.problem import ConvexProblem
from empirisk.data.brief import Brief
from empirisk.problems.linear import LinearProblem
from empirisk.results import Kind
from empirisk.typing import Array

__all__ = ["WeakDuality", "weak_duality"]


@dataclass(frozen=True, repr=False)
class WeakDuality(Brief):
    """``dual <= min f <= primal``.

    Parameters
    ----------
    primal : float
        f at the feasible point.
    dual : float
        The dual function at the multipliers.
    proved : bool
        Whether the dual value is a proved lower bound; else a minimisation found it, which may end early.

    Examples
    --------
    >>> print(WeakDuality(1.5, 1.0, True))
    1 <= min f <= 1.5: the point is at most 0.5 above the minimum
    """

    primal: float
    dual: float
    proved: bool

    @property
    def gap(self) -> float:
        """The duality gap ``primal - dual``, which is never negative up to rounding."""
        return self.primal - self.dual

    def __str__(self) -> str:
        ends = f"{self.dual:.6g} <= min f <= {self.primal:.6g}"
        said = f"{ends}: the point is at most {self.gap:.3g} above the minimum"
        return said if self.proved else f"{said} (the dual value is numerical, not proved)"


def weak_duality(
    problem: ConvexProblem | LinearProblem, x: Any, lam: Any = None, nu: Any = None, *, tol: float = 1e-8
) -> WeakDuality:
    """Return what a feasible x and multipliers prove about the minimum.

    Parameters
    ----------
    problem : ConvexProblem or LinearProblem
        The problem.
    x : array, shape (n,)
        A feasible point; the parameters of a linear problem, intercept last.
    lam : array, optional
        Multipliers of the inequalities (>= 0); the dual values theta of the rows for a linear problem, by
        default minus the derivatives of the loss, made feasible as its certificates do.
    nu : array, optional
        Multipliers of the equalities.
    tol : float, default 1e-8
        How far a constraint may be missed.

    Returns
    -------
    WeakDuality

    Raises
    ------
    ValueError
        When x is not feasible: the constraint is named.  When a linear problem has no finite dual value.

    Examples
    --------
    >>> p = ConvexProblem(lambda x: x @ x, 1, [lambda x: 1.0 - x[0]])
    >>> weak_duality(p, [1.5], [2.0]).gap.__round__(6)
    1.25
    """
    if isinstance(problem, LinearProblem):
        return _linear(problem, np.asarray(x, dtype=float), lam)
    x = problem.point(x)
    require_feasible(problem, x, tol)
    dual = dual_function(problem, lam, nu, x0=x)
    value = dual.lower if dual.proved else dual.value
    return WeakDuality(problem.value_of(0, x), value, dual.proved)


def _linear(problem: LinearProblem, w: Array, theta: Any) -> WeakDuality:
    if w.shape != problem.shape or not np.isfinite(w).all():
        raise ValueError(f"x must be {problem.shape} finite numbers, got shape {w.shape}")
    primal = problem.value(w)
    if not math.isfinite(primal):
        outside = f", outside the set {problem.penalty.name!r}" if hasattr(problem.penalty, "gap") else ""
        raise ValueError(f"x is not feasible: the objective is {primal} there{outside}")
    certificate = problem.certify(w, theta=theta)
    if certificate.kind not in (Kind.DUALITY_GAP, Kind.EXACT):
        raise ValueError(f"this problem has no finite dual value here: {certificate.claim}")
    return WeakDuality(primal, primal - certificate.value, True)


def require_feasible(problem: ConvexProblem, x: Any, tol: float) -> None:
    """Refuse a point outside, and name the constraint."""
    outside = (x < problem.lower - tol) | (x > problem.upper + tol)
    for j in np.flatnonzero(outside):
        raise ValueError(
            f"x[{j}] = {x[j]:g} lies outside the domain [{problem.lower[j]:g}, {problem.upper[j]:g}]"
        )
    for k, v in enumerate(problem.slacks(x)):
        if not v <= tol:
            raise ValueError(f"x is not feasible: inequality {k} has the value {v:g}, above 0")
    for i, missed in enumerate(problem.residual(x)):
        if not abs(missed) <= tol:
            raise ValueError(f"x is not feasible: equality {i} is missed by {missed:g}")
