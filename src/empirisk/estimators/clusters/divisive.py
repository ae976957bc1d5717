"""Hierarchical clustering from the top: one cluster is split into two, again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.clustering.units import refuse_extreme
from empirisk.data.memory import refuse_memory
from empirisk.data.weight_unit import WeightUnit
from empirisk.estimators.checks import check_choice, check_count, check_weights
from empirisk.estimators.clusters.base import first_seen
from empirisk.estimators.clusters.height_unit import HeightUnit
from empirisk.estimators.clusters.k_means import KMeans
from empirisk.estimators.clusters.merged_rows import METRICS, check_distances, rows_for
from empirisk.estimators.clusters.places import refuse_few_places, refuse_too_few
from empirisk.estimators.clusters.row_names import NamesRows, words_of
from empirisk.estimators.clusters.stopping import check_enough
from empirisk.estimators.clusters.verify_merges import no_tree
from empirisk.estimators.stated import disputed, misnumbered
from empirisk.linkage import MergeTree
from empirisk.linkage.diana import diana, divisive_coefficient
from empirisk.linkage.drawing import dendrogram
from empirisk.linkage.plain_greedy import all_distances
from empirisk.results import Certificate, Kind
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array, IndexArray
from empirisk.wording import counted

__all__ = ["DivisiveClustering"]

METHODS = {"bisecting_kmeans": True, "diana": False}


class DivisiveClustering(NamesRows):
    """Clusters from splits: all rows are one at first, then the widest cluster is split.

    Parameters
    ----------
    n_clusters : int, default 2
        K, at most the number of rows.
    method : {"bisecting_kmeans", "diana"}, default "bisecting_kmeans"
        Split the cluster with the largest inertia by :class:`empirisk.KMeans` into two, or, by DIANA, the one
        with the largest diameter, which rows leave one by one while they are nearer to those that left.
    metric : {"euclidean", "manhattan", "cosine", "precomputed"}, default "euclidean"
        The distance of rows for DIANA; k-means has the Euclidean one.
    random_state : int, Generator, RandomState or None, default None
        What draws the starts of k-means; None is 0.

    Attributes
    ----------
    labels_ : array of int, shape (n,)
        Cluster 0 holds the first row; -1 for rows of weight 0 in DIANA.
    linkage_matrix_ : array
        The splits as merges, the last split first, as SciPy writes them: over all rows for DIANA, (m - 1, 4),
        with diameters as heights; over the K clusters for k-means, (K - 1, 4), with inertias as heights.
    divisive_coefficient_ : float
        DIANA alone: the mean of one less the diameter of the last cluster around a row over that of all.
    cluster_centers_ : array, shape (K, p)
        k-means alone: the means of the clusters.
    inertia_ : float
        k-means alone: ``sum_i s_i ||x_i - mean of its cluster||^2``.
    certificate_ : Certificate
        EXACT for DIANA (every split follows the rule); STATIONARITY for k-means: how much one more step of
        2-means could lower the inertia of a split.  Nothing is claimed about other partitions.

    Raises
    ------
    ValueError
        For more clusters than (distinct) rows, weights in DIANA other than 0 and one number, and distances
        as :class:`empirisk.AgglomerativeClustering` refuses them.
    MemoryError
        Where DIANA's matrix of distances, ``16 n^2`` bytes with its sums, is not free.

    Notes
    -----
    DIANA takes between O(n^2) and O(n^3) steps, k-means about O(n p log K) for each of its steps.
    In DIANA the mean distance of a row leaves the row itself out, so that a weight of 2 is not the row twice
    and a half is nothing: weights other than 0 and one common number are refused.

    References
    ----------
    Kaufman and Rousseeuw 1990, Finding Groups in Data, chapter 6; Steinbach, Karypis and Kumar, KDD Workshop
    on Text Mining 2000.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [9.0], [10.0], [30.0]])
    >>> er.DivisiveClustering(3).fit(X).labels_
    array([0, 0, 1, 1, 2])
    >>> model = er.DivisiveClustering(2, method="diana").fit(X)
    >>> model.labels_, round(model.divisive_coefficient_, 3)
    (array([0, 0, 0, 0, 1]), 0.773)
    """

    linkage_matrix_: Array
    divisive_coefficient_: float
    cluster_centers_: Array
    inertia_: float

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        method: str = "bisecting_kmeans",
        metric: str = "euclidean",
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def _group(self, X: Any, weight: Array) -> None:
        """Split until there are K clusters, by DIANA until all rows are alone."""
        for name in ("divisive_coefficient_", "cluster_centers_", "inertia_"):
            self.__dict__.pop(name, None)
        k, by_means = self._checked()
        leaves = np.flatnonzero(weight > 0.0)
        check_enough(k, len(leaves))
        if self.metric == "precomputed":
            check_distances(X)
            refuse_few_places(_among(X, leaves), k)
        else:
            refuse_too_few(X[leaves], k)
        if by_means:
            self._bisect(X, weight, k)
            return
        self._refuse_weights(weight)
        self.linkage_matrix_, self.divisive_coefficient_ = self._analysed(X, leaves)
        self.labels_ = np.full(len(X), -1, dtype=np.intp)
        self.labels_[leaves] = self.tree.clusters(k)
        self.certificate_ = Certificate(
            Kind.EXACT,
            0.0,
            1.0,
            f"each of the {len(leaves) - 1:,} splits follows the rule of DIANA; no partition is claimed to "
            "be the best of its size",
        )

    def _checked(self) -> tuple[int, bool]:
        by_means: bool = check_choice("method", self.method, METHODS)
        metric = check_choice("metric", self.metric, METRICS)
        if by_means and metric != "euclidean":
            raise ValueError(f"method='bisecting_kmeans' is Euclidean, got metric={metric!r}; take 'diana'")
        return check_count("n_clusters", self.n_clusters, 1), by_means

    def _refuse_weights(self, weight: Array) -> None:
        other = np.flatnonzero((weight > 0.0) & (weight != weight.max()))
        if len(other):
            row = int(other[0])
            raise ValueError(
                "DIANA leaves each row out of its own mean distance, so that weights have no meaning in it, "
                f"and sample_weight is {weight[row]:g} in row {row} and {weight.max():g} in row "
                f"{int(np.argmax(weight))}; repeat rows, or take method='bisecting_kmeans'"
            )

    def _analysed(self, X: Any, leaves: IndexArray) -> tuple[Array, float]:
        """Return the splits of the rows of positive weight by DIANA, and their coefficient."""
        n = len(leaves)
        refuse_memory(f"the distances of {n:,} rows", 16.0 * n * n, "take fewer rows, or bisecting k-means")
        part = _among(X, leaves) if self.metric == "precomputed" else X[leaves]
        rows, exponent = rows_for(part, self.metric, leaves)
        splits = diana(all_distances(rows, self.metric))
        coefficient = divisive_coefficient(splits)
        splits[:, 2] = HeightUnit(exponent).of_rows(splits[:, 2])
        return splits, coefficient

    # -- bisecting k-means ----------------------------------------------------------------------------

    def _bisect(self, X: Array, weight: Array, k: int) -> None:
        """Split the cluster with the largest inertia until there are K."""
        refuse_extreme(X)
        weight, unit = _in_unit(weight)
        labels = np.zeros(len(X), dtype=np.intp)
        inertia = [self._inertia(X, weight)]
        splits: list[tuple[int, int, float]] = []
        while len(inertia) < k:
            widest = int(np.argmax(inertia))
            rows = np.flatnonzero(labels == widest)
            if not inertia[widest] > 0.0:
                raise ValueError(
                    f"n_clusters = {k} is more than the {counted(len(inertia), 'distinct row')} of positive "
                    "weight in X"
                )
            halves = KMeans(2, random_state=self.random_state).fit(X[rows], sample_weight=weight[rows])
            splits.append((widest, len(inertia), inertia[widest]))
            labels[rows[halves.labels_ == 1]] = len(inertia)
            inertia[widest] = self._inertia(X[labels == widest], weight[labels == widest])
            inertia.append(self._inertia(X[labels == len(inertia)], weight[labels == len(inertia)]))
        self.labels_, old = first_seen(labels, weight)
        new = np.argsort(old)
        self.linkage_matrix_ = _tree_of_splits(splits, new)
        with np.errstate(over="ignore"):  # refused with `inertia_`, or of the first split alone
            self.linkage_matrix_[:, 2] *= unit
        self.cluster_centers_ = np.stack(
            [np.average(X[self.labels_ == c], axis=0, weights=weight[self.labels_ == c]) for c in range(k)]
        ).astype(X.dtype)
        self.inertia_ = float(sum(inertia)) * unit
        self.certificate_ = self._stationary(X, weight)

    @staticmethod
    def _inertia(X: Array, weight: Array) -> float:
        rows = X.astype(np.float64) - X[0].astype(np.float64)  # equal rows have no inertia at all
        return float(weight @ np.sum((rows - np.average(rows, axis=0, weights=weight)) ** 2, axis=1))

    def _stationary(self, X: Array, weight: Array) -> Certificate:
        unit = float(np.max(np.abs(X), initial=0.0)) or 1.0
        gain = open_gain(X / unit, weight, self.labels_, self.tree) / weight.sum()
        scale = self._inertia(X / unit, weight) / weight.sum()
        splits = len(self.linkage_matrix_)
        share = gain / scale if scale > 0.0 else 0.0
        said = (
            f"one more step of 2-means lowers the inertia of none of the {splits:,} splits by more than "
            f"{share:.2g} of that of all rows; the best splits are not claimed"
        )
        if not splits:
            said = "one cluster holds all rows, and nothing was split"
        return Certificate(Kind.STATIONARITY, gain, scale if scale > 0.0 else 1.0, said)

    # -- the tree -------------------------------------------------------------------------------------

    @property
    def tree(self) -> MergeTree:
        """The splits as a tree, whose leaves are rows (DIANA) or the K clusters (k-means)."""
        return MergeTree(self.linkage_matrix_)

    def dendrogram(self, X: Any = None, *, labels: Any = None, max_leaves: int = 40) -> Any:
        """Return the chart of the tree: of rows for DIANA, of clusters for k-means.

        Parameters
        ----------
        X : data frame, optional
            The rows of the fit: the index of a frame names the leaves of DIANA.
        labels : sequence, optional
            Names of the rows, or of the clusters.  By default those of the index of `X` or of the frame of
            the fit for DIANA (which a model that comes from a file does not have), else numbers.
        max_leaves : int, default 40
            A larger tree is shown from the top: the last ``max_leaves - 1`` merges.

        Returns
        -------
        DendrogramDisplay
            ``dendrogram().plot(ax=None)`` draws it and returns the Plot.
        """
        from empirisk.plots.dendrogram import DendrogramDisplay

        check_is_fitted(self)
        check_count("max_leaves", max_leaves, 2)
        rows = np.flatnonzero(self.labels_ >= 0)
        of_rows = self.method == "diana"
        if of_rows:
            every = self._names_for(labels, X)
            name, group = [every[row] for row in rows], self.labels_[rows]
        else:
            group = np.arange(int(self.labels_.max()) + 1)
            name = words_of(group if labels is None else labels, len(group), "cluster")
        view = dendrogram(self.tree, group, None, name, max_leaves)
        return DendrogramDisplay({**view, "cophenetic": None, "linkage": self.method})

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Split again by DIANA, or compare rows with the means of both sides of every split."""
        X = self._read(X, reset=False)
        if len(X) != len(self.labels_):
            return unconfirmed(f"the fit had {len(self.labels_)} rows, and these are {len(X)}")
        weight = check_weights(sample_weight, len(X))
        if self.certificate_.kind is Kind.STATIONARITY:
            return self._other_splits(X, weight) or self._stationary(X, _in_unit(weight)[0])
        if self.metric == "precomputed":
            check_distances(X)
        again, coefficient = self._analysed(X, np.flatnonzero(weight > 0.0))
        if again.shape != self.linkage_matrix_.shape or not np.array_equal(
            again[:, :2], self.linkage_matrix_[:, :2]
        ):
            return unconfirmed("the splits of these rows are others")
        leaves = np.flatnonzero(weight > 0.0)
        labels = np.full(len(X), -1, dtype=np.intp)
        labels[leaves] = MergeTree(again).clusters(self.n_clusters)
        found = {
            "linkage_matrix_": again,
            "divisive_coefficient_": coefficient,
            "labels_": labels,
        }
        return disputed(self, found) or self.certificate_

    def _other_splits(self, X: Array, weight: Array) -> Certificate | None:
        """Return which number of the splits by k-means these rows do not have, or None."""
        k = len(self.cluster_centers_)
        odd = misnumbered(self, "labels_", k) or no_tree(self.linkage_matrix_, k)
        if odd is not None:
            return odd
        weight, unit = _in_unit(weight)
        mass = np.bincount(self.labels_, weights=weight, minlength=k)
        if not (mass > 0.0).all():
            return unconfirmed(f"no row of positive weight is in cluster {int(np.argmin(mass))}")
        parts = [self.labels_ == c for c in range(k)]
        matrix = self.linkage_matrix_.copy()
        for j in range(k - 1):
            inside = np.isin(self.labels_, self.tree.members(k + j))
            matrix[j, 2] = self._inertia(X[inside], weight[inside]) * unit
        found = {
            "cluster_centers_": np.stack([np.average(X[one], axis=0, weights=weight[one]) for one in parts]),
            "inertia_": float(sum(self._inertia(X[one], weight[one]) for one in parts)) * unit,
            "linkage_matrix_": matrix,
        }
        return disputed(self, found, tol=max(1e-7, 16.0 * float(np.finfo(X.dtype).eps)))


