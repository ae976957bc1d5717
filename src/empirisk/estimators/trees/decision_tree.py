"""Single trees: grown, pruned, read; and the small trees that are optimal."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from empirisk.data.columns import Table
from empirisk.data.frames import like_input
from empirisk.estimators.checks import check_choice, check_count, check_number, check_rule, is_number
from empirisk.estimators.trees.cost_complexity import CostComplexityPath
from empirisk.estimators.trees.optimal_growth import grow_optimal
from empirisk.estimators.trees.tree_base import TreeEstimator, greedy
from empirisk.estimators.trees.tree_growth import TreeTask
from empirisk.estimators.trees.tree_reading import TreeReading
from empirisk.estimators.trees.verify_tree import verify_tree
from empirisk.results import Certificate, Solution
from empirisk.trees.criteria import Criterion
from empirisk.trees.criteria.choices import criteria_for
from empirisk.trees.positive_rates import positive_rates
from empirisk.trees.prune import PruningSequence, weakest_link
from empirisk.trees.pruning_cv import cross_validated_risk
from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["DecisionTree"]


def gaps(table: Table) -> frozenset[int]:
    """Return the columns that hold missing values."""
    X = table.X
    if hasattr(X, "tocoo"):
        cells = X.tocoo()
        return frozenset(cells.col[np.isnan(cells.data)].tolist())
    with np.errstate(all="ignore"):
        unclear = np.flatnonzero(np.isnan(X.sum(axis=0)))  # a finite sum has finite terms
    return frozenset(j for j in unclear.tolist() if np.isnan(X[:, j]).any())


class DecisionTree(TreeReading, TreeEstimator):
    """Base of the two estimators: growth, pruning, and what is read off the tree.

    After ``fit``: ``tree_``, ``sequence_``, ``path_``, ``alpha_``.
    """

    alpha: Any
    optimal: Any
    cv: Any
    rule: Any
    criterion: Any
    path_: CostComplexityPath
    alpha_: float | None

    _is_classifier = False

    # -- what a subclass gives ----------------------------------------------------------------------

    def _criterion(self, targets: Array) -> Criterion:
        """Return the criterion of the splits, once it fits the targets."""
        raise NotImplementedError

    def _loss(self) -> Criterion:
        """Return the criterion whose loss pruning weighs against the number of leaves."""
        raise NotImplementedError

    def _kind(self) -> Any:
        """Return the class of the criterion that `criterion` names."""
        return check_choice(
            "criterion", self.criterion, criteria_for("classes" if self._is_classifier else "numbers")
        )

    def _sequence(self, tree: Trees) -> PruningSequence:
        """Return all prunings of a tree."""
        return weakest_link(tree, self._loss().node_loss(tree.value, tree.weight, tree.heterogeneity))

    # -- fitting ------------------------------------------------------------------------------------

    def _grow(self, table: Table, targets: Array, weight: Array) -> None:
        alpha = self._alpha()
        self._gaps = gaps(table)
        task = TreeTask.of(self, table, targets, weight, self._criterion(targets))
        if self.optimal is not None:
            tree, self.solution_ = grow_optimal(self, task, 0.0 if isinstance(alpha, str) else alpha or 0.0)
            self._keep(self._sequence(tree))
            self.tree_, self.alpha_ = tree, 0.0 if isinstance(alpha, str) else alpha
            return
        grown = task.grow()
        if task.criterion.non_negative:
            grown = positive_rates(grown, float(np.average(task.y, weights=task.weight)))
        self._keep(self._sequence(grown))
        if alpha is None:
            self.tree_, self.alpha_ = grown, None
            self.solution_ = self._said("as grown")
            return
        if isinstance(alpha, str):
            self.path_ = self._with_held_out(task, self.cv)
            entry = self.path_.index
        else:
            entry = self.sequence_.at(alpha)
        self._cut(entry, None if isinstance(alpha, str) else alpha)

    def _take(self, tree: Trees) -> Self:
        """Take a tree that was grown elsewhere, unpruned; its columns and classes are set before."""
        self._gaps = frozenset()
        self._keep(self._sequence(tree))
        self.tree_, self.alpha_ = tree, None
        self.solution_ = self._said("as grown")
        return self

    def _verify(self, X: Any, y: Any, sample_weight: Any) -> Certificate:
        """Return the certificate of the tree, computed anew for ``er.verify``."""
        return verify_tree(self, X, y, sample_weight)

    def _alpha(self) -> float | str | None:
        if self.alpha is None or (isinstance(self.alpha, str) and self.alpha == "cv"):
            return self.alpha
        if isinstance(self.alpha, str):
            raise ValueError(f'alpha must be a number >= 0, None or "cv", got {self.alpha!r}')
        return check_number("alpha", self.alpha, 0.0)

    def _keep(self, sequence: PruningSequence) -> None:
        self.sequence_ = sequence
        rule = check_rule(self.rule)
        self.path_ = CostComplexityPath(
            sequence.alpha, sequence.n_leaves, sequence.risk, self._loss().name, rule=rule
        )

    def _with_held_out(self, task: TreeTask, cv: Any) -> CostComplexityPath:
        """Return the path with the cross-validated risk of every entry."""
        stratify = self._loss().targets == "classes"
        X = task.table.X.tocsr() if hasattr(task.table.X, "tocsr") else task.table.X
        together, folds = task.folds(cv, stratify)
        # In units of the largest weight, so that no square leaves the doubles.
        unit = float(2.0 ** np.frexp(together.max())[1])
        risk, se, n_folds = cross_validated_risk(
            self.sequence_, folds, X, task.y, task.weight / unit, together / unit, task.grow, self._loss()
        )
        p, at = self.path_, self.sequence_.midpoints
        n = round(float((task.weight / together).sum()))
        return CostComplexityPath(p.alpha, p.n_leaves, p.risk, p.loss, at, risk, se, n, n_folds, p.rule)

    def _cut(self, entry: int, alpha: float | None) -> None:
        """Prune to an entry of the sequence."""
        path = self.path_
        self.tree_ = self.sequence_.subtree(entry)
        self.alpha_ = float(path.alpha[entry]) if alpha is None else alpha
        if path.cv_risk is not None and entry == path.index:
            risk = f"held-out {path.loss} {path.estimate()}"
            how = f"by {path.folds}-fold cross-validation, rule {path.rule!r}, {risk}"
        else:
            how = f"at alpha {self.alpha_:.3g}"
        self.solution_ = self._said(how)

    def _said(self, how: str) -> Solution:
        leaves, grown = int(self.tree_.n_leaves[0]), int(self.sequence_.tree.n_leaves[0])
        size = f"{leaves} leaves" if leaves != 1 else "1 leaf"
        kept = f"{size} of {grown}, {how}" if how != "as grown" else f"{size}, {how}, unpruned"
        return greedy(f"greedy splits; {kept}", leaves - 1, solver="tree")

    # -- pruning ------------------------------------------------------------------------------------

    @like_input
    def cost_complexity_path(
        self, X: Any, y: Any, sample_weight: Any = None, *, cv: Any = None
    ) -> CostComplexityPath:
        """Grow a tree and return its pruning sequence; the estimator stays as it is.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`fit`.
        cv : int, splitter or list of (train, test), optional
            Also estimate the risk of every subtree on held-out rows.

        Returns
        -------
        CostComplexityPath
        """
        other = copy.copy(self)
        if self.optimal is not None:
            raise ValueError("an optimal tree has no pruning sequence of its own: set optimal=None")
        other.alpha, other.cv = (None, self.cv) if cv is None else ("cv", cv)
        return other._fit(X, y, sample_weight).path_

    def prune(self, *, n_leaves: int | None = None, alpha: float | None = None) -> Self:
        """A new estimator with a smaller tree, out of the sequence of the grown one; no data are needed.

        Parameters
        ----------
        n_leaves : int, optional
            The largest tree of the sequence with at most so many leaves.
        alpha : float, optional
            The tree that minimises mean loss + alpha x leaves.

        Raises
        ------
        ValueError
            Unless exactly one of the two is given.
        """
        check_is_fitted(self, "tree_")
        if (n_leaves is None) == (alpha is None):
            raise ValueError("prune takes n_leaves or alpha: give one of the two")
        if n_leaves is not None:
            entry = self.sequence_.with_leaves(check_count("n_leaves", n_leaves, 1))
            strength = float(self.sequence_.alpha[entry])
        else:
            strength = check_number("alpha", alpha, 0.0)
            entry = self.sequence_.at(strength)
        other = copy.copy(self)
        other.alpha = strength
        other._cut(entry, strength)
        return other

    def _values_together(self, parameter: str, values: Sequence[Any]) -> bool:
        """Return whether these are strengths of pruning: all prunings are read off one grown tree."""
        return (
            parameter == "alpha" and self.optimal is None and all(is_number(value, 0.0) for value in values)
        )

    def _fit_each(self, X: Any, y: Any, parameter: str, values: Sequence[Any], **rows: Any) -> Iterator[Self]:
        """Yield the prunings of one tree, which is grown for the first of them."""
        if not self._values_together(parameter, values):
            yield from super()._fit_each(X, y, parameter, values, **rows)
            return
        grown: Self | None = None
        for value in values:
            if grown is None:
                model = grown = clone(self).set_params(alpha=value).fit(X, y, **rows)
            else:
                model = grown.prune(alpha=value).set_params(alpha=value)
            yield model

    # -- facts --------------------------------------------------------------------------------------

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree."""
        check_is_fitted(self, "tree_")
        return int(self.tree_.n_leaves[0])

    def get_depth(self) -> int:
        """Edges on the longest path from the root."""
        check_is_fitted(self, "tree_")
        return int(self.tree_.depth[0])

    @property
    def feature_importances_(self) -> Array:
        """Share of each column in the decrease of the criterion by the splits, shape (p,).

        Biased towards columns with many values, and measured on the training rows: permutation importances
        on held-out rows (``sklearn.inspection.permutation_importance``) have neither fault.
        """
        check_is_fitted(self, "tree_")
        inner = self.tree_.feature >= 0
        p = self.tree_.n_features
        gain = np.bincount(self.tree_.feature[inner], weights=self.tree_.gain[inner], minlength=p)
        total = float(gain.sum())
        return gain / total if total > 0.0 else np.zeros(p)

    def apply(self, X: Any) -> IndexArray:
        """Return the number of the leaf of each row, shape (n,)."""
        table = self._table(X)
        return np.asarray(self.tree_.apply(table.X)[:, 0])

    def decision_path(self, X: Any) -> sp.csr_array:
        """Nodes that each row passes: ones in a sparse matrix of shape (n, nodes)."""
        table = self._table(X)
        return self.tree_.decision_path(table.X)
