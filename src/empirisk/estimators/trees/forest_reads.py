"""What a grown forest tells beside its predictions: leaves, importances, proximities, errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from empirisk.data.columns import Table
from empirisk.data.frames import like_input
from empirisk.estimators.checks import check_choice
from empirisk.estimators.training import KEPT_BYTES, stored_bytes
from empirisk.estimators.trees.tree_base import TreeEstimator, dense
from empirisk.results.estimate import check_level
from empirisk.trees.alike_cells import alike_cells
from empirisk.trees.debiased_importance import debiased_importance, impurity_importance
from empirisk.trees.forest import Bag
from empirisk.trees.forest_memory import forest_memory
from empirisk.trees.importances import Importances
from empirisk.trees.jackknife import Jackknife
from empirisk.trees.out_of_bag_tally import OutOfBagTally
from empirisk.trees.permutation_importance import permutation_importance
from empirisk.trees.proximity import proximity
from empirisk.trees.structure import Trees
from empirisk.typing import Array, IndexArray

__all__ = ["ForestReads"]

PROBE = 300  # training rows on which the jackknife is calibrated


class ForestReads(TreeEstimator):
    """Questions to a fitted forest; those about training rows use a copy of up to 32 MiB, never pickled."""

    trees_: Trees
    max_depth: Any
    max_leaf_nodes: Any
    min_samples_leaf: Any
    n_estimators: Any
    bootstrap: Any
    targets: Any
    _bag: Bag
    _seed: int
    _live: IndexArray | None
    _training: tuple[Table, Array] | None = None
    _probe: tuple[IndexArray, IndexArray] | None
    _n_classes = 0
    _smooth = ""

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_training", None)
        return state

    # -- leaves -------------------------------------------------------------------------------------

    def apply(self, X: Any) -> IndexArray:
        """Return the leaf of each row in each tree, numbered within the tree, shape (n, T)."""
        return self.trees_.apply(self._table(X).X)

    def decision_path(self, X: Any) -> tuple[sp.csr_array, IndexArray]:
        """Return the nodes that each row passes, shape (n, N), and where each tree's nodes begin, shape (T +
        1,).
        """
        path = self.trees_.decision_path(self._table(X).X)
        return path, self.trees_.start

    def _mean(self, table: Table) -> Array:
        return self.trees_.predict(table.X) / len(self.trees_)

    def _by_tree(self, leaves: IndexArray) -> NDArray[np.float64]:
        """Return what each tree predicts, shape (m, T, k)."""
        return np.asarray(self.trees_.value[leaves + self.trees_.start[:-1]], dtype=np.float64)

    # -- bags ---------------------------------------------------------------------------------------

    def bag_counts(self) -> IndexArray:
        """Return how often each tree drew each training row of positive weight, shape (n, T): drawn again."""
        check_is_fitted(self)
        return self._bag.counts(self._seed, len(self.trees_))

    @property
    def weighted_bags(self) -> bool:
        """Whether rows were drawn in proportion to weights."""
        check_is_fitted(self)
        return self._bag.weight is not None

    def _needs_bags(self, what: str) -> None:
        check_is_fitted(self)
        if not self._bag.draws:
            raise ValueError(f"{what} needs trees that did not see all rows: fit with bootstrap=True")

    def _keep(self, X: Any, y: Any) -> None:
        """Return a copy of the encoded rows, up to the limit."""
        table, targets = self._table(X), self._targets(y, fitting=False)
        small = self._small(table, targets)
        self._training = (replace(table, X=table.X.copy()), np.array(targets)) if small else None

    @staticmethod
    def _small(table: Table, targets: Array) -> bool:
        """Return whether rows are few enough to be kept."""
        return bool(stored_bytes(table.X) + targets.nbytes <= KEPT_BYTES)

    def _training_rows(self, X: Any, y: Any) -> tuple[Table, Array]:
        """Return the encoded training rows of positive weight, and their targets."""
        if (X is None) != (y is None):
            raise ValueError("pass both X and y of the fit, or neither")
        if X is not None:
            table, targets = self._table(X), self._targets(y, fitting=False)
        elif self._training is not None:
            table, targets = self._training
        else:
            raise ValueError(
                "the rows of the fit are not at hand: a forest keeps up to 32 MiB of them, but none in a "
                "pickle or copy; pass X and y of the fit again"
            )
        if self._live is not None:
            table = Table(table.X[self._live], table.n_categories, table.names)
            targets = targets[self._live]
        if table.n_rows != self._bag.n:
            raise ValueError(
                f"X has {table.n_rows} rows, but the forest was fitted on {self._bag.n}: pass those rows"
            )
        return table, targets

    def _choose_probe(self, X: Any, tally: OutOfBagTally) -> None:
        """Return the leaves of a few training rows, evenly spaced.

        Tree by tree: the loops would keep a second copy of all nodes, which a fit does not need.
        """
        n = self._bag.n
        rows = np.unique(np.linspace(0, n - 1, min(n, PROBE)).astype(np.int64))
        probe = X[rows]
        self._probe = rows, np.column_stack([tree.apply(probe)[:, 0] for tree in self.trees_])

    def _jackknife(self) -> Jackknife:
        self._needs_bags("an interval of the forest's prediction")
        counts = self.bag_counts()
        rows, leaves = self._probe if self._probe is not None else (None, None)
        jackknife = Jackknife.from_counts(counts)
        if rows is None or leaves is None:
            return jackknife
        return jackknife.calibrate(self._by_tree(leaves), counts[rows] == 0)

    def _interval(self, X: Any, level: float) -> tuple[Array, Array, Array, Array]:
        """Return values, lower and upper ends and standard errors, each of shape (n, k)."""
        check_level(level)
        found = self._jackknife().variance(self._by_tree(self.apply(X)))
        low, high = found.interval(level)
        return found.value, low, high, found.standard_error

    # -- columns and rows ---------------------------------------------------------------------------

    @property
    def feature_importances_(self) -> Array:
        """Shares of the columns in the decrease of heterogeneity on the rows behind the splits, (p,).

        Biased towards columns with many values; :meth:`importances` is not.  Of several targets together it
        is the mean of their decreases.
        """
        check_is_fitted(self)
        shared = vars(self).get("by_target_") if self.targets == "together" else None
        forests = [self] if shared is None else list(shared.values())
        found = np.mean([impurity_importance(forest.trees_) for forest in forests], axis=0)
        return np.asarray(found / found.sum() if found.any() else found)

    @like_input
    def importances(
        self,
        X: Any = None,
        y: Any = None,
        *,
        kind: str = "permutation",
        groups: Sequence[Sequence[int]] | None = None,
        repeats: int = 5,
    ) -> Importances:
        """Importances of the columns on rows that the trees did not see, with standard errors and intervals.

        Parameters
        ----------
        X, y : arrays, optional
            The rows of the fit; a forest keeps up to 32 MiB of them, but none in a pickle or copy.
        kind : {"permutation", "conditional", "trees", "debiased"}, default "permutation"
            Rise of the out-of-bag risk when a column is shuffled; the same when it is shuffled only among
            rows that are alike in the other columns (what it adds to them); the mean rise of the risk of
            single trees (Breiman); the decrease of heterogeneity by its splits, judged on unseen rows.
        groups : sequence of sequences of int, optional
            Columns that are shuffled together, for "permutation" and "trees".
        repeats : int, default 5
            Shuffles of each column.

        Returns
        -------
        Importances
            ``value``, ``standard_error``, ``interval(level)``, ``estimates(names)``.
        """
        self._needs_bags("importances out-of-bag")
        kinds = ("permutation", "conditional", "trees", "debiased")
        how = check_choice("kind", kind, {k: k for k in kinds})
        if groups is not None and how in ("conditional", "debiased"):
            raise ValueError(f'groups of columns are shuffled by kind="permutation" or "trees", not {kind!r}')
        table, targets = self._training_rows(X, y)
        dense_X = dense(table).X
        leaves, counts = self.trees_.apply(dense_X), self.bag_counts()
        if how == "debiased":
            K = self._n_classes
            shown = targets if K == 0 else (targets[:, None] == np.arange(K)).astype(np.float64)
            return replace(debiased_importance(self.trees_, leaves, shown, counts), names=self._names())
        loss = self._row_losses(targets)[self._smooth]
        found = permutation_importance(
            self.trees_,
            dense_X,
            leaves,
            counts == 0,
            loss,
            groups=groups,
            cells=alike_cells(dense_X, table.n_categories) if how == "conditional" else None,
            of="trees" if how == "trees" else "forest",
            repeats=repeats,
            weight=self._bag.weight,
            seed=self._seed,
        )
        return replace(found, names=self._names() if groups is None else ())

    def _names(self) -> tuple[str, ...]:
        """Return the names of the columns, x0, x1, ... where the rows had none."""
        known = getattr(self, "feature_names_in_", None)
        return tuple(f"x{j}" for j in range(self.n_features_in_)) if known is None else tuple(map(str, known))

    def proximity(self, X: Any = None, *, kind: str = "gap", training: Any = None) -> sp.csr_array:
        """Return how often rows meet training rows in the leaves, sparse, shape (m, n).

        Parameters
        ----------
        X : array, data frame or sparse matrix, optional
            Rows; the training rows by default.
        kind : {"gap", "out-of-bag", "all"}, default "gap"
            See :func:`empirisk.trees.proximity.proximity`: weights of the out-of-bag prediction, or shares of
            trees.
        training : tuple (X, y), optional
            The rows of the fit; a forest keeps up to 32 MiB of them, but none in a pickle or copy.

        Returns
        -------
        CSR matrix
            Columns are the training rows of positive weight.
        """
        if kind != "all":
            self._needs_bags(f"{kind} proximities")
        table, _ = self._training_rows(*(training or (None, None)))
        leaves = self.trees_.apply(table.X)
        counts = self.bag_counts() if kind != "all" else None
        return proximity(self.trees_.start, leaves, counts, kind, None if X is None else self.apply(X))

    def memory_forecast(self, n: int, p: int, *, n_classes: int = 2, threads: int = 1) -> dict[str, float]:
        """Return the upper bounds in bytes on what a fit with these parameters holds and needs, without
        fitting.

        Parameters
        ----------
        n, p : int
            Rows and columns.
        n_classes : int, default 2
            Classes; regressors have one output.
        threads : int, default 1
            Trees that grow at once.

        Returns
        -------
        dict
            ``"trees"``, ``"counts"``, ``"growth"``, ``"total"``.

        Raises
        ------
        ValueError
            For numbers below 1.
        """
        trees = 1000 if isinstance(self.n_estimators, str) else int(self.n_estimators)
        least = self.min_samples_leaf if isinstance(self.min_samples_leaf, int) else self.min_samples_leaf * n
        return forest_memory(
            n,
            p,
            trees,
            outputs=n_classes if self._is_classifier else 1,
            min_rows_leaf=max(1, int(least)),
            max_depth=self.max_depth,
            max_leaves=self.max_leaf_nodes,
            sample=0.632 if self.bootstrap else 1.0,
            threads=threads,
            keep_counts=False,
        )

    _is_classifier = False

    def _row_losses(self, targets: Array) -> dict[str, Any]:
        raise NotImplementedError
