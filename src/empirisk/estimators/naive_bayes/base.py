"""What the naive Bayes classifiers share: sums that are kept, so that further rows are added to them."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from sklearn.utils import Tags

from empirisk.clustering.assign import cluster_sums
from empirisk.data.as_before import as_before
from empirisk.data.block_list import BlockList
from empirisk.data.memory import refuse_memory
from empirisk.data.row_blocks import Block, add
from empirisk.estimators.checks import check_number, check_weights, naming_lone_weight
from empirisk.estimators.discriminant.base import BLOCK, BayesRule
from empirisk.estimators.label_codes import encode_labels, plain_label, refuse_mixed
from empirisk.estimators.undecided import UndecidedError
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.typing import Array

__all__ = ["MOST_ALPHA", "NaiveBayes", "class_sums"]

# Largest smoothing, of which sums over 1e8 columns are floats.
MOST_ALPHA = 1e300

UNSEEN = "is none of the classes of the first partial_fit; give classes= with all labels that will ever come"


class NaiveBayes(BayesRule):
    """Base of the naive Bayes classifiers: ``partial_fit`` adds sums, so that batches are all their rows."""

    _kept: Any
    _waiting: str

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Take further rows into account: what follows is the fit of all rows so far.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            Features, as ``fit`` takes them.
        y : array, shape (n,)
            Labels.
        classes : array, optional
            All labels that will ever come; needed at the first call.
        sample_weight : array, shape (n,), optional
            Weights >= 0, which are repetitions.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            For a label that is not among the classes, or other classes than at the first call.

        Notes
        -----
        Where the rows so far do not decide the law of a class (one row has no variance), they are kept, and
        predictions are refused until further rows do.
        """
        with as_before(self), naming_lone_weight(sample_weight):
            self._check_parameters()
            first = not hasattr(self, "_kept")
            X, y = self._checked_pair(X, y, reset=first)
            self._set_classes(classes, first)
            codes = encode_labels(y, self.classes_, UNSEEN)[1]
            weight = check_weights(sample_weight, X.shape[0])
            sums = BlockList.cut(X, codes, weight, rows=BLOCK).map_sum(self._sums)
            total = sums if first else add(self._restored(self._kept), sums)
            try:
                self._finish(total)
            except UndecidedError as why:
                self._wait(total, str(why))
        return self

    def _set_classes(self, classes: Any, first: bool) -> None:
        """Take the classes of a first call, or compare those of a later one."""
        if classes is None:
            if first:
                raise ValueError(
                    "the first partial_fit needs classes=, an array of all labels that will ever come"
                )
            return
        refuse_mixed(classes)
        given = np.unique(np.asarray(classes))
        if first:
            self.classes_ = encode_labels(given)[0]
        elif not np.array_equal(given, self.classes_):
            told = [plain_label(c) for c in self.classes_]
            raise ValueError(f"classes must be those of the first call, {told}, got {classes!r}")

    def _finish(self, sums: Any, rows: Any = None) -> None:
        super()._finish(sums, rows)
        self._kept, self._waiting = self._stored(sums), ""

    def _wait(self, sums: Any, why: str) -> None:
        """Keep sums of a stream from which no law follows yet; predictions are refused until one does."""
        self._kept, self._waiting = self._stored(sums), why
        certificate = Certificate(Kind.NONE, math.inf, 1.0, f"none: further rows are needed: {why}")
        self.solution_ = Solution(np.zeros(0), Status.COMPLETED, certificate, 0)

    def _scores(self, X: Any) -> Array:
        if self._waiting:
            raise ValueError(f"partial_fit has not seen enough rows yet: {self._waiting}")
        return super()._scores(X)

    def _stored(self, sums: Any) -> Any:
        """Return sums as arrays alone, which model files hold."""
        return sums

    def _restored(self, kept: Any) -> Any:
        """Return what :meth:`_stored` made of sums as sums."""
        return kept


class CountedColumns(NaiveBayes):
    """Base of the laws of counts: sums of the cells of each class, smoothed by `alpha`."""

    _why_lost = "is so unlikely in every class that its chances are rounded to 0"
    _mend = "scale its counts down"

    alpha: float
    _sparse = True

    def _check_parameters(self) -> None:
        check_number("alpha", self.alpha, 0.0, MOST_ALPHA)

    def _values(self, X: Any) -> Any:
        """Return the cells that are summed, as numbers of the two formats of the loops."""
        return X if X.dtype == np.float32 else X.astype(np.float64, copy=False)

    def _sums(self, block: Block) -> tuple[Any, Array]:
        K, p = len(self.classes_), block.design.shape[1]
        refuse_memory(f"the sums of {p:,} columns in {K} classes", 24.0 * K * p, "take fewer columns")
        X = self._values(block.design.X)
        return np.bincount(block.y, block.weight, K), class_sums(X, block.y, block.weight, K)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # on rows that are no counts
        return tags

    def _refuse_impossible(self, count: Array, live: Any, what: str, lacking: str = "the contrary") -> None:
        """Refuse a chance of 0, which makes the risk infinite, by class and column."""
        never = np.argwhere((count <= 0.0) & live[:, None])
        if self.alpha == 0.0 and len(never):
            k, j = never[0]
            raise UndecidedError(
                f"alpha = 0, and {self._column(j)} {what} in {self._class(k)}: the chance of {lacking} would "
                "be 0 and the log-loss of the first row that has it infinite; give alpha > 0"
            )

    def _plain(self, X: Any, codes: Any, weight: Array) -> dict[str, Any]:
        X = self._values(X)
        dense = X.toarray() if hasattr(X, "toarray") else X
        count = np.zeros((len(self.classes_), X.shape[1]))
        np.add.at(count, codes, weight[:, None] * dense)
        return {"feature_count_": count}


def class_sums(X: Any, codes: Any, weight: Array, n_classes: int) -> Array:
    """``sum_{i in k} s_i x_i``, shape (K, p), of dense or CSR rows, in float64.

    Examples
    --------
    >>> class_sums(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 1]), np.ones(3), 2)
    array([[1.],
           [6.]])
    """
    return cluster_sums(X, np.asarray(weight, dtype=np.float64), codes.astype(np.int32), None, n_classes)[0]
