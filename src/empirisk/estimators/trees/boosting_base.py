"""What the two boosting estimators share: the fit in its order, scores, leaves, importances."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from empirisk.data.columns import Table
from empirisk.data.sums import weighted_sum
from empirisk.data.tabular import band
from empirisk.data.threads import at_most
from empirisk.estimators.checks import check_choice, check_flag, check_weights, is_count
from empirisk.estimators.same_rows import row_print
from empirisk.estimators.trees.boosting_along import ALONG, Along, sums_of
from empirisk.estimators.trees.boosting_fit import Fitted, fit_rounds, take
from empirisk.estimators.trees.boosting_losses import constants
from empirisk.estimators.trees.boosting_parts import Parts, deal_parts
from empirisk.estimators.trees.boosting_plan import plan_of, shares_of, stops
from empirisk.estimators.trees.boosting_rounds import Callback
from empirisk.estimators.trees.boosting_validation import ValidationRows
from empirisk.estimators.trees.tree_base import TreeEstimator, dense, greedy
from empirisk.inference.early_stop import Stopping
from empirisk.losses import Loss
from empirisk.results import Estimate
from empirisk.trees.structure import PER_NODE, Trees
from empirisk.typing import Array, IndexArray

__all__ = ["Boosting"]


@dataclass(frozen=True)
class Grown:
    """All rounds of a fit and the rows behind them: what a model of the first of these rounds is made from.

    Parameters
    ----------
    fitted : Fitted
        The rounds.
    start : array, shape (k,)
        Best constants.
    first : array, shape (n, k)
        Scores of the rows before any tree.
    table, losses, y, weight, offset, parts
        The rows, encoded, with their parts.
    """

    fitted: Fitted
    start: Array
    first: Array
    table: Table
    losses: tuple[Loss, ...]
    y: Array
    weight: Array
    offset: Array
    parts: Parts


class Boosting(TreeEstimator):
    """Base of the two; a subclass says which losses, and what is predicted from the scores."""

    n_estimators: int
    early_stopping: str | bool
    warm_start: bool
    init_: Array
    n_estimators_: int
    train_loss_: Array
    _marks: frozenset[int]  # rounds whose scores of the growing rows a fit is to keep
    validation_loss_: tuple[Estimate, ...] | None
    stopping_: Stopping | None
    _outputs: tuple[Trees, ...]
    _losses: tuple[Loss, ...]
    _rows: int | None  # print of the rows, for a warm start
    _grown: Grown  # only while a fit goes on

    _elsewhere: ClassVar[Mapping[str, str]] = {
        "max_iter": "the number of rounds is n_estimators",
        "l2_regularization": "the penalty on leaf values is l2",
        "alpha": "the penalty on leaf values is l2, in the unit of the sum of the losses (alpha = l2 / S)",
    }

    # -- what a subclass gives ----------------------------------------------------------------------

    def _stratified(self) -> bool:
        """Return whether each class is dealt to the parts by itself."""
        raise NotImplementedError

    def _recalibrates(self) -> bool:
        """Return whether the watched rows are needed without early stopping too."""
        return False

    def _settle(self, table: Table, y: Array, weight: Array, offset: Array, parts: Parts) -> None:
        """Learn what the rows held out tell beside the number of rounds."""
        raise NotImplementedError

    def _row_weights(self, sample_weight: Any, n: int) -> Array:
        """Return the weights of n rows; where none are given one number stands for all of them."""
        return check_weights(sample_weight, n) if sample_weight is not None else np.broadcast_to(1.0, n)

    # -- the fit ------------------------------------------------------------------------------------

    def _boost(
        self,
        table: Table,
        losses: tuple[Loss, ...],
        y: Array,
        weight: Array,
        offset: Array | None,
        given: ValidationRows | None,
        callback: Callback | None,
    ) -> None:
        """Deal the rows, grow the rounds, settle; `given` are the user's own rows to watch."""
        plan = replace(plan_of(self, table, losses), marks=getattr(self, "_marks", frozenset()))
        some = offset is not None
        offset = np.broadcast_to(0.0, len(y)) if offset is None else offset  # no memory for no offset
        stop = stops(self.early_stopping, int(np.count_nonzero(weight)), given is not None)
        if given is not None and not (stop or self._recalibrates()):
            raise ValueError(
                "X_val chooses the number of rounds (or calibrates probabilities), and early_stopping=False "
                "leaves it nothing to choose: leave X_val out, or early_stopping as it is"
            )
        watch, calibrate = shares_of(self, given is None and (stop or self._recalibrates()))
        parts = deal_parts(table.X, y, weight, watch, calibrate, plan.seed, self._stratified())
        if given is not None:
            table, y, weight, offset, parts = given.behind(table, y, weight, offset, parts)
        start = constants(losses, *(take(a, parts.grow) for a in (y, weight, offset)))
        rows = row_print(table.X, y, weight, offset) if check_flag("warm_start", self.warm_start) else None
        before = self._before(table, len(start), rows)
        self._rows = rows
        first = start + offset[:, None] if some else np.broadcast_to(start, (len(y), len(start)))
        fitted = fit_rounds(plan, table, y, weight, first, parts, stop, before, callback)
        self._grown = Grown(fitted, start, first, table, losses, y, weight, offset, parts)
        self._conclude(self._grown)

    def _fit(self, X: Any, y: Any, sample_weight: Any, **more: Any) -> Self:
        super()._fit(X, y, sample_weight, **more)
        del self._grown  # it holds the rows
        return self

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        """Return whether these are numbers of rounds that no held-out rows choose from: one fit holds them
        all.
        """
        counts = all(is_count(value, 1) for value in values)
        return parameter == "n_estimators" and self.early_stopping is False and counts

    def _fit_each(self, X: Any, y: Any, parameter: str, values: Sequence[Any], **rows: Any) -> Iterator[Self]:
        """Yield the models of the first rounds of one fit of the most; round t draws by (seed, t)."""
        if not self._values_together(parameter, values):
            yield from super()._fit_each(X, y, parameter, values, **rows)
            return
        most = clone(self).set_params(n_estimators=max(values))
        most._marks = frozenset(int(value) for value in values)
        TreeEstimator._fit(most, X, y, **{"sample_weight": None, **rows})
        grown = vars(most).pop("_grown")
        del most._marks
        along = Along(grown.fitted.trees)
        growing = grown.parts.grow
        start, X = take(grown.first, growing), take(grown.table.X, growing)
        for value in values:
            scores = grown.fitted.marked.get(int(value))
            if scores is None:  # of a fit that a callback called off
                scores = start + sums_of(tuple(trees[:value] for trees in grown.fitted.trees), X)
            model = copy.copy(most).set_params(n_estimators=value)
            model._conclude(grown, int(value), scores)
            ALONG[model] = along
            try:
                yield model
            finally:
                del ALONG[model]

    def _conclude(self, grown: Grown, rounds: int | None = None, scores: Array | None = None) -> None:
        """Keep all rounds of a fit, or the first ones, with what is said about them; `scores` are theirs."""
        fitted, parts, losses = grown.fitted, grown.parts, grown.losses
        table, y, weight, offset, first = grown.table, grown.y, grown.weight, grown.offset, grown.first
        self.init_, self._losses = grown.start, losses
        self._tell(fitted, rounds)
        if self.n_estimators_ == 0:  # then the rows that chose it may tell the constant too
            seen = parts.grow if parts.given else np.concatenate([parts.grow, parts.stop])
            self.init_ = constants(losses, *(a[seen] for a in (y, weight, offset)))
        X, y_grow, weight_grow, start = (take(a, parts.grow) for a in (table.X, y, weight, first))
        self._certify(fitted, X, y_grow, weight_grow, start, scores)
        self._settle(table, y, weight, offset, parts)

    def _before(self, table: Table, k: int, rows: int | None) -> tuple[Trees, ...]:
        """The rounds that a warm start goes on from; k: scores of a row, rows: their print."""
        if rows is None or not getattr(self, "n_estimators_", 0):
            return ()
        trees = self._outputs
        if len(trees) != k or not np.array_equal(trees[0].n_categories, table.n_categories):
            raise ValueError(
                "warm_start=True goes on with the trees of the fit before, whose columns or categories (or "
                "classes, or quantiles) were others; set warm_start=False"
            )
        if self._rows != rows:
            raise ValueError(
                "warm_start=True adds rounds to those of the same rows, and these are others (or the "
                "fit before had warm_start=False and kept no print of them); for a new fit set it to False"
            )
        if self.n_estimators < len(trees[0]):
            raise ValueError(
                f"n_estimators={self.n_estimators} is below the {len(trees[0])} rounds that warm_start=True "
                "goes on from"
            )
        return trees

    def _tell(self, fitted: Fitted, rounds: int | None) -> None:
        """Keep the rounds that the watched rows chose, or the first ones, and the curves."""
        watch, done = fitted.watch, len(fitted.trees[0]) - max(len(fitted.train_loss) - 1, 0)
        told = getattr(self, "train_loss_", np.zeros(0))[: done + 1] if done else np.zeros(0)
        curve = [*told, *fitted.train_loss[done > 0 :]]
        seen = rounds if watch is None else watch.rounds
        self.train_loss_ = np.array(curve if seen is None else curve[: seen + 1])
        self.stopping_ = watch.result() if watch is not None else None
        self.validation_loss_ = tuple(watch.losses) if watch is not None else None
        all_rounds = len(fitted.trees[0]) if rounds is None else rounds
        self.n_estimators_ = self.stopping_.n_rounds if self.stopping_ is not None else all_rounds
        self._outputs = tuple(_first(of_output, self.n_estimators_) for of_output in fitted.trees)

    def _certify(
        self, fitted: Fitted, X: Any, y: Array, weight: Array, start: Array, known: Array | None = None
    ) -> None:
        """No argument; the size of the gradient in function space as information (growing rows)."""
        scores = fitted.scores if known is None else known
        if known is None and len(fitted.trees[0]) > self.n_estimators_:
            dropped = [of_output[self.n_estimators_ :] for of_output in fitted.trees]
            scores = scores - sums_of(tuple(dropped), X)
        first, last = (_slope(self._losses, y, weight, z) for z in (start, scores))
        claim = (
            f"greedy stagewise fit of {self.n_estimators_} rounds, no argument bounds its distance from the "
            f"smallest training loss; root mean square of the loss's slope over {len(y)} rows {last:.3g} "
            f"({first:.3g} before the first round)"
        )
        if fitted.called_off:
            claim += f"; the callback ended the growth after {len(fitted.trees[0])} rounds"
        if self.stopping_ is not None:
            claim += f"; {self.stopping_.sentence}"
        self.solution_ = greedy(claim, self.n_estimators_, fitted.trace[: self.n_estimators_], "boosting")

    # -- scores -------------------------------------------------------------------------------------

    def _table(self, X: Any, fitting: bool = False) -> Table:
        along = None if fitting else ALONG.get(self)
        made = super()._table
        return made(X, fitting) if along is None else along.table(X, lambda: made(X))

    def _raw(self, table: Table) -> Array:
        """``init_`` plus the leaves' values, shape (n, k)."""
        X, along = dense(table).X, ALONG.get(self)
        with at_most(self.n_jobs):
            if along is not None:
                return self.init_ + along.sums(table, X, self.n_estimators_)
            sums = sums_of(self._outputs, X)
            return np.add(self.init_, sums, out=sums)

    def _staged(self, X: Any) -> Iterator[Array]:
        """Return the scores after each round; each is a new array."""
        X = dense(self._table(X)).X
        scores = np.broadcast_to(self.init_, (X.shape[0], len(self.init_)))
        for t in range(self.n_estimators_):
            scores = scores + sums_of(tuple(trees[t] for trees in self._outputs), X)
            yield scores

    @property
    def trees_(self) -> Trees:
        """All trees (for no rounds one leaf worth 0); ``init_ + trees_.predict(X)`` are the scores.

        With k > 1 scores a row, the trees of the first score come first, and each has values of k numbers of
        which one is not 0.
        """
        check_is_fitted(self)
        k = len(self._outputs)
        if k == 1:
            return self._outputs[0]
        return Trees.concatenate(
            trees.with_values(trees.value * (np.arange(k) == c)) for c, trees in enumerate(self._outputs)
        )

    def apply(self, X: Any) -> IndexArray:
        """Return the leaf of each row in each tree: shape (n, rounds), with k > 1 scores (n, rounds, k)."""
        X = dense(self._table(X)).X
        with at_most(self.n_jobs):
            leaves = [trees.apply(X) for trees in self._outputs]
        return leaves[0] if len(leaves) == 1 else np.stack(leaves, axis=2)

    # -- curves -------------------------------------------------------------------------------------

    def curve(self) -> dict[str, Any]:
        """The losses by round as a chart takes them: before the first round and after each.

        `train`: list; `validation`: values with the ends of their intervals, None when no rows were held out;
        `kept`: the rounds kept; `against_none`: their loss minus that of the best constant, paired.
        """
        check_is_fitted(self)
        told = self.stopping_
        return {
            "train": self.train_loss_.tolist(),
            "validation": band(self.validation_loss_) if self.validation_loss_ is not None else None,
            "kept": self.n_estimators_,
            "against_none": told.against_none.to_dict() if told is not None else None,
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw the losses of :meth:`curve` round by round, and return the Plot."""
        from empirisk.plots.rounds import RoundsDisplay

        return RoundsDisplay(self.curve()).plot(ax)

    # -- importances --------------------------------------------------------------------------------

    def importances(self, kind: str = "gain") -> Array:
        """How much the trees used each column, shape (p,), summing to 1 (all 0 when no tree split).

        Parameters
        ----------
        kind : {"gain", "splits"}, default "gain"
            Decrease of the training loss (in its quadratic model) by the splits that ask the column, or
            their number.

        Returns
        -------
        array, shape (p,)

        Notes
        -----
        Both are about the *training* rows and favour columns with many distinct values or categories, which
        find a split by chance more often; a column that helps on no new row has an importance above 0.  For
        what the column is worth on new rows permute it there (``sklearn.inspection.permutation_importance``).
        """
        check_is_fitted(self)
        by_gain = check_choice("kind", kind, {"gain": True, "splits": False})
        total = np.zeros(self.n_features_in_)
        for trees in self._outputs:
            inner = trees.feature >= 0
            mass = trees.gain[inner] if by_gain else np.ones(int(inner.sum()))
            total += np.bincount(trees.feature[inner], weights=mass, minlength=len(total))
        return np.asarray(total / total.sum() if total.any() else total)

    @property
    def feature_importances_(self) -> Array:
        """``importances("gain")``, whose bias is described there."""
        return self.importances()


def _first(trees: Trees, rounds: int) -> Trees:
    """Return the trees of the first rounds; for none a single leaf worth 0, which reads as every other tree
    does.
    """
    if rounds:
        return trees if rounds == len(trees) else trees[:rounds]
    leaf = Trees.stump(0, 0.0, np.zeros((2, 1)), trees.n_features)
    root = {name: getattr(leaf, name)[:1] for name in PER_NODE}
    weights = {"weight": trees.weight[:1], "count": trees.count[:1]}
    none = {"feature": np.array([-1], dtype=np.int32), "left": np.array([-1], dtype=np.int32)}
    return replace(leaf, start=np.array([0, 1]), n_categories=trees.n_categories, **(root | weights | none))


def _slope(losses: tuple[Loss, ...], y: Array, weight: Array, scores: Array) -> float:
    """Return the root of the weighted mean of the squared slopes of the losses."""
    if losses[0].vector:
        squares = (losses[0].grad(y, scores) ** 2).sum(axis=1)
    else:
        squares = np.sum([loss.grad(y, scores[:, c]) ** 2 for c, loss in enumerate(losses)], axis=0)
    return float(np.sqrt(weighted_sum(weight, squares) / weight.sum()))
