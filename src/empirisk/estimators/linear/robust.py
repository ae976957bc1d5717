"""Huber regression: the squared error of small residuals, the absolute error of large ones.

Huber, Annals of Mathematical Statistics 35 (1964).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from empirisk.estimators.checks import check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.noise_scale import Scale, joint_scale, median_scale, replace_loss, residual_of
from empirisk.estimators.linear.quantile import QuantileRegressor
from empirisk.estimators.linear.scalar_regression import ScalarRegressor
from empirisk.losses import Absolute, Huber, Loss
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.typing import Array

__all__ = ["HuberRegressor"]

ON_PLANE = 1e-10  # of the largest target that a residual of 0 may be off


@documented(QuantileRegressor, FactorColumns)
class HuberRegressor(ScalarRegressor):
    """Linear regression that outliers in y pull no harder than other rows.

    ``min_{w,b} (1/S) sum_i s_i huber_d(y_i - x_i.w - b) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``, where
    ``huber_d(t) = t^2 / 2`` for ``|t| <= d`` and ``d |t| - d^2 / 2`` beyond, ``d = delta * scale_``.

    Parameters
    ----------
    delta : float, default 1.35
        Where the square becomes linear, in units of the scale of the noise, > 0 (> 1 with ``"joint"``).  1.35
        has 95 % of the efficiency of least squares when the noise is normal and `scale_` its standard
        deviation.
    scale : {"mad", "joint"} or float, default "mad"
        ``"mad"``: 1.4826 times the median of the absolute residuals, those that are 0 left out, of a fit by
        least absolute deviations; half of the rows may be outliers before it breaks down, and the Huber fit
        is a convex problem.  ``"joint"``: the scale that minimises, together with w and b,

            ``(1/S) sum_i s_i (huber_{delta s}(r_i) / s + s / 2) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``

        over s > 0, scikit-learn's objective (Huber's concomitant scale; its `epsilon` is delta and its
        strength ``alpha S``).  This scale solves ``mean min((r_i/s)^2, delta^2) = 1``, which under normal
        noise is 0.68 of the standard deviation at delta = 1.35, so that more rows are cut than with "mad".
        A number is taken as it is.
    alpha : float, "1/n" or "cv", default 0.0
        Strength on the mean-loss scale; with ``"joint"`` that of the joint objective, and ``alpha_`` is
        ``alpha * scale_``.  ``"cv"`` is not offered with ``"joint"``.
    l1_ratio : float, default 0.0
        r, in [0, 1]: 0 is L2, 1 is L1, between them elastic net.
    fit_intercept, alphas, cv, rule, random_state, solver
        As in :class:`QuantileRegressor`.
    tol : float, default 1e-8
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter
        As in :class:`QuantileRegressor`.
    warm_start : bool, default False
        Begin each fit at the coefficients of the fit before, if that had as many columns of the same names;
        else, and where those are worse than the model without columns, it starts anew, without a warning.
        Optimum and certificate are the same; fits on nearly the same rows or of near strengths take fewer
        steps. The scale is found from the rows as ever; of its fit and the one before, the better one is the
        start.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
    intercept_ : float
    scale_ : float
        Scale of the noise; 0 when y is constant or, with ``"joint"``, when so many rows lie on a plane that
        the minimum is there: the loss is then the absolute one, with strength ``alpha / delta``.
    scale_residual_ : float
        With ``"joint"``: ``|mean min((r_i/s)^2, delta^2) - 1|``, 0 at the joint optimum; else 0.
    outliers_ : boolean array, shape (n,)
        Training rows in the linear part of the loss.
    alpha_
        As in :class:`QuantileRegressor`.
    certificate_ : Certificate
        Duality gap, or without a penalty the KKT residual, of the problem at `scale_`.  With
        ``scale_residual_ = 0`` in addition it is that of the joint problem, which is convex.
    solution_ : Solution
        Status, steps, trace.

    Notes
    -----
    Newton's method, O(n p^2) a step, 3 to 10 steps (``"joint"``: some 5 such solves, each from the one
    before).  Neither scale helps against outliers in X.

    References
    ----------
    Huber 1964, Annals of Mathematical Statistics 35; Huber & Ronchetti 2009, Robust Statistics, section 7.7;
    Maronna, Martin, Yohai & Salibian-Barrera 2019, Robust Statistics, section 4.4 (the default).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.arange(12.0)[:, None]
    >>> y = 2.0 * X[:, 0] + 0.1 * np.cos(X[:, 0])
    >>> y[11] = 80.0
    >>> model = er.HuberRegressor().fit(X, y)
    >>> model.coef_.round(2), np.flatnonzero(model.outliers_)
    (array([2.]), array([11]))
    """

    scale_: float
    scale_residual_: float
    outliers_: Any
    _first: Array | None = None

    def __init__(
        self,
        delta: float = 1.35,
        *,
        scale: float | str = "mad",
        alpha: float | str = 0.0,
        l1_ratio: float = 0.0,
        fit_intercept: bool = True,
        alphas: Any = 100,
        cv: Any = None,
        rule: str = "min",
        random_state: Any = None,
        solver: Any = "auto",
        tol: float = 1e-8,
        max_iter: int = 10_000,
        warm_start: bool = False,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def _loss(self) -> Loss:
        return Huber(check_number("delta", self.delta, 0.0, closed=False))

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        """Answer no for the joint scale, since every strength has its own."""
        return self.scale != "joint" and super()._values_together(parameter, values)

    def _prepared(self, problem: LinearProblem, fitting: bool) -> LinearProblem:
        delta = problem.loss.lipschitz
        if not fitting:  # the strength is alpha_ already
            return _at_scale(problem, delta, self.scale_)
        if self.scale == "joint":
            found = self._joint(problem, delta)
            factor = found.scale if found.scale > 0.0 else 1.0 / delta
            strength = factor * (problem.penalty.l1 + problem.penalty.l2)
            problem = problem.with_strength(strength) if strength else problem
        elif self.scale == "mad":
            found = median_scale(problem, self.max_iter)
        elif isinstance(self.scale, str):
            raise ValueError(f'scale must be "mad", "joint" or a number > 0, got {self.scale!r}')
        else:
            found = Scale(check_number("scale", self.scale, 0.0, closed=False), None)
        self.scale_, self._first = found.scale, found.w
        return _at_scale(problem, delta, self.scale_)

    def _joint(self, problem: LinearProblem, delta: float) -> Scale:
        if self.alpha == "cv":
            raise ValueError(
                'alpha="cv" needs scale="mad" or a number: with "joint" every strength has its own scale'
            )
        if delta <= 1.0:
            raise ValueError(
                f'delta must be > 1 with scale="joint" (at 1 the scale falls to 0), got {self.delta!r}'
            )
        return joint_scale(problem, delta, self.solver, self._tolerance(), self.max_iter)

    def _start(self, problem: LinearProblem, before: Mapping[str, Any]) -> Array | None:
        first, self._first = self._first, None
        goes_on = super()._start(problem, before)
        if first is None or goes_on is None:
            return goes_on if first is None else first
        return min(first, goes_on, key=problem.value)

    def _finish(self, problem: LinearProblem, solution: Solution) -> None:
        super()._finish(problem, solution)
        self.__dict__.pop("_first", None)
        near, w = problem.near(self._pack(problem))
        r = np.abs(near.data.y - near.scores(w))
        if self.scale_ > 0.0:
            self.outliers_ = r > problem.loss.lipschitz
        else:
            self.outliers_ = r > ON_PLANE * float(np.abs(near.data.y).max())
        joint = self.scale == "joint" and self.scale_ > 0.0
        self.scale_residual_ = residual_of(problem, r, float(self.delta), self.scale_) if joint else 0.0


def _at_scale(problem: LinearProblem, delta: float, scale: float) -> LinearProblem:
    """Return the problem with the loss at delta times the scale; at scale 0 it is the absolute loss."""
    return replace_loss(problem, Huber(delta * scale) if scale > 0.0 else Absolute())
