"""Linear regression with any loss and any penalty."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from empirisk.data.design import Design
from empirisk.estimators.checks import check_alpha
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.any_loss import AnyLossRegressor
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.positive import PoissonRegressor
from empirisk.penalties import REGISTRY, ConstraintSet, Penalty
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["PenalizedRegressor"]


@documented(PoissonRegressor, FactorColumns)
class PenalizedRegressor(AnyLossRegressor):
    """A linear model with a loss and a penalty of choice.

    ``min_{w,b} (1/S) sum_i s_i loss(y_i, x_i.w + b) + alpha Omega(w)``

    Parameters
    ----------
    penalty : str or Penalty, default "l2"
        ``"l2"``, ``"l1"``, ``"elastic_net"``, ``"sorted_l1"``, ``"group_lasso"`` (all coefficients one
        group), or an object of :mod:`empirisk.penalties`, ``GroupLasso(0.1, groups)`` say.
    loss : str or Loss, default "half_squared"
        A name of :data:`empirisk.losses.REGISTRY` or an object, :func:`empirisk.losses.user_loss` included.
    alpha : float, "1/n", "cv" or None, default None
        Strength on the mean-loss scale, in place of the penalty's own.  ``"cv"`` chooses it with K folds by
        the validation loss.  None keeps the strength of a penalty object, and is ``"1/n"`` for a name.
    fit_intercept, alphas, cv, rule, random_state, solver, tol, max_iter, warm_start
        As in :class:`PoissonRegressor`.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
    intercept_ : float
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        Duality gap, where the penalty grows in every direction; else the KKT residual.
    solution_ : Solution
        Status, steps, trace.
    selection_ : StrengthSelection
        With ``alpha="cv"``: strengths, losses, standard errors.

    Notes
    -----
    Every smooth loss goes with every penalty.  Losses with kinks go with L1, L2 and the elastic net.

    References
    ----------
    Yuan & Lin 2006 (JRSS-B 68); Bogdan et al. 2015 (Ann. Appl. Stat. 9); Beck & Teboulle 2009.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> from empirisk.penalties import GroupLasso
    >>> X, y = np.eye(3) * 3**0.5, np.array([9.0, 12.0, 1.0]) / 3**0.5
    >>> penalty = GroupLasso(1.0, [[0, 1], [2]], [1.0, 1.0])
    >>> er.PenalizedRegressor(penalty, fit_intercept=False).fit(X, y).coef_.round(6)
    array([2.4, 3.2, 0. ])
    """

    def __init__(
        self,
        penalty: Any = "l2",
        *,
        loss: Any = "half_squared",
        alpha: float | str | None = None,
        fit_intercept: bool = True,
        alphas: Any = 100,
        cv: Any = None,
        rule: str = "min",
        random_state: Any = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        warm_start: bool = False,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def _penalty(self) -> Penalty:
        """Return the penalty as given; one by name has strength 1."""
        given = self.penalty
        if isinstance(given, Penalty) and not isinstance(given, type):
            return given
        known = sorted(n for n, k in REGISTRY.items() if _by_strength(k))
        if isinstance(given, str) and given in known:
            made: Penalty = REGISTRY[given](1.0)
            return made
        raise ValueError(
            f"penalty must be one of {', '.join(known)}, or a penalty of er.penalties, got {given!r}"
        )

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        penalty = self._penalty()
        problem = self._plain(design, y, weight, penalty)
        given: Any = self.alpha if alpha is None else alpha
        if isinstance(penalty, ConstraintSet):
            if self.alpha is not None:
                penalty.with_strength(1.0)  # refuses, and says why
            return problem
        if given is None:
            if not isinstance(self.penalty, str):
                return problem
            given = "1/n"
        given = check_alpha(given)
        if given == "cv":
            return self._with_selection(problem)
        return problem.with_strength(1.0 / problem.data.total_weight if given == "1/n" else float(given))


def _by_strength(kind: Any) -> bool:
    """Return whether a class of the registry is a penalty that a strength alone makes."""
    return kind.has_strength and fields(kind)[0].name == "alpha"
