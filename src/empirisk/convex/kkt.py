"""The Karush-Kuhn-Tucker conditions of optimality, as four numbers that are all 0 at an optimum.

Boyd and Vandenberghe, Convex Optimization (2004), section 5.5.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.convex.lagrangian import multipliers
from empirisk.convex.problem import ConvexProblem
from empirisk.data.brief import Brief
from empirisk.data.sums import weighted_sum
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["KKT", "kkt_residual"]


@dataclass(frozen=True, repr=False)
class KKT(Brief):
    """How far x and multipliers miss each of the four conditions; all 0 exactly at a primal and dual optimum.

    Parameters
    ----------
    stationarity : float
        Largest entry of the gradient of the Lagrangian, projected on the domain.
    primal : float
        Largest violation of a constraint.
    dual : float
        Largest violation of ``lam >= 0``.
    complementarity : float
        Largest ``|lam_j g_j(x)|``.

    Examples
    --------
    >>> KKT(1e-9, 0.0, 0.0, 2e-9).largest
    2e-09
    """

    stationarity: float
    primal: float
    dual: float
    complementarity: float

    @property
    def largest(self) -> float:
        """The largest of the four residuals: it is 0 exactly at an optimum of a convex problem."""
        return float(np.max([self.stationarity, self.primal, self.dual, self.complementarity]))

    def __str__(self) -> str:
        return (
            f"stationarity {self.stationarity:.2g}, primal feasibility {self.primal:.2g}, dual feasibility "
            f"{self.dual:.2g}, complementary slackness {self.complementarity:.2g}"
        )


def kkt_residual(problem: ConvexProblem | LinearProblem, x: Any, lam: Any = None, nu: Any = None) -> KKT:
    """Stationarity, primal feasibility, dual feasibility and complementary slackness.

    Parameters
    ----------
    problem : ConvexProblem or LinearProblem
        The problem.
    x : array
        The point; for a linear problem its parameters, intercept last.
    lam : array, optional
        Multipliers of the inequalities; for a linear problem the dual values theta of its rows
        (``solution.dual``), by default minus the derivatives of the loss.
    nu : array, optional
        Multipliers of the equalities.

    Returns
    -------
    KKT
        For a linear problem: the distance of ``(1/S) sum s_i theta_i x_i`` from the subdifferential of the
        penalty; the excess over a constraint set; how far theta misses the conjugate's domain (0 or inf) and
        ``sum s_i theta_i = 0``; and the mean Fenchel gap ``l(z) + l*(-theta) + theta z`` of the rows.

    References
    ----------
    Boyd & Vandenberghe 2004, section 5.5.3.

    Examples
    --------
    >>> p = ConvexProblem(lambda x: x @ x, 1, [lambda x: 1.0 - x[0]])
    >>> kkt_residual(p, [1.0], [2.0]).largest < 1e-8
    True
    """
    x = np.asarray(x, dtype=float)
    if isinstance(problem, LinearProblem):
        return _linear(problem, x, lam)
    x = problem.point(x)
    a, b = multipliers(problem, lam, nu)
    A, _ = problem.equalities  # type: ignore[misc]
    g = problem.gradient_of(0, x) + A.T @ b
    for j in np.flatnonzero(a):
        g = g + a[j] * problem.gradient_of(int(j) + 1, x)
    # At a border of the box the gradient may push outwards.
    g = np.where((x <= problem.lower) & (g > 0.0), 0.0, np.where((x >= problem.upper) & (g < 0.0), 0.0, g))
    slack, residual = problem.slacks(x), problem.residual(x)
    outside = np.maximum(np.maximum(problem.lower - x, x - problem.upper), 0.0)
    return KKT(
        _largest(g),
        _largest(np.concatenate([np.maximum(slack, 0.0), residual, outside])),
        _largest(np.maximum(-a, 0.0)),
        _largest(a * slack),
    )


def _linear(problem: LinearProblem, w: Array, theta: Any) -> KKT:
    if w.shape != problem.shape or not np.isfinite(w).all():
        raise ValueError(f"x must be {problem.shape} finite numbers, got shape {w.shape}")
    data, total = problem.data, problem.data.total_weight
    z = problem.scores(w)
    theta = -problem.loss.grad(data.y, z) if theta is None else np.asarray(theta, dtype=float)
    weighted = ((data.weight / total) * theta.T).T
    v = np.asarray(problem.design.X.T @ weighted, dtype=float)
    coef = problem.split(w)[0]
    conjugate = problem.loss.conjugate(data.y, -theta)
    product = theta * z if theta.ndim == 1 else (theta * z).sum(axis=1)
    gap = float(weighted_sum(data.weight, problem.loss.value(data.y, z) + conjugate + product)) / total
    infeasible = 0.0 if np.isfinite(conjugate).all() else np.inf
    balance = _largest(weighted.sum(axis=0)) if problem.intercept else 0.0
    excess = float(problem.penalty.gap(coef)) if hasattr(problem.penalty, "gap") else 0.0
    if problem.penalty.positive:
        excess = max(excess, -float(np.min(coef, initial=0.0)))
    return KKT(
        _largest(problem.penalty.subdiff_distance(coef, -v)), excess, max(infeasible, balance), max(gap, 0.0)
    )


def _largest(v: Any) -> float:
    return float(np.max(np.abs(v), initial=0.0))
