"""What a fitted Bayesian linear regression says of new rows and of its coefficients."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtrit
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.seeds import check_seed
from empirisk.data.sparse_cells import is_sparse
from empirisk.data.validated import validated
from empirisk.estimators.bayes.conjugate_posterior import ConjugatePosterior
from empirisk.estimators.bayes.gaussian_coefficients import GaussianCoefficients
from empirisk.estimators.checks import check_count, check_finite, check_flag
from empirisk.estimators.estimator import Estimator
from empirisk.inference.bands import Bands
from empirisk.inference.credible import CredibleIntervals
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["READ", "PosteriorDraws", "PosteriorQuestions", "means_of"]

CHUNK = 1 << 20  # numbers of new rows that are centred at a time
# How rows are read; what is not finite is refused by its place, and not by scikit-learn.
READ: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C", "ensure_all_finite": False}


class PosteriorDraws(NamedTuple):
    """Independent draws of all parameters from their joint posterior.

    Parameters
    ----------
    coef : array, shape (n, p)
        Coefficients.
    intercept : array, shape (n,)
        Constants; zeros for a fit without an intercept.
    noise : array, shape (n,)
        Variances of the noise.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.arange(12.0).reshape(6, 2) ** 2
    >>> model = er.BayesianLinearRegression(1.0).fit(X, [1.0, 3.0, 2.0, 5.0, 4.0, 6.0])
    >>> draws = model.sample_posterior(100)
    >>> draws.coef.shape, draws.intercept.shape, bool((draws.noise > 0.0).all())
    ((100, 2), (100,), True)
    """

    coef: Array
    intercept: Array
    noise: Array


class PosteriorQuestions(RegressorMixin, Estimator):
    """Base of the regression: everything that rests on the posterior alone."""

    coef_: Array
    intercept_: Any
    n_features_in_: int
    fit_intercept: bool
    _posterior: ConjugatePosterior
    _waiting: str = ""  # why the rows of a stream have no posterior yet

    def _ready(self) -> None:
        """Refuse questions before the fit, and of a stream whose rows have no posterior yet."""
        check_is_fitted(self, "solution_")
        if self._waiting:
            raise ValueError(f"partial_fit has not seen enough rows yet: {self._waiting}")

    def _new(self, X: Any) -> Array:
        """Return new rows as numbers, checked against the columns of the fit."""
        self._ready()
        with numbers_only(X):
            X = validated(self, X, reset=False, **READ)
        check_finite(Design(X), getattr(self, "feature_names_in_", None))
        return np.asarray(X)

    def predict(
        self, X: Any, return_std: bool = False, return_interval: bool = False, *, level: float = 0.95
    ) -> Any:
        """Return the posterior mean of the target of each row, and on demand how far a new one may be away.

        Given the rows of the fit, a new target follows Student's t distribution with 2 a degrees of freedom
        around the mean, of squared scale ``noise_ (1 + 1/S + (x - m)' (X'X + precision I)^-1 (x - m))``.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            Rows.
        return_std : bool, default False
            Whether to return the standard deviation of a new target, too; it is infinite with two degrees of
            freedom or fewer.
        return_interval : bool, default False
            Whether to return the ends of the interval that holds a new target with probability `level`.
        level : float in (0, 1), default 0.95
            That probability.

        Returns
        -------
        mean : array, shape (n,)
            Alone, or before (std,), (low, high) or (std, low, high), arrays of shape (n,).
        """
        X = self._new(X)
        level = check_level(level)
        flags = check_flag("return_std", return_std), check_flag("return_interval", return_interval)
        mean, spread = self._means(X, any(flags))
        out = [mean]
        scale, freedom = np.sqrt(self._posterior.noise * (1.0 + spread)), self._posterior.freedom
        if flags[0]:
            out.append(scale * (np.sqrt(freedom / (freedom - 2.0)) if freedom > 2.0 else np.inf))
        if flags[1]:
            half = _quantile(freedom, level) * scale
            out += [mean - half, mean + half]
        told = tuple(value.astype(X.dtype, copy=False) for value in out)
        return told if any(flags) else told[0]

    def mean_interval(self, X: Any, level: float = 0.95) -> Bands:
        """Return the ends of the credible interval of the mean ``x.w + b`` at each row, without the noise.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            Rows.
        level : float in (0, 1), default 0.95
            Posterior probability of each interval.

        Returns
        -------
        empirisk.inference.Bands
            ``value`` (the posterior mean), ``low``, ``high``, shape (n,).
        """
        X = self._new(X)
        level = check_level(level)
        factor = _quantile(self._posterior.freedom, level)
        mean, spread = self._means(X, True)
        half = factor * np.sqrt(self._posterior.noise * spread)
        value, low, high = (v.astype(X.dtype, copy=False) for v in (mean, mean - half, mean + half))
        return Bands("credible", level, value, low, high, None, "right where the prior and normal noise are")

    def _means(self, X: Array, spread: bool) -> tuple[Array, Array]:
        """Return posterior means of the rows, and their variances over that of the noise where asked for."""
        return means_of(self._posterior, X, spread)

    def credible_interval(self, level: float = 0.95) -> CredibleIntervals:
        """Return the credible interval of each coefficient and, last, of the intercept.

        Parameters
        ----------
        level : float in (0, 1), default 0.95
            Posterior probability of each interval, by its Student t distribution.

        Returns
        -------
        empirisk.inference.CredibleIntervals
            ``value``, ``low``, ``high``, shape (p + 1,), or (p,) without an intercept.

        Notes
        -----
        Under a flat prior with ``noise_shape=0`` these are the confidence intervals of least squares; with a
        prior they are narrower, and cover as they say on average over coefficients drawn from it.
        """
        self._ready()
        level = check_level(level)
        half = _quantile(self._posterior.freedom, level) * math.sqrt(self._posterior.noise)
        return CredibleIntervals(
            level,
            terms_of(self),
            *self._posterior.intervals(half, bool(self.fit_intercept)),
            "right where the prior and normal noise are",
        )

    def sample_posterior(self, n: int = 1000, random_state: Any = None) -> PosteriorDraws:
        """Return independent draws from the joint posterior of coefficients, intercept and noise.

        Parameters
        ----------
        n : int >= 1, default 1000
            How many.
        random_state : int, Generator, RandomState or None, default None
            Seed; None is 0.

        Returns
        -------
        PosteriorDraws
        """
        self._ready()
        n, posterior = check_count("n", n, 1), self._posterior
        rng = np.random.default_rng(check_seed(random_state))
        noise = posterior.scale / rng.gamma(posterior.shape, size=n)
        return PosteriorDraws(*posterior.draws(n, np.sqrt(noise), rng), noise)


def terms_of(model: Any) -> list[str]:
    """Return the names of the coefficients of a model, and last that of its intercept."""
    named = getattr(model, "terms_", getattr(model, "feature_names_in_", None))
    terms = [f"x{j}" for j in range(len(model.coef_))] if named is None else list(map(str, named))
    return [*terms, *(["intercept"] if model.fit_intercept else [])]


def means_of(posterior: GaussianCoefficients, X: Any, spread: bool = True) -> tuple[Array, Array]:
    """Return means of the scores of rows and their variances, some rows at a time, in float64.

    Parameters
    ----------
    posterior : GaussianCoefficients
    X : array or sparse matrix, shape (n, p)
    spread : bool, default True
        Whether variances are computed; zeros else.
    """
    mean, width = np.empty(X.shape[0]), np.zeros(X.shape[0])
    step = max(1, CHUNK // X.shape[1])
    for a in range(0, X.shape[0], step):
        part = X[a : a + step]
        rows = np.asarray(part.toarray() if is_sparse(part) else part, dtype=np.float64)
        mean[a : a + step] = posterior.scores(rows)
        if spread:
            width[a : a + step] = posterior.spread(rows)
    return mean, width


def _quantile(freedom: float, level: float) -> float:
    """Return the end of the central interval of Student's t distribution."""
    return float(stdtrit(freedom, 0.5 + 0.5 * level))
