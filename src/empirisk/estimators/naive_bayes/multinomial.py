"""Multinomial naive Bayes: rows are counts, of words say.

Manning, Raghavan and Schuetze, Introduction to Information Retrieval (2008), chapter 13.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from empirisk.data.sparse_cells import is_sparse
from empirisk.estimators.naive_bayes.base import CountedColumns
from empirisk.typing import Array

__all__ = ["MultinomialNB"]


class MultinomialNB(CountedColumns):
    """Rows of a class are counts of draws from one list of chances, such as words of texts.

    ``log P(k | x) = log pi_k + sum_j x_j log t_kj + c(x)`` with
    ``t_kj = (N_kj + alpha) / (sum_l N_kl + alpha p)``, N_kj the weighted sum of column j in class k.

    Parameters
    ----------
    alpha : float, default 1.0
        Lidstone's smoothing, draws that are added to each column of each class, from 0 to 1e300.  With 0 a
        word that a class did not have has the chance 0 there, and the first new text with it an infinite
        loss: such a fit is refused by name.
    priors : mapping or array, shape (K,), optional
        Chances of the classes, by label or in sorted order of the labels; the shares of the weights by
        default.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    priors_ : array, shape (K,)
        Chances of the classes.
    feature_count_ : array, shape (K, p)
        N, the sums of the columns in the classes.
    feature_log_prob_ : array, shape (K, p)
        log t.
    certificate_ : Certificate
        A closed form: the most likely chances given the rows and those that smoothing adds.

    Raises
    ------
    ValueError
        For negative counts; for a chance of 0 with alpha = 0.

    Notes
    -----
    O(numbers stored), one pass; dense or sparse rows.  ``partial_fit`` adds sums, so that batches give the
    fit of all their rows.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> model = er.MultinomialNB().fit([[2, 0], [1, 1], [0, 3]], ["sea", "sea", "sky"])
    >>> model.predict_proba([[1, 0]]).round(3)
    array([[0.87, 0.13]])
    """

    feature_log_prob_: Array
    _elsewhere: ClassVar[Mapping[str, str]] = {
        "fit_prior": "give priors=[1 / K, ...] for equal chances",
        "class_prior": "give priors",
        "force_alpha": "alpha is taken as it is",
    }

    def __init__(self, alpha: float = 1.0, *, priors: Any = None) -> None:
        self._set(locals())

    def _values(self, X: Any) -> Any:
        cells = X.data if is_sparse(X) else X
        if cells.size and float(cells.min()) < 0.0:
            at = X.tocoo() if is_sparse(X) else None
            row, j = np.argwhere(X < 0.0)[0] if at is None else _first_negative(at)
            raise ValueError(
                f"Negative values in data passed to MultinomialNB: X holds {X[row, j]:g} in "
                f"{self._column(j)}, row {row}; counts are >= 0"
            )
        return X.astype(np.float64, copy=False)

    def _conclude(self, sums: Any, rows: Any = None) -> str:
        weight, count = sums
        self._set_priors(weight)
        live = weight > 0.0
        self._refuse_impossible(count, live, "never occurs", "it")
        self.feature_count_ = count
        p = count.shape[1]
        total = count.sum(axis=1) + self.alpha * p
        log_chance = np.full(count.shape, -np.log(p))
        log_chance[live] = np.log(count[live] + self.alpha) - np.log(total[live])[:, None]
        self.feature_log_prob_ = log_chance
        return f"in closed form: shares of sums, to which smoothing adds {self.alpha:g} a column; no inverse"

    def _joint(self, X: Any) -> Array:
        return np.asarray(X @ self.feature_log_prob_.T + self._log_priors())

    def _plain(self, X: Any, codes: Any, weight: Array) -> dict[str, Any]:
        found = super()._plain(X, codes, weight)
        count = found["feature_count_"]
        live = np.bincount(codes, weight, len(count)) > 0.0
        chance = np.full(count.shape, 1.0 / count.shape[1])
        smooth = count[live] + self.alpha
        chance[live] = smooth / smooth.sum(axis=1, keepdims=True)
        return {**found, "feature_log_prob_": np.log(chance)}

    def _checked(self, X: Any) -> Any:
        X = super()._checked(X)
        self._values(X)
        return X

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def _first_negative(cells: Any) -> tuple[int, int]:
    """Return row and column of the first negative cell of a sparse matrix."""
    at = int(np.flatnonzero(cells.data < 0.0)[0])
    return int(cells.row[at]), int(cells.col[at])
