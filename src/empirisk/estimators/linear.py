"""Linear regression and its penalised relatives: half the squared error plus a penalty."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.estimators.base import LinearEstimator
from empirisk.estimators.checks import (
    check_alpha,
    check_count,
    check_flag,
    check_number,
    check_targets_finite,
)
from empirisk.estimators.training import recall
from empirisk.estimators.tune import StrengthSelection, select_by_folds, select_by_loo
from empirisk.losses import HalfSquared
from empirisk.penalties import L1, L2, ElasticNetPenalty, Penalty, Zero
from empirisk.problems.linear import LinearProblem
from empirisk.results import Solution
from empirisk.solvers.by_target import solve_by_target
from empirisk.typing import Array

__all__ = ["ElasticNet", "Lasso", "LinearRegression", "Ridge", "SquaredErrorEstimator"]


class SquaredErrorEstimator(MultiOutputMixin, RegressorMixin, LinearEstimator):
    """What the four regressions share; a subclass gives the penalty."""

    fit_intercept: bool
    positive: bool
    solver: Any
    tol: float
    max_iter: int
    selection_: StrengthSelection

    _alpha_words: ClassVar[tuple[str, ...]] = ("1/n", "cv")

    def _penalty(self, alpha: float) -> Penalty:
        raise NotImplementedError

    def _y_options(self) -> dict[str, Any]:
        return {"y_numeric": True, "multi_output": True}

    def _look_at_targets(self, y: Any) -> None:
        # Before scikit-learn's check, which names no row.
        values = np.asarray(y)
        if values.dtype.kind == "f":
            check_targets_finite(values)

    def _targets(self, y: Any, fitting: bool) -> Array:
        return np.asarray(y, dtype=np.float64)

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        outputs = y.shape[1] if y.ndim == 2 else 0
        intercept = check_flag("fit_intercept", self.fit_intercept)
        check_flag("positive", self.positive)
        self._tolerance()
        check_count("max_iter", self.max_iter, 1)
        data = ArrayBlocks(design, y, weight)

        def at(strength: float) -> LinearProblem:
            return LinearProblem(HalfSquared(), self._penalty(strength), data, intercept, 1.0, outputs)

        if alpha is not None:
            return at(alpha)
        given = check_alpha(getattr(self, "alpha", 0.0), self._alpha_words)
        if given == "1/n":
            return at(1.0 / data.total_weight)
        if given == "cv":
            self.selection_ = self._select(at(1.0))
            return at(self.selection_.alpha)
        return at(float(given))

    def _select(self, problem: LinearProblem) -> StrengthSelection:
        rule = check_rule(self.rule)
        alphas, k = self.alphas, self.cv
        smooth = np.isfinite(problem.penalty.smoothness)
        if k is None and smooth and not problem.design.sparse:
            return select_by_loo(problem, alphas=alphas, rule=rule)
        seed = check_seed(self.random_state)
        return select_by_folds(problem, alphas=alphas, cv=k, rule=rule, seed=seed, tol=self._tolerance())

    def _solve(self, problem: LinearProblem) -> Solution:
        tol, steps = self._tolerance(), check_count("max_iter", self.max_iter, 1)
        return solve_by_target(problem, self.solver, tol=tol, max_steps=steps)

    def _unpack(self, problem: LinearProblem, w: Array) -> None:
        coef, b = problem.split(w)
        dtype = problem.design.dtype
        self.coef_ = np.ascontiguousarray(coef.T, dtype=dtype)
        self.intercept_ = np.asarray(b, dtype=dtype) if problem.n_outputs else dtype.type(b)

    def _pack(self, problem: LinearProblem) -> Array:
        return problem.join(np.asarray(self.coef_, dtype=np.float64).T, self.intercept_)

    def predict(self, X: Any) -> Array:
        """Expected target of each row, shape (n,) or (n, m)."""
        return self._scores(X)

    def summary(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        covariance: str = "classical",
        groups: Any = None,
    ) -> Any:
        """Coefficient table with standard errors, tests and intervals where they are valid.

        Where inference is not valid (a penalty, selection, p >= n) the table says why instead of
        giving numbers.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit, other rows are refused.  They may be left out while the arrays or frames
            that were passed to ``fit`` are still in memory: the estimator itself keeps no data.
        level : float, default 0.95
            Confidence level.
        covariance : {"classical", "HC3", "cluster"}
            Noise of equal variance, of unequal variance, or dependent within `groups`.
        groups : array, shape (n,), optional
            Group of each row, for ``covariance="cluster"``.

        Returns
        -------
        empirisk.estimators.summary.Summary
        """
        from empirisk.estimators.summary import summarise_linear

        problem = self.problem(*recall(self._training, X, y, sample_weight))
        return summarise_linear(
            problem,
            self.solution_,
            names=getattr(self, "feature_names_in_", None),
            level=level,
            covariance=covariance,
            groups=groups,
        )


def check_rule(rule: Any) -> str:
    """``"min"`` or ``"one_se"``."""
    if rule not in ("min", "one_se"):
        raise ValueError(f'rule must be "min" or "one_se", got {rule!r}')
    return str(rule)


def check_seed(random_state: Any) -> int:
    """A seed for the fold hash; None means 0, so that fits are reproducible by default."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    return check_count("random_state", random_state, 0)


