"""Reading a fitted tree: text, rules, the path of a row, a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.data.columns import ColumnCoder
from empirisk.estimators.checks import check_count, check_flag, check_weights
from empirisk.results.estimate import check_level
from empirisk.trees.conditions import Wording
from empirisk.trees.leaf_rules import Rule, leaf_rules
from empirisk.trees.prune import PruningSequence
from empirisk.trees.structure import Trees
from empirisk.trees.tree_text import Answers, path_text, tree_text

__all__ = ["TreeReading", "export_text"]


class TreeReading:
    """What users read off ``tree_``; columns and categories carry the names of the training frame."""

    tree_: Trees
    sequence_: PruningSequence
    columns_: ColumnCoder
    _gaps: frozenset[int]

    def to_text(
        self,
        *,
        max_depth: int | None = None,
        decimals: int = 3,
        feature_names: Any = None,
        class_names: Any = None,
        show_weights: bool = False,
    ) -> str:
        """The tree as indented lines: question, rows, prediction (class shares), ``*`` at leaves.

        Parameters
        ----------
        max_depth : int, optional
            Leave out what lies deeper; ``...`` stands for it.
        decimals : int, default 3
            Of the shares; means and medians have two more significant digits.
        feature_names : sequence of str, optional
            Names for the columns of an array.
        class_names : sequence of str, optional
            Names for the classes, in the order of ``classes_``.
        show_weights : bool, default False
            Whether the weight of the rows is told at every node, and of each class where there are classes.
        """
        words = self._words(feature_names)
        depth = None if max_depth is None else check_count("max_depth", max_depth, 0)
        shown = check_flag("show_weights", show_weights)
        return tree_text(words, self._answers(decimals, class_names, shown), depth)

    def rules(
        self,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        level: float = 0.95,
        feature_names: Any = None,
    ) -> list[Rule]:
        """The leaves as if-then rules, which partition the rows, each with a share or mean and its interval.

        Parameters
        ----------
        X, y, sample_weight : optional
            Rows that the tree has not seen: intervals then cover with the stated probability in each leaf
            (Clopper-Pearson for shares, Student for means, order statistics for medians).  Without them the
            training rows speak; they chose the splits, so their intervals are too narrow, and say so in
            ``estimate.reason``.
        level : float, default 0.95
            Coverage.
        feature_names : sequence of str, optional
            Names for the columns of an array.
        """
        check_level(level)
        fresh = None
        if (X is None) != (y is None):
            raise ValueError("pass both X and y, or neither")
        if X is not None:
            table = self._table(X)  # type: ignore[attr-defined]
            targets = self._targets(y, fitting=False)  # type: ignore[attr-defined]
            weight = check_weights(sample_weight, table.n_rows)
            live = weight > 0.0
            rows = table.X.tocsr()[live] if hasattr(table.X, "tocsr") else table.X[live]
            fresh = rows, targets[live], weight[live]
        kind = self._kind()  # type: ignore[attr-defined]
        return leaf_rules(self._words(feature_names), self._labels(), kind, fresh, level)

    def explain(self, row: Any, *, decimals: int = 3, feature_names: Any = None) -> str:
        """The questions that one row answers from the root to its leaf, and how the prediction moves.

        Parameters
        ----------
        row : array of shape (p,), frame or array of one row
            The row.
        decimals : int, default 3
            Of the shares.
        feature_names : sequence of str, optional
            Names for the columns of an array.
        """
        return path_text(self._words(feature_names), self._encoded(row), self._answers(decimals))

    def plot(self, ax: Any = None, *, row: Any = None, feature_names: Any = None) -> Any:
        """Draw the tree; the path of `row` is highlighted.  Returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure when None.
        row : array of shape (p,), or a frame or array of one row, optional
            A row whose path is drawn strong.
        feature_names : sequence of str, optional
            Names for the columns of an array.
        """
        from empirisk.plots.tree import TreeDisplay

        leaf = None if row is None else int(self.tree_.apply(self._encoded(row)[None, :])[0, 0])
        return TreeDisplay(self._words(feature_names), self._labels(), leaf).plot(ax)

    # -- names --------------------------------------------------------------------------------------

    def _labels(self) -> Any:
        return getattr(self, "classes_", None)

    def _answers(self, decimals: Any, class_names: Any = None, weights: bool = False) -> Answers:
        """Return how the answers of nodes are written."""
        labels, kind = self._labels(), self._kind()  # type: ignore[attr-defined]
        if class_names is not None:
            if labels is None:
                raise ValueError("class_names is for classifiers, and this tree predicts numbers")
            if isinstance(class_names, str) or len(class_names) != len(labels):
                raise ValueError(
                    f"class_names must hold {len(labels)} names, one for each of {list(labels)}, got "
                    f"{class_names!r}"
                )
            labels = list(class_names)
        noun = "median" if kind.sums == "order" else "mean"
        return Answers(labels, check_count("decimals", decimals, 0), weights, noun)

    def _words(self, feature_names: Any) -> Wording:
        check_is_fitted(self, "tree_")
        p = self.tree_.n_features
        names = self.columns_.names if feature_names is None else tuple(map(str, feature_names))
        if names is None:
            names = tuple(f"x{j}" for j in range(p))
        if len(names) != p:
            raise ValueError(f"feature_names has {len(names)} names, the tree has {p} columns")
        return Wording(self.tree_, names, self.columns_.categories, self._gaps)

    def _encoded(self, row: Any) -> Any:
        check_is_fitted(self, "tree_")
        if not hasattr(row, "columns"):
            values = row.toarray() if hasattr(row, "toarray") else np.asarray(row)
            row = values[None, :] if values.ndim == 1 else values
        if np.shape(row)[0] != 1:
            raise ValueError(f"row must be one row, got {np.shape(row)[0]}; call it for each")
        X = self._table(row).X  # type: ignore[attr-defined]
        return np.asarray(X.toarray() if hasattr(X, "toarray") else X)[0]


def export_text(
    tree: Any,
    *,
    feature_names: Any = None,
    class_names: Any = None,
    max_depth: int | None = None,
    decimals: int = 3,
    show_weights: bool = False,
) -> str:
    """The text of a fitted tree, one line a node, as ``tree.to_text`` gives it.

    It stands where users of scikit-learn look for it.  Thresholds are written in as many digits as they need
    to be told from their neighbours; a leaf ends with ``*``, and ``...`` stands for what lies deeper than
    `max_depth`.

    Parameters
    ----------
    tree : DecisionTreeClassifier or DecisionTreeRegressor
        Fitted.  Of a tree of several targets give the model of one of them, ``tree.by_target_["name"]``.
    feature_names : sequence of str, optional
        Names for the columns of an array.
    class_names : sequence of str, optional
        Names for the classes, in the order of ``classes_``.
    max_depth : int, optional
        Edges from the root to the last line; by default all of the tree is written.
    decimals : int, default 3
        Of class shares; means and medians have two more significant digits.
    show_weights : bool, default False
        Whether the weight of the rows is told at every node, and of each class where there are classes.

    Returns
    -------
    str

    Raises
    ------
    TypeError
        `tree` is no single tree of this library.
    ValueError
        Names of another number than the columns or classes; a negative depth.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array(["no", "no", "yes", "yes"])
    >>> tree = er.DecisionTreeClassifier(alpha=None).fit(X, y)
    >>> print(er.export_text(tree, feature_names=["age"]))
    root: n = 4, no (0.500 0.500)
    |- age <= 2.5: n = 2, no (1.000 0.000) *
    |- age > 2.5: n = 2, yes (0.000 1.000) *
    """
    if not isinstance(tree, TreeReading):
        raise TypeError(
            f"export_text writes a DecisionTreeClassifier or DecisionTreeRegressor of this library, got "
            f"{type(tree).__name__}"
        )
    return tree.to_text(
        max_depth=max_depth,
        decimals=decimals,
        feature_names=feature_names,
        class_names=class_names,
        show_weights=show_weights,
    )
