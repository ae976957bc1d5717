"""What classifiers by Bayes' rule share: sums over row blocks, prior chances, posterior chances.

``P(k | x) = pi_k p_k(x) / sum_l pi_l p_l(x)``: an estimator says how the law p_k of a class follows from sums
over its rows, and what its logarithm is at new rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.block_list import BlockList
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.row_blocks import Block, RowBlocks, check_blocks
from empirisk.data.row_checks import check_features, check_rows, where
from empirisk.data.sparse_cells import canonical, is_sparse
from empirisk.data.validated import validated
from empirisk.estimators.checks import check_finite, check_weights, naming_lone_weight
from empirisk.estimators.discriminant.posterior_answers import PosteriorAnswers
from empirisk.estimators.estimator import Estimator
from empirisk.estimators.label_codes import encode_labels, plain_label, refuse_mixed, weigh_classes
from empirisk.estimators.stated import disputed
from empirisk.estimators.undecided import UndecidedError
from empirisk.results import Certificate, Kind, Solution, Status
from empirisk.typing import Array, IndexArray

__all__ = ["BayesRule"]

BLOCK = 65_536  # rows of a block of an array: the same for arrays in memory and in a memory map


class BayesRule(PosteriorAnswers, Estimator):
    """Base of the classifiers that model the rows of each class and predict by Bayes' rule.

    After ``fit``: ``classes_``, ``priors_``, ``class_weight_sums_``, ``solution_`` and ``certificate_``.
    """

    priors: Any
    classes_: Any
    priors_: Array
    class_weight_sums_: Array
    n_features_in_: int
    solution_: Solution
    _sparse: ClassVar[bool] = False
    # Numbers of the columns in a larger table, some columns of which follow this law.
    _places: IndexArray | None = None

    # -- what an estimator says ---------------------------------------------------------------------

    def _check_parameters(self) -> None:
        """Refuse parameters that are out of range, by name, before rows are read."""

    def _sums(self, block: Block) -> Any:
        """Return the sums of one block whose targets are class codes; sums of blocks are added."""
        raise NotImplementedError

    def _conclude(self, sums: Any, rows: RowBlocks | None = None) -> str:
        """Set what follows from the sums, and return what the certificate says of it.

        `rows` may be read again; they are None where only the sums are left.
        """
        raise NotImplementedError

    def _plain(self, X: Any, codes: Any, weight: Array) -> dict[str, Any]:
        """Return what answers read as plain NumPy computes it from all rows, by the names of attributes."""
        raise NotImplementedError

    # -- fits ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the laws of the classes to rows.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            Features; a sparse matrix where the class says that it takes one.
        y : array, shape (n,)
            Labels.
        sample_weight : array, shape (n,), optional
            Weights >= 0: a weight of 2 is the row twice, and 0 is its absence.

        Returns
        -------
        self
        """
        with as_before(self), naming_lone_weight(sample_weight):
            self._check_parameters()
            X, y = self._checked_pair(X, y, reset=True)
            self.classes_, codes = encode_labels(y)
            weight = weigh_classes(None, self.classes_, codes, check_weights(sample_weight, X.shape[0]))
            self._learn(BlockList.cut(X, codes, weight, rows=BLOCK))
        return self

    def fit_blocks(self, rows: RowBlocks) -> Self:
        """Fit to rows that are read block by block, such as views of a memory map.

        The bits are those of a fit in memory where the blocks have 65,536 rows, as
        :meth:`empirisk.data.BlockList.cut` makes them.

        Parameters
        ----------
        rows : RowBlocks
            Their targets are the labels, as numbers; they are read once before the features are.

        Returns
        -------
        self
        """
        check_blocks(rows)
        with as_before(self):
            self._check_parameters()
            for number, block in enumerate(rows):
                check_rows(block, where(number, block))
            if not rows.total_weight > 0.0:
                raise ValueError("weight is zero in every row of the blocks: nothing is left to fit")
            labels = np.unique(np.concatenate([np.unique(block.y) for block in rows]))
            self.classes_, _ = encode_labels(labels)
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = rows.n_cols
            self._learn(rows, coded=False)
            if (self.class_weight_sums_ > 0.0).sum() < 2:
                raise ValueError("only one class has rows with positive weight; 2 classes are needed")
        return self

    def _learn(self, rows: RowBlocks, coded: bool = True) -> None:
        """Sum over the blocks, and conclude; targets that are not coded yet are labels."""

        def sums(block: Block) -> Any:
            return self._sums(block if coded else self._coded(block))

        self._finish(rows.map_sum(sums), rows if coded else _Coded(rows, self))

    def _coded(self, block: Block) -> Block:
        """Return the block with class codes for labels; refuses features that cannot be fitted."""
        place = f"in the block that starts at row {block.start}: "
        if block.design.sparse and not self._sparse:
            raise ValueError(f"{place}X is sparse, and {type(self).__name__} needs dense rows: X.toarray()")
        check_features(block, place)
        codes: Any = encode_labels(block.y, self.classes_)[1]
        return Block(block.design, codes, block.weight, block.start)

    def _finish(self, sums: Any, rows: Any = None) -> None:
        """Set the attributes that follow from the sums, and the certificate."""
        claim = self._conclude(sums, rows)
        certificate = Certificate(Kind.EXACT, 0.0, 1.0, f"exact: {claim}")
        self.solution_ = Solution(np.zeros(0), Status.COMPLETED, certificate, 0)

    def _set_priors(self, weight: Array) -> None:
        """Set the prior chances: as given, or the shares of the weights of the classes."""
        self.class_weight_sums_ = weight
        if self.priors is None:
            self.priors_ = weight / weight.sum()
            return
        self.priors_ = given_priors(self.priors, self.classes_)
        for k in np.flatnonzero((self.priors_ > 0.0) & ~(weight > 0.0)):
            raise UndecidedError(
                f"priors give the class {plain_label(self.classes_[k])!r} the chance {self.priors_[k]:g}, "
                "and it has no row of positive weight: give it 0, or rows"
            )

    def _log_priors(self) -> Array:
        with np.errstate(divide="ignore"):
            return np.log(self.priors_)

    # -- rows ---------------------------------------------------------------------------------------

    def _checked_pair(self, X: Any, y: Any, reset: bool) -> tuple[Any, Any]:
        refuse_mixed(y)
        with numbers_only(X, y):
            X, y = validated(self, canonical(X), y, reset=reset, **self._read())
        return self._finite(X), y

    def _checked(self, X: Any) -> Any:
        """Return new rows, checked against those of the fit."""
        check_is_fitted(self)
        with numbers_only(X):
            X = validated(self, canonical(X), reset=False, **self._read())
        return self._finite(X)

    def _read(self) -> dict[str, Any]:
        return {
            "accept_sparse": ["csr"] if self._sparse else False,
            "dtype": [np.float64, np.float32],
            "ensure_all_finite": False,
        }

    def _finite(self, X: Any) -> Any:
        check_finite(Design(X), self._names())
        return X

    def _names(self) -> Any:
        return getattr(self, "feature_names_in_", None)

    def _column(self, j: int) -> str:
        """Return how messages call a column: by its quoted name, or by its number when it has none."""
        names = self._names()
        if names is None and self._places is not None:
            return f"column {int(self._places[j])}"
        return f"column {int(j)}" if names is None else f"column {str(names[j])!r}"

    def _class(self, k: int) -> str:
        """Return how messages call a class."""
        return f"class {plain_label(self.classes_[k])!r}"

    # -- claims -------------------------------------------------------------------------------------

    @property
    def certificate_(self) -> Certificate:
        """What is known of the fit: it is a closed form, and what was inverted for it."""
        check_is_fitted(self, "solution_")
        return self.solution_.certificate

    def _verify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate where plain NumPy finds the same numbers from all rows at once."""
        X, codes, weight = self._encoded(X, y, sample_weight)
        sums = np.bincount(codes, weight, len(self.classes_))
        found = {"class_weight_sums_": sums, **self._plain(X, codes, weight)}
        given = self.priors is not None
        found["priors_"] = given_priors(self.priors, self.classes_) if given else sums / sums.sum()
        tol = 1e-8 if X.dtype == np.float64 else 1e-6
        # Means of centred columns are rounding alone.
        size = 0.0 if is_sparse(X) else tol * np.abs(X).mean(axis=0)
        slack = dict.fromkeys(("means_", "theta_", "xbar_"), size)
        return disputed(self, found, tol=tol, slack=slack) or self.certificate_

    def _encoded(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Array]:
        """Return the rows of a fit once more, with the codes of their labels and their weights."""
        X, y = self._checked_pair(X, y, reset=False)
        return X, encode_labels(y, self.classes_)[1], check_weights(sample_weight, X.shape[0])

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._sparse
        return tags


class _Coded:
    """Row blocks with class codes in the place of labels."""

    def __init__(self, rows: RowBlocks, rule: BayesRule) -> None:
        self.rows, self.rule = rows, rule

    def map_sum(self, f: Any) -> Any:
        """Return the sum of f over the blocks with codes."""
        return self.rows.map_sum(lambda block: f(self.rule._coded(block)))


def given_priors(priors: Any, classes: Any) -> Array:
    """Return prior chances that a user gives, by label or in the order of the classes.

    What is no distribution over the classes is refused.

    Examples
    --------
    >>> given_priors([0.2, 0.9], ["a", "b"])
    Traceback (most recent call last):
    ...
    ValueError: priors must be 2 chances >= 0 that sum to 1, one for each of the classes, got [0.2, 0.9]
    """
    if isinstance(priors, Mapping):
        labels = [plain_label(k) for k in classes]
        if set(priors) != set(labels):
            raise ValueError(f"priors must have the labels of the classes, {labels}, got {list(priors)}")
        priors = [priors[k] for k in labels]
    wanted = f"priors must be {len(classes)} chances >= 0 that sum to 1, one for each of the classes"
    try:
        chance = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{wanted}, got {priors!r}") from None
    good = chance.shape == (len(classes),) and np.isfinite(chance).all() and (chance >= 0.0).all()
    if not good or abs(float(chance.sum()) - 1.0) > 1e-8:
        raise ValueError(f"{wanted}, got {priors!r}")
    return np.asarray(chance / chance.sum())
