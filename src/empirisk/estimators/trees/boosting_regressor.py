"""Gradient boosting of numbers: means, medians, quantiles, counts and amounts, with intervals.

Friedman, Annals of Statistics 29 (2001).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.metrics import d2_pinball_score, r2_score
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.columns import Table
from empirisk.data.frames import like_input
from empirisk.estimators.linear.offsets import check_offset, refuse_without
from empirisk.estimators.loss_names import loss_named
from empirisk.estimators.trees.boosting_base import Boosting
from empirisk.estimators.trees.boosting_fit import take
from empirisk.estimators.trees.boosting_losses import levels, regression_losses
from empirisk.estimators.trees.boosting_parts import Parts
from empirisk.estimators.trees.boosting_rounds import Callback, check_callback
from empirisk.estimators.trees.boosting_validation import ValidationRows
from empirisk.estimators.trees.tree_base import TreeRegressor
from empirisk.inference.bands import Bands
from empirisk.inference.conformal import Conformal, quantile_band_scores, widened
from empirisk.losses import Loss, check_targets
from empirisk.typing import Array

__all__ = ["GradientBoostingRegressor"]


class GradientBoostingRegressor(Boosting, TreeRegressor):
    """Sum of regression trees, each grown on the slope of the loss that the trees before left over.

    ``z_t(x) = z_{t-1}(x) + r v_t(x)``, where tree t has the splits of the largest gain ``a^2 / (b + l2)``,
    ``a = -sum_i s_i l'(y_i, z_i)``, ``b = sum_i s_i l''(y_i, z_i)``, and leaves ``a / (b + l2)``; r is the
    learning rate.  Losses with kinks or flat ends have b = sum_i s_i for the splits and leaves that minimise
    the loss of their rows.

    Parameters
    ----------
    loss : str or Loss, default "half_squared"
        "half_squared" (mean), "absolute" (median), "huber", "quantile" (see `q`), and with a logarithmic link
        "poisson", "gamma", "tweedie"; or another scalar loss of :mod:`empirisk.losses` by name, or an object
        (``er.losses.user_loss``).  "huber" has its corner at 1.35 times the spread of the targets about their
        median; give ``er.losses.Huber(d)`` for another.
    q : float or several, default 0.5
        Levels of ``loss="quantile"``.  Several have trees of their own and one number of rounds; the
        predictions of a row are put in order, so that no two cross (Chernozhukov et al. 2010: this brings
        them no farther from the true quantiles).
    power : float, default 1.5
        Power of the variance of ``loss="tweedie"``.
    n_estimators : int, default 100
        Rounds, at most.
    learning_rate : float, default 0.1
        r, > 0.
    max_leaf_nodes : int or None, default 31
        Leaves of a tree, grown by the largest gain first.
    max_depth : int or None, default None
        Edges from root to leaf.
    min_samples_leaf : int, default 20
        Rows in a leaf, whatever their weights.
    l2 : float, default 0.0
        Penalty ``l2/2 v^2`` on leaf values, in the unit of the *sum* of the weighted row losses (as in
        scikit-learn, LightGBM and XGBoost): for the squared loss that many rows with target 0 in every leaf.
        In the unit of their mean, that of `alpha` elsewhere, it is ``alpha = l2 / S``, S the sum of weights.
    min_gain : float, default 0.0
        Least gain of a split, in the unit of the sum as well.
    subsample : float, default 1.0
        Share of the rows that each round learns from, drawn without replacement.
    max_features : int, float or None, default None
        Columns that each *node* may ask, drawn anew: a count or a share.
    tree_features : int, float or None, default None
        Columns that each *tree* may ask.
    max_bins : int, default 255
        Bins that a column is cut into, 2 to 255; missing values have one more.
    monotonic_cst : dict or list, optional
        -1 (falling), 0, +1 (rising) for columns by name or number, or a list of p of them.
    interaction_cst : list of lists, "no_interactions" or "pairwise", optional
        Groups of columns (names or numbers) that may meet on a path from root to leaf.
    categorical_features : "from_dtype", list or None, default "from_dtype"
        Columns that hold categories: by the type of a frame's columns (categories and text), by name or by
        number.
    early_stopping : "auto" or bool, default "auto"
        Whether rows are held out that choose the number of rounds; "auto": when there are more than 10,000.
    n_iter_no_change : int, default 10
        Rounds without a new least validation loss after which growing stops; the rounds up to the least are
        kept.
    validation_fraction : float, default 0.1
        Share of the rows held out for that.
    calibration_fraction : float, default 0.0
        Share of the rows held out from everything, for :meth:`interval`.
    warm_start : bool, default False
        Whether ``fit`` goes on from the rounds of the fit before, on the same rows: the same bits as at once.
    n_jobs : int, optional
        Threads; default all that OpenMP has.  The result does not depend on it.
    random_state : int, Generator, RandomState or None, default None
        Of the rows and columns drawn, and of the parts held out; None is 0.

    Attributes
    ----------
    trees_ : Trees
        One tree a round, for each quantile.
    init_ : array, shape (k,)
        The constant to begin with.
    n_estimators_ : int
        Rounds kept.
    train_loss_ : array, shape (rounds + 1,)
        Mean training loss before the first round and after each.
    validation_loss_ : tuple of Estimate or None
        The same of the rows held out, with intervals.
    stopping_ : Stopping or None
        The choice of the number of rounds, with paired intervals against all rounds and against none.
    conformal_ : Conformal or None
        Scores of the calibration rows.
    certificate_ : Certificate
        NONE: the trees are grown greedily.
    solution_ : Solution
        Steps and trace.
    columns_ : ColumnCoder
        Which columns are categories.

    Raises
    ------
    ValueError
        Targets outside the range of the loss, infinite numbers, text that is no category; by row and column.

    Notes
    -----
    O(n p) a round and level, O(n p) bytes.  Identical rows share a part, and the parts depend on the content
    of the rows, not on their order.  Where rows come in groups or in time, such parts are too easy.

    References
    ----------
    Friedman 2001, Annals of Statistics 29; Chen & Guestrin 2016; Ke et al. 2017 (histograms, best-first);
    Romano, Patterson, Candes 2019 (intervals); Chernozhukov, Fernandez-Val, Galichon 2010, Econometrica 78.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(2000, 2))
    >>> y = X[:, 0] + X[:, 0] * rng.normal(size=2000)  # the spread grows
    >>> model = er.GradientBoostingRegressor("quantile", q=[0.1, 0.9], calibration_fraction=0.25)
    >>> band = model.fit(X, y).interval([[0.1, 0.5], [0.9, 0.5]], level=0.8)
    >>> wide = band.high - band.low
    >>> wide[1] > 3 * wide[0]
    np.True_
    """

    conformal_: Conformal | None

    def __init__(
        self,
        loss: Any = "half_squared",
        *,
        q: Any = 0.5,
        power: float = 1.5,
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
        offset: Any = None,
        exposure: Any = None,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
        offset_val: Any = None,
        exposure_val: Any = None,
        callback: Callback | None = None,
    ) -> Self:
        """Grow on the rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features: numbers, where NaN is a missing value, and categories (see `categorical_features`).
        y : array, shape (n,)
            Targets; with an exposure the count or amount, not the rate.
        sample_weight : array, shape (n,), optional
            Weights >= 0; 0 equals the row's absence.
        offset : array, shape (n,), optional
            Known part of each row's score.
        exposure : array, shape (n,), optional
            Known factor of each row's mean, > 0, for losses with a logarithmic link.
        X_val : as X, shape (m, p), optional
            Validation rows of your own: they choose the number of rounds in the place of rows held out (see
            `early_stopping`, which "auto" then switches on), and grow no tree.  Categories that
            training did not have count as missing in them.
        y_val : array, shape (m,), optional
            Targets of the validation rows.
        sample_weight_val : array, shape (m,), optional
            Weights of the validation rows, >= 0; 0 equals the row's absence.
        offset_val, exposure_val : array, shape (m,), optional
            Of the validation rows.
        callback : callable, optional
            Called after each new round with its number, the mean training loss and the mean validation loss
            (None where no rows are watched), as in `train_loss_` and `validation_loss_`.  A true answer ends
            the growth; with an exception the estimator stays as it was before.

        Returns
        -------
        self
        """
        given = ValidationRows(X_val, y_val, sample_weight_val, offset_val, exposure_val)
        told = check_callback(callback)
        return self._fit(X, y, sample_weight, offset=offset, exposure=exposure, given=given, callback=told)

    def _stratified(self) -> bool:
        return False

    def _grow(
        self,
        table: Table,
        targets: Array,
        weight: Array,
        offset: Any = None,
        exposure: Any = None,
        given: ValidationRows | None = None,
        callback: Callback | None = None,
    ) -> None:
        losses = regression_losses(self.loss, self.q, self.power, targets, weight)
        live = weight > 0.0
        check_targets(losses[0], np.where(live, targets, targets[np.argmax(live)]))
        rates = losses[0].log_link
        known = check_offset(offset, exposure, table.n_rows, rates)
        self._took_offset = known is not None
        watched = given and given.encoded(self, rates)
        if watched is not None:
            watched.check_like(losses[0], known is not None)
        self._boost(table, losses, targets, weight, known, watched, callback)

    def _settle(self, table: Table, y: Array, weight: Array, offset: Array, parts: Parts) -> None:
        self.conformal_ = None
        held = parts.calibrate
        if len(held):
            rows = Table(take(table.X, held), table.n_categories, table.names)
            low, high, unit = self._band(self._raw(rows) + offset[held, None])
            scores = quantile_band_scores(y[held], low, high, unit)
            self.conformal_ = Conformal(scores, "distance from the band, negative inside")

    # -- predictions --------------------------------------------------------------------------------

    def predict(self, X: Any, *, offset: Any = None, exposure: Any = None) -> Array:
        """The mean, median or quantile of each row: shape (n,), for several quantiles (n, len(q)).

        Parameters
        ----------
        X : as in :meth:`fit`
            New rows; a category that training did not have goes with the heavier child (ER003 says so).
        offset, exposure : array, shape (n,), optional
            Of the new rows.

        Returns
        -------
        array
        """
        return self._answer(self._scores(X, offset, exposure))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Return the predictions of :meth:`predict` after each round, as an iterator."""
        return (self._answer(scores) for scores in self._staged(X))

    @like_input
    def interval(self, X: Any, level: float = 0.9, *, offset: Any = None, exposure: Any = None) -> Bands:
        """An interval for each row's *target* by split conformal prediction.

        With several quantiles the band between the outer ones, moved by what the calibration rows ask for
        (conformalised quantile regression); otherwise the prediction with one margin for all rows, for
        "poisson", "gamma", "tweedie" in units of the standard deviation that the mean implies.

        Parameters
        ----------
        X : as in :meth:`fit`
        level : float, default 0.9
            Coverage, strictly between 0 and 1.
        offset, exposure : array, shape (n,), optional
            Of the new rows.

        Returns
        -------
        empirisk.inference.Bands
            ``low`` and ``high``, shape (n,); ``value`` is the prediction, for several quantiles the middle of
            the band.

        Raises
        ------
        ValueError
            No calibration rows (``calibration_fraction=0``), or fewer than ``level / (1 - level)``.

        Notes
        -----
        For rows drawn like the calibration rows, whatever the model: ``level <= P(covered)``, and without
        ties ``P(covered) <= level + 1/(m + 1)`` with m calibration rows.  On average over rows and fits, not
        for each x.  Given these calibration rows: ``conformal_.coverage(level)``.
        """
        conformal = self._calibrated()
        by = conformal.threshold(level)
        low, high, unit = self._band(self._scores(X, offset, exposure))
        band = widened(low, high, by, unit)
        domain = self._losses[0].y_domain
        band = np.clip(band, domain.low, domain.high)
        value = np.clip(0.5 * (low + high), domain.low, domain.high)
        claim = conformal.claim(level)
        return Bands("prediction", level, value, band[:, 0], band[:, 1], None, claim)

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, offset: Any = None, exposure: Any = None
    ) -> float:
        """R^2 of the predictions; for quantiles the share of the pinball loss that they take off (D^2).

        Where the fit had an offset or exposure, that of these rows is wanted.
        """
        refuse_without(self, offset, exposure)
        if self.loss != "quantile":
            told = self.predict(X, offset=offset, exposure=exposure)
            return float(r2_score(y, told, sample_weight=sample_weight))
        told = self.predict(X).reshape(len(y), -1)
        shares = [
            d2_pinball_score(y, told[:, c], sample_weight=sample_weight, alpha=q)
            for c, q in enumerate(levels(self.q))
        ]
        return float(np.mean(shares))

    def _calibrated(self) -> Conformal:
        check_is_fitted(self)
        if self.conformal_ is None:
            raise ValueError(
                "no rows were held out to calibrate an interval; fit with calibration_fraction=0.2, say"
            )
        return self.conformal_

    def _scores(self, X: Any, offset: Any, exposure: Any) -> Array:
        table = self._table(X)
        known = check_offset(offset, exposure, table.n_rows, self._losses[0].log_link)
        scores = self._raw(table)
        return scores if known is None else scores + known[:, None]

    def _answer(self, scores: Array) -> Array:
        """Return the scores as predictions; those of several quantiles in the order of their levels."""
        if len(self._losses) == 1:
            return _mean(self._losses[0], scores[:, 0])
        rank = np.argsort(np.argsort(levels(self.q)))
        return np.sort(scores, axis=1)[:, rank]

    def _band(self, scores: Array) -> tuple[Array, Array, Array | float]:
        """Ends that the calibration moves, and the unit in which it does."""
        if len(self._losses) > 1:
            return scores.min(axis=1), scores.max(axis=1), 1.0
        mean = _mean(self._losses[0], scores[:, 0])
        power = getattr(self._losses[0], "variance_power", None)
        return mean, mean, 1.0 if power is None else np.maximum(mean ** (0.5 * power), np.finfo(float).tiny)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        loss = loss_named(self.loss) if isinstance(self.loss, str) else self.loss
        tags.target_tags.positive_only = getattr(loss, "log_link", False)
        return tags


def _mean(loss: Loss, z: Array) -> Array:
    """Return the loss's inverse link; the score itself where it has none."""
    try:
        return np.asarray(loss.mean(z))
    except TypeError:
        return z
