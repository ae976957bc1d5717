"""Categorical naive Bayes: within a class every column draws from a list of categories of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from empirisk.data.columns import ColumnCoder
from empirisk.data.row_blocks import Block
from empirisk.estimators.checks import check_number
from empirisk.estimators.documented import documented
from empirisk.estimators.naive_bayes.base import MOST_ALPHA
from empirisk.estimators.naive_bayes.coded_columns import CodedColumns, padded
from empirisk.estimators.naive_bayes.multinomial import MultinomialNB
from empirisk.estimators.undecided import UndecidedError
from empirisk.typing import Array

__all__ = ["CategoricalNB"]


@documented(MultinomialNB)
class CategoricalNB(CodedColumns):
    """Columns are categories, text or numbers, and independent within a class.

    ``log P(k | x) = log pi_k + sum_j log t_kj(x_j) + c(x)`` with
    ``t_kj(a) = (N_kj(a) + alpha) / (N_kj + alpha c_j)``: N_kj(a) is the weight of the rows of class k with
    category a in column j, and c_j the number of categories of the column.

    Parameters
    ----------
    alpha : float, default 1.0
        Lidstone's smoothing, rows that are added to each category of each class, from 0 to 1e300.  With 0 a
        category that a class did not have has the chance 0 there, and the first new row with it an infinite
        loss: such a fit is refused by name.
    priors
        As in :class:`MultinomialNB`.

    Attributes
    ----------
    classes_, priors_
        As in :class:`MultinomialNB`.
    columns_ : ColumnCoder
        The categories of each column, in the order of their codes.
    category_count_, feature_log_prob_ : tuples of arrays, shapes (K, c_j)
        N and log t of each column.
    certificate_ : Certificate
        A closed form: the most likely chances given the rows and those that smoothing adds.

    Raises
    ------
    ValueError
        For a chance of 0 with alpha = 0.

    Notes
    -----
    O(n p), one pass.  A cell that is empty, or holds a category that training did not have, is left out of
    the product: it says nothing about the class, and a warning (ER003) names the columns of the latter.
    ``partial_fit`` adds sums and takes new categories in.  Sparse rows are refused.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([["red", "big"], ["red", "small"], ["green", "big"]])
    >>> model = er.CategoricalNB().fit(X, ["apple", "apple", "melon"])
    >>> model.predict_proba(X[:1]).round(3)
    array([[0.771, 0.229]])
    """

    _elsewhere: ClassVar[Mapping[str, str]] = {
        "fit_prior": "give priors=[1 / K, ...] for equal chances",
        "class_prior": "give priors",
        "force_alpha": "alpha is taken as it is",
        "min_categories": "the categories are those of the rows; text and any numbers are taken",
    }

    def __init__(self, alpha: float = 1.0, *, priors: Any = None) -> None:
        self._set(locals())

    def _check_parameters(self) -> None:
        check_number("alpha", self.alpha, 0.0, MOST_ALPHA)

    def _categorical(self, X: Any, reset: bool) -> Sequence[bool]:
        return [True] * int(X.shape[1])

    def _laid_out(self, kept: Any, old: ColumnCoder, new: ColumnCoder) -> Any:
        weight, count = kept
        return weight, padded(count, old, new)

    def _sums(self, block: Block) -> tuple[Any, Array]:
        X, y, s, K = block.design.X, block.y, block.weight, len(self.classes_)
        parts = []
        for j, c in enumerate(self.columns_.n_categories):
            known = X[:, j] < c  # an empty cell is NaN, an unknown one c
            place = y[known] * c + X[known, j].astype(np.intp)
            parts.append(np.bincount(place, s[known], K * c).reshape(K, c))
        return np.bincount(y, s, K), np.concatenate(parts, axis=1)

    def _conclude(self, sums: Any, rows: Any = None) -> str:
        weight, count = sums
        self._set_priors(weight)
        self._counts = count
        ends = np.cumsum(self.columns_.n_categories)[:-1]
        self.category_count_ = tuple(np.split(count, ends, axis=1))
        chances = []
        for j, N in enumerate(self.category_count_):
            self._refuse_impossible(N, weight > 0.0, j)
            known = N.sum(axis=0) > 0.0  # a category of rows without weight is as if it were not there
            total = N.sum(axis=1, keepdims=True) + self.alpha * known.sum()
            some = known & (total > 0.0)
            share = np.where(some, N + self.alpha, 1.0) / np.where(total > 0.0, total, 1.0)
            chances.append(np.where(some, np.log(np.where(some, share, 1.0)), 0.0))
        self.feature_log_prob_ = tuple(chances)
        return (
            f"in closed form: shares of rows, to which smoothing adds {self.alpha:g} a category; no inverse"
        )

    def _refuse_impossible(self, N: Array, live: Any, j: int) -> None:
        """Refuse a chance of 0, which makes the risk infinite, by class, column and category."""
        never = np.argwhere((N <= 0.0) & live[:, None] & (N.sum(axis=0) > 0.0))
        if self.alpha == 0.0 and len(never):
            k, a = never[0]
            level = (self.columns_.categories[j] or ())[a]
            raise UndecidedError(
                f"alpha = 0, and the category {level!r} of {self._column(j)} never occurs in "
                f"{self._class(k)}: its chance would be 0 and the log-loss of the first row that has it "
                "infinite; give alpha > 0"
            )

    def _joint(self, X: Any) -> Array:
        out = np.tile(self._log_priors(), (len(X), 1))
        for j, log_chance in enumerate(self.feature_log_prob_):
            c = log_chance.shape[1]
            code = np.where(np.isnan(X[:, j]), c, X[:, j]).astype(np.intp)
            out += np.column_stack([log_chance, np.zeros(len(log_chance))]).T[code]
        return out

    def _plain(self, X: Any, codes: Any, weight: Array) -> dict[str, Any]:
        parts = []
        for j, c in enumerate(self.columns_.n_categories):
            N = np.zeros((len(self.classes_), c))
            known = X[:, j] < c
            np.add.at(N, (codes[known], X[known, j].astype(np.intp)), weight[known])
            parts.append(N)
        chances = [self._smoothed(N) for N in parts]
        return {
            "_counts": np.concatenate(parts, axis=1),
            "category_count_": parts,
            "feature_log_prob_": [np.log(chance) for chance in chances],
        }

    def _smoothed(self, N: Array) -> Array:
        """Return the chances of the categories of a column by their counts; 1 of what no row has."""
        more = np.where(N.sum(axis=0) > 0.0, N + self.alpha, 0.0)
        total = more.sum(axis=1, keepdims=True)
        return np.where(more > 0.0, more / np.where(total > 0.0, total, 1.0), 1.0)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        return tags