class LinearRegression(SquaredErrorEstimator):
    """Ordinary least squares.

    ``min_{w,b} (1/S) sum_i s_i (x_i.w + b - y_i)^2 / 2``, of all minimisers the one with the smallest
    ``||w||``; with ``positive`` subject to ``w >= 0``.

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
    ) -> None:
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter

    def _penalty(self, alpha: float) -> Penalty:
        return Zero(positive=self.positive)


class _Penalised(SquaredErrorEstimator):
    """The parameters that the penalised regressions share."""

    alpha: float | str

    def __init__(
        self,
        alpha: float | str = "1/n",
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
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.positive = positive
        self.alphas = alphas
        self.cv = cv
        self.rule = rule
        self.random_state = random_state
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter


class Ridge(_Penalised):
    """Least squares with a squared L2 penalty.

    ``min_{w,b} (1/S) sum_i s_i (x_i.w + b - y_i)^2 / 2 + alpha ||w||^2 / 2``

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "1/n"
        Strength on the mean-loss scale; ``"1/n"`` is 1/S, the strength of scikit-learn's ``Ridge(1.0)``.
        ``"cv"`` chooses it: exact leave-one-out for all strengths from one eigendecomposition, or K
        folds when `cv` is given, X is sparse or `positive` is set.
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
    random_state : int, optional
        Seed of the folds; they depend on the content of the rows, not on their order.
    solver : str or Solver, default "auto"
        See :mod:`empirisk.solvers.auto`.
    tol : float, default 1e-6
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter : int, default 10000
        Step limit.

    Attributes
    ----------
    coef_ : array, shape (p,) or (m, p)
    intercept_ : float or array of shape (m,)
    alpha_ : float
        Strength used.
    certificate_ : Certificate
        Duality gap.
    selection_ : StrengthSelection
        With ``alpha="cv"``: strengths, losses, standard errors, and what either rule chooses.

    Notes
    -----
    O(n p min(n, p)).

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

    def _penalty(self, alpha: float) -> Penalty:
        return L2(alpha, positive=self.positive)


class Lasso(_Penalised):
    """Least squares with an L1 penalty.

    ``min_{w,b} (1/S) sum_i s_i (x_i.w + b - y_i)^2 / 2 + alpha ||w||_1``

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "cv"
        Strength; ``"cv"`` chooses it over a warm-started path with K folds.
    fit_intercept, positive, alphas, rule, random_state, solver, tol, max_iter
        As in :class:`Ridge`.
    cv : int, splitter or list of (train, test) index pairs, optional
        Folds, 5 by default.

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
        alpha: float | str = "cv",
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
    ) -> None:
        super().__init__(
            alpha,
            fit_intercept=fit_intercept,
            positive=positive,
            alphas=alphas,
            cv=cv,
            rule=rule,
            random_state=random_state,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
        )

    def _penalty(self, alpha: float) -> Penalty:
        return L1(alpha, positive=self.positive)


class ElasticNet(_Penalised):
    """Least squares with a mixed L1 and L2 penalty.

    ``min_{w,b} (1/S) sum_i s_i (x_i.w + b - y_i)^2 / 2 + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``

    Parameters
    ----------
    alpha : float, "1/n" or "cv", default "cv"
        Strength.
    l1_ratio : float, default 0.5
        r, in [0, 1].
    fit_intercept, positive, alphas, cv, rule, random_state, solver, tol, max_iter
        As in :class:`Lasso`.

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
        alpha: float | str = "cv",
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
    ) -> None:
        super().__init__(
            alpha,
            fit_intercept=fit_intercept,
            positive=positive,
            alphas=alphas,
            cv=cv,
            rule=rule,
            random_state=random_state,
            solver=solver,
            tol=tol,
            max_iter=max_iter,
        )
        self.l1_ratio = l1_ratio

    def _penalty(self, alpha: float) -> Penalty:
        ratio = check_number("l1_ratio", self.l1_ratio, 0.0, 1.0)
        return ElasticNetPenalty(alpha, ratio, self.positive)
