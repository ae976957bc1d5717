"""The Lagrangian and the dual function, which bounds the minimum from below for all multipliers >= 0.

Boyd and Vandenberghe, Convex Optimization (2004), section 5.1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from empirisk.convex.constraints import as_convex_problem
from empirisk.convex.problem import ConvexProblem
from empirisk.data.brief import Brief
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["DualValue", "dual_function", "lagrangian", "multipliers"]

FAR = 1e12  # a fall or a distance beyond this counts as unbounded


@dataclass(frozen=True, eq=False, repr=False)
class DualValue(Brief):
    """A value of the dual function.

    Parameters
    ----------
    value : float
        ``min_x L(x, lam, nu)`` as far as it was found: never below the true minimum by more than rounding.
    lower : float
        What is proved: ``L(x) + min_{y in D} grad L(x).(y - x) + m ||y - x||^2 / 2``, m the strong convexity;
        -inf where m = 0, the box is not bounded and the gradient is not 0.  As good as the gradient:
        differences carry their own error.
    x : array
        Where the minimum was found.

    Examples
    --------
    >>> DualValue(1.0, 1.0, np.zeros(1)).proved
    True
    """

    value: float
    lower: float
    x: Array

    @property
    def proved(self) -> bool:
        """Whether the lower end equals the value up to 1e-6 of its size."""
        return self.value - self.lower <= 1e-6 * max(1.0, abs(self.value))


def multipliers(problem: ConvexProblem, lam: Any, nu: Any) -> tuple[Array, Array]:
    """Return the multipliers of the inequalities (lam >= 0) and of the equalities (nu, free), checked."""
    k, m = len(problem.inequalities), len(problem.residual(problem.inside()))
    lam = np.zeros(k) if lam is None else np.atleast_1d(np.asarray(lam, dtype=float))
    nu = np.zeros(m) if nu is None else np.atleast_1d(np.asarray(nu, dtype=float))
    for name, v, size, what in (("lam", lam, k, "inequalities"), ("nu", nu, m, "equalities")):
        if v.shape != (size,):
            raise ValueError(f"{name} must have one entry for each of the {size} {what}, got shape {v.shape}")
        if not np.isfinite(v).all():
            raise ValueError(f"{name} holds NaN or infinity: multipliers must be finite")
    return lam, nu


def lagrangian(problem: ConvexProblem | LinearProblem) -> Callable[..., float]:
    """``L(x, lam, nu) = f(x) + lam.g(x) + nu.(A x - b)`` as a function of the three.

    Parameters
    ----------
    problem : ConvexProblem or LinearProblem
        The problem; a linear one as :func:`as_convex_problem` writes it out.

    Returns
    -------
    callable(x, lam=None, nu=None) -> float
        Multipliers that are left out are 0.

    Examples
    --------
    >>> p = ConvexProblem(lambda x: x @ x, 1, [lambda x: 1.0 - x[0]])
    >>> float(lagrangian(p)(np.array([2.0]), [3.0]))  # 4 + 3 (1 - 2)
    1.0
    """
    p = as_convex_problem(problem) if isinstance(problem, LinearProblem) else problem

    def L(x: Array, lam: Any = None, nu: Any = None) -> float:  # noqa: N802 - the name of the field
        a, b = multipliers(p, lam, nu)
        x = p.point(x)
        return p.value_of(0, x) + float(a @ p.slacks(x)) + float(b @ p.residual(x))

    return L


def dual_function(
    problem: ConvexProblem | LinearProblem, lam: Any = None, nu: Any = None, x0: Any = None
) -> DualValue:
    """``min_{x in D} L(x, lam, nu)``: a lower bound of the primal minimum for every ``lam >= 0``.

    Parameters
    ----------
    problem : ConvexProblem or LinearProblem
        The problem; a linear one as :func:`as_convex_problem` writes it out.  Smooth functions are found
        faster.
    lam, nu : arrays, optional
        Multipliers of the inequalities and of the equalities; 0 when they are left out.
    x0 : array, optional
        Where to start.

    Returns
    -------
    DualValue
        -inf where the Lagrangian falls without bound.

    Raises
    ------
    ValueError
        When an entry of lam is negative, a size is wrong, or the Lagrangian is not finite at the start.

    Notes
    -----
    L-BFGS-B, then the bound of convexity; the value is concave in (lam, nu) (Boyd & Vandenberghe 2004,
    section 5.1).

    Examples
    --------
    >>> p = ConvexProblem(lambda x: x @ x, 1, [lambda x: 1.0 - x[0]])
    >>> round(dual_function(p, [2.0]).value, 9)  # lam - lam^2/4
    1.0
    """
    problem = as_convex_problem(problem) if isinstance(problem, LinearProblem) else problem
    a, b = multipliers(problem, lam, nu)
    if np.any(a < 0.0):
        j = int(np.argmax(a < 0.0))
        raise ValueError(f"lam must be >= 0, got {a[j]:g} for inequality {j}: a negative one bounds nothing")
    L, A = lagrangian(problem), problem.equalities[0]  # type: ignore[index]

    def gradient(x: Array) -> Array:
        out = problem.gradient_of(0, x) + A.T @ b
        for j in np.flatnonzero(a):
            out = out + a[j] * problem.gradient_of(int(j) + 1, x)
        return np.asarray(out)

    x = problem.inside() if x0 is None else problem.point(x0)
    best, box = L(x, a, b), list(zip(problem.lower, problem.upper, strict=True))
    if not math.isfinite(best):
        raise ValueError(
            f"the Lagrangian is {best} at x = {np.round(x, 4).tolist()}; give an x0 where it is finite, and "
            "say by lower and upper where the functions are defined"
        )
    # In units of its first slope, so that tolerances mean the same for every scale.
    origin, size = best, float(np.abs(gradient(x)).max(initial=0.0)) or 1.0
    far = FAR * (1.0 + float(np.abs(x).max(initial=0.0)))
    for _ in range(3):
        found: Any = minimize(  # type: ignore[call-overload]
            lambda v: (L(v, a, b) - origin) / size, x, jac=lambda v: gradient(v) / size, bounds=box,
            method="L-BFGS-B", options={"maxiter": 2000, "ftol": 1e-16, "gtol": 1e-10},
        )  # fmt: skip
        if found.fun < -FAR or np.abs(found.x).max(initial=0.0) > far:
            return DualValue(-math.inf, -math.inf, found.x)
        value = L(found.x, a, b)
        if value <= best:
            x, best = found.x, value
    return DualValue(best, best + _fall(problem, x, gradient(x)), x)


def _fall(problem: ConvexProblem, x: Array, g: Array) -> float:
    """``min_{y in D} g.(y - x) + m ||y - x||^2 / 2``: how far a convex function can fall below its value at
    x.
    """
    m, low, high = problem.strong_convexity, problem.lower - x, problem.upper - x
    if m > 0.0:
        d = np.clip(-g / m, low, high)
        return float((g * d + 0.5 * m * d**2).sum())
    reach = np.where(g > 0.0, low, high)
    if np.any(~np.isfinite(reach) & (g != 0.0)):
        return -math.inf
    return float((g * np.where(g == 0.0, 0.0, reach)).sum())
