"""Quantile regression and least absolute deviations.

Koenker and Bassett, Econometrica 46 (1978).
"""

from __future__ import annotations

from typing import Any

from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.positive import PoissonRegressor
from empirisk.estimators.linear.quantile_lines import QuantileLines
from empirisk.estimators.linear.quantile_summary import QuantileSummary
from empirisk.losses import Absolute, Loss

__all__ = ["LeastAbsoluteDeviations", "QuantileRegressor"]


@documented(PoissonRegressor, FactorColumns)
class QuantileRegressor(QuantileLines):
    """Linear regression of a quantile, or of several in one fit.

    ``min_{w,b} (1/S) sum_i s_i max(q r_i, (q-1) r_i) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``, ``r_i = y_i -
    x_i.w - b``: a share of about q of the targets lies below the fitted line, near every x if the quantile is
    linear in x.  With several levels the sum of their objectives is minimised under ``x_i.w_j + b_j <=
    x_i.w_{j+1} + b_{j+1}`` at every row of the fit, so that their lines cross nowhere on the convex hull of
    the rows.

    Parameters
    ----------
    q : float or sequence of k rising floats, default 0.5
        Level of the quantile, strictly between 0 and 1; several levels are fitted together.
    alpha : float, "1/n" or "cv", default 0.0
        Strength on the mean-loss scale; 0 is the estimator of Koenker and Bassett (scikit-learn's default
        is 1).  ``"cv"`` chooses it with K folds by the validation loss, for one level.
    l1_ratio : float, default 1.0
        r, in [0, 1]: 1 is L1, scikit-learn's only penalty, 0 is L2, between them elastic net.
    fit_intercept, alphas, cv, rule, random_state, solver, tol, max_iter
        As in :class:`PoissonRegressor`.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,), or (k, p) for several levels
    intercept_ : float, or array of shape (k,)
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        Duality gap; without a penalty the KKT residual with the multipliers of the rows.  With several levels
        it is about their joint problem, and says by how much lines cross at a row at most (rounding).
    solution_ : Solution
        Status, steps, trace, and the multipliers in ``solution_.dual``.

    Notes
    -----
    O(n p^2) a step, 10 to 25 steps of an interior point, which ends on the exact optimum: as many targets
    lie on the fitted line as there are coefficients.  Where the optimum is not unique (an even number of rows
    and no columns, say) a point inside the set of optima is returned.

    Lines of several levels that do not cross at a row when each is fitted alone are the answer; else all k
    are fitted together, some 15 to 40 steps of O(k n p^2 + (k p)^3).  Outside the convex hull of the rows
    they may cross, and predictions are sorted there.

    References
    ----------
    Koenker & Bassett 1978, Econometrica 46; Portnoy & Koenker 1997, Statistical Science 12; Bondell, Reich &
    Wang 2010, Biometrika 97; Chernozhukov, Fernandez-Val & Galichon 2010, Econometrica 78.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.arange(5.0)[:, None], np.array([0.0, 1.0, 2.0, 3.0, 40.0])
    >>> model = er.QuantileRegressor().fit(X, y)
    >>> model.coef_.round(9), round(float(model.intercept_), 9) + 0.0
    (array([1.]), 0.0)
    >>> lines = er.QuantileRegressor([0.2, 0.5, 0.8]).fit(X, [1.0, 5.0, 2.0, 3.0, 0.0])
    >>> bool(np.all(np.diff(lines.predict(X), axis=1) >= 0.0))
    True
    """

    def __init__(
        self,
        q: Any = 0.5,
        *,
        alpha: float | str = 0.0,
        l1_ratio: float = 1.0,
        fit_intercept: bool = True,
        alphas: Any = 100,
        cv: Any = None,
        rule: str = "min",
        random_state: Any = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())


@documented(QuantileRegressor, FactorColumns)
class LeastAbsoluteDeviations(QuantileSummary):
    """Linear regression by the sum of absolute errors: the median of y given x.

    ``min_{w,b} (1/S) sum_i s_i |y_i - x_i.w - b| + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``

    Targets far from the line pull no harder than others.  Rows with extreme x still do.

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default 0.0
        Strength on the mean-loss scale.
    l1_ratio, fit_intercept, alphas, cv, rule, random_state, solver, tol, max_iter
        As in :class:`QuantileRegressor`.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
    intercept_ : float
    alpha_, certificate_, solution_
        As in :class:`QuantileRegressor`.

    Notes
    -----
    The same fit as ``QuantileRegressor(0.5, alpha=alpha / 2)``, whose loss is half this one.

    References
    ----------
    Bloomfield & Steiger 1983, Least Absolute Deviations; Portnoy & Koenker 1997, Statistical Science 12.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.arange(5.0)[:, None], np.array([0.0, 1.0, 2.0, 3.0, 40.0])
    >>> model = er.LeastAbsoluteDeviations().fit(X, y)
    >>> model.predict([[10.0]]).round(9)
    array([10.])
    """

    def __init__(
        self,
        alpha: float | str = 0.0,
        *,
        l1_ratio: float = 1.0,
        fit_intercept: bool = True,
        alphas: Any = 100,
        cv: Any = None,
        rule: str = "min",
        random_state: Any = None,
        solver: Any = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def _loss(self) -> Loss:
        return Absolute()
