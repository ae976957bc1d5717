"""Regression by a Gaussian process: the Bayesian twin of kernel ridge regression.

Rasmussen and Williams 2006, Gaussian Processes for Machine Learning, chapters 2 and 5; Titsias 2009,
AISTATS 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.checks import (
    check_choice,
    check_flag,
    check_number,
    check_numeric_targets,
    check_targets_finite,
)
from empirisk.estimators.kernel.gaussian_process import SMALLEST, Rows
from empirisk.estimators.kernel.process_points import inducing_points
from empirisk.estimators.kernel.process_predictions import ProcessPredictions
from empirisk.estimators.kernel.verify_process import verify_process
from empirisk.gaussian_processes import (
    Covariance,
    Criterion,
    Evidence,
    ExactPosterior,
    Factor,
    InducingBound,
    InducingPosterior,
    LeftOut,
    spread_rows,
)
from empirisk.kernels import Kernel
from empirisk.kernels.likeness import likeness_note
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.typing import Array

__all__ = ["GaussianProcessRegressor"]


class GaussianProcessRegressor(ProcessPredictions):
    """``y = f(x) + noise`` with ``f ~ GP(mean, k)``: the law of f given the rows, in closed form.

    ``E f(x) = k(x)' (K + D)^-1 y`` and ``Var f(x) = k(x, x) - k(x)' (K + D)^-1 k(x)`` with ``D = noise / s``.
    The mean is kernel ridge regression with ``alpha = noise / S`` (without an intercept, on centred targets).

    Parameters
    ----------
    kernel : str or Kernel, default "gaussian"
        A name stands for a multiple of that kernel, whose factor is learned too; a kernel of `er.kernels`
        is taken as it is.  Learned are all of its ``parameters``, from their values as start.
    noise : "learn" or float > 0, default "learn"
        Variance of the noise of one observation, in squared units of y.
    method : {"marginal_likelihood", "leave_one_out", None}, default "marginal_likelihood"
        What the parameters maximise: the density of the targets (the evidence), or the log-density of each
        target given all others; None takes kernel and noise as they are.
    normalise_y : bool, default True
        Whether the kernel describes ``(y - mean) / standard deviation``, else y itself, with mean 0.
    inducing : "auto", None, int or array, default "auto"
        Points through which the process sees the rows: None for the exact process, a number of training rows
        (chosen one by one where the prior is least explained), or the points themselves, shape (m, p).
        ``"auto"``: exact up to 10,000 rows, beyond with 500 points.
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
    kernel_ : Kernel
        With the learned numbers.
    noise_ : float
        Variance of the noise, in squared units of y.
    log_marginal_likelihood_ : float
        Of the targets as given; with inducing points its lower bound.
    inducing_gap_ : float
        With inducing points: the evidence is at most so much larger than the bound, in nats, which bounds the
        divergence of the approximate posterior from the exact one; 0 for exact processes.
    jitter_ : float
        What had to be added to the diagonal of the covariance (0 but for singular matrices).
    dual_coef_ : array
        Weights of the training rows (or of the inducing points) in the mean of the normalised target.
    rows_ : array or sparse matrix
        These rows; with a precomputed kernel their numbers.
    target_mean_, target_scale_ : float
        What targets were centred and divided by.
    certificate_ : Certificate
        Stationarity, with the spread over the restarts; without learning, exact linear algebra.
    solution_ : Solution

    Raises
    ------
    ValueError
        For parameters out of range, kernel matrices with negative eigenvalues (which names one), and weights
        below 1 with ``method="leave_one_out"``.
    MemoryError
        When the matrices of n rows do not fit, with the forecast.

    Notes
    -----
    An evaluation costs n^3 flops (a third for the factor, two for the inverse), and n^2 for each parameter;
    with m inducing points n m^2.  The evidence counts a row of weight s as s observations.

    References
    ----------
    Rasmussen & Williams 2006, Gaussian Processes for Machine Learning, sections 2.2, 5.4.1 and 5.4.2.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> x = np.linspace(0.0, 6.0, 30)
    >>> y = np.sin(x) + 0.1 * np.cos(40.0 * x)
    >>> model = er.GaussianProcessRegressor().fit(x[:, None], y)
    >>> mean, std = model.predict([[1.5], [20.0]], return_std=True)
    >>> bool(abs(mean[0] - np.sin(1.5)) < 0.1), bool(std[1] > 5.0 * std[0])
    (True, True)
    """

    inducing_gap_: float
    jitter_: float

    def __init__(
        self,
        kernel: Any = "gaussian",
        *,
        noise: float | str = "learn",
        method: str | None = "marginal_likelihood",
        normalise_y: bool = True,
        inducing: Any = "auto",
        restarts: int = 2,
        random_state: Any = None,
        tol: float = 1e-5,
        max_iter: int = 200,
    ) -> None:
        self._set(locals())

    def _y_options(self) -> dict[str, Any]:
        return {"y_numeric": True}

    def _look_at_targets(self, y: Any) -> None:
        check_numeric_targets(y)

    def _targets(self, y: Any, fitting: bool) -> Array:
        targets = np.asarray(y, dtype=np.float64)
        check_targets_finite(targets)
        return targets

    # -- the fit ------------------------------------------------------------------------------------

    def _learn(self, rows: Rows, kernel: Kernel) -> None:
        self._normalise(rows)
        points = inducing_points(self.inducing, rows.X, kernel, self.method)
        y = self._unit(rows.y)
        unit = float(rows.weight @ y**2) / float(rows.weight.sum()) or 1.0
        covariance = self._covariance(rows, kernel, unit)
        if points is None:
            advice = "give inducing=500, or fit on fewer rows"
            numbers = len(covariance.names) - covariance.learn_noise if self.method else 0
            self._forecast(len(y), numbers, self.method or "given", advice)
        criterion = self._criterion(covariance, y, points)
        self._search = None
        if self.method is not None and len(covariance.names):
            self._search = self._ascended(criterion, covariance, unit)
            if isinstance(self.inducing, int | str) and points is not None:
                # The points that suit the start may not suit the end: choose again, and go on from there.
                learned = self._learned(covariance, self._search.theta)
                points = rows.X[spread_rows(learned.kernel, rows.X, points.shape[0])]
                criterion = self._criterion(covariance, y, points)
                self._search = self._ascended(criterion, learned, unit)
            covariance = self._learned(covariance, self._search.theta)
        self._keep(rows, y, covariance, points, criterion)

    def _normalise(self, rows: Rows) -> None:
        self.target_mean_, self.target_scale_ = 0.0, 1.0
        total = float(rows.weight.sum())
        if check_flag("normalise_y", self.normalise_y):
            self.target_mean_ = float(rows.weight @ rows.y) / total
        moved = rows.y - self.target_mean_
        # Less than the rounding of the mean is no spread.
        if (size := float(np.abs(moved).max())) <= 1e-14 * abs(self.target_mean_):
            return
        if size < SMALLEST:
            raise ValueError(
                f"y differs from its mean by {size:.2g} at most, and squares of such numbers vanish; "
                "rescale y"
            )
        if self.normalise_y:
            self.target_scale_ = float(np.sqrt(rows.weight @ moved**2 / total))

    def _size(self, y: Array) -> float:
        return 1.0 if self.normalise_y else float(np.mean(y**2)) or 1.0

    def _unit(self, y: Array) -> Array:
        return (y - self.target_mean_) / self.target_scale_

    def _covariance(self, rows: Rows, kernel: Kernel, unit: float) -> Covariance:
        if self.method is not None:
            check_choice("method", self.method, {"marginal_likelihood": None, "leave_one_out": None})
        if isinstance(self.noise, str) and self.noise == "learn":
            if self.method is None:
                raise ValueError("with method=None nothing is learned: give noise a number > 0")
            return Covariance(kernel, rows.X, rows.weight, 0.1 * unit, True)
        if isinstance(self.noise, str):
            raise ValueError(f'noise must be "learn" or a finite number > 0, got {self.noise!r}')
        noise = check_number("noise", self.noise, 0.0, closed=False) / self.target_scale_**2
        return Covariance(kernel, rows.X, rows.weight, noise)

    def _learned(self, covariance: Covariance, theta: Array) -> Covariance:
        kernel, noise = covariance.at(theta)
        return Covariance(kernel, covariance.rows, covariance.weight, noise, covariance.learn_noise)

    def _criterion(self, covariance: Covariance, y: Array, points: Any) -> Criterion:
        """Return what describes how well the parameters fit; without learning the evidence, as a measure."""
        if points is not None:
            return InducingBound(covariance, y, points)
        if self.method == "leave_one_out":
            low = float(covariance.weight.min())
            if low < 1.0:
                raise ValueError(
                    f"sample_weight holds {low:g}, and method='leave_one_out' leaves out whole observations: "
                    "give weights of at least 1 (or 0), or method='marginal_likelihood'"
                )
            return LeftOut(covariance, y)
        return Evidence(covariance, y)

    def _keep(self, rows: Rows, y: Array, covariance: Covariance, points: Any, criterion: Criterion) -> None:
        theta, kernel, noise = covariance.start, covariance.kernel, float(covariance.noise or 0.0)
        self.kernel_, self.noise_ = kernel, noise * self.target_scale_**2
        observations = float(rows.weight.sum())
        self._left_out = None  # until it is asked for
        if points is None:
            matrix = covariance.block(kernel)
            matrix[np.diag_indices_from(matrix)] += noise / rows.weight
            factor = Factor.of(matrix)
            a = factor.solve(y)
            a += factor.solve(y - matrix @ a)
            self.dual_coef_, self.rows_ = a, self._centres(kernel, rows)
            self.jitter_, self.inducing_gap_ = factor.jitter * self.target_scale_**2, 0.0
            size = float(np.abs(y).max()) or 1.0
            residual = float(np.abs(matrix @ a - y).max()) / size
            value = Evidence(covariance, y).value(factor, a, noise)
            self._memory = ExactPosterior(kernel, self.rows_, a, factor)
        else:
            bound = InducingBound(covariance, y, points)
            a, prior, seen = bound.factors(theta)
            self.dual_coef_, self.rows_ = a, points
            self.jitter_, residual = 0.0, 0.0
            self.inducing_gap_, value = bound.gap(theta), bound(theta)[0]
            self._memory = InducingPosterior(kernel, points, a, prior, seen)
        self._weight, self._y, self._all = rows.weight, y, None if points is None else rows.X
        self.log_marginal_likelihood_ = value - observations * float(np.log(self.target_scale_))
        self._state(criterion, covariance, residual)

    def _state(self, criterion: Criterion, covariance: Covariance, residual: float) -> None:
        """Set the solution: parameters, status and certificate."""
        notes = self._notes()
        alike = likeness_note(self.kernel_, self.rows_ if self._all is None else self._all)
        if self._search is not None:
            self.solution_ = self._stationary(criterion, self._search, covariance.names, notes, alike)
            return
        how = f"exact, the weights solve their linear system to {residual:.2g} of the largest target"
        how = how if self._all is None else "linear algebra"
        claim = f"the posterior is {how}, and nothing was learned{notes}"
        certificate = Certificate(Kind.EXACT, residual, 1.0, claim, 0.0, 1e-15 * len(self._y))
        status = Status.CERTIFIED if certificate.within(max(self.tol, 1e-6)) else Status.FLOOR
        self.solution_ = Solution(self.dual_coef_, status, certificate, 1, solver="cholesky", note=alike)

    def _notes(self) -> str:
        out = ""
        if self.jitter_ > 0.0:
            out += (
                f"; {self.jitter_:.2g} was added to the diagonal of a covariance that is singular in double "
                "precision"
            )
        if self.inducing_gap_ > 0.0:
            out += (
                f"; {len(self.dual_coef_)} inducing points lose at most {self.inducing_gap_:.3g} nats of the "
                "log marginal likelihood"
            )
        return out

    # -- questions about the fit ----------------------------------------------------------------------

    def objective(self, X: Any, y: Any, sample_weight: Any = None) -> Criterion:
        """Return what a fit on these rows maximises, a function of the logarithms of the parameters.

        Calling it gives the value and the exact gradient.  Its parameters are ``covariance.names``, its start
        ``covariance.start``; targets are normalised as in the fit.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.
        """
        check_is_fitted(self)
        rows = self._encoded(X, y, sample_weight, fitting=False)
        noise = self.noise_ / self.target_scale_**2
        covariance = Covariance(self.kernel_, rows.X, rows.weight, noise, self.noise == "learn")
        return self._criterion(covariance, self._unit(rows.y), None if self._all is None else self.rows_)

    def _fitted_criterion(self) -> tuple[Criterion, Covariance, Array]:
        if self.kernel_.precomputed:
            raise ValueError(
                "intervals of parameters need the rows, which a precomputed kernel does not keep"
            )
        rows = self.rows_ if self._all is None else self._all
        noise = self.noise_ / self.target_scale_**2
        covariance = Covariance(self.kernel_, rows, self._weight, noise, self.noise == "learn")
        found = self._criterion(covariance, self._y, None if self._all is None else self.rows_)
        units = np.ones(len(covariance.names))
        if covariance.learn_noise:
            units[-1] = self.target_scale_**2
        return found, covariance, units

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate, recomputed from the rows, the weights and the parameters alone."""
        criterion: Any = self.objective(X, y, sample_weight)
        again = self._other_end(criterion.covariance)
        again = again or verify_process(self, criterion, self._search, self._notes())
        if again.kind is Kind.NONE:
            return again
        rows = self._encoded(X, y, sample_weight, fitting=False)
        held = {} if self._all is None else {"rows_": self.rows_, "_all": rows.X}
        return self._other_rows(rows, _y=self._unit(rows.y), **held) or again
