"""Bernoulli naive Bayes: rows say of each column whether it is there.

Manning, Raghavan and Schuetze, Introduction to Information Retrieval (2008), section 13.3.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from empirisk.data.sparse_cells import is_sparse
from empirisk.estimators.checks import is_number
from empirisk.estimators.documented import documented
from empirisk.estimators.naive_bayes.base import CountedColumns
from empirisk.estimators.naive_bayes.multinomial import MultinomialNB
from empirisk.typing import Array

__all__ = ["BernoulliNB"]


@documented(MultinomialNB)
class BernoulliNB(CountedColumns):
    """Columns are 0 or 1 and independent within a class; that a column is absent counts, too.

    ``log P(k | x) = log pi_k + sum_j x_j log t_kj + (1 - x_j) log(1 - t_kj) + c(x)`` with
    ``t_kj = (N_kj + alpha) / (S_k + 2 alpha)``, N_kj the weight of the rows of class k that have column j.

    Parameters
    ----------
    alpha : float, default 1.0
        Lidstone's smoothing, rows with and rows without each column that are added to each class, from 0 to
        1e300.  With 0 what a class never had has the chance 0, and the first new row with it an infinite
        loss: such a fit is refused by name.
    binarize : float or None, default 0.0
        Numbers above it count as 1, others as 0; None takes X as it is, which must hold 0 and 1 alone.
    priors
        As in :class:`MultinomialNB`.

    Attributes
    ----------
    classes_, priors_
        As in :class:`MultinomialNB`.
    feature_count_ : array, shape (K, p)
        N, the weights of the rows that have the columns.
    feature_log_prob_ : array, shape (K, p)
        log t.
    certificate_ : Certificate
        A closed form: the most likely chances given the rows and those that smoothing adds.

    Raises
    ------
    ValueError
        For other numbers than 0 and 1 with ``binarize=None``; a threshold below 0 with sparse rows; a chance
        of 0 or 1 with alpha = 0.

    Notes
    -----
    O(numbers stored), one pass; dense or sparse rows.  ``partial_fit`` adds sums, so that batches give the
    fit of all their rows.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> model = er.BernoulliNB().fit([[1, 0], [1, 1], [0, 1]], ["sea", "sea", "sky"])
    >>> model.predict_proba([[1, 0]]).round(3)
    array([[0.871, 0.129]])
    """

    feature_log_prob_: Array
    _elsewhere: ClassVar[Mapping[str, str]] = {
        "fit_prior": "give priors=[1 / K, ...] for equal chances",
        "class_prior": "give priors",
        "force_alpha": "alpha is taken as it is",
    }

    def __init__(self, alpha: float = 1.0, *, binarize: float | None = 0.0, priors: Any = None) -> None:
        self._set(locals())

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.binarize is not None and not is_number(self.binarize, -math.inf):
            raise ValueError(f"binarize must be a finite number or None, got {self.binarize!r}")

    def _values(self, X: Any) -> Any:
        sparse = is_sparse(X)
        if self.binarize is None:
            cells = X.data if sparse else X
            if not ((cells == 0.0) | (cells == 1.0)).all():
                bad = float(cells[(cells != 0.0) & (cells != 1.0)].flat[0])
                raise ValueError(f"binarize=None takes 0 and 1 alone, X holds {bad:g}; give a threshold")
            return X.astype(np.float64, copy=False)
        if not sparse:
            return (self.binarize < X).astype(np.float64)
        if self.binarize < 0.0:
            raise ValueError(
                f"binarize = {self.binarize:g} makes 1 of the cells that a sparse X does not store: give a "
                "threshold >= 0, or X.toarray()"
            )
        return type(X)(((X.data > self.binarize).astype(np.float64), X.indices, X.indptr), shape=X.shape)

    def _conclude(self, sums: Any, rows: Any = None) -> str:
        weight, count = sums
        self._set_priors(weight)
        live = weight > 0.0
        without = np.maximum(weight[:, None] - count, 0.0)
        without[without <= 1e-12 * weight[:, None]] = 0.0
        self._refuse_impossible(count, live, "is 0 in every row")
        self._refuse_impossible(without, live, "is 1 in every row")
        self.feature_count_ = count
        log_with = np.full(count.shape, -math.log(2.0))
        log_without = log_with.copy()
        total = np.log(weight[live] + 2.0 * self.alpha)[:, None]
        log_with[live] = np.log(count[live] + self.alpha) - total
        log_without[live] = np.log(without[live] + self.alpha) - total
        self.feature_log_prob_ = log_with
        self._odds, self._level = log_with - log_without, log_without.sum(axis=1)
        return f"in closed form: shares of rows, smoothed by {self.alpha:g} rows of either kind; no inverse"

    def _joint(self, X: Any) -> Array:
        return np.asarray(self._values(X) @ self._odds.T + (self._level + self._log_priors()))

    def _plain(self, X: Any, codes: Any, weight: Array) -> dict[str, Any]:
        found = super()._plain(X, codes, weight)
        cells = self._values(X)
        lacks = 1.0 - (cells.toarray() if is_sparse(cells) else cells)
        without, size = np.zeros_like(found["feature_count_"]), np.bincount(codes, weight, len(self.classes_))
        np.add.at(without, codes, weight[:, None] * lacks)
        without[without <= 1e-12 * size[:, None]] = 0.0  # as the fit takes them: rounding of a difference
        log_with, log_without = np.full((2, *without.shape), -math.log(2.0))
        live = size > 0.0
        whole = size[live, None] + 2.0 * self.alpha
        log_with[live] = np.log((found["feature_count_"][live] + self.alpha) / whole)
        log_without[live] = np.log((without[live] + self.alpha) / whole)
        return {
            **found,
            "feature_log_prob_": log_with,
            "_odds": log_with - log_without,
            "_level": log_without.sum(axis=1),
        }
