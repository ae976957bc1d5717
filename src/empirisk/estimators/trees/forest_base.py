"""What the forests share: growth, out-of-bag predictions and their risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from empirisk.data.columns import Table
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_choice, check_count, check_flag
from empirisk.estimators.same_rows import refuse_other_fit, row_print
from empirisk.estimators.trees.forest_members import ForestMembers
from empirisk.estimators.trees.forest_plan import plan_bag, plan_growth
from empirisk.estimators.trees.forest_reads import ForestReads
from empirisk.estimators.trees.forest_task import ForestTask
from empirisk.estimators.trees.joint_forest import fit_together
from empirisk.estimators.trees.tree_base import greedy
from empirisk.inference.held_out_loss import held_out_loss
from empirisk.results import Estimate
from empirisk.trees.criteria.choices import needs_non_negative
from empirisk.trees.forest import GrownTrees
from empirisk.trees.out_of_bag_tally import OutOfBagTally, RowLosses
from empirisk.trees.positive_rates import positive_rates
from empirisk.trees.structure import Trees
from empirisk.trees.varying_columns import bin_varying
from empirisk.typing import Array

__all__ = ["ForestEstimator"]

OUT_OF_BAG_IS_THERE = "out-of-bag scores are always there: oob_score_, and oob_risk_ with its interval"
MIN_GROUPS = 5  # of two trees, for a Monte-Carlo error
# Parameters that no tree depends on: they may change between warm starts.
FREE = ("n_estimators", "n_jobs", "smoothing", "targets", "warm_start")
BOUNDS = {"error rate": 1.0, "Brier score": 2.0}  # of losses that have one


class ForestEstimator(ForestMembers, ForestReads):
    """Base of forests: the mean of trees that each saw other rows and, at each node, other columns.

    After ``fit``: ``trees_``, ``n_estimators_``, ``oob_risk_``, ``oob_risks_`` and ``monte_carlo_error_``.
    """

    n_estimators: Any
    criterion: Any
    bootstrap: Any
    warm_start: Any
    random_state: Any
    max_bins: Any
    targets: Any
    n_estimators_: int
    oob_risk_: Estimate
    oob_risks_: dict[str, Estimate]
    monte_carlo_error_: float | None
    _print: int | None  # of the rows, for a warm start
    _fitted_with: dict[str, Any] | None
    _sums: tuple[Any, Any, Any] | None

    _random_cuts = False
    _elsewhere: ClassVar[dict[str, str]] = {"oob_score": OUT_OF_BAG_IS_THERE}
    _smooth = ""  # the loss that says how many trees are enough

    # -- what a subclass gives ----------------------------------------------------------------------

    def _criterion(self, targets: Array) -> str:
        """Return the name of the criterion in the loops, once it fits the targets."""
        raise NotImplementedError

    def _row_losses(self, targets: Array) -> dict[str, RowLosses]:
        """Return the losses of out-of-bag predictions by name; the first one is the risk of the forest."""
        raise NotImplementedError

    def _keep_out_of_bag(self, prediction: Array, targets: Array) -> None:
        """Put the out-of-bag predictions, shape (n, k), where users look for them."""
        raise NotImplementedError

    # -- the flow -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Features: numbers, where NaN is a missing value, and categories (see `categorical_features`).
        y : array, shape (n,)
            Targets.
        sample_weight : array, shape (n,), optional
            Weights >= 0, whose scale does not matter: a row is drawn in proportion to its weight (without
            `bootstrap` it counts by it); 0 equals the row's absence.

        Returns
        -------
        self
        """
        super().fit(X, y, sample_weight)
        self._keep(X, y)
        return self

    @property
    def _targets_apart(self) -> bool:
        return bool(self.targets == "each")

    def _fit_targets(
        self, X: Any, columns: Mapping[Any, Any], sample_weight: Any = None
    ) -> dict[Any, Any] | None:
        """Return the forests of the targets where one growth makes them all."""
        together = check_choice("targets", self.targets, {"each": False, "together": True})
        return fit_together(self, X, columns, sample_weight) if together else None

    def _grow(self, table: Table, targets: Array, weight: Array) -> None:
        check_choice("targets", self.targets, {"each": False, "together": True})
        criterion = self._criterion(targets[weight > 0.0])
        X, targets, weight = self._live_rows(table, targets, weight)
        task = self._task(table, X, targets, weight, criterion)
        losses = self._row_losses(targets)
        warm = check_flag("warm_start", self.warm_start)
        rows_seen = row_print(X, targets, weight) if warm else None
        tally, told = self._plant(task, losses[self._smooth], weight, rows_seen)
        self._print, self._fitted_with = rows_seen, self._that_matter(task.seed) if warm else None
        if needs_non_negative(criterion):
            rate = float(np.average(targets, weights=weight))
            self.trees_ = positive_rates(self.trees_, rate, rare=True)
        self._conclude(task, X, targets, weight, tally, losses, told or f"{len(self.trees_)} trees")

    def _live_rows(self, table: Table, targets: Array, weight: Array) -> tuple[Any, Array, Array]:
        """Return the rows of positive weight, with targets and weights; their numbers are noted."""
        live = np.flatnonzero(weight)
        X: Any = table.X
        if sp.issparse(table.X):
            X = X.tocsc()
        if len(live) < len(weight):
            X, targets, weight = X[live], targets[live], weight[live]
        self._live = live if len(live) < table.n_rows else None
        self._rows_fitted = table.n_rows
        return X, targets, weight

    def _task(
        self,
        table: Table,
        X: Any,
        targets: Array,
        weight: Array,
        criterion: str,
        parts: tuple[int, ...] | None = None,
    ) -> ForestTask:
        """Return what is to be grown on rows of positive weight; `parts` of several targets together."""
        equal = np.ptp(weight) == 0.0
        bag = plan_bag(self, weight)
        growth = plan_growth(self, table, bag.draws or bag.n, criterion, self._random_cuts)
        max_bins = check_count("max_bins", self.max_bins, 2)
        columns, binned = bin_varying(X, table.n_categories, None if equal else weight, max_bins)
        if growth.monotonic is not None:
            growth = replace(growth, monotonic=growth.monotonic[columns.kept])
        return ForestTask(
            binned,
            targets,
            0 if parts else self._n_classes,
            growth,
            bag,
            None if bag.draws or equal else weight * (len(weight) / weight.sum()),
            check_seed(self.random_state),
            columns,
            parts,
        )

    def _conclude(
        self,
        task: ForestTask,
        X: Any,
        targets: Array,
        weight: Array,
        tally: OutOfBagTally,
        losses: dict[str, RowLosses],
        told: str,
    ) -> None:
        """Note what was grown, and judge it by the rows out-of-bag."""
        self._bag, self._seed, self.n_estimators_ = task.bag, task.seed, len(self.trees_)
        if task.bag.draws:
            self._judge(tally, losses, targets, weight)
            told += self._settled(tally) if isinstance(self.n_estimators, int) else ""
            self._choose_probe(X, tally)
        self.solution_ = greedy(f"greedy splits on random columns; {told}", len(self.trees_), solver="forest")

    def _plant(
        self, task: ForestTask, loss: RowLosses, weight: Any, rows: int | None
    ) -> tuple[OutOfBagTally, str]:
        warm = rows is not None
        tally = OutOfBagTally(loss, weight)
        if isinstance(self.n_estimators, str):
            self._check_auto(warm, bool(task.bag.draws))
            self.trees_, tally, size = task.until_settled(loss, weight)
            self.monte_carlo_error_, self._sums = size.mc_error, None
            return tally, size.reason
        wanted = check_count("n_estimators", self.n_estimators, 1)
        before = self._before(task, rows) if warm else None
        if before is not None and wanted < len(before.trees):
            raise ValueError(
                f"n_estimators={wanted} is less than the {len(before.trees)} trees there are; warm_start "
                "only adds trees"
            )
        grown = task.given_number(wanted, before)
        self.trees_ = grown.trees
        if task.bag.draws:
            tally.add_groups(grown.oob_sums, grown.oob_trees, grown.groups)
        self._sums = (grown.oob_sums, grown.oob_trees, grown.groups) if warm else None
        return tally, ""

    def _check_auto(self, warm: bool, draws: bool) -> None:
        if self.n_estimators != "auto":
            raise ValueError(f'n_estimators must be an integer >= 1 or "auto", got {self.n_estimators!r}')
        if not draws:
            raise ValueError('n_estimators="auto" looks at out-of-bag rows: set bootstrap=True')
        if warm:
            raise ValueError('n_estimators="auto" grows as many trees as are needed: set warm_start=False')

    def _before(self, task: ForestTask, rows: int | None) -> GrownTrees | None:
        """Return the trees that there are, with what they said; None before the first fit."""
        trees: Trees | None = getattr(self, "trees_", None)
        if trees is None:
            return None
        if trees.n_outputs != max(1, task.n_classes):
            raise ValueError(
                f"warm_start adds trees to those of the same classes: there are trees of {trees.n_outputs} "
                f"classes, and y now has {task.n_classes}; set warm_start=False to begin anew"
            )
        refuse_other_fit(self, rows, self._that_matter(task.seed))
        assert self._sums is not None  # noted together with the rows
        return GrownTrees(trees, *self._sums)

    def _that_matter(self, seed: int) -> dict[str, Any]:
        """Return the parameters that decide what a tree is."""
        params = self.get_params(deep=False) | {"random_state": seed}
        return {name: value for name, value in params.items() if name not in FREE}

    # -- out-of-bag ---------------------------------------------------------------------------------

    def _judge(
        self, tally: OutOfBagTally, losses: dict[str, RowLosses], targets: Array, weight: Array
    ) -> None:
        prediction, count = tally.predictions()
        self._keep_out_of_bag(self._on_all_rows(prediction), targets)
        rows = np.flatnonzero(count)
        self.oob_risks_ = {
            name: self._risk(name, loss(prediction[rows], rows), weight[rows])
            for name, loss in losses.items()
        }
        self.oob_risk_ = next(iter(self.oob_risks_.values()))

    @staticmethod
    def _risk(name: str, values: Array, weight: Array) -> Estimate:
        target = (
            f"{name} of this forest on new rows; each row was judged by the trees that did not see it, "
            "which are a smaller forest"
        )
        if not len(values):
            return Estimate(np.nan, None, None, 0.95, 0, "out-of-bag", "every tree saw every row", target)
        found = held_out_loss(values, weight, bound=BOUNDS.get(name), target=target)
        return replace(found, method=f"{found.method}, out-of-bag rows")

    def _settled(self, tally: OutOfBagTally) -> str:
        """Return how far the seed moves the risk, in words."""
        self.monte_carlo_error_ = None
        if tally.trees < 2 * MIN_GROUPS:
            return ""
        try:
            found = tally.risk()
        except ValueError:  # too few rows are out-of-bag
            return ""
        self.monte_carlo_error_ = found.mc_error
        return (
            f", whose seeds move the out-of-bag {self._smooth} {found.risk:.4g} by {found.mc_error:.2g} "
            f"(its standard error over rows is {found.standard_error:.2g})"
        )

    def _on_all_rows(self, values: Array) -> Array:
        """Return the values of the rows that were fitted, NaN for rows of weight 0."""
        if self._live is None:
            return values
        out = np.full((self._rows_fitted, *values.shape[1:]), np.nan)
        out[self._live] = values
        return out
