"""What the two Gaussian process estimators share: rows in, a search for the parameters, words of a fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.caller_line import caller_level
from empirisk.data.design import Design
from empirisk.data.memory import refuse_memory
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.seeds import check_seed
from empirisk.data.sparse_cells import canonical
from empirisk.data.threads import for_rows
from empirisk.data.validated import validated
from empirisk.estimators.checks import (
    check_choice,
    check_count,
    check_finite,
    check_number,
    check_weights,
    naming_lone_weight,
    pair_noun,
)
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.kernel.process_charts import ProcessCharts
from empirisk.estimators.kernel_rows import check_kernel_rows
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.estimators.stated import disputed
from empirisk.gaussian_processes import (
    Ascent,
    Covariance,
    Criterion,
    ascend,
    profile_intervals,
    wald_intervals,
)
from empirisk.gaussian_processes.factor import check_definite
from empirisk.kernels import Kernel, Scaled, kernel_of
from empirisk.results import Certificate, Estimate, Kind, Solution, Status
from empirisk.results.estimate import check_level
from empirisk.typing import Array, IndexArray

__all__ = ["GaussianProcess", "Rows", "for_rows", "stationarity"]

Intervals = Callable[[Criterion, Ascent, tuple[str, ...], Array, float], dict[str, Estimate]]

FAR = float(np.log(1e5))  # how far a parameter may move from where it begins, either way
NEAR = 3.0  # further starts are drawn within this many units of the logarithm
SMALLEST = 1e-150  # squares of smaller numbers lose digits, or vanish
# Matrices of n^2 numbers that a fit holds at once, beside one for each parameter that is learned.
MATRICES = {"given": 3, "marginal_likelihood": 4, "leave_one_out": 8, "laplace": 5}


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of positive weight: what the kernel reads, targets, weights, and their numbers.

    Parameters
    ----------
    X : array or CSR
        Float64; with a precomputed kernel the matrix of these rows.
    y, weight : array, shape (n,)
    live : array of int, shape (n,)
        Their numbers among the rows that were given.
    """

    X: Any
    y: Array
    weight: Array
    live: IndexArray


