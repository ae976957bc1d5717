"""What a Gaussian process with Gaussian noise says of new rows: means, deviations, intervals, draws."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from empirisk.data.frames import like_input
from empirisk.data.memory import refuse_memory
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_choice, check_count
from empirisk.estimators.kernel.gaussian_process import GaussianProcess
from empirisk.gaussian_processes import (
    Covariance,
    ExactPosterior,
    Factor,
    InducingBound,
    InducingPosterior,
    Posterior,
    left_out,
)
from empirisk.inference.bands import Bands
from empirisk.inference.conformal import LeftOutConformal
from empirisk.results.estimate import check_level
from empirisk.typing import Array

__all__ = ["ProcessPredictions"]

RESTS_ON = {
    "gaussian": "right where the kernel is, and the noise is normal and of the variance it is taken for",
    "conformal": "calibrated on leave-one-out residuals: right on average over rows like those of the fit",
}


class ProcessPredictions(RegressorMixin, GaussianProcess):
    """Base of the regressor: everything that rests on the learned numbers alone."""

    noise_: float
    dual_coef_: Array
    target_mean_: float
    target_scale_: float
    _memory: Posterior
    _weight: Array
    _y: Array
    _all: Any
    _left_out: tuple[Array, Array] | None

    @property
    def _noise(self) -> float:
        """The variance of the noise in the units of the fit."""
        return self.noise_ / self.target_scale_**2

    def _bound(self) -> InducingBound:
        covariance = Covariance(self.kernel_, self._all, self._weight, self._noise)
        return InducingBound(covariance, self._y, self.rows_)

    def _posterior(self) -> Posterior:
        """Return the posterior; its factors are made again after a pickle."""
        if "_memory" not in self.__dict__:
            if self._all is not None:
                bound = self._bound()
                a, prior, seen = bound.factors(bound.covariance.start)
                self._memory = InducingPosterior(self.kernel_, self.rows_, a, prior, seen)
            else:
                matrix = np.array(self.kernel_.block(self.rows_), dtype=np.float64)
                matrix[np.diag_indices_from(matrix)] += self._noise / self._weight
                self._memory = ExactPosterior(self.kernel_, self.rows_, self.dual_coef_, Factor.of(matrix))
        return self._memory

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """Return the posterior mean of f, and on demand its standard deviation or covariance.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        return_std : bool, default False
            Whether to return the standard deviation of f(x), too, shape (n,): that of y is
            ``sqrt(std^2 + noise_)``.
        return_cov : bool, default False
            Whether to return the covariance of f at all pairs of rows, too, shape (n, n).

        Returns
        -------
        array, shape (n,), or a pair
        """
        rows = self._new(X)
        if return_std and return_cov:
            raise ValueError("return_std and return_cov exclude each other: the diagonal holds the variances")
        mean = self._mean(rows)
        if return_std:
            return mean, self._deviation(rows)
        if return_cov:
            self._has_prior("a covariance")
            refuse_memory(
                f"the covariance of {rows.shape[0]} rows", 24.0 * rows.shape[0] ** 2, "ask for fewer rows"
            )
            return mean, self.target_scale_**2 * self._posterior().covariance(rows)
        return mean

    def _mean(self, rows: Any) -> Array:
        z = np.asarray(self.kernel_.product(rows, self.rows_, self.dual_coef_))
        return z * self.target_scale_ + self.target_mean_

    def _deviation(self, rows: Any) -> Array:
        self._has_prior("a standard deviation")
        return self.target_scale_ * np.sqrt(self._posterior().variance(rows))

    def _has_prior(self, what: str) -> None:
        if self.kernel_.precomputed:
            raise ValueError(
                f"{what} at new rows needs k(x, x), which a precomputed kernel does not tell; give a kernel "
                "of er.kernels"
            )

    def prediction_interval(self, X: Any, level: float = 0.9, *, method: str = "gaussian") -> Bands:
        """Intervals for y itself at new rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        level : float, default 0.9
            Nominal coverage.
        method : {"gaussian", "conformal"}, default "gaussian"
            ``"gaussian"``: mean +- z sqrt(std^2 + noise), right where kernel and noise are; too narrow where
            the noise is given too small, off where it is not normal, and blind to noise that differs from row
            to row.  ``"conformal"``: the same widths times the quantile of the leave-one-out residuals over
            their own standard deviations, which covers as many rows as it says on average over rows like
            those of the fit, whatever kernel and noise are.

        Returns
        -------
        empirisk.inference.Bands
            ``value`` (the posterior mean), ``low``, ``high``, shape (n,); `note` says what they rest on.

        Raises
        ------
        ValueError
            For a conformal interval with weights below 1, or with too few rows for the level.

        Notes
        -----
        Neither helps rows beyond those of the fit, where a wrong kernel cannot be seen.  Measured coverage of
        both: docs/maths/process-coverage.md.
        """
        rows = self._new(X)
        level = check_level(level)
        conformal = check_choice("method", method, {"gaussian": False, "conformal": True})
        factor = self.calibration().threshold(level) if conformal else float(ndtri(0.5 + 0.5 * level))
        note = RESTS_ON["conformal" if conformal else "gaussian"]
        return Bands("prediction", level, *self._around(rows, factor), None, note)

    def _around(self, rows: Any, factor: float) -> tuple[Array, Array, Array]:
        """Return the mean, and the ends that are so many deviations of a new y away from it."""
        mean, half = self._mean(rows), factor * np.sqrt(self._deviation(rows) ** 2 + self.noise_)
        return mean, mean - half, mean + half

    def _band(self, rows: Array, level: float) -> tuple[Array, Array, Array]:
        return self._around(rows, float(ndtri(0.5 + 0.5 * level)))

    def _drawn(self) -> tuple[Any, Array, str]:
        rows = self.rows_ if self._all is None else self._all
        return rows, self._y * self.target_scale_ + self.target_mean_, "mean of y"

    def _inside(self, rows: Array, y: Array, level: float) -> int:
        _, low, high = self._band(rows, level)
        return int(((low <= y) & (y <= high)).sum())

    @like_input
    def calibration(self) -> LeftOutConformal:
        """Return the scores that conformal intervals rest on: ``|y_i - mean_-i(x_i)| / sd_-i(x_i)``.

        They are exact leave-one-out predictions at the learned parameters (and inducing points).  The
        parameters have seen every row, so that the theorem of split conformal sets holds only nearly.
        """
        check_is_fitted(self)
        if float(self._weight.min()) < 1.0:
            raise ValueError(
                "conformal intervals leave out whole observations, and sample_weight held weights below 1: "
                "fit with weights of at least 1 (or 0)"
            )
        residual, variance = self._each_left_out()
        scores = np.abs(residual) / np.sqrt(variance)
        times = np.round(self._weight).astype(np.intp)
        return LeftOutConformal(
            np.repeat(scores, times), "leave-one-out residual over its standard deviation"
        )

    def _each_left_out(self) -> tuple[Array, Array]:
        """Return residual and variance of each observation without it, made when they are first asked for.

        Of all rows they take an inverse, which costs as much as the factor twice over.
        """
        if self._left_out is None:
            if self._all is not None:
                bound = self._bound()
                self._left_out = bound.left_out(bound.covariance.start)
            else:
                posterior: Any = self._posterior()
                inverse = np.diagonal(posterior.factor.half_inverse())
                self._left_out = left_out(self.dual_coef_, inverse, self._weight, self._noise)
        return self._left_out

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Array:
        """Draw functions from the posterior of f at the given rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        n_samples : int, default 1
            Number of functions.
        random_state : int, Generator, RandomState or None, default 0
            Seed.

        Returns
        -------
        array, shape (n, n_samples)
        """
        count = check_count("n_samples", n_samples, 1)
        mean, covariance = self.predict(X, return_cov=True)
        values, vectors = np.linalg.eigh(covariance)
        draws = np.random.default_rng(check_seed(random_state)).standard_normal((len(mean), count))
        return np.asarray(mean[:, None] + (vectors * np.sqrt(np.maximum(values, 0.0))) @ draws)
