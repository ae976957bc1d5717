"""Bayesian regression of shares and counts: Laplace's approximation at the mode that a solver certifies.

Bishop 2006, Pattern Recognition and Machine Learning, sections 4.4 and 4.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from empirisk.data.design import Design
from empirisk.data.memory import refuse_memory
from empirisk.data.seeds import check_seed
from empirisk.estimators.bayes.laplace_posterior import LaplacePosterior, inverse_curvature
from empirisk.estimators.bayes.posterior_questions import PosteriorDraws, means_of, terms_of
from empirisk.estimators.bayes.verify_posterior import other_law
from empirisk.estimators.checks import check_count, check_flag, check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.linear.generalized import GeneralizedLinearModel
from empirisk.estimators.linear.offsets import check_offset
from empirisk.estimators.linear.separation_error import SeparationError
from empirisk.estimators.stated import disputed
from empirisk.gaussian_processes.logistic_mean import log_logistic_mean, logistic_mean
from empirisk.inference.bands import Bands
from empirisk.inference.credible import CredibleIntervals
from empirisk.inference.law import Law
from empirisk.inference.predictive import predictive_quantiles
from empirisk.losses import Loss
from empirisk.problems.linear import LinearProblem
from empirisk.results import Certificate, Solution
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["BayesianGLM"]

APPROXIMATED = ("binomial", "poisson")
NORMAL_SCORE = (
    "quantiles of the family's law, mixed over the normal law of the score at the mode of the posterior"
)


def _is_binomial(est: Any) -> bool:
    """Return whether the targets are labels or shares, which have chances."""
    return bool(est.family == "binomial")


@documented(FactorColumns)
class BayesianGLM(GeneralizedLinearModel):
    """Logistic or Poisson regression with a normal prior: a normal law at the mode of the posterior.

    ``w ~ N(0, I/precision)``, b flat; ``(w, b) | y`` is taken for ``N(mode, H^-1)`` with ``H = Z' diag(s_i
    loss''(y_i, z_i)) Z + precision I`` (0 for b), Z the columns with a constant.  The mode is that of a
    penalised regression with ``alpha = precision/S``.

    Parameters
    ----------
    family : {"binomial", "poisson"}, default "binomial"
        Shares in [0, 1], booleans or two labels with the logit link; or counts >= 0 with the log link.
    prior_precision : float >= 0, default 1.0
        One over the prior variance of each coefficient; 0 is a flat prior, which has no posterior where
        classes are separable.
    fit_intercept : bool, default True
        Whether b is free, with a flat prior (else 0).
    tol : float, default 1e-8
        Largest accepted ``certificate.value / certificate.scale`` of the mode.
    max_iter : int, default 10000
        Step limit.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
        Mode of the coefficients.
    intercept_ : float
        Mode of the intercept.
    covariance_ : array, shape (p + 1, p + 1)
        ``H^-1``: of the coefficients and, last, the intercept (0 for a fit without one).
    effective_parameters_ : float
        ``tr((X'VX + precision I)^-1 X'VX)`` about the means by the curvatures V.
    log_evidence_ : float or None
        Laplace's approximation of the log-density of the targets; None with a flat prior.
    alpha_ : float
        ``prior_precision / S``.
    certificate_ : Certificate
        How far the mode can be from the maximum (the duality gap).  How far the normal law is from the
        posterior it does not say.
    solution_ : Solution
    classes_ : array of 2 labels
        When the targets were labels; the mean is the probability of the second.

    Raises
    ------
    ValueError
        For targets outside the family's range, by row, and collinear columns with a flat prior, by name.
    SeparationError
        With ``prior_precision=0``, where classes are separable or means can be driven to 0.

    Notes
    -----
    O(n p^2) for each Newton step and for the curvature.  The error of the normal law falls like 1/n for
    means; it is large where rows are few for the coefficients, and there draws from the posterior itself are
    the better answer: ``er.sample(model)`` makes them by NUTS, from the same prior.  A weight is a number of
    copies.

    References
    ----------
    Tierney & Kadane 1986, Journal of the American Statistical Association 81; Bishop 2006, Pattern
    Recognition and Machine Learning, sections 4.4 and 4.5.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), [0, 0, 1, 1]
    >>> model = er.BayesianGLM(fit_intercept=False, tol=1e-14).fit(X, y)
    >>> w = model.coef_[0]
    >>> sigma = lambda z: 1.0 / (1.0 + np.exp(-z))
    >>> bool(abs(w - 2.0 * sigma(-w) - 4.0 * sigma(-2.0 * w)) < 1e-5)  # the slope of the posterior is 0
    True
    >>> p, low, high = model.predict([[1.0]], return_interval=True)
    >>> bool(low[0] < p[0] < sigma(w) < high[0])
    True
    """

    # The base class reads them; here they are no choice.
    link: Any = None
    alpha: Any = 0.0
    l1_ratio = 0.0
    power = 1.5
    extra_dispersion = 1.0
    solver: Any = "auto"
    _posterior: LaplacePosterior
    covariance_: Array
    log_evidence_: float | None
    effective_parameters_: float

    def __init__(
        self,
        family: str = "binomial",
        *,
        prior_precision: float = 1.0,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    # -- the fit ------------------------------------------------------------------------------------

    def _loss(self) -> Loss:
        if self.family not in APPROXIMATED:
            listed = " or ".join(repr(name) for name in APPROXIMATED)
            raise ValueError(f"family must be {listed}, got {self.family!r}")
        return super()._loss()

    def _build(self, design: Design, y: Array, weight: Array, alpha: float | None) -> LinearProblem:
        precision = check_number("prior_precision", self.prior_precision, 0.0, 1e100)
        _refuse_one_target(self._loss(), y, weight, check_flag("fit_intercept", self.fit_intercept))
        given = precision / float(weight.sum(dtype=np.float64)) if alpha is None else alpha
        return super()._build(design, y, weight, given)

    def _why_unbounded(self, problem: LinearProblem) -> str:
        told = super()._why_unbounded(problem)
        return told.replace("add a penalty (alpha > 0)", "give prior_precision > 0")

    def _finish(self, problem: LinearProblem, solution: Solution) -> None:
        p = problem.data.n_cols
        refuse_memory(f"the curvature in {p:,} columns", 48.0 * p * p, "use fewer columns")
        super()._finish(problem, solution)
        posterior = LaplacePosterior.of(problem, self._pack(problem), self.prior_precision, self._labels(p))
        self._posterior = posterior
        self.covariance_ = posterior.covariance()
        self.effective_parameters_, self.log_evidence_ = posterior.effective, posterior.log_evidence

    def _labels(self, p: int) -> list[str]:
        names = self._names()
        return [str(j) for j in range(p)] if names is None else [repr(str(name)) for name in names]

    # -- questions about the fit ----------------------------------------------------------------------

    def _laws(self, X: Any, offset: Any, exposure: Any) -> tuple[Array, Array, Any]:
        """Return means and variances of the scores of new rows, and the format of the answers."""
        check_is_fitted(self, "_posterior")
        X = self._design(X)
        mean, variance = means_of(self._posterior, X)
        known = check_offset(offset, exposure, len(mean), self._rates())
        return mean if known is None else mean + known, variance, X.dtype

    def predict(
        self,
        X: Any,
        offset: Any = None,
        exposure: Any = None,
        return_interval: bool = False,
        *,
        level: float = 0.95,
    ) -> Any:
        """Return the expected target of each row, the mean of the link's inverse over the normal law.

        For shares this is ``E sigma(z)`` to about 1e-15, by a trapezoidal rule; for counts ``exp(m + v/2)``
        of a score of mean m and variance v.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        offset, exposure : array, shape (n,), optional
            Known parts of scores, and factors of means, of these rows.
        return_interval : bool, default False
            Whether to return the ends of the credible interval of the mean of each row, too.
        level : float in (0, 1), default 0.95
            Its probability.

        Returns
        -------
        mean : array, shape (n,)
            Alone, or before low and high, arrays of shape (n,).
        """
        level = check_level(level)
        wanted = check_flag("return_interval", return_interval)
        mean, variance, dtype = self._laws(X, offset, exposure)
        counts = self._loss().counts
        with np.errstate(over="ignore"):  # a count beyond the numbers of a float is infinite
            many = np.exp(mean + 0.5 * variance)
        told = many if counts else logistic_mean(mean, variance)
        if not wanted:
            return told.astype(dtype, copy=False)
        half = float(ndtri(0.5 + 0.5 * level)) * np.sqrt(variance)
        ends = (np.asarray(self._loss().mean(mean + sign * half)) for sign in (-1.0, 1.0))
        return tuple(value.astype(dtype, copy=False) for value in (told, *ends))

    @available_if(_is_binomial)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, offset: Any = None) -> Array:
        """Return the chances of both labels of each row, shape (n, 2): ``1 - E sigma(z)`` and ``E sigma(z)``.

        Their order is that of ``classes_`` where the targets were labels, and 0 before 1 else.  These are the
        chances of a new target, the doubt about the coefficients included, and hence nearer to 1/2 than at
        the mode.  A model of counts has no such method.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        offset : array, shape (n,), optional
            Known parts of scores.
        """
        mean, variance, dtype = self._laws(X, offset, None)
        both = [logistic_mean(side * mean, variance) for side in (-1.0, 1.0)]
        return np.column_stack(both).astype(dtype, copy=False)

    @available_if(_is_binomial)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any, offset: Any = None) -> Array:
        """Return the logarithms of :meth:`predict_proba`, finite where one is rounded to 0, shape (n, 2).

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        offset : array, shape (n,), optional
            Known parts of scores.
        """
        mean, variance, _ = self._laws(X, offset, None)
        return np.column_stack([log_logistic_mean(side * mean, variance) for side in (-1.0, 1.0)])

    @available_if(_is_binomial)  # type: ignore[untyped-decorator]
    def predict_label(self, X: Any, offset: Any = None) -> Any:
        """Return the likelier label of each row, the first of equal ones, shape (n,); :meth:`predict` returns
        the chance of the second.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        offset : array, shape (n,), optional
            Known parts of scores.
        """
        chosen = (self.predict(X, offset) > 0.5).astype(np.intp)
        return np.asarray(getattr(self, "classes_", np.array([0, 1])))[chosen]

    def prediction_interval(
        self, X: Any, level: float = 0.95, *, offset: Any = None, exposure: Any = None
    ) -> Bands:
        """Return whole numbers between which a new count lies with probability `level` at least.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        level : float in (0, 1), default 0.95
            Probability, with the normal law of the score mixed in.
        offset, exposure : array, shape (n,), optional
            As in ``predict``.

        Returns
        -------
        empirisk.inference.Bands
            ``value`` (the expected target), ``low``, ``high``, shape (n,).

        Raises
        ------
        ValueError
            For shares and labels, of which an interval says nothing.
        """
        level = check_level(level)
        if not self._loss().predictive:
            raise ValueError(
                "there is no interval of labels or shares; predict(X, return_interval=True) has that of the "
                "probability"
            )
        mean, variance, _ = self._laws(X, offset, exposure)
        low, high = predictive_quantiles(Law(self._loss()), mean, np.sqrt(variance), 1.0, level)
        value = np.asarray(self.predict(X, offset, exposure=exposure), dtype=np.float64)
        return Bands("prediction", level, value, low, high, None, NORMAL_SCORE)

    def credible_interval(self, level: float = 0.95) -> CredibleIntervals:
        """Return the credible interval of each coefficient and, last, of the intercept.

        Parameters
        ----------
        level : float in (0, 1), default 0.95
            Probability of each interval under the normal law.

        Returns
        -------
        empirisk.inference.CredibleIntervals
            ``value`` (the mode), ``low``, ``high``, shape (p + 1,), or (p,) without an intercept.
        """
        check_is_fitted(self, "_posterior")
        level = check_level(level)
        ends = self._posterior.intervals(float(ndtri(0.5 + 0.5 * level)), bool(self.fit_intercept))
        return CredibleIntervals(level, terms_of(self), *ends, "a normal law at the mode of the posterior")

    def sample_posterior(self, n: int = 1000, random_state: Any = None) -> PosteriorDraws:
        """Return independent draws from the normal law of coefficients and intercept.

        Parameters
        ----------
        n : int >= 1, default 1000
            How many.
        random_state : int, Generator, RandomState or None, default None
            Seed; None is 0.

        Returns
        -------
        PosteriorDraws
            Its ``noise`` is 1 in every draw: these families have no dispersion of their own.
        """
        check_is_fitted(self, "_posterior")
        n, rng = check_count("n", n, 1), np.random.default_rng(check_seed(random_state))
        return PosteriorDraws(*self._posterior.draws(n, np.ones(n), rng), np.ones(n))

    def _verify(self, X: Any, y: Any, sample_weight: Any = None, **rows: Any) -> Certificate:
        """Recompute the certificate of the mode, and the curvature there as one plain matrix."""
        problem = self.problem(X, y, sample_weight, **rows)
        w = self._pack(problem)
        certificate: Certificate = problem.certify(w)
        if not certificate.within(self.tol or 0.0):
            certificate = problem.sharpened(w, certificate)
        covariance = inverse_curvature(problem, w, self.prior_precision)
        law = {"coef_": self.coef_, "intercept_": self.intercept_, "covariance": covariance}
        reach = float(np.abs(self._posterior.center) @ np.abs(self._posterior.mean))
        told = disputed(self, {"covariance_": covariance}, tol=1e-6)
        told = told or other_law(self._posterior, law, 1e-6, 1e-6 * reach)
        return certificate if told is None else told


def _refuse_one_target(loss: Loss, y: Array, weight: Array, intercept: bool) -> None:
    """Refuse shares that are all 0 or all 1: with a flat prior of the intercept there is no posterior."""
    live = np.asarray(y)[np.asarray(weight) > 0.0]
    open_ended = intercept and loss.shares and len(live) > 0 and live[0] in (0.0, 1.0)
    if open_ended and (live == live[0]).all():
        raise SeparationError(
            f"all targets of positive weight are {live[0]:g}: the intercept has a flat prior, and its "
            "posterior does not end in that direction, whatever prior_precision is; give rows of both "
            "kinds, or fit_intercept=False"
        )
