"""Linear regression and its penalised relatives: half the squared error plus a penalty."""

from __future__ import annotations

from typing import Any

from empirisk.estimators.checks import check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.squared_error import SquaredErrorEstimator
from empirisk.penalties import L1, L2, ElasticNetPenalty, Penalty, Zero

__all__ = ["ElasticNet", "Lasso", "LinearRegression", "Ridge"]


@documented(FactorColumns)
class LinearRegression(SquaredErrorEstimator):
    """Ordinary least squares.

    ``min_{w,b} (1/S) sum_i s_i (x_i.w + b - y_i)^2 / 2``, of all minimisers the one with the smallest
    ``||w||``, in which b has no part; with ``positive`` subject to ``w >= 0``.

    Parameters
    ----------
    fit_intercept : bool, default True
        Whether b is free (else 0).
    positive : bool, default False
        Restrict the coefficients to be non-negative.
    solver : str or Solver, default "auto"
        See :mod:`empirisk.solvers.auto`.
    tol : float, default 1e-8
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Step limit.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,) or (m, p)
    intercept_ : float or array of shape (m,)
    certificate_ : Certificate
        The KKT residual: least squares without a penalty has no finite duality gap.
    solution_ : Solution
        Status, steps, trace.

    Notes
    -----
    O(n p min(n, p)); accuracy: the certified digits of the NIST StRD cases (tests/estimators/test_nist.py).
    Sparse rows are solved by conjugate gradients, to `tol`.  Of more than 1000 sparse columns on at least as
    many rows it is not looked at whether they are collinear, and where they are, any minimiser is returned.

    References
    ----------
    Bjorck 1996, Numerical Methods for Least Squares Problems, chapter 2.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> model = er.LinearRegression().fit(X, [1.0, 3.0, 5.0])
    >>> model.coef_.round(12), round(float(model.intercept_), 12)
    (array([2.]), 1.0)
    """

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        positive: bool = False,
        solver: Any = "auto",
        tol: float = 1e-8,
        max_iter: int = 10_000,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def _penalty(self, alpha: float) -> Penalty:
        return Zero(positive=self.positive)


