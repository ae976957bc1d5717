"""Classification by a vote of the nearest rows.

Fix and Hodges 1951, USAF School of Aviation Medicine, report 4; Cover and Hart, IEEE Transactions on
Information Theory 13 (1967).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from empirisk.estimators.checks import check_number, is_number
from empirisk.estimators.label_codes import encode_labels, refuse_mixed, weigh_classes
from empirisk.estimators.log_probabilities import LogProbabilities
from empirisk.estimators.neighbors.voting_neighbors import VotingNeighbors
from empirisk.typing import Array

__all__ = ["KNeighborsClassifier"]

# Share of the weight of a class below which nothing of it is left: sums differ by rounding.
ROUNDING = 1e-12


class KNeighborsClassifier(LogProbabilities, ClassifierMixin, VotingNeighbors):
    """The class that most of the k nearest training rows have.

    ``p_c(x) = sum_{i in N_k(x)} w_i s_i [y_i = c] / sum_{i in N_k(x)} w_i s_i``

    is the plug-in estimate of the probability of class c, and the class of the largest one is predicted; w
    are weights by distance, s those of the rows.

    Parameters
    ----------
    n_neighbors : int or "cv", default 5
        k.  ``"cv"`` chooses it by the exact leave-one-out error, for all k at once.
    weights : {"uniform", "distance"} or callable, default "uniform"
        ``"distance"`` weighs by one over the distance; a function takes the distances, shape (m, k), and
        returns weights of that shape.
    metric : str, Metric or callable, default "euclidean"
        A name of :data:`empirisk.neighbors.METRICS`, an object, or a function of two rows.
    algorithm : {"auto", "brute", "kd_tree"}, default "auto"
        Compare each query with all rows, or search a k-d tree, which there is for dense rows and Minkowski
        distances; ``"auto"`` takes what a measured rule expects to be sooner.  The answers have the same
        bits, and the certificate says how they were found.
    class_weight : dict, "balanced" or None, default None
        Factors on the weights of the rows of each class; "balanced" gives every class weight S/K.
    smoothing : float, default 0.0
        Rows that are added to each class, >= 0: no class is impossible because few neighbours were asked.
    rule : {"min", "one_se"}, default "min"
        With ``"cv"``: the least error, or the most neighbours within one standard error of it.

    Attributes
    ----------
    classes_ : array, shape (K,)
        Sorted labels.
    n_neighbors_ : int
        k that is used.
    metric_ : Metric
        The metric as an object.
    n_samples_fit_ : int
        Rows that are searched: those of positive weight.
    certificate_ : Certificate
        The search is exact.
    selection_ : NeighborSelection
        With ``"cv"``: the error of every k.

    Raises
    ------
    ValueError
        For more neighbours than rows, and rows that the metric is not defined for.

    Notes
    -----
    O(n p) a query by comparing with all rows, about O(log n) in a tree where rows fill few dimensions; on all
    threads.  Columns are compared as they are: bring them to one scale before.  Equal distances are sorted by
    the number of the row.  A row of weight 0 is no row's neighbour, as if it were not there.  A weight of 2
    doubles a vote, and is not the row twice: copies take two of the k places, and no rule about k places
    holds for repetition and for the scale of the weights together.  Leave-one-out leaves a row out with all
    its copies (equal features and label), unless few different rows are possible; with ``"balanced"`` weights
    is that of refits, whose balance the row does not enter.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = er.KNeighborsClassifier(3).fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[0.4]]), model.predict_proba([[0.4]]).round(2)
    (array(['a'], dtype='<U1'), array([[0.67, 0.33]]))
    """

    classes_: Any

    def __init__(
        self,
        n_neighbors: Any = 5,
        *,
        weights: Any = "uniform",
        metric: Any = "euclidean",
        algorithm: str = "auto",
        class_weight: Any = None,
        smoothing: float = 0.0,
        rule: str = "min",
    ) -> None:
        self._set(locals())

    @property
    def probabilities_open(self) -> bool | None:
        """True where `smoothing` keeps every probability above 0; None leaves it to the kind of model."""
        return True if is_number(self.smoothing, 0.0, closed=False) else None

    def _look_at_targets(self, y: Any) -> None:
        refuse_mixed(y)
        check_number("smoothing", self.smoothing, 0.0)

    def _targets(self, y: Any, fitting: bool) -> Array:
        self.classes_, codes = encode_labels(y, None if fitting else self.classes_)
        return np.eye(len(self.classes_))[codes]

    def _weights(self, weight: Array, votes: Array) -> Array:
        codes = votes.argmax(axis=1)
        return weigh_classes(self.class_weight, self.classes_, codes, weight)

    def _without(self, total: Array, gone: Array) -> Array:
        """Return votes with the balance of the other rows: S_c lacks those left out, and the class weighs
        more.
        """
        if self.class_weight != "balanced":
            return total
        # Balanced weights of a class are in proportion to those of the rows: the ratio is the same.
        own = gone[:, :-1]
        all_of = self._cast()[:, :-1].sum(axis=0)
        left = all_of - own > ROUNDING * all_of
        changed = total[:, :-1] * np.where(left, all_of / np.where(left, all_of - own, 1.0), 1.0)
        return np.column_stack([changed, changed.sum(axis=1)])

    def _losses(self, mean: Array, rows: Array) -> Array:
        return np.asarray(mean.argmax(axis=1) != rows.argmax(axis=1), dtype=np.float64)

    def predict_proba(self, X: Any) -> Array:
        """Return the share of each class among the neighbours, shape (m, K), in the order of ``classes_``.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p), or None
            New rows; None is the training rows, each without itself and its copies.
        """
        share = self._answer(X)
        added = self.smoothing / self.n_neighbors_
        return np.asarray((share + added) / (1.0 + added * share.shape[1]))

    def predict(self, X: Any) -> Any:
        """Return the class of the largest share, the first of equal ones, shape (m,)."""
        chosen = self.predict_proba(X).argmax(axis=1)
        return self.classes_[chosen]
