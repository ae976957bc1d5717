"""Forests of regression trees: means, quantiles, their out-of-bag losses and intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags

from empirisk.data.frames import like_input
from empirisk.estimators.checks import check_choice
from empirisk.estimators.trees.forest_base import ForestEstimator
from empirisk.estimators.trees.forest_interval import measured_coverage
from empirisk.estimators.trees.forest_members import r2
from empirisk.estimators.trees.tree_base import TreeRegressor
from empirisk.inference.bands import Bands
from empirisk.results.estimate import check_level
from empirisk.trees.conformal_leaves import ConformalLeaves
from empirisk.trees.criteria.choices import criteria_for, needs_non_negative
from empirisk.trees.jackknife_plus import jackknife_plus
from empirisk.trees.leaf_quantiles import LeafSample
from empirisk.trees.out_of_bag_tally import RowLosses
from empirisk.trees.residual_interval import residual_interval
from empirisk.typing import Array

__all__ = ["ForestRegressor"]

Floats = NDArray[np.float64]

PROMISES = {
    "jackknife+": "the jackknife+ after bootstrap covers a new y with probability 2 level - 1 at least, for "
    "rows drawn like those of the fit, and with about the level in practice",
    "leaves": "quantiles of y in the leaves, moved as the out-of-bag rows ask; no theorem for few rows",
    "residuals": "the prediction and quantiles of the out-of-bag residuals; no theorem for few rows",
}
CALIBRATION = 5000  # training rows, evenly spaced, that calibrate a prediction interval


class ForestRegressor(ForestEstimator, TreeRegressor):
    """Base of the forests that predict means."""

    oob_prediction_: Array

    _smooth = "squared error"

    def _criterion(self, targets: Array) -> str:
        found = check_choice("criterion", self.criterion, criteria_for("numbers"))
        if found.non_negative and (targets.min() < 0.0 or not targets.any()):
            raise ValueError(f'criterion="{found.name}" needs targets y >= 0 that are not all zero')
        return str(found.name)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = needs_non_negative(self.criterion)
        return tags

    def _row_losses(self, targets: Array) -> dict[str, RowLosses]:
        def square(mean: Floats, rows: NDArray[np.intp]) -> Floats:
            return np.asarray((targets[rows] - mean[:, 0]) ** 2)

        def absolute(mean: Floats, rows: NDArray[np.intp]) -> Floats:
            return np.abs(targets[rows] - mean[:, 0])

        return {"squared error": square, "absolute error": absolute}

    def _keep_out_of_bag(self, prediction: Array, targets: Array) -> None:
        self.oob_prediction_ = prediction[:, 0]
        mine = self.oob_prediction_ if self._live is None else self.oob_prediction_[self._live]
        self._residuals = np.asarray(targets - mine, dtype=np.float64)

    def _out_of_bag_score(self) -> float:
        mine = self.oob_prediction_ if self._live is None else self.oob_prediction_[self._live]
        return r2(self._residuals, self._residuals + mine, self._bag.weight)

    def predict(self, X: Any) -> Array:
        """Return the mean over trees of the means of the leaves, shape (n,)."""
        return self._mean(self._table(X))[:, 0]

    @like_input
    def interval(self, X: Any, level: float = 0.95) -> Bands:
        """Intervals of the expected prediction ``E f(x)`` over training samples and seeds.

        By the mean of the infinitesimal jackknife and the jackknife after bootstrap.  They cover the luck of
        the sample and of the seed, not the bias of the forest, nor the noise of y.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        level : float, default 0.95
            Nominal coverage.  At 0.95 and with 200 trees simulations found 87 to 93 % by row for normal
            noise, 77 to 91 % for skewed or rounded targets on 80 to 250 rows, and 88 to 95 % on average
            over the rows: they are too short.

        Returns
        -------
        empirisk.inference.Bands
            ``value``, ``low``, ``high``, ``se``, shape (n,); `note` says what such intervals were found to
            cover.
        """
        value, low, high, se = (column[:, 0] for column in self._interval(X, level))
        note = measured_coverage(self.n_estimators_)
        return Bands("confidence", level, value, low, high, se, note, "the expected prediction")

    def prediction_interval(
        self, X: Any, level: float = 0.9, *, method: str = "jackknife+", training: Any = None
    ) -> Bands:
        """Intervals for y itself at new rows, calibrated on the rows that the trees did not see.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        level : float, default 0.9
            Share of new rows that they shall cover, on average over rows.
        method : {"jackknife+", "leaves", "residuals"}, default "jackknife+"
            ``"jackknife+"`` (after bootstrap): nearly the same width everywhere; a new y is covered with
            probability at least ``2 level - 1`` for any distribution, and about `level` in practice.
            ``"leaves"``: quantiles of y in the leaves, widened or narrowed as the out-of-bag rows ask, wide
            where y varies; no theorem for few rows, and needs the training rows. ``"residuals"``:
            the prediction and the quantiles of the out-of-bag residuals, the quickest.
        training : tuple (X, y), optional
            The training rows, for ``"leaves"``; found again while they are in memory.

        Returns
        -------
        empirisk.inference.Bands
            ``value`` (the prediction), ``low``, ``high``, shape (n,), infinite where the rows are too few for
            the level; `note` says what the method promises.
        """
        self._needs_bags("an interval from out-of-bag rows")
        check_level(level)
        which = check_choice("method", method, {m: m for m in PROMISES})
        low, high = self._prediction_ends(X, level, which, training)
        value = np.asarray(self.predict(X), dtype=np.float64)
        return Bands("prediction", level, value, low, high, None, PROMISES[which])

    def _prediction_ends(self, X: Any, level: float, which: str, training: Any) -> tuple[Array, Array]:
        """Return the lower and upper ends by one of the methods."""
        if which == "residuals":
            return residual_interval(np.asarray(self.predict(X), dtype=np.float64), self._residuals, level)
        new, counts, n = self.apply(X), self.bag_counts(), len(self._residuals)
        some = np.unique(np.linspace(0, n - 1, min(n, CALIBRATION)).astype(np.int64))
        if which == "jackknife+":
            by_tree = self._by_tree(new)[:, :, 0]
            return jackknife_plus(by_tree, counts[some] == 0, np.abs(self._residuals[some]), level)
        table, targets = self._training_rows(*(training or (None, None)))
        leaves = self.trees_.apply(table.X)
        sample = LeafSample.of(self.trees_, leaves, targets, counts)
        y = np.asarray(targets[some], dtype=np.float64)
        fitted = ConformalLeaves.fit(sample, leaves[some], counts[some] == 0, y, level)
        return fitted.interval(new)

    def quantiles(self, X: Any, q: Any, *, training: Any = None, honest: bool = False) -> Array:
        """Quantiles of y at each row: from the training rows in its leaves, each tree with the same weight.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows.
        q : array, shape (k,)
            In (0, 1].
        training : tuple (X, y), optional
            The training rows; found again while they are in memory.
        honest : bool, default False
            Fill the leaves with the rows that the tree did not see, instead of all rows (Meinshausen).

        Returns
        -------
        array, shape (n, k)
            Increasing in q; NaN where no tree may speak.
        """
        table, targets = self._training_rows(*(training or (None, None)))
        counts = None
        if honest:
            self._needs_bags("honest quantiles")
            counts = (self.bag_counts() == 0).astype(np.int8)
        sample = LeafSample.of(self.trees_, self.trees_.apply(table.X), targets, counts)
        return sample.quantiles(self.apply(X), q)
