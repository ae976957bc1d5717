"""Gradient boosting of classes, with probabilities that are checked and sets of classes that cover.

Friedman, Hastie and Tibshirani, Annals of Statistics 28 (2000); Friedman, Annals of Statistics 29 (2001).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from empirisk.data.columns import Table
from empirisk.data.seeds import check_seed
from empirisk.estimators.agreement import agreeing
from empirisk.estimators.checks import check_choice, check_weights
from empirisk.estimators.class_weight import class_factors
from empirisk.estimators.documented import documented
from empirisk.estimators.folds import uniform_of_rows
from empirisk.estimators.log_probabilities import log_of
from empirisk.estimators.trees.boosting_base import Boosting
from empirisk.estimators.trees.boosting_calibration import Calibration, calibrated
from empirisk.estimators.trees.boosting_fit import take
from empirisk.estimators.trees.boosting_losses import classification_loss
from empirisk.estimators.trees.boosting_parts import Parts
from empirisk.estimators.trees.boosting_regressor import GradientBoostingRegressor
from empirisk.estimators.trees.boosting_rounds import Callback, check_callback
from empirisk.estimators.trees.boosting_validation import ValidationRows
from empirisk.estimators.trees.tree_base import TreeClassifier
from empirisk.inference.conformal import Conformal, cumulative_scores
from empirisk.typing import Array

__all__ = ["GradientBoostingClassifier"]

METHODS = {
    "lac": "one minus the probability of the class",
    "aps": "probability of the classes before, and its own",
}


@documented(GradientBoostingRegressor)
class GradientBoostingClassifier(Boosting, TreeClassifier):
    """Sum of trees of log-odds, each grown on the slope of the loss that the trees before left over.

    Two classes: ``p(x) = 1 / (1 + exp(-z(x)))`` with one tree a round; K > 2: ``p = softmax(z_1, ..., z_K)``
    with K trees a round.  Each tree has the splits of the largest gain ``a^2 / (b + l2)``, ``a = -sum_i s_i
    l'(y_i, z_i)``, ``b = sum_i s_i l''(y_i, z_i)``, and adds ``learning_rate * a / (b + l2)`` in each leaf.

    Parameters
    ----------
    loss : str or Loss, default "auto"
        "auto": the logistic loss for two classes, softmax for more; or a loss of the labels -1 and +1, with
        an inverse link, as an object of :mod:`empirisk.losses` or by name ("probit", say).
    n_estimators, learning_rate, max_leaf_nodes, max_depth, min_samples_leaf, l2, min_gain, subsample
        As in :class:`GradientBoostingRegressor`.
    max_features, tree_features, max_bins
        As in :class:`GradientBoostingRegressor`.
    monotonic_cst : dict or list, optional
        -1 (falling), 0, +1 (rising) for columns by name or number, or a list of p of them; two classes only,
        and of the probability of the second one.
    interaction_cst, categorical_features, early_stopping, n_iter_no_change
        As in :class:`GradientBoostingRegressor`.
    validation_fraction : float, default 0.1
        Share of the rows of each class held out for that.
    calibration_fraction : float, default 0.0
        Share of the rows of each class held out from everything, for :meth:`prediction_set`.
    calibrate : None, "temperature" or "isotonic", default None
        Map from scores to probabilities, learnt on the rows held out by `validation_fraction` (with or
        without early stopping): one factor for all scores, or a step function for each class.
    class_weight : dict, "balanced" or None, default None
        Factors of the row weights; probabilities are then those of the reweighted population.
    warm_start, n_jobs, random_state
        As in :class:`GradientBoostingRegressor`.

    Attributes
    ----------
    classes_ : array, shape (K,)
    trees_ : Trees
        One tree a round for two classes, one a class for more.
    init_, n_estimators_, train_loss_, validation_loss_, stopping_, certificate_, solution_, columns_
        As in :class:`GradientBoostingRegressor`.
    calibration_ : Calibration or None
        The map, and the calibration error before and after it with intervals, on rows that neither the trees
        nor the map has seen (the calibration rows; without them the validation rows, cross-fitted).
    conformal_ : dict of Conformal or None
        Scores of the calibration rows, by the method of :meth:`prediction_set`.

    Raises
    ------
    ValueError
        One class alone, infinite numbers, text that is no category; by row and column.

    Notes
    -----
    O(n p) a round, level and class.

    References
    ----------
    Friedman, Hastie & Tibshirani 2000, Annals of Statistics 28; Friedman 2001; Guo et al. 2017 and Zadrozny &
    Elkan 2002 (calibration); Sadinle, Lei, Wasserman 2019 and Romano, Sesia, Candes 2020 (sets).

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> model = er.GradientBoostingClassifier(calibration_fraction=0.2).fit(X, y)
    >>> model.predict([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]])
    array(['same', 'other'], dtype='<U5')
    >>> model.prediction_set([[1.0, 1.0, 0.0]], level=0.95)
    array([[False,  True]])
    """

    calibrate: str | None
    calibration_: Calibration | None
    conformal_: dict[str, Conformal] | None

    def __init__(
        self,
        loss: Any = "auto",
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2: float = 0.0,
        min_gain: float = 0.0,
        subsample: float = 1.0,
        max_features: float | int | None = None,
        tree_features: float | int | None = None,
        max_bins: int = 255,
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        categorical_features: Any = "from_dtype",
        early_stopping: str | bool = "auto",
        n_iter_no_change: int = 10,
        validation_fraction: float = 0.1,
        calibration_fraction: float = 0.0,
        calibrate: str | None = None,
        class_weight: Any = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        callback: Callback | None = None,
    ) -> Self:
        """Grow on the rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features: numbers, where NaN is a missing value, and categories (see `categorical_features`).
        y : array, shape (n,)
            Labels.
        sample_weight : array, shape (n,), optional
            Weights >= 0; 0 equals the row's absence.
        X_val : as X, shape (m, p), optional
            Validation rows of your own: they choose the number of rounds in the place of rows held out (see
            `early_stopping`, which "auto" then switches on), learn the map of `calibrate` and grow no tree.
            Categories that training did not have count as missing in them.
        y_val : array, shape (m,), optional
            Labels of the validation rows.
        sample_weight_val : array, shape (m,), optional
            Weights of the validation rows, >= 0; 0 equals the row's absence.
        callback : callable, optional
            Called after each new round with its number, the mean training loss and the mean validation loss
            (None where no rows are watched), as in `train_loss_` and `validation_loss_`.  A true answer ends
            the growth; with an exception the estimator stays as it was before.

        Returns
        -------
        self
        """
        given = ValidationRows(X_val, y_val, sample_weight_val)
        told = check_callback(callback)
        return self._fit(X, y, sample_weight, given=given, callback=told, drawn=sample_weight)

    def _stratified(self) -> bool:
        return True

    def _recalibrates(self) -> bool:
        return self.calibrate is not None

    def _grow(
        self,
        table: Table,
        targets: Array,
        weight: Array,
        given: ValidationRows | None = None,
        callback: Callback | None = None,
        drawn: Any = None,
    ) -> None:
        """Fit on encoded rows; `drawn` are their weights before those of their classes."""
        loss = classification_loss(self.loss, len(self.classes_))

        def coded(codes: Array) -> Array:
            """Write labels -1 and +1 over the codes 0 and 1, which this fit made and nobody else reads."""
            if not loss.vector:
                np.multiply(codes, 2.0, out=codes)
                np.subtract(codes, 1.0, out=codes)
            return codes

        watched = given and given.encoded(self)
        if watched is not None:
            before = check_weights(drawn, table.n_rows)
            factors = class_factors(self.class_weight, self.classes_, targets.astype(np.intp), before)
            codes = watched.targets.astype(np.intp)
            own = watched.weight if factors is None else watched.weight * factors[codes]
            watched = replace(watched, targets=coded(watched.targets), weight=own)
        if self.calibrate is not None:
            check_choice("calibrate", self.calibrate, {"temperature": 1, "isotonic": 1})
        self._boost(table, (loss,), coded(targets), weight, None, watched, callback)

    def _settle(self, table: Table, y: Array, weight: Array, offset: Array, parts: Parts) -> None:
        self.calibration_, self.conformal_ = None, None
        codes = (y > 0.0 if len(self.classes_) == 2 else y).astype(np.intp)

        def scores(rows: Any) -> Array:
            return self._columns(self._raw(Table(take(table.X, rows), table.n_categories, table.names)))

        held, kept = parts.stop, parts.calibrate
        if self.calibrate is not None:
            test = (scores(kept), codes[kept], weight[kept]) if len(kept) else None
            learn = (scores(held), codes[held], weight[held])
            self.calibration_ = calibrated(self.calibrate, learn, test, self._uncalibrated, self.classes_)
        if len(kept):
            proba, share = self._probabilities(scores(kept)), self._shares(take(table.X, kept))
            at = (np.arange(len(kept)), codes[kept])
            self.conformal_ = {
                name: Conformal(_set_scores(name, proba, share)[at], METHODS[name]) for name in METHODS
            }

    # -- predictions --------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Array:
        """Return the scores before calibration: shape (n,) for two classes (> 0: the second), (n, K) for
        more.
        """
        scores = self._raw(self._table(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    @property
    def probabilities_open(self) -> bool:
        """Whether no class can get probability 0: an isotonic map may give it, a link may not."""
        return self.calibrate != "isotonic"

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, calibrated if so asked, shape (n, K)."""
        return self._probabilities(self._raw(self._table(X)))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Return the scores of :meth:`decision_function` after each round, as an iterator."""
        return (scores[:, 0] if scores.shape[1] == 1 else scores for scores in self._staged(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Return the probabilities after each round, before calibration (which is about the last one)."""
        return (self._uncalibrated(scores) for scores in self._staged(X))

    def staged_predict(self, X: Any) -> Iterator[Any]:
        """Return the class of the largest of :meth:`staged_predict_proba`."""
        return (self.classes_[p.argmax(axis=1)] for p in self.staged_predict_proba(X))

    def prediction_set(self, X: Any, level: float = 0.9, method: str = "lac") -> NDArray[np.bool_]:
        """Which classes each row may have, by split conformal prediction, shape (n, K).

        Parameters
        ----------
        X : as in ``fit``
        level : float, default 0.9
            Coverage, strictly between 0 and 1.
        method : {"lac", "aps"}, default "lac"
            "lac": every class whose probability passes one limit; the smallest sets on average, some of them
            empty.  "aps": the most probable classes until their sum passes one limit, the last one by a
            number that is drawn for each row by a hash of its content; sets that grow where the classes are
            hard to tell apart, never empty.

        Returns
        -------
        array of bool, shape (n, K), in the order of ``classes_``

        Raises
        ------
        ValueError
            No calibration rows (``calibration_fraction=0``), or fewer than ``level / (1 - level)``.

        Notes
        -----
        For rows drawn like the calibration rows, whatever the model: ``level <= P(class in set)``, and
        without ties ``<= level + 1/(m + 1)`` with m calibration rows.  On average over rows and fits, not for
        each class or x.  Given these calibration rows: ``conformal_["lac"].coverage(level)``.
        """
        check_is_fitted(self)
        check_choice("method", method, METHODS)
        if self.conformal_ is None:
            raise ValueError(
                "no rows were held out to calibrate a set; fit with calibration_fraction=0.2, say"
            )
        limit = self.conformal_[method].threshold(level)
        proba = self.predict_proba(X)
        inside = _set_scores(method, proba, self._shares(self._table(X).X)) <= limit
        if method == "aps":
            inside[np.arange(len(proba)), proba.argmax(axis=1)] = True
        return np.asarray(inside)

    def _shares(self, X: Any) -> Array:
        """Return a uniform number of each row, the same for a copy of it."""
        return uniform_of_rows(X, check_seed(self.random_state))

    def _columns(self, scores: Array) -> Array:
        """Return one score a class: (0, z) for two."""
        return np.column_stack([np.zeros(len(scores)), scores]) if scores.shape[1] == 1 else scores

    def _uncalibrated(self, z: Array) -> Array:
        """Return the probabilities by the loss's inverse link, from one score a class or that of the second
        alone.
        """
        loss = self._losses[0]
        if loss.vector:
            return agreeing(np.asarray(loss.mean(z)), z)
        score = z[:, 0] if z.shape[1] == 1 else z[:, 1] - z[:, 0]
        proba = np.empty((len(z), 2))
        proba[:, 1] = loss.mean(score)
        np.subtract(1.0, proba[:, 1], out=proba[:, 0])
        return agreeing(proba, score)

    def _probabilities(self, z: Array) -> Array:
        return self._uncalibrated(z) if self.calibration_ is None else self.calibration_.map(self._columns(z))

    def _log_probabilities(self, X: Any) -> Array:
        z, loss = self._columns(self._raw(self._table(X))), self._losses[0]
        if self.calibration_ is not None:
            return self.calibration_.map.logarithm(z)
        if not loss.likelihood:
            return log_of(self._uncalibrated(z))
        # The loss of a likelihood is minus the logarithm of the probability of its label.
        labels = range(z.shape[1]) if loss.vector else (-1.0, 1.0)
        score = z if loss.vector else z[:, 1] - z[:, 0]
        return -np.column_stack([loss.value(np.full(len(z), label), score) for label in labels])


def _set_scores(method: str, proba: Array, share: Array) -> Array:
    """Return the conformal score of each class, shape (n, K)."""
    return 1.0 - proba if method == "lac" else cumulative_scores(proba, share)
