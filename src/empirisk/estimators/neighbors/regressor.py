"""Regression by the mean of the nearest rows.

Stone, Annals of Statistics 5 (1977), on consistency.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from empirisk.estimators.checks import check_numeric_targets
from empirisk.estimators.documented import documented
from empirisk.estimators.neighbors.classifier import KNeighborsClassifier
from empirisk.estimators.neighbors.voting_neighbors import VotingNeighbors
from empirisk.typing import Array

__all__ = ["KNeighborsRegressor"]


@documented(KNeighborsClassifier)
class KNeighborsRegressor(RegressorMixin, VotingNeighbors):
    """The weighted mean of the targets of the k nearest training rows.

    ``f(x) = sum_{i in N_k(x)} w_i s_i y_i / sum_{i in N_k(x)} w_i s_i`` with weights w by distance and s of
    the rows.

    Parameters
    ----------
    n_neighbors : int or "cv", default 5
        k.  ``"cv"`` chooses it by the exact leave-one-out squared error, for all k at once.
    weights, metric, algorithm
        As in :class:`KNeighborsClassifier`.
    rule : {"min", "one_se"}, default "min"
        With ``"cv"``: the least error, or the most neighbours within one standard error of it.

    Attributes
    ----------
    n_neighbors_, metric_, n_samples_fit_, certificate_, selection_
        As in :class:`KNeighborsClassifier`.

    Raises
    ------
    ValueError
        For more neighbours than rows, and rows that the metric is not defined for.

    Notes
    -----
    Cost and weights as :class:`KNeighborsClassifier`.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> er.KNeighborsRegressor(2).fit(X, [0.0, 1.0, 4.0, 9.0]).predict([[1.4]])
    array([2.5])
    """

    def __init__(
        self,
        n_neighbors: Any = 5,
        *,
        weights: Any = "uniform",
        metric: Any = "euclidean",
        algorithm: str = "auto",
        rule: str = "min",
    ) -> None:
        self._set(locals())

    def _look_at_targets(self, y: Any) -> None:
        check_numeric_targets(y)

    def _y_options(self) -> dict[str, Any]:
        return {"y_numeric": True}

    def _targets(self, y: Any, fitting: bool) -> Array:
        return np.asarray(y, dtype=np.float64)[:, None]

    def _losses(self, mean: Array, rows: Array) -> Array:
        return np.asarray(0.5 * np.square(mean - rows)[:, 0])

    def predict(self, X: Any) -> Array:
        """Return the mean over the neighbours of each row, shape (m,).

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p), or None
            New rows; None is the training rows, each without itself and its copies.
        """
        return self._answer(X)[:, 0]
