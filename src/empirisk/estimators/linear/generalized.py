"""Generalized linear models: a family, a link, and a penalty or none.

McCullagh and Nelder, Generalized Linear Models (1989).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import Tags

from empirisk.estimators.checks import check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.families import family_loss, link_name, positive_targets, with_labels
from empirisk.estimators.linear.mean_regression import MeanRegressor
from empirisk.estimators.linear.positive import PoissonRegressor
from empirisk.inference.dispersion_profile import DispersionProfile
from empirisk.losses import Loss, with_extra_dispersion
from empirisk.problems.linear import LinearProblem
from empirisk.results import Estimate
from empirisk.results.estimate import check_level
from empirisk.typing import Array

if TYPE_CHECKING:
    from empirisk.inference import TestResult

__all__ = ["GeneralizedLinearModel"]


@documented(PoissonRegressor, FactorColumns)
class GeneralizedLinearModel(MeanRegressor):
    """Regression of a mean through a link, ``link(E[y | x]) = x.w + b``, by maximum (penalised) likelihood.

    ``min_{w,b} (1/S) sum_i s_i loss(y_i, x_i.w + b + o_i) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``

    where the loss is half the family's deviance but for terms in y, and o are offsets.

    ==================  ==============================================  ==============================
    family              links (the first is the default)                targets
    ==================  ==============================================  ==============================
    gaussian            identity; log*, inverse*, sqrt*                 numbers (of positive mean)
    binomial            logit, probit, cloglog, loglog, log, identity;  shares in [0, 1], booleans or
                        cauchit*                                        two labels
    poisson             log, identity, sqrt                             >= 0
    gamma               log, inverse; identity*, sqrt*                  > 0
    inverse_gaussian    inverse_squared, inverse; log* (the default),   > 0
                        identity*, sqrt*
    tweedie             log, identity, sqrt, inverse; a star where not  >= 0 for p in [1, 2), > 0
                        ``1 - p <= k <= 2 - p``, k = 0, 1, 1/2, -1      from 2, numbers for p <= 0
    negative_binomial   log; identity*, sqrt*                           >= 0
    ==================  ==============================================  ==============================

    Under the links with a star the likelihood is not convex in the scores: a stationary point is certified,
    which is a local optimum, and the certificate says so.  Under identity, sqrt, inverse and inverse_squared
    only scores that give a positive mean (a probability) are visited; a mean that wants to run into the end
    of its range lies there in the fit, with multipliers that prove the optimum where the likelihood is
    convex, and without standard errors.

    Parameters
    ----------
    family : str, default "gaussian"
        A row of the table.
    link : str, optional
        A link of that row.
    alpha : float, "1/n" or "cv", default 0.0
        Strength on the mean-loss scale; 0 is maximum likelihood, for which :meth:`summary` has standard
        errors.  ``"1/n"`` is 1/S; ``"cv"`` chooses by K folds.
    l1_ratio : float, default 0.0
        r, in [0, 1]: 0 is L2, 1 is L1, between them elastic net (by FISTA where the loss is not convex).
    power : float, default 1.5
        p of the Tweedie family, whose variance is ``dispersion * mean^p``: 0 is the normal law, 1 Poisson, 2
        gamma, 3 inverse Gaussian; all others but those in (0, 1) are laws too.
    extra_dispersion : float or "ml", default 1.0
        a of the negative binomial family, whose variance is ``m + a m^2``, > 0; "ml" estimates it together
        with the coefficients (alpha = 0 only), and ends at the Poisson law where the counts scatter no more.
    fit_intercept, alphas, cv, rule, random_state, solver
        As in :class:`PoissonRegressor`.
    tol : float, default 1e-8
        Largest accepted ``certificate.value / certificate.scale``.
    max_iter, warm_start
        As in :class:`PoissonRegressor`.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
    intercept_ : float
    deviance_, null_deviance_ : float
        ``2 sum_i s_i (loss_i - its least value)`` of the fit, and with the intercept alone.
    dispersion_ : float
        Pearson's statistic over the residual degrees of freedom: S (for shares the number of rows, whose
        weights are trials) minus the nonzero coefficients and the intercept.  For binomial, Poisson and
        negative binomial targets it is about 1 when the family is right; else it estimates the dispersion.
    alpha_
        As in :class:`PoissonRegressor`.
    extra_dispersion_ : float
        The a of the fit, with ``extra_dispersion="ml"``; 0 is the Poisson law.
    classes_ : array of 2 labels
        When the targets were labels; the mean is the probability of the second.
    certificate_ : Certificate
        KKT residual without a penalty, duality gap with one.
    solution_
        As in :class:`PoissonRegressor`.

    Raises
    ------
    ValueError
        For a pair of family and link without a loss, for targets outside the family's range, by row, and
        where the link has no score for the model without columns (a score of 0, or a mean target of 0).
    SeparationError
        With alpha = 0, where classes are separable or the means of rows with target 0 can be driven to 0.

    Notes
    -----
    O(n p^2) per Newton step, 5 to 10 steps; O(n p) per quasi-Newton step for sparse or many columns.  Shares
    of m trials are passed as y in [0, 1] with ``sample_weight=m``; rates as counts with ``exposure=``.

    References
    ----------
    McCullagh & Nelder 1989, Generalized Linear Models.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> dose, died = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1, 3, 7, 9]) / 10
    >>> model = er.GeneralizedLinearModel("binomial", "probit").fit(dose, died, sample_weight=np.full(4, 10))
    >>> model.predict([[1.5]]).round(3), float(round(model.dispersion_, 3))
    (array([0.5]), 0.046)
    """

    classes_: Any

    def __init__(
        self,
        family: str = "gaussian",
        link: str | None = None,
        *,
        alpha: float | str = 0.0,
        l1_ratio: float = 0.0,
        power: float = 1.5,
        extra_dispersion: float | str = 1.0,
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
        link_name(self.family, self.link)  # refuse the pair before its numbers
        power = check_number("power", self.power, -math.inf)
        if not self._estimates_dispersion():
            a = check_number("extra_dispersion", self.extra_dispersion, 0.0, closed=False)
            return family_loss(self.family, self.link, power, a)
        plain = family_loss(self.family, self.link, power, 1.0)
        return with_extra_dispersion(plain, getattr(self, "extra_dispersion_", 1.0))

    def _estimates_dispersion(self) -> bool:
        """Return whether the extra dispersion is found from the rows; refuses that for other families."""
        if self.extra_dispersion != "ml":
            return False
        if self.family != "negative_binomial":
            raise ValueError(
                f"extra_dispersion='ml' is for the family 'negative_binomial', got the family {self.family!r}"
            )
        return True

    def _prepared(self, problem: LinearProblem, fitting: bool) -> LinearProblem:
        problem = super()._prepared(problem, fitting)
        if not self._estimates_dispersion():
            self.__dict__.pop("extra_dispersion_", None)
            return problem
        if fitting:
            if self.alpha != 0.0:
                raise ValueError(
                    f"extra_dispersion='ml' needs alpha=0, got alpha={self.alpha!r}: the likelihood of the "
                    "dispersion is that of the best coefficients, which a penalty moves; give a number"
                )
            self.extra_dispersion_ = DispersionProfile(problem).best
        return replace(problem, loss=with_extra_dispersion(problem.loss, self.extra_dispersion_))

    def dispersion_interval(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        method: str = "profile",
        **rows: Any,
    ) -> Estimate:
        """Confidence interval of the extra dispersion a, after ``extra_dispersion="ml"``.

        Parameters
        ----------
        X, y, sample_weight
            The rows of the fit, as in :meth:`summary`.
        level : float, default 0.95
            Confidence level.
        method : {"profile", "observed"}
            All a whose profile likelihood is within ``chi2 / 2`` of the maximum, or the normal interval of
            log(a) by the observed information, coefficients profiled out.
        **rows
            ``offset=`` and ``exposure=`` where the fit had them.

        Returns
        -------
        empirisk.results.Estimate
        """
        check_level(level)
        return self._profile(X, y, sample_weight, rows).interval(level, method)

    def poisson_test(
        self, X: Any = None, y: Any = None, sample_weight: Any = None, **rows: Any
    ) -> TestResult:
        """Likelihood-ratio test of a = 0: do the counts scatter more than Poisson counts?

        Parameters
        ----------
        X, y, sample_weight, **rows
            The rows of the fit, as in :meth:`dispersion_interval`.

        Returns
        -------
        empirisk.inference.TestResult
            Under the hypothesis the statistic is 0 in half of the cases for many rows, because a = 0 ends the
            range; in few rows more often, so that the test then rejects more rarely than its level says.
        """
        return self._profile(X, y, sample_weight, rows).poisson_test()

    def _profile(self, X: Any, y: Any, sample_weight: Any, rows: dict[str, Any]) -> DispersionProfile:
        """Return the profile of the extra dispersion on the rows of the fit."""
        problem = self._fitted_problem(X, y, sample_weight, **rows)
        if not self._estimates_dispersion():
            raise ValueError(
                "the extra dispersion was given, not estimated: fit with family='negative_binomial' and "
                "extra_dispersion='ml'"
            )
        return DispersionProfile(problem)

    def _rates(self) -> bool:
        return link_name(self.family, self.link) in ("log", "cloglog")

    def _plain_model(self, y: Array) -> tuple[Loss, Array]:
        return with_labels(self._loss(), y)

    def _y_options(self) -> dict[str, Any]:
        return {"y_numeric": self.family != "binomial"}

    def _targets(self, y: Any, fitting: bool) -> Array:
        if fitting:
            self.__dict__.pop("classes_", None)
        if self.family == "binomial" and _are_labels(y):
            if fitting:
                self.classes_ = np.unique(y)
            y = _as_shares(y, getattr(self, "classes_", np.unique(y)))
        return super()._targets(y, fitting)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        power = self.power if self.family == "tweedie" else 1.0
        tags.target_tags.positive_only = self.family not in ("gaussian", "binomial") and positive_targets(
            power
        )
        return tags


def _are_labels(y: Any) -> bool:
    """Booleans, strings, and objects that are not numbers."""
    values = np.asarray(y)
    if values.dtype.kind != "O":
        return values.dtype.kind in "bUS"
    try:
        values.astype(np.float64)
    except (TypeError, ValueError):
        return True
    return False


def _as_shares(y: Any, labels: Any) -> Array:
    """0 for the first label, 1 for the second."""
    y = np.asarray(y)
    if len(labels) != 2:
        shown = ", ".join(repr(v) for v in labels[:5].tolist())
        raise ValueError(
            f"binomial targets are shares in [0, 1] or two labels; y holds {len(labels)} labels: {shown}"
        )
    known = np.isin(y, labels)
    if not known.all():
        row = int(np.argmin(known))
        raise ValueError(f"y holds the label {y[row]!r} in row {row}, which was not in the training data")
    return np.asarray(y == labels[1], dtype=np.float64)
