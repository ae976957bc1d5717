"""Linear regression by stochastic gradients, in memory or in a stream.

Robbins and Monro, Annals of Mathematical Statistics 22 (1951).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin

from empirisk.estimators.checks import check_numeric_targets
from empirisk.estimators.documented import documented
from empirisk.estimators.linear.factor_columns import FactorColumns
from empirisk.estimators.stochastic.sgd_classifier import SGDClassifier
from empirisk.estimators.stochastic.stochastic import StochasticEstimator
from empirisk.losses import check_targets
from empirisk.problems.linear import LinearProblem
from empirisk.typing import Array

__all__ = ["SGDRegressor"]


@documented(SGDClassifier, FactorColumns)
class SGDRegressor(RegressorMixin, StochasticEstimator):
    """Linear regression by stochastic gradient descent, with a certificate.

    ``min_{w,b} (1/S) sum_i s_i loss(y_i, x_i.w + b) + alpha (r ||w||_1 + (1-r) ||w||^2 / 2)``

    Neither columns nor target need scaling for the steps; see :class:`SGDClassifier`.

    Parameters
    ----------
    loss : str or Loss, default "half_squared"
        "half_squared", "huber", "absolute", "quantile", "epsilon_insensitive", and, with a log link,
        "poisson" (counts) and "gamma" (positive targets). Pass an object of ``er.losses`` for another width
        or quantile: ``er.losses.Quantile(0.9)``.
    alpha : float or "1/n", default 1e-4
        Strength on the mean-loss scale, as in scikit-learn's SGDRegressor; "1/n" is 1/S.
    l1_ratio, fit_intercept, schedule, step, output, n_epochs, batch_size, momentum, sampling
        As in :class:`SGDClassifier`.
    precondition, tol, max_iter, warm_start, random_state
        As in :class:`SGDClassifier`.
    categorical_features
        As in :class:`FactorColumns`.

    Attributes
    ----------
    coef_ : array, shape (p,)
    intercept_ : float
    alpha_, certificate_, solution_, t_
        As in :class:`SGDClassifier`.

    Raises
    ------
    ValueError
        On targets outside the domain of the loss (negative counts, say) and on parameters out of range.

    Notes
    -----
    O(stored numbers) per epoch.

    References
    ----------
    As in :class:`SGDClassifier`.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> model = er.SGDRegressor(alpha=0.01, tol=1e-8).fit(X, 2.0 * X[:, 0] + 1.0)
    >>> model.coef_.round(2), model.certificate_.within(1e-8)
    (array([1.99]), True)
    """

    def __init__(
        self,
        loss: Any = "half_squared",
        alpha: float | str = 1e-4,
        *,
        l1_ratio: float = 0.0,
        fit_intercept: bool | str = "auto",
        schedule: Any = "cosine",
        step: float | str = "auto",
        output: str = "auto",
        n_epochs: int | str = "auto",
        batch_size: int = 1,
        momentum: float = 0.0,
        sampling: str = "auto",
        precondition: bool | str = "auto",
        tol: float | None = None,
        max_iter: int = 1_000,
        warm_start: bool = False,
        random_state: Any = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self._set(locals())

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Go on with the rows of one block, each once; see :meth:`SGDClassifier.partial_fit`.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features, the same columns in every block.
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0, relative to the mean weight of the first block.

        Returns
        -------
        self
        """
        return self._partial_fit(X, y, sample_weight)

    def _y_options(self) -> dict[str, Any]:
        return {"y_numeric": True}

    def _look_at_targets(self, y: Any) -> None:
        check_numeric_targets(y)

    def _targets(self, y: Any, fitting: bool) -> Array:
        targets = np.asarray(y, dtype=np.float64)
        check_targets(self._base_loss(), targets)
        return targets

    def _unpack(self, problem: LinearProblem, w: Array) -> None:
        coef, b = problem.split(w)
        dtype = problem.design.dtype
        self.coef_ = np.ascontiguousarray(coef, dtype=dtype)
        self.intercept_ = dtype.type(b)

    def _pack(self, problem: LinearProblem) -> Array:
        return problem.join(np.asarray(self.coef_, dtype=np.float64), self.intercept_)

    def predict(self, X: Any) -> Array:
        """Return the expected target of each row (its quantile, median ... by the loss), shape (n,)."""
        z = self._scores(X)
        return np.exp(z) if self._base_loss().log_link else z