@documented(FactorColumns)
class Ridge(SquaredErrorEstimator):
    """Least squares with a squared L2 penalty.

    ``min_{w,b} (1/S) sum_i s_i (x_i.w + b - y_i)^2 / 2 + alpha ||w||^2 / 2``

    Parameters
    ----------
    alpha : float, "1/n", "cv" or a sequence of k of these, default "1/n"
        Strength on the mean-loss scale; ``"1/n"`` is 1/S, the strength of scikit-learn's ``Ridge(1.0)``.
        ``"cv"`` chooses it: exact leave-one-out for all strengths from one eigendecomposition, or K
        folds when `cv` is given, X is sparse or `positive` is set.  A sequence has one for each column of y
        of shape (n, k), ``["cv", "cv", 0.1]`` say: each target has its own problem, certificate and model,
        in ``by_target_``, and they share the products of the columns.
    fit_intercept : bool, default True
        Whether b is free (else 0); it is never penalised.
    positive : bool, default False
        Restrict the coefficients to be non-negative.
    alphas : int or list of floats, default 100
        Strengths that ``"cv"`` tries.
    cv : int, splitter or list of (train, test) index pairs, optional
        Folds; None means leave-one-out where it is exact, else 5 folds.
    rule : {"min", "one_se"}, default "min"
        Smallest validation loss, or the strongest penalty within one standard error of it.
    random_state : int, Generator, RandomState or None, default None
        Seed of the folds; they depend on the content of the rows, not on their order.
    solver : str or Solver, default "auto"
        See :mod:`empirisk.solvers.auto`.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Step limit.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,) or (m, p)
    intercept_ : float or array of shape (m,)
    alpha_ : float or array of shape (m,)
        Strength used.
    by_target_ : dict
        With a sequence of strengths: the model of each target by the name of its column, or its number.
    certificate_ : Certificate
        Duality gap.
    selection_ : StrengthSelection
        With ``alpha="cv"``: strengths, losses, standard errors, and what either rule chooses.

    Notes
    -----
    O(n p min(n, p)), once for all targets; for each strength of its own ``O(min(n, p)^3)``, and with "cv" one
    eigendecomposition for all.

    References
    ----------
    Hoerl & Kennard 1970 (Technometrics 12); Golub, Heath & Wahba 1979 (Technometrics 21).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[-1.0], [0.0], [1.0]])
    >>> er.Ridge(alpha=2 / 3, fit_intercept=False).fit(X, [-1.0, 0.0, 1.0]).coef_
    array([0.5])
    """

    def __init__(
        self,
        alpha: Any = "1/n",
        *,
        fit_intercept: bool = True,
        positive: bool = False,
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

    def _penalty(self, alpha: float) -> Penalty:
        return L2(alpha, positive=self.positive)


@documented(Ridge, FactorColumns)
class Lasso(SquaredErrorEstimator):
    """Least squares with an L1 penalty.

    ``min_{w,b} (1/S) sum_i s_i (x_i.w + b - y_i)^2 / 2 + alpha ||w||_1``

    Parameters
    ----------
    alpha : float, "1/n", "cv" or a sequence of k of these, default "cv"
        Strength on the mean-loss scale; ``"cv"`` chooses it over a warm-started path with K folds.  A
        sequence has one for each of k targets, as in :class:`Ridge` (``by_target_`` holds their models).
    fit_intercept, positive, alphas
        As in :class:`Ridge`.
    cv : int, splitter or list of (train, test) index pairs, optional
        Folds, 5 by default.
    rule, random_state, solver, tol, max_iter
        As in :class:`Ridge`.
    warm_start : bool, default False
        Begin each fit at the coefficients of the fit before, if that had as many columns of the same names
        and as many targets; else, and where those are worse than the model without columns, it starts anew,
        without a warning.  Optimum and certificate are the same; fits on nearly the same rows or of near
        strengths take fewer steps.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_, intercept_, alpha_, certificate_, selection_
        As in :class:`Ridge`.

    Notes
    -----
    Coordinate descent on working sets with gap-safe screening; each epoch costs O(n x working set).

    References
    ----------
    Tibshirani 1996 (JRSS-B 58); Fercoq, Gramfort & Salmon 2015 (gap-safe rules); Massias, Gramfort &
    Salmon 2018 (celer).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[-1.0, 0.0], [0.0, 1.0], [1.0, -1.0], [0.0, 0.0]])
    >>> er.Lasso(alpha=0.25).fit(X, [-2.0, 0.0, 2.0, 0.0]).coef_.round(6)
    array([1.5, 0. ])
    """

    def __init__(
        self,
        alpha: Any = "cv",
        *,
        fit_intercept: bool = True,
        positive: bool = False,
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

    def _penalty(self, alpha: float) -> Penalty:
        return L1(alpha, positive=self.positive)


@documented(Ridge, Lasso, FactorColumns)
class ElasticNet(SquaredErrorEstimator):
    """Least squares with a mixed L1 and L2 penalty.

    ``min_{w,b} (1/S) sum_i s_i (x_i.w + b - y_i)^2 / 2 + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``

    Parameters
    ----------
    alpha : float, "1/n", "cv" or a sequence of k of these, default "cv"
        Strength on the mean-loss scale; ``"cv"`` chooses it over a warm-started path with K folds.  A
        sequence has one for each of k targets, as in :class:`Ridge` (``by_target_`` holds their models).
    l1_ratio : float, default 0.5
        r, in [0, 1].
    fit_intercept, positive, alphas, cv, rule, random_state, solver, tol, max_iter, warm_start
        As in :class:`Lasso`.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_, intercept_, alpha_, certificate_, selection_
        As in :class:`Ridge`.

    References
    ----------
    Zou & Hastie 2005 (JRSS-B 67).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[-1.0], [1.0]])
    >>> er.ElasticNet(alpha=1.0, l1_ratio=0.5).fit(X, [-2.0, 2.0]).coef_.round(6)
    array([1.])
    """

    def __init__(
        self,
        alpha: Any = "cv",
        *,
        l1_ratio: float = 0.5,
        fit_intercept: bool = True,
        positive: bool = False,
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

    def _penalty(self, alpha: float) -> Penalty:
        ratio = check_number("l1_ratio", self.l1_ratio, 0.0, 1.0)
        return ElasticNetPenalty(alpha, ratio, self.positive)