class GaussianProcess(ProcessCharts, Estimator):
    """Base of the regressor and the classifier; a subclass says what is maximised and what is kept.

    After ``fit``: ``kernel_``, ``solution_``, ``log_marginal_likelihood_``, ``rows_`` and the property
    ``certificate_``.
    """

    kernel: Any
    method: Any
    restarts: int
    random_state: Any
    tol: float
    max_iter: int
    kernel_: Kernel
    rows_: Any
    solution_: Solution
    log_marginal_likelihood_: float
    n_features_in_: int
    n_iter_: int
    _search: Ascent | None

    # -- what a subclass gives ----------------------------------------------------------------------

    def _targets(self, y: Any, fitting: bool) -> Array:
        """Return the targets as numbers; learns ``classes_`` when fitting."""
        raise NotImplementedError

    def _learn(self, rows: Rows, kernel: Kernel) -> None:
        """Choose the parameters and keep what predictions need."""
        raise NotImplementedError

    # -- the flow -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the parameters, and condition the process on the rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features; with a precomputed kernel its matrix on the training rows, (n, n).
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0: a weight of 2 is the row observed twice, 0 its absence.

        Returns
        -------
        self
        """
        with as_before(self), naming_lone_weight(sample_weight):
            if y is None:
                raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
            self.__dict__.pop("_memory", None)
            rows = self._encoded(X, y, sample_weight, fitting=True)
            with for_rows(len(rows.y)):
                self._learn(rows, self._prior(rows))
            self.n_iter_ = self.solution_.n_steps
        if not self.solution_.status.ok:
            warnings.warn(f"ER001: {self.solution_.sentence}", CertificateWarning, stacklevel=caller_level())
        return self

    def _prior(self, rows: Rows) -> Kernel:
        """Return the kernel with numbers; a name stands for a multiple of the kernel, which is learned."""
        given = kernel_of(self.kernel)
        given.check(rows.X)
        if given.precomputed:
            check_definite(given.block(rows.X), "X")
        kernel: Kernel = given.resolved(rows.X, rows.weight)
        if not isinstance(self.kernel, str):
            return kernel
        if kernel.precomputed:
            return Scaled(kernel, 1.0)
        # A search reaches 1e5 times its start: it begins where the process is as large as the targets.
        size = float(np.mean(np.asarray(kernel.diagonal(rows.X), dtype=np.float64)))
        return Scaled(kernel, self._size(rows.y) / (size if 0.0 < size < np.inf else 1.0))

    def _size(self, y: Array) -> float:
        """Return the variance that the process begins with."""
        return 1.0

    def _encoded(self, X: Any, y: Any, sample_weight: Any, fitting: bool) -> Rows:
        """Return the checked rows of positive weight."""
        self._look_at_targets(y)
        with numbers_only(X, y):
            X, y = validated(
                self, canonical(X), y, reset=fitting, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False, **self._y_options(),
            )  # fmt: skip
            names = getattr(self, "feature_names_in_", None)
            check_finite(Design(X), names, pair_noun(self))
            targets = self._targets(y, fitting)
        weight = self._weights(check_weights(sample_weight, X.shape[0]), targets)
        live = np.flatnonzero(weight > 0.0)
        kernel = kernel_of(self.kernel)
        if not kernel.precomputed:
            check_kernel_rows(kernel, X, names)
        if kernel.precomputed:
            kernel.check(X)
        if len(live) < X.shape[0]:
            X = X[live][:, live] if kernel.precomputed else X[live]
        return Rows(_wide(X), targets[live], weight[live], live)

    def _weights(self, weight: Array, targets: Array) -> Array:
        """Return the weights of the rows."""
        return weight

    def _look_at_targets(self, y: Any) -> None:
        """Hook for checks of y that name the row."""

    def _y_options(self) -> dict[str, Any]:
        return {}

    def _new(self, X: Any) -> Any:
        """Return new rows, checked against those of the fit."""
        check_is_fitted(self)
        with numbers_only(X):
            X = validated(
                self, canonical(X), reset=False, accept_sparse=["csr"], dtype=[np.float64, np.float32],
                order="C", ensure_all_finite=False,
            )  # fmt: skip
        check_finite(Design(X), getattr(self, "feature_names_in_", None), pair_noun(self))
        return _wide(X)

    def _centres(self, kernel: Kernel, rows: Rows) -> Any:
        """Return what blocks between new rows and the training rows are made with."""
        return kernel.centres(rows.X, rows.live) if kernel.precomputed else rows.X

    def _other_rows(self, rows: Rows, **more: Any) -> Certificate | None:
        """Return why what answers read of the rows is not theirs, or None where it is."""
        held = {"rows_": self._centres(self.kernel_, rows), "_weight": rows.weight, **more}
        return disputed(self, held, tol=1e-6)

    def _other_end(self, covariance: Covariance) -> Certificate | None:
        """Return why the parameters are not those at which the search ended, or None where they are.

        Where the criterion is flat, its slope does not tell.
        """
        if self._search is None:
            return None
        stated = SimpleNamespace(log_parameters=covariance.start)
        return disputed(stated, {"log_parameters": self._search.theta})

    def _forecast(self, n: int, parameters: int, method: str, advice: str) -> None:
        """Refuse n rows whose matrices do not fit into memory."""
        matrices = MATRICES[method] + parameters
        refuse_memory(f"a Gaussian process on {n} rows ({matrices} matrices)", 8.0 * n * n * matrices, advice)

    def _ascended(self, criterion: Criterion, covariance: Covariance, unit: float = 1.0) -> Ascent:
        """Return the best end of searches from the start and from draws around it."""
        further = check_count("restarts", self.restarts, 0)
        tol = check_number("tol", self.tol, 0.0, closed=False)
        steps = check_count("max_iter", self.max_iter, 1)
        start = covariance.start
        low, high = start - FAR, start + FAR
        if covariance.learn_noise:
            low[-1], high[-1] = np.log(1e-7 * unit), np.log(1e4 * unit)
        draws = np.random.default_rng(check_seed(self.random_state))
        starts = np.vstack([start, start + draws.uniform(-NEAR, NEAR, (further, len(start)))])
        return ascend(criterion, starts, low, high, tol=tol, max_iter=steps)

    def _stationary(
        self, criterion: Criterion, found: Ascent, names: tuple[str, ...], note: str, alike: str
    ) -> Solution:
        """Return the parameters of a search as a solution, with the slope as its certificate."""
        value = float(np.abs(found.slope).max(initial=0.0)) / criterion.observations
        certificate = stationarity(criterion, found, names, value, note)
        status = Status.CERTIFIED if certificate.within(self.tol) else Status.STALLED
        return Solution(
            found.theta, status, certificate, found.evaluations, solver="lbfgs with restarts", note=alike
        )

    def parameter_intervals(self, level: float = 0.95, *, method: str = "wald") -> dict[str, Estimate]:
        """Intervals of the parameters that were learned, the noise among them.

        Parameters
        ----------
        level : float, default 0.95
            Nominal coverage, reached for many rows.
        method : {"wald", "profile"}, default "wald"
            ``"wald"``: ``exp(log p +- z se)`` with standard errors from the curvature of what was maximised,
            two evaluations a parameter.  ``"profile"``: the values that a likelihood-ratio test keeps, the
            other parameters maximised anew at each; about a hundred evaluations an end, invariant to the
            scale of the parameter, and right where the likelihood is lopsided.

        Returns
        -------
        dict of str to Estimate
            In the order of the kernel's parameters.  A parameter has no interval, and says why, where it
            stands at the end of its range or the data hardly tell it (Wald), set no upper end, or lead to a
            higher maximum than the search did (profile).  A profile that falls too little towards 0 begins
            there.

        Raises
        ------
        ValueError
            Where no parameter was learned, and for a profile of the leave-one-out likelihood, which is no
            likelihood.

        Notes
        -----
        Intervals after ``method="leave_one_out"`` take its curvature for that of a likelihood, and are too
        wide or too narrow.  Measured coverage: docs/maths/process-coverage.md.
        """
        check_is_fitted(self)
        level = check_level(level)
        intervals: Intervals = check_choice(
            "method", method, {"wald": wald_intervals, "profile": profile_intervals}
        )
        if self._search is None:
            raise ValueError("no parameter was learned (method=None), so that there is no interval of one")
        if method == "profile" and self.method == "leave_one_out":
            raise ValueError(
                "a profile needs a likelihood, and the parameters were learned by method='leave_one_out': "
                "take method='wald' here, or fit by method='marginal_likelihood'"
            )
        criterion, covariance, units = self._fitted_criterion()
        with for_rows(len(covariance.weight)):
            return intervals(criterion, self._search, covariance.names, units, level)

    def _fitted_criterion(self) -> tuple[Criterion, Covariance, Array]:
        """Return what was maximised, its parameters, and the unit of each."""
        raise NotImplementedError

    # -- words --------------------------------------------------------------------------------------

    @property
    def certificate_(self) -> Certificate:
        """How far the fit can be from the optimum, and by which argument."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = bool(getattr(self.kernel, "precomputed", self.kernel == "precomputed"))
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_memory", None)  # factors, which are made again from rows and parameters
        return state


def stationarity(
    criterion: Criterion, found: Ascent, names: tuple[str, ...], value: float, note: str = ""
) -> Certificate:
    """Return the certificate of a search: the largest slope an observation, and what restarts found."""
    ends = [name for name, at in zip(names, found.at_bound, strict=True) if at]
    bound = f"; at the end of its range: {', '.join(ends)}" if ends else ""
    claim = (
        f"the slope of the {criterion.title} ({found.value:.6g}) by the logarithm of each of {len(names)} "
        f"parameters is at most {value:.2g} an observation, a stationary point; "
        f"{found.spread(criterion.observations)}{bound}{note}"
    )
    return Certificate(Kind.STATIONARITY, value, 1.0, claim)


def _wide(X: Any) -> Any:
    """Return rows in float64: covariance matrices need all of its digits."""
    return X.astype(np.float64) if hasattr(X, "toarray") else np.ascontiguousarray(X, dtype=np.float64)
