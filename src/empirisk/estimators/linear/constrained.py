"""Linear regression with its coefficients in a constraint set."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from empirisk.data.design import Design
from empirisk.estimators.checks import check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.any_loss import AnyLossRegressor
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.penalties import REGISTRY, ConstraintSet
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["ConstrainedRegressor"]


@documented(FactorColumns)
class ConstrainedRegressor(AnyLossRegressor):
    """A linear model whose coefficients must lie in a convex set.

    ``min_{w,b} (1/S) sum_i s_i loss(y_i, x_i.w + b)  subject to  w in C``; b is free.

    Parameters
    ----------
    constraint : {"l2_ball", "l1_ball", "simplex", "non_negative"} or ConstraintSet, default "l2_ball"
        The set C: ``||w|| <= radius``; ``||w||_1 <= radius``; ``w >= 0`` with ``sum_j w_j = radius``;
        ``w >= 0``; or any set of :mod:`empirisk.penalties` (box, half-space, affine set, intersections).
    radius : float, default 1.0
        Size of the named balls and of the simplex.
    loss : str or Loss, default "half_squared"
        A name of :data:`empirisk.losses.REGISTRY` or an object, :func:`empirisk.losses.user_loss` included.
    fit_intercept : bool, default True
        Whether b is free (else 0); it is never constrained.
    solver : str or Solver, default "auto"
        ``"projected_gradient"``, ``"fista"``, ``"frank_wolfe"`` (bounded sets) or another of
        :mod:`empirisk.solvers`.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Step limit.
    warm_start : bool, default False
        Begin each fit at the coefficients of the fit before, if that had as many columns of the same names;
        else, and where those are worse than the model without columns, it starts anew, without a warning.
        Optimum and certificate are the same; fits on nearly the same rows or of near strengths take fewer
        steps. A start outside C is one that is worse.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
        In C up to rounding; the certificate is about the point of C that they round.
    intercept_ : float
    constraint_ : ConstraintSet
        The set C.
    certificate_ : Certificate
        The duality gap on balls, simplex and box; the KKT residual on other sets.
    solution_ : Solution
        Status, steps, trace.

    Raises
    ------
    ValueError
        When an intersection has no point: the message names two sets that are apart.

    Notes
    -----
    One evaluation and one projection a step.  :func:`empirisk.equivalent_constraint` gives the radius at
    which this model equals a penalised one.

    References
    ----------
    Birgin, Martinez & Raydan 2000 (SIAM J. Optim. 10); Duchi et al. 2008 (ICML); Jaggi 2013 (ICML).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), np.array([0.2, 0.6, 0.8])
    >>> mix = er.ConstrainedRegressor("simplex", fit_intercept=False).fit(X, y)
    >>> mix.coef_.round(6)
    array([0.3, 0.7])
    """

    def __init__(
        self,
        constraint: Any = "l2_ball",
        *,
        radius: float = 1.0,
        loss: Any = "half_squared",
        fit_intercept: bool = True,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def _constraint_set(self) -> ConstraintSet:
        given = self.constraint
        if isinstance(given, ConstraintSet):
            return given
        radius = check_number("radius", self.radius, 0.0, closed=given != "simplex")
        known = {name: kind for name, kind in REGISTRY.items() if _by_radius(kind)}
        if isinstance(given, str) and given in known:
            kind = known[given]
            made: ConstraintSet = kind(radius) if fields(kind) else kind()
            return made
        names = ", ".join(sorted(known))
        raise ValueError(
            f"constraint must be one of {names} or a constraint set of er.penalties, got {given!r}"
        )

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        chosen = self._constraint_set()
        chosen.project(np.zeros(design.shape[1]))  # refuses empty sets, and sets of other dimension
        self.constraint_ = chosen
        return self._plain(design, y, weight, chosen)


def _by_radius(kind: Any) -> bool:
    """Return whether a class of the registry is a set that its size alone makes, or that needs nothing."""
    sizes = [f.name for f in fields(kind)] if issubclass(kind, ConstraintSet) else ["none"]
    return sizes in ([], ["radius"], ["total"])
