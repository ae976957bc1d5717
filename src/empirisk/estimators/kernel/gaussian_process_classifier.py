"""Classification by a Gaussian process behind the logistic function, by Laplace's approximation.

Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, sections 3.4 and 5.5.1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import expit, logsumexp, ndtri
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from empirisk.data.threads import for_rows
from empirisk.estimators.checks import check_choice
from empirisk.estimators.kernel.gaussian_process import GaussianProcess, Rows
from empirisk.estimators.kernel.verify_process import verify_modes
from empirisk.estimators.label_codes import encode_labels, refuse_mixed, weigh_classes
from empirisk.estimators.log_probabilities import LogProbabilities
from empirisk.gaussian_processes import (
    Covariance,
    Criterion,
    LaplaceEvidence,
    Mode,
    log_logistic_mean,
    logistic_mean,
)
from empirisk.gaussian_processes.laplace import latent_variance, predictive_root
from empirisk.kernels import Kernel
from empirisk.kernels.likeness import likeness_note
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.typing import Array

__all__ = ["GaussianProcessClassifier"]

CELLS = 2**22  # of a block of kernel values between new rows and training rows


class GaussianProcessClassifier(LogProbabilities, ClassifierMixin, GaussianProcess):
    """``P(y = 1 | x) = E sigma(f(x))`` with ``f ~ GP(0, k)`` given the rows, f nearly normal (Laplace).

    The mode of f minimises ``sum_i s_i log(1 + exp(-t_i f_i)) + f' K^-1 f / 2`` with labels t of -1 and 1: it
    is kernel logistic regression with ``alpha = 1 / S`` and no intercept.  The law of f around it is normal
    with the curvature of that sum.  Three classes and more are one process for each class against the rest,
    with one kernel for all, whose probabilities are divided by their sum.

    Parameters
    ----------
    kernel : str or Kernel, default "gaussian"
        A name stands for a multiple of that kernel, whose factor is learned too; a kernel of `er.kernels`
        is taken as it is.  Learned are all of its ``parameters``, from their values as start.
    method : {"marginal_likelihood", None}, default "marginal_likelihood"
        What the parameters maximise: Laplace's approximation of the evidence; None takes the kernel as it is.
    restarts : int, default 2
        Further searches, from parameters drawn around the start.
    random_state : int, Generator, RandomState or None, default None
        Seed of these draws; None is 0.
    tol : float, default 1e-5
        Largest accepted slope, an observation, of what is maximised by the logarithm of a parameter.
    max_iter : int, default 200
        Step limit of a search.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    kernel_ : Kernel
        With the learned numbers.
    log_marginal_likelihood_ : float
        Laplace's approximation, summed over the classes where there are more than two.
    dual_coef_ : array, shape (1 or K, n)
        Weights of the training rows in the mode of f.
    rows_ : array or sparse matrix
        These rows; with a precomputed kernel their numbers.
    mode_gap_ : float
        The objective of the modes is at most so much above its minimum.
    certificate_ : Certificate
        Stationarity, with the spread over the restarts; without learning, the slope at the modes, whose
        objective is strongly convex.
    solution_ : Solution

    Raises
    ------
    ValueError
        For parameters out of range, one class only, and kernel matrices with negative eigenvalues.
    MemoryError
        When the matrices of n rows do not fit, with the forecast.

    Notes
    -----
    About ten factorisations of an n x n matrix for each evaluation and class.

    References
    ----------
    Rasmussen & Williams 2006, Gaussian Processes for Machine Learning, algorithms 3.1, 3.2 and 5.1.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x = np.linspace(-3.0, 3.0, 40)
    >>> model = er.GaussianProcessClassifier().fit(x[:, None], np.where(np.sin(2.0 * x) > 0.0, "up", "down"))
    >>> model.predict([[0.8], [-0.8]]).tolist()
    ['up', 'down']
    >>> bool(abs(model.predict_proba([[50.0]])[0, 0] - 0.5) < 0.01)  # nothing is known there
    True
    """

    classes_: Any
    dual_coef_: Array
    mode_gap_: float
    _memory: list[Any]

    def __init__(
        self,
        kernel: Any = "gaussian",
        *,
        method: str | None = "marginal_likelihood",
        restarts: int = 2,
        random_state: Any = None,
        tol: float = 1e-5,
        max_iter: int = 200,
    ) -> None:
        self._set(locals())

    def _look_at_targets(self, y: Any) -> None:
        refuse_mixed(y)  # before scikit-learn makes all of them text

    def _targets(self, y: Any, fitting: bool) -> Array:
        self.classes_, codes = encode_labels(y, None if fitting else self.classes_)
        return codes.astype(np.float64)

    def _weights(self, weight: Array, targets: Array) -> Array:
        return weigh_classes(None, self.classes_, targets.astype(np.intp), weight)

    def _labels(self, codes: Array) -> Array:
        """Return -1 and 1 for each problem of two classes, a row each."""
        known = np.arange(len(self.classes_)) if len(self.classes_) > 2 else np.array([1])
        return np.where(codes[None, :] == known[:, None], 1.0, -1.0)

    # -- the fit ------------------------------------------------------------------------------------

    def _learn(self, rows: Rows, kernel: Kernel) -> None:
        if self.method is not None:
            check_choice("method", self.method, {"marginal_likelihood": None})
        labels = self._labels(rows.y)
        covariance = Covariance(kernel, rows.X, rows.weight)
        parameters = max(len(covariance.names), len(labels) - 3)  # the factor of each class is kept
        self._forecast(len(rows.y), parameters, "laplace", "fit on fewer rows")
        criterion = LaplaceEvidence(covariance, labels)
        self._search = None
        if self.method is not None and len(covariance.names):
            self._search = self._ascended(criterion, covariance)
            kernel = covariance.at(self._search.theta)[0]
            covariance = replace(covariance, kernel=kernel)
            criterion = replace(criterion, covariance=covariance)
        modes = criterion.modes(covariance.start)
        self.kernel_, self.rows_ = kernel, self._centres(kernel, rows)
        self.dual_coef_ = np.stack([mode.a for mode in modes])
        self.mode_gap_ = float(sum(mode.gap for mode in modes))
        self._weight, self._codes = rows.weight, rows.y
        self.log_marginal_likelihood_ = criterion(covariance.start)[0]
        self._state(criterion, covariance, modes)
        if not kernel.precomputed:
            self._factors()

    def _state(self, criterion: LaplaceEvidence, covariance: Covariance, modes: list[Mode]) -> None:
        alike = likeness_note(self.kernel_, self.rows_)
        note = f"; the objective of the modes is within {self.mode_gap_:.2g} nats of its minimum"
        if self._search is not None:
            self.solution_ = self._stationary(criterion, self._search, covariance.names, note, alike)
            return
        certificate = mode_certificate(self.mode_gap_, criterion.observations)
        status = Status.CERTIFIED if certificate.within(self.tol) else Status.STALLED
        steps = max(1, *(mode.steps for mode in modes))
        self.solution_ = Solution(
            np.ravel(self.dual_coef_), status, certificate, steps, solver="newton", note=alike
        )

    # -- the posterior ------------------------------------------------------------------------------

    def latent(self, X: Any, return_std: bool = False) -> Any:
        """Return the mean of the latent function f, and on demand its standard deviation.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        return_std : bool, default False
            Whether to return standard deviations, too.

        Returns
        -------
        array or a pair, shape (n,) for two classes, else (n, K)
        """
        rows = self._new(X)
        mean = self._mean(rows)
        out = (mean, np.sqrt(self._variance(rows))) if return_std else (mean,)
        flat = tuple(part[:, 0] if len(self.classes_) == 2 else part for part in out)
        return flat if return_std else flat[0]

    def _mean(self, rows: Any) -> Array:
        weights = np.ascontiguousarray(self.dual_coef_.T)
        return np.asarray(self.kernel_.product(rows, self.rows_, weights), dtype=np.float64)

    def _factors(self) -> list[Any]:
        """Return the factors that variances are made with: by the fit, or later for a model from a file."""
        if "_memory" not in self.__dict__:
            with for_rows(len(self._weight)):
                matrix = np.array(self.kernel_.block(self.rows_), dtype=np.float64)
                modes = [Mode(a, matrix @ a, 0.0, 0) for a in self.dual_coef_]
                self._memory = [predictive_root(matrix, mode, self._weight) for mode in modes]
        return self._memory

    def _variance(self, rows: Any) -> Array:
        if self.kernel_.precomputed:
            raise ValueError(
                "probabilities at new rows need k(x, x), which a precomputed kernel does not tell: give a "
                "kernel of er.kernels, or ask for predict alone"
            )
        factors, step = self._factors(), max(1, CELLS // self.dual_coef_.shape[1])
        out = []
        for start in range(0, rows.shape[0], step):
            part = rows[start : start + step]
            cross = np.asarray(self.kernel_.block(part, self.rows_), dtype=np.float64).T
            diagonal = self.kernel_.diagonal(part)
            out.append(np.stack([latent_variance(diagonal, cross, *each) for each in factors], axis=1))
        return np.concatenate(out)

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, shape (n, K): the mean of ``sigma(f)``, to about 1e-15.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        """
        rows = self._new(X)
        mean, variance = self._mean(rows), self._variance(rows)
        if len(self.classes_) == 2:
            return np.stack(
                [logistic_mean(side * mean[:, 0], variance[:, 0]) for side in (-1.0, 1.0)], axis=1
            )
        each = logistic_mean(mean, variance)
        return np.asarray(each / each.sum(axis=1, keepdims=True))

    def _log_probabilities(self, X: Any) -> Array:
        rows = self._new(X)
        mean, variance = self._mean(rows), self._variance(rows)
        if len(self.classes_) == 2:
            mean, variance = np.hstack([-mean, mean]), np.hstack([variance, variance])
            return log_logistic_mean(mean, variance)
        each = log_logistic_mean(mean, variance)
        return np.asarray(each - logsumexp(each, axis=1, keepdims=True))

    def predict(self, X: Any) -> Any:
        """Return the class of the largest probability (ties: the first), shape (n,).

        With a precomputed kernel, which tells no probability, it is the class of the largest mode.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        """
        check_is_fitted(self)
        if not self.kernel_.precomputed:
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        mean = self._mean(self._new(X))
        codes = (mean[:, 0] > 0.0).astype(np.intp) if len(self.classes_) == 2 else mean.argmax(axis=1)
        return self.classes_[codes]

    def _band(self, rows: Array, level: float) -> tuple[Array, Array, Array]:
        mean, variance = self._mean(rows)[:, 0], self._variance(rows)[:, 0]
        half = float(ndtri(0.5 + 0.5 * level)) * np.sqrt(variance)
        return logistic_mean(mean, variance), expit(mean - half), expit(mean + half)

    def _drawn(self) -> tuple[Any, Array, str]:
        if len(self.classes_) > 2:
            raise ValueError(
                f"a curve is that of two classes, and there are {len(self.classes_)}: see evidence_curve"
            )
        return self.rows_, self._codes, f"probability of {self.classes_[1]}"

    # -- questions about the fit ----------------------------------------------------------------------

    def objective(self, X: Any, y: Any, sample_weight: Any = None) -> LaplaceEvidence:
        """Return what a fit on these rows maximises, a function of the logarithms of the parameters.

        Calling it gives the value and the exact gradient.  Its parameters are ``covariance.names``, its start
        ``covariance.start``.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.
        """
        check_is_fitted(self)
        rows = self._encoded(X, y, sample_weight, fitting=False)
        return LaplaceEvidence(Covariance(self.kernel_, rows.X, rows.weight), self._labels(rows.y))

    def _fitted_criterion(self) -> tuple[Criterion, Covariance, Array]:
        if self.kernel_.precomputed:
            raise ValueError(
                "intervals of parameters need the rows, which a precomputed kernel does not keep"
            )
        covariance = Covariance(self.kernel_, self.rows_, self._weight)
        return (
            LaplaceEvidence(covariance, self._labels(self._codes)),
            covariance,
            np.ones(len(covariance.names)),
        )

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate, recomputed from the rows, the weights and the kernel alone."""
        criterion = self.objective(X, y, sample_weight)
        with for_rows(len(criterion.covariance.weight)):
            again = self._other_end(criterion.covariance)
            again = again or verify_modes(self, criterion, self._search, mode_certificate)
        if again.kind is Kind.NONE:
            return again
        rows = self._encoded(X, y, sample_weight, fitting=False)
        return self._other_rows(rows, _codes=rows.y) or again


def mode_certificate(gap: float, observations: float) -> Certificate:
    """Return the certificate of modes: the slope in the norm of the kernel, where the objective is strongly
    convex.
    """
    value = float(np.sqrt(2.0 * gap))
    claim = (
        f"the modes are found: F(f) - min F <= {gap:.2g} nats, by the gradient norm {value:.2g} of an "
        "objective that is 1-strongly convex in the norm of the kernel; nothing was learned"
    )
    return Certificate(Kind.STATIONARITY, value, float(np.sqrt(observations)), claim, 1.0)
