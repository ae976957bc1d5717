"""The Lagrangian and the dual function."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from empirisk.convex.problem import ConvexProblem
from empirisk.typing import Array

__all__ = ["DualValue", "dual_function", "lagrangian", "multipliers"]

FAR = 1e12


@dataclass(frozen=True, eq=False)
class DualValue:
    """A value of the dual function.

    Parameters
    ----------
    value : float
        ``min_x L(x, lam, mu)`` as far as it was found: never below the true minimum by more than rounding.
    lower : float
        What is proved: ``L(x) + min_{y in D} grad L(x).(y - x)``, by convexity; -inf where the box is not
        bounded and the gradient is not 0.  As good as the gradient: differences carry their own error.
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


def multipliers(problem: ConvexProblem, lam: Any, mu: Any) -> tuple[Array, Array]:
    """Multipliers of the inequalities (lam >= 0) and of the equalities (mu, free), checked."""
    k, m = len(problem.inequalities), len(problem.residual(problem.inside()))
    lam = np.zeros(k) if lam is None else np.atleast_1d(np.asarray(lam, dtype=float))
    mu = np.zeros(m) if mu is None else np.atleast_1d(np.asarray(mu, dtype=float))
    for name, v, size, what in (("lam", lam, k, "inequalities"), ("mu", mu, m, "equalities")):
        if v.shape != (size,):
            raise ValueError(f"{name} must have one entry for each of the {size} {what}, got shape {v.shape}")
        if not np.isfinite(v).all():
            raise ValueError(f"{name} holds NaN or infinity")
    return lam, mu


def lagrangian(problem: ConvexProblem) -> Callable[..., float]:
    """``L(x, lam, mu) = f(x) + lam.g(x) + mu.(A x - b)`` as a function of the three.

    Parameters
    ----------
    problem : ConvexProblem
        The problem.

    Returns
    -------
    callable(x, lam=None, mu=None) -> float
        Multipliers that are left out are 0.

    Examples
    --------
    >>> p = ConvexProblem(lambda x: x @ x, 1, [lambda x: 1.0 - x[0]])
    >>> float(lagrangian(p)(np.array([2.0]), [3.0]))  # 4 + 3 (1 - 2)
    1.0
    """

    def L(x: Array, lam: Any = None, mu: Any = None) -> float:  # noqa: N802 - the name of the field
        a, b = multipliers(problem, lam, mu)
        x = np.asarray(x, dtype=float)
        return float(problem.objective(x)) + float(a @ problem.slacks(x)) + float(b @ problem.residual(x))

    return L


def dual_function(problem: ConvexProblem, lam: Any = None, mu: Any = None, x0: Any = None) -> DualValue:
    """``min_{x in D} L(x, lam, mu)``: a lower bound of the primal minimum for every ``lam >= 0``.

    Parameters
    ----------
    problem : ConvexProblem
        The problem; smooth functions are found faster.
    lam, mu : arrays, optional
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
        When an entry of lam is negative, or a size is wrong.

    Notes
    -----
    L-BFGS-B, then the bound of convexity; the value is concave in (lam, mu) (Boyd & Vandenberghe 2004,
    section 5.1).

    Examples
    --------
    >>> p = ConvexProblem(lambda x: x @ x, 1, [lambda x: 1.0 - x[0]])
    >>> round(dual_function(p, [2.0]).value, 9)  # lam - lam^2/4
    1.0
    """
    a, b = multipliers(problem, lam, mu)
    if np.any(a < 0.0):
        j = int(np.argmax(a < 0.0))
        raise ValueError(f"lam must be >= 0, got {a[j]:g} for inequality {j}: a negative one bounds nothing")
    L, A = lagrangian(problem), problem.equalities[0]  # type: ignore[index]

    def gradient(x: Array) -> Array:
        out = problem.gradient_of(0, x) + A.T @ b
        for j in np.flatnonzero(a):
            out = out + a[j] * problem.gradient_of(int(j) + 1, x)
        return np.asarray(out)

    start = problem.inside() if x0 is None else np.asarray(x0, dtype=float)
    box: Any = list(zip(problem.lower, problem.upper, strict=True))
    x, best = start, L(start, a, b)
    for _ in range(3):
        found: Any = minimize(  # type: ignore[call-overload]
            lambda v: L(v, a, b), x, jac=gradient, bounds=box, method="L-BFGS-B",
            options={"maxiter": 2000, "ftol": 1e-16, "gtol": 1e-10},
        )  # fmt: skip
        if not math.isfinite(found.fun) or found.fun < -FAR or np.abs(found.x).max(initial=0.0) > FAR:
            return DualValue(-math.inf, -math.inf, found.x)
        x, best = (found.x, float(found.fun)) if found.fun <= best else (x, best)
    g = gradient(x)
    reach = np.where(g > 0.0, problem.lower - x, problem.upper - x)
    ends = np.where(g == 0.0, 0.0, g * np.where(np.isfinite(reach), reach, 0.0))
    lost = np.any(~np.isfinite(reach) & (g != 0.0))
    return DualValue(best, -math.inf if lost else best + float(np.minimum(ends, 0.0).sum()), x)