def _among(distances: Array, leaves: IndexArray) -> Array:
    """Return the distances among some rows: the matrix itself where these are all."""
    return distances if len(leaves) == len(distances) else distances[np.ix_(leaves, leaves)]


def _in_unit(weight: Array) -> tuple[Array, float]:
    """Return weights as multiples of their unit, and this unit."""
    found = WeightUnit.of(weight)
    return np.ones(len(weight)) if found.multiple is None else found.multiple, found.unit


def _tree_of_splits(splits: list[tuple[int, int, float]], new: IndexArray) -> Array:
    """Return the linkage matrix of splits (cluster, new part, inertia), by new numbers of the clusters."""
    from empirisk import _loops

    if not splits:
        return np.empty((0, 4))
    first, second, height = (np.array(v[::-1]) for v in zip(*splits, strict=True))
    return np.asarray(_loops.merge_tree(new[first], new[second], height, "given"))


def open_gain(X: Array, weight: Array, labels: IndexArray, tree: MergeTree) -> float:
    """Return by how much one more step of 2-means would lower the inertia of a split, at most over all.

    Parameters
    ----------
    X : array, shape (n, p)
    weight : array, shape (n,)
    labels : array of int, shape (n,)
        The leaf of the tree that each row is in.
    tree : MergeTree
        Of the clusters.

    Returns
    -------
    float
        The largest ``sum of squares to the own mean - sum of squares to the nearer mean`` of the two parts.
    """
    gain = 0.0
    for left, right in tree.matrix[:, :2].astype(np.intp):
        one, other = (np.isin(labels, tree.members(int(node))) for node in (left, right))
        both = one | other
        rows, s = X[both].astype(np.float64), weight[both]
        mean = [np.average(X[side].astype(np.float64), axis=0, weights=weight[side]) for side in (one, other)]
        square = np.stack([np.sum((rows - m) ** 2, axis=1) for m in mean])
        own = np.where(one[both], square[0], square[1])
        gain = max(gain, float(s @ (own - square.min(axis=0))))
    return gain
