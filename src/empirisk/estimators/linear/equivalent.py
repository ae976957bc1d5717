"""The constrained form of a penalised fit: the same solution, a bound instead of a strength."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.data.brief import Brief
from empirisk.data.sums import inner
from empirisk.inference.refusal import still_solves
from empirisk.penalties import ConstraintSet, HalfSpace, Intersection, L1Ball, L2Ball, NonNegative
from empirisk.typing import Array

__all__ = ["EquivalentConstraint", "equivalent_constraint"]


@dataclass(frozen=True, repr=False)
class EquivalentConstraint(Brief):
    """``min f(w) subject to Omega(w) <= T`` and ``min f(w) + multiplier Omega(w)`` at one solution.

    Parameters
    ----------
    omega : str
        Omega, as a formula.
    radius : float
        T, the value of Omega at the fitted coefficients.
    multiplier : float
        Lagrange multiplier of ``Omega(w) <= T``.
    square_multiplier : float or None
        For ``Omega(w) = ||w||``: the multiplier of ``||w||^2 / 2 <= T^2 / 2``, which is the strength of the
        L2 penalty.
    measured : float
        ``-grad f(w).w / T``, what the data say the multiplier is; equal up to the accuracy of the fit. NaN at
        T = 0, where every number from `multiplier` on is a multiplier.
    constraint : ConstraintSet or None
        The set for :class:`empirisk.ConstrainedRegressor`; None when the library has no such set.
    """

    omega: str
    radius: float
    multiplier: float
    square_multiplier: float | None
    measured: float
    constraint: ConstraintSet | None

    @property
    def sentence(self) -> str:
        """The equivalence of penalty and constraint in one sentence, with the multiplier."""
        square = (
            ""
            if self.square_multiplier is None
            else f" (of {self.omega}^2/2 <= T^2/2: {self.square_multiplier:.6g})"
        )
        bound = f"{self.omega} <= {self.radius:.6g}"
        return f"{bound} gives the same solution, with multiplier {self.multiplier:.6g}{square}"

    def __repr__(self) -> str:
        return self.sentence


def equivalent_constraint(
    est: Any, X: Any = None, y: Any = None, sample_weight: Any = None
) -> EquivalentConstraint:
    """Bound and multiplier at which the constrained form has the solution of a penalised fit.

    If w minimises ``f + alpha Omega``, f convex, it minimises f over ``Omega(w) <= T``, ``T = Omega(w)``, and
    alpha is the multiplier: ``f(v) >= f(w) + alpha (T - Omega(v)) >= f(w)`` there.  For L2,
    ``alpha ||w||^2 / 2``, alpha is the multiplier of ``||w||^2 / 2 <= T^2 / 2`` and ``alpha T`` that of
    ``||w|| <= T``, the form of the ball.

    Parameters
    ----------
    est : estimator
        A fitted linear model with a penalty (L1, L2, elastic net, group lasso, sorted L1), or a
        :class:`empirisk.ConstrainedRegressor` on a ball or the simplex, whose multiplier is measured.
    X, y, sample_weight : arrays, optional
        The rows of the fit, where it did not keep them.

    Returns
    -------
    EquivalentConstraint

    Raises
    ------
    ValueError
        Without a penalty: no constraint is active; on other rows than those of the fit.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.eye(2) * 2**0.5, np.array([6.0, 8.0]) / 2**0.5
    >>> er.equivalent_constraint(er.Ridge(alpha=1.0, fit_intercept=False).fit(X, y))
    ||w|| <= 2.5 gives the same solution, with multiplier 2.5 (of ||w||^2/2 <= T^2/2: 1)
    """
    check_is_fitted(est)
    if not hasattr(est, "_fitted_problem"):
        raise TypeError(f"est must be a penalised linear model of empirisk, got {type(est).__name__}")
    problem = est._fitted_problem(X, y, sample_weight)
    if not still_solves(problem, est.solution_):
        raise ValueError(
            "X, y and sample_weight are not the rows that the model was fitted on (the fit is not optimal "
            "for them): pass those, or refit"
        )
    w = est._pack(problem)
    coef = np.asarray(problem.split(w)[0], dtype=np.float64)
    pull = -inner(problem.split(problem.evaluate(w).grad)[0], coef)
    penalty = problem.penalty
    if isinstance(penalty, ConstraintSet):
        return _measured(penalty, pull)
    alpha = getattr(penalty, "alpha", 0.0)
    if alpha == 0.0:
        raise ValueError(
            "the fit has no penalty (alpha = 0): no constraint is active, and every multiplier is 0"
        )
    if penalty.separable and penalty.l1 == 0.0:
        T = float(np.linalg.norm(coef))
        ball = None if penalty.positive else L2Ball(T)
        measured = pull / T if T > 0.0 else float("nan")
        return EquivalentConstraint("||w||", T, alpha * T, alpha, measured, ball)
    T = penalty.value(coef) / alpha
    omega = penalty.formula
    # Of an elastic net f and Omega's square part are not homogeneous: g.w counts the square twice.
    square = 0.5 * penalty.l2 / alpha * inner(coef, coef)
    measured = pull / (T + square) if T > 0.0 else float("nan")
    return EquivalentConstraint(omega, T, alpha, None, measured, _set(penalty, T, coef))


def _set(penalty: Any, T: float, coef: Array) -> ConstraintSet | None:
    """Return the set ``Omega(w) <= T`` where the library has it."""
    if not penalty.separable or penalty.l2 > 0.0:
        return None
    if penalty.positive:
        return Intersection([NonNegative(), HalfSpace([1.0] * coef.size, T)])
    return L1Ball(T)


def _measured(constraint: ConstraintSet, pull: float) -> EquivalentConstraint:
    """Return the multiplier of a ball or the simplex, which is what pulls at its border."""
    size = constraint.size
    if size is None:
        raise ValueError(
            f"the constraint {constraint.name!r} is no ball: it has no single bound with a multiplier; its "
            "optimality is in est.certificate_"
        )
    T = size.bound
    each = pull / T if T > 0.0 else float("nan")
    squared = each / T if size.euclidean and T > 0.0 else None
    return EquivalentConstraint(size.formula, T, each, squared, each, constraint)
