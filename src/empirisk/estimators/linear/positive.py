"""Regressions of positive means with a log link: counts, amounts, and what lies between.

McCullagh and Nelder, Generalized Linear Models (1989), chapter 6.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils import Tags

from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.families import positive_targets, tweedie_loss
from empirisk.estimators.linear.mean_regression import MeanRegressor
from empirisk.losses import Gamma, Loss, Poisson

__all__ = ["GammaRegressor", "PoissonRegressor", "TweedieRegressor"]


class _Positive(MeanRegressor):
    """The parameters that the three share."""

    def __init__(
        self,
        alpha: float | str = "1/n",
        *,
        l1_ratio: float = 0.0,
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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


@documented(FactorColumns)
class PoissonRegressor(_Positive):
    """Counts and rates: a mean ``exp(x.w + b) * exposure`` whose variance equals it.

    ``min_{w,b} (1/S) sum_i s_i (exp(z_i) - y_i z_i) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``,
    ``z_i = x_i.w + b + offset_i + log(exposure_i)``, ``y_i >= 0``.

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "1/n"
        Strength on the mean-loss scale, as in scikit-learn (whose default is 1); ``"1/n"`` is 1/S, 0 maximum
        likelihood; ``"cv"`` chooses it over a warm-started path with K folds by the validation loss.
    l1_ratio : float, default 0.0
        r, in [0, 1]: 0 is L2, 1 is L1, between them elastic net.
    fit_intercept : bool, default True
        Whether b is free (else 0); it is never penalised.
    alphas : int or list of floats, default 100
        Strengths that ``"cv"`` tries.
    cv : int, splitter or list of (train, test) index pairs, optional
        Folds, 5 by default.
    rule : {"min", "one_se"}, default "min"
        Smallest validation loss, or the strongest penalty within one standard error of it.
    random_state : int, Generator, RandomState or None, default None
        Seed of the folds.
    solver : str or Solver, default "auto"
        See :mod:`empirisk.solvers.auto`.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Step limit.
    warm_start : bool, default False
        Begin each fit at the coefficients of the fit before, if that had as many columns of the same names;
        else, and where those are worse than the model without columns, it starts anew, without a warning.
        Optimum and certificate are the same; fits on nearly the same rows or of near strengths take fewer
        steps. Solvers in closed form (least squares) have no use for a start.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
    intercept_ : float
    deviance_, null_deviance_ : float
        ``2 sum_i s_i (y_i log(y_i / m_i) - y_i + m_i)`` of the fit, and with the intercept alone.
    dispersion_ : float
        Pearson's statistic over the residual degrees of freedom; well above 1, the counts are overdispersed.
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        Duality gap; KKT residual without a penalty.
    solution_ : Solution
        Status, steps, trace.
    selection_ : StrengthSelection
        With ``alpha="cv"``.

    Raises
    ------
    ValueError
        Negative targets, by row.
    SeparationError
        With alpha = 0, where the means of rows with target 0 can be driven to 0; targets that are all 0.

    Notes
    -----
    O(n p^2) per Newton step, O(n p) per quasi-Newton step; with an exposure y is the count, not the rate.

    References
    ----------
    McCullagh & Nelder 1989, chapter 6.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, events, years = np.array([[0.0], [1.0]]), np.array([10.0, 60.0]), np.array([10.0, 20.0])
    >>> model = er.PoissonRegressor(alpha=0.0).fit(X, events, exposure=years)
    >>> model.predict(X).round(6), model.predict(X, exposure=[1.0, 2.0]).round(6)
    (array([1., 3.]), array([1., 6.]))
    """

    def _loss(self) -> Loss:
        return Poisson()


@documented(PoissonRegressor, FactorColumns)
class GammaRegressor(_Positive):
    """Positive amounts: a mean ``exp(x.w + b)`` with a constant coefficient of variation.

    ``min_{w,b} (1/S) sum_i s_i (y_i exp(-z_i) + z_i) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``,
    ``z_i = x_i.w + b + offset_i + log(exposure_i)``, ``y_i > 0``.

    Parameters
    ----------
    alpha, l1_ratio, fit_intercept, alphas, cv, rule, random_state, solver, tol, max_iter, warm_start
        As in :class:`PoissonRegressor`.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
    intercept_ : float
    deviance_, null_deviance_ : float
        ``2 sum_i s_i (y_i / m_i - 1 - log(y_i / m_i))``.
    dispersion_ : float
        Squared coefficient of variation, by Pearson's statistic.
    alpha_, certificate_, solution_, selection_
        As in :class:`PoissonRegressor`.

    Raises
    ------
    ValueError
        Targets that are not positive, by row.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> model = er.GammaRegressor(alpha=0.0).fit(X, np.exp(1.0 + 0.5 * X[:, 0]))
    >>> model.coef_.round(6), round(float(model.intercept_), 6)
    (array([0.5]), 1.0)
    """

    def _loss(self) -> Loss:
        return Gamma()


@documented(PoissonRegressor, FactorColumns)
class TweedieRegressor(_Positive):
    """Amounts that are often exactly 0 (claims, rain): a log link and variance ``dispersion * mean^power``.

    ``min_{w,b} (1/S) sum_i s_i loss_p(y_i, z_i) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``,
    ``z_i = x_i.w + b + offset_i + log(exposure_i)``, with
    ``loss_p(y, z) = exp((2-p) z) / (2-p) + y exp(-(p-1) z) / (p-1)`` for the powers p but 0, 1, 2.

    Parameters
    ----------
    power : float, default 1.5
        p: strictly between 1 and 2 a sum of a random number of gamma amounts; 1 is Poisson, 2 gamma, 3
        inverse Gaussian (above 2 all are positive stable laws); 0 is the normal law, with the identity link;
        below 0 extreme stable laws, of any y whose mean is positive.  Above 2 and below 0 the likelihood is
        not convex: a stationary point is certified.  Between 0 and 1 there is no law.
    alpha, l1_ratio, fit_intercept, alphas, cv, rule, random_state, solver, tol, max_iter, warm_start
        As in :class:`PoissonRegressor`.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
    intercept_ : float
    deviance_, null_deviance_, dispersion_ : float
        As in :class:`PoissonRegressor`, of the Tweedie family.
    alpha_, certificate_, solution_, selection_
        As in :class:`PoissonRegressor`.

    Raises
    ------
    ValueError
        A power between 0 and 1; targets outside the family's range, by row.

    References
    ----------
    Jorgensen 1987, Journal of the Royal Statistical Society B 49 (exponential dispersion models).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), np.array([0.0, 2.0, 1.0, 7.0])
    >>> er.TweedieRegressor(1.5, alpha=0.0).fit(X, y).predict([[0.0], [1.0]]).round(6)
    array([1., 4.])
    """

    def __init__(
        self,
        power: float = 1.5,
        *,
        alpha: float | str = "1/n",
        l1_ratio: float = 0.0,
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

    def _loss(self) -> Loss:
        return tweedie_loss(self.power)

    def _rates(self) -> bool:
        return not self._loss().quadratic

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = positive_targets(self.power)
        return tags
