"""One tree to be grown: rows, criterion and limits, as the loops need them; folds for its pruning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.columns import Table
from empirisk.data.design import Design
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_count, check_number
from empirisk.estimators.folds import deal_rows
from empirisk.estimators.trees.boosting_constraints import check_monotone
from empirisk.estimators.trees.forest_plan import count_of_features, share_or_count
from empirisk.trees.bins import Binned, Bins
from empirisk.trees.criteria import Criterion
from empirisk.trees.exact import ExactLimits, grow_exact
from empirisk.trees.forest import Bag, ForestGrowth, grow_forest
from empirisk.trees.pruning_cv import Fold
from empirisk.trees.structure import Trees
from empirisk.typing import Array

__all__ = ["TreeTask"]


@dataclass(frozen=True, eq=False)
class TreeTask:
    """Rows of positive weight, and how trees grow on them.

    Parameters
    ----------
    table : Table
    y, weight : arrays, shape (n,)
        Targets and weights.
    criterion : Criterion
    est : estimator
        Whose parameters bound the growth.
    binned : Binned or None
        Codes of the rows when splits lie between bins.
    live : array of bool
        Which of the user's rows these are.
    """

    table: Table
    y: Array
    weight: Array
    criterion: Criterion
    est: Any
    binned: Binned | None
    live: NDArray[np.bool_]

    @classmethod
    def of(cls, est: Any, table: Table, y: Array, weight: Array, criterion: Criterion) -> TreeTask:
        """Drop the rows without weight; sort into bins where `max_bins` asks for it."""
        live = weight > 0.0
        if not live.all():
            X = table.X.tocsr() if hasattr(table.X, "tocsr") else table.X
            table = Table(X[live], table.n_categories, table.names)
            y, weight = y[live], weight[live]
        binned = None
        if est.max_bins is not None:
            X = table.X.tocsc() if hasattr(table.X, "tocsc") else table.X
            bins = Bins.fit(X, table.n_categories, weight, max_bins=check_count("max_bins", est.max_bins, 2))
            binned = bins.transform(X)
        return cls(table, y, weight, criterion, est, binned, live)

    @cached_property
    def seed(self) -> int:
        """Of the draws of columns, and of the folds."""
        return check_seed(self.est.random_state)

    def grow(self, kept: NDArray[np.bool_] | None = None) -> Trees:
        """Return the tree of all rows, or of those kept."""
        if kept is None:
            return self._grow(slice(None), self.weight)
        rows = np.flatnonzero(kept)
        return self._grow(rows, self.weight[rows])

    def folds(self, cv: Any, stratify: bool) -> tuple[Array, list[Fold]]:
        """Return the weight that is left out together with each row; rows to train on and to hold out by
        fold.
        """
        if cv is None or isinstance(cv, Integral | str | float | bool):
            k = check_count("cv", 10 if cv is None else cv, 2)
            fold, together = deal_rows(Design(self.table.X), self.y, self.weight, k, self.seed, stratify)
            return together, [(fold != v, fold == v) for v in np.unique(fold)]
        if not hasattr(cv, "split") and not isinstance(cv, Iterable):
            raise ValueError(
                f"cv must be an integer >= 2, a splitter or a list of (train, test) pairs, got {cv!r}"
            )
        n = len(self.live)
        pairs = cv.split(np.zeros((n, 1)), self._on_all_rows(self.y)) if hasattr(cv, "split") else cv
        folds = []
        for train, test in pairs:
            of = np.zeros((2, n), dtype=bool)
            of[0, train], of[1, test] = True, True
            kept, out = of[:, self.live]
            if not kept.any() or not out.any():
                raise ValueError("cv: a split leaves no row to fit on or to score")
            folds.append((kept, out))
        return self.weight, folds

    def _on_all_rows(self, values: Array) -> Array:
        out = np.full(len(self.live), values[0])
        out[self.live] = values
        return out

    # -- growth -------------------------------------------------------------------------------------

    def _grow(self, rows: Any, weight: Array) -> Trees:
        limits = self._limits(len(weight), float(weight.sum()))
        if self.binned is not None:
            return self._on_bins(rows, weight, limits)
        X = self.table.X
        if not isinstance(rows, slice):
            X = (X.tocsr() if hasattr(X, "tocsr") else X)[rows]
        table = Table(X, self.table.n_categories, self.table.names)
        return grow_exact(table, self.criterion, self.y[rows], weight, limits, seed=self.seed)

    def _on_bins(self, rows: Any, weight: Array, limits: ExactLimits) -> Trees:
        assert self.binned is not None
        binned = self.binned if isinstance(rows, slice) else self.binned.take(rows)
        growth = ForestGrowth(
            self.criterion.name,
            limits.max_features,
            limits.max_depth,
            limits.max_leaves,
            limits.min_rows_split,
            limits.min_rows_leaf,
            limits.min_weight_leaf,
            limits.min_gain,
            monotonic=None if limits.monotonic is None else np.asarray(limits.monotonic),
        )
        equal = np.ptp(weight) == 0.0 and weight[0] == 1.0
        grown = grow_forest(
            binned,
            self.y[rows],
            growth,
            Bag(len(weight), 0),
            n_classes=int(getattr(self.criterion, "n_classes", 0)),
            weight=None if equal else weight,
            n_trees=1,
            seed=self.seed,
        )
        return grown.trees

    def _limits(self, rows: int, total: float) -> ExactLimits:
        est = self.est
        depth, leaves, p = est.max_depth, est.max_leaf_nodes, self.table.n_cols
        features = count_of_features(est.max_features, p)
        share = check_number("min_weight_fraction_leaf", est.min_weight_fraction_leaf, 0.0, 0.5)
        return ExactLimits(
            max_depth=None if depth is None else check_count("max_depth", depth, 0),
            max_leaves=None if leaves is None else check_count("max_leaf_nodes", leaves, 1),
            min_rows_split=share_or_count("min_samples_split", est.min_samples_split, rows, 2),
            min_rows_leaf=share_or_count("min_samples_leaf", est.min_samples_leaf, rows, 1),
            min_weight_leaf=share * total,
            min_gain=check_number("min_impurity_decrease", est.min_impurity_decrease, 0.0) * total,
            max_features=None if features >= p else features,
            monotonic=check_monotone(est.monotonic_cst, self.table),  # type: ignore[arg-type]
        )
