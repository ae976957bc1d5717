"""A classification tree: questions about single columns, and class shares in the leaves.

Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984).
"""

from __future__ import annotations

from typing import Any

from empirisk.estimators.checks import check_choice
from empirisk.estimators.trees.decision_tree import DecisionTree
from empirisk.estimators.trees.smoothed_shares import SmoothedShares
from empirisk.trees.criteria import Criterion, Misclassification
from empirisk.typing import Array

__all__ = ["DecisionTreeClassifier"]


class DecisionTreeClassifier(SmoothedShares, DecisionTree):
    """``p(c | x)`` = share of class c in the leaf of x: grown by greedy splits, then pruned.

    Each split minimises ``W_L h_L + W_R h_R`` over all cuts of all columns; then the subtree T is taken that
    minimises ``R(T) + alpha |leaves|``, with alpha chosen by cross-validation (Breiman et al. 1984).

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification"}, default "gini"
        Heterogeneity h that a split makes smaller; "log_loss" is another name of "entropy".
    alpha : "cv", float or None, default "cv"
        Strength of pruning, on the scale of the mean loss: the tree minimises mean loss + alpha x leaves
        among all prunings of the grown one.  "cv" chooses it by cross-validation; None keeps the tree as it
        grew; 0 is the smallest tree of the same training loss.  A tree that grows until its leaves are pure
        repeats the noise, so pruning is the default; it costs about `cv` more growths, and None is right
        inside ensembles.
    cv : int, splitter or list of (train, test), default 10
        Folds; an int deals the rows out by their content: a row with all its weight and all its copies.
    rule : {"one_se", "min"}, default "one_se"
        The smallest tree within one standard error of the smallest held-out risk, or that of the smallest.
    max_depth : int, optional
        Edges from root to leaf.
    min_samples_split : int or float, default 2
        Rows of a node that may be split; a float is a share of the rows.
    min_samples_leaf : int or float, default 1
        Rows of each child.
    min_weight_fraction_leaf : float in [0, 0.5], default 0.0
        Least share of the total weight in each child.
    max_features : "sqrt", "log2", int, float or None, optional
        Columns that a node looks at, drawn anew at each node; a float is a share, None means all.
    max_leaf_nodes : int, optional
        Leaves, grown by the largest gain first.
    min_impurity_decrease : float, default 0.0
        Least decrease of the heterogeneity by a split, per unit of total weight.
    class_weight : dict or "balanced", optional
        Factors of the row weights by class.
    monotonic_cst : dict or list, optional
        -1 (falling), 0, +1 (rising) for columns by name or number, or a list of p of them; two classes only,
        and of the share of the second one.
    categorical_features : "from_dtype", list or None, default "from_dtype"
        Columns that hold categories: by the type of a frame's columns (categories and text), by name or by
        number.
    max_bins : int, optional
        Sort each column into so many bins (2 to 255) and cut between bins only: quick for millions of rows.
        None looks at every cut.
    risk : {"misclassification", "criterion"}, default "misclassification"
        What pruning weighs against the leaves: the error rate, as in the book and rpart, or the criterion,
        as in scikit-learn, which keeps splits that sharpen probabilities.
    smoothing : float, default 0.0
        Rows s that are added to each class: probabilities are ``(p + s/n) / (1 + s K/n)`` with the share p,
        K classes and n the total weight of the training rows (Lidstone; s = 1 is Laplace's rule).  With
        s > 0 no class gets the probability 0, and the log-loss is finite; no split and no predicted class
        depends on it.
    optimal : {1, 2, 3}, optional
        The best of all trees of this depth, in place of greedy splits: it minimises error rate + alpha x
        leaves ("cv" counts as 0 there), over numeric columns without missing values.
    time_limit : float, default 60.0
        Seconds for `optimal`; the certificate then says how far from the best the tree can be.
    n_jobs : int, optional
        Threads of the growth; default all that OpenMP has.  The result does not depend on it.
    random_state : int, Generator, RandomState or None, default None
        Seed of the draws of columns and of the folds; None is 0.

    Attributes
    ----------
    tree_ : Trees
        The tree, in flat arrays.
    sequence_ : PruningSequence
        The grown tree with all its prunings; `prune` reads it.
    path_ : CostComplexityPath
        Strengths, leaves and risks of the prunings; with held-out risks after ``alpha="cv"``.
    alpha_ : float or None
        Strength used.
    feature_importances_ : array, shape (p,)
        Shares in the decrease of the criterion, biased towards columns with many values.
    classes_ : array, shape (K,)
        Sorted labels.
    n_features_in_ : int
        Columns.
    columns_ : ColumnCoder
        Which columns are categories.
    solution_ : Solution
        How the tree came about.
    certificate_ : Certificate
        NONE (greedy splits; the held-out risk of the chosen size), EXACT or a gap for `optimal`.

    Raises
    ------
    ValueError
        Parameters out of range; infinite numbers and text that is no category, by name.

    Notes
    -----
    Growth O(p n log n), pruning O(N log N) for N nodes.  Missing values are tried on both sides of every cut.

    References
    ----------
    Breiman, Friedman, Olshen & Stone, Classification and Regression Trees (1984), chapters 2 to 4.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import empirisk as er
    >>> iris = load_iris(as_frame=True)
    >>> model = er.DecisionTreeClassifier().fit(iris.data, iris.target_names[iris.target])
    >>> print(model.to_text())
    root: n = 150, setosa (0.333 0.333 0.333)
    |- petal length (cm) <= 2.45: n = 50, setosa (1.000 0.000 0.000) *
    |- petal length (cm) > 2.45: n = 100, versicolor (0.000 0.500 0.500)
    |  |- petal width (cm) <= 1.75: n = 54, versicolor (0.000 0.907 0.093) *
    |  |- petal width (cm) > 1.75: n = 46, virginica (0.000 0.022 0.978) *
    >>> model.path_.n_leaves, model.path_.index
    (array([9, 7, 4, 3, 2, 1]), 3)
    """

    _is_classifier = True

    def __init__(
        self,
        *,
        criterion: str = "gini",
        alpha: float | str | None = "cv",
        cv: Any = 10,
        rule: str = "one_se",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        max_bins: int | None = None,
        risk: str = "misclassification",
        smoothing: float = 0.0,
        optimal: int | None = None,
        time_limit: float = 60.0,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def _criterion(self, targets: Array) -> Criterion:
        made = self._kind()
        self._loss()
        if self.monotonic_cst is not None and len(self.classes_) > 2:
            raise ValueError(
                f"monotonic_cst says how one class's share moves, but there are {len(self.classes_)} classes"
            )
        criterion: Criterion = made(n_classes=max(2, len(self.classes_)))
        return criterion

    def _loss(self) -> Criterion:
        choices = {"misclassification": Misclassification, "criterion": self._kind()}
        loss: Criterion = check_choice("risk", self.risk, choices)(n_classes=max(2, len(self.classes_)))
        return loss

    def predict_proba(self, X: Any) -> Array:
        """Return the smoothed share of each class in the leaf, shape (n, K), in the order of ``classes_``."""
        table = self._table(X)
        return self._smoothed(self.tree_.predict(table.X))
