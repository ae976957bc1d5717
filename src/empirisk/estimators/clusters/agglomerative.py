"""Hierarchical clustering from the bottom: the two closest clusters are merged, again and again."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.checks import check_count, check_number, check_weights
from empirisk.estimators.clusters.height_unit import HeightUnit, weights_for
from empirisk.estimators.clusters.merged_rows import check_distances, graph_for, rows_for
from empirisk.estimators.clusters.places import refuse_few_places, refuse_too_few
from empirisk.estimators.clusters.row_names import NamesRows
from empirisk.estimators.clusters.stopping import check_enough, check_rule_and_linkage, threshold_of
from empirisk.estimators.clusters.verify_merges import verify_merges
from empirisk.linkage import MergeTree
from empirisk.linkage.cophenetic import cophenetic_correlation
from empirisk.linkage.drawing import dendrogram
from empirisk.linkage.merging import merge
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, IndexArray

__all__ = ["AgglomerativeClustering"]


class AgglomerativeClustering(NamesRows):
    """Clusters from merges: at first each row is one, then the two at the least distance D are merged.

    Parameters
    ----------
    n_clusters : int or None, default 2
        Stop at so many clusters.
    linkage : {"ward", "single", "complete", "average", "weighted", "centroid", "median"}, default "ward"
        The distance D of clusters, a row of ``empirisk.linkage.REGISTRY``.
    metric : {"euclidean", "manhattan", "cosine", "precomputed"}, default "euclidean"
        The distance of rows; Ward's, centroid and median linkage take Euclidean or given ones.
    distance_threshold : float, optional
        Stop before the first merge above this height; it and `scaled_threshold` need ``n_clusters=None``.
    scaled_threshold : float, optional
        Stop above this share of the largest distance of two rows; for linkages that never exceed it.

    connectivity : sparse matrix or array, shape (n, n), optional
        Edges between rows: cells that are not zero, in either direction; cells that a sparse matrix stores as
        0 are refused.  Clusters between which no edge runs are not merged while others can be; components of
        the graph are merged last, without it.

    Attributes
    ----------
    labels_ : array of int, shape (n,)
        Cluster 0 holds the first row; -1 for rows of weight 0, which are absent.
    n_clusters_ : int
        Clusters that are left.
    linkage_matrix_ : array, shape (m - 1, 4)
        All merges of the m rows of positive weight, as SciPy writes them.
    children_ : array of int, shape (m - 1, 2)
        The two clusters of each merge; numbers from m on are earlier merges.
    distances_ : array, shape (m - 1,)
        The height of each merge.  It falls at an inversion, which centroid and median linkage can have.
    leaves_ : array of int, shape (m,)
        The row of each leaf.
    threshold_ : float or None
        The height at which the tree was cut; None where it was cut by number.
    free_merges_ : int
        Merges, the last ones, that the graph does not connect: its components less one; 0 without a graph.
    certificate_ : Certificate
        EXACT: every merge joins a closest pair.  Nothing is claimed about other partitions.

    Raises
    ------
    ValueError
        For none or several stopping rules, more clusters than distinct rows (rows at distance 0 are in one
        place), matrices that are not symmetric, not zero on the diagonal or negative somewhere, rows without
        a direction (cosine), weights whose ratio is below 1e-100, and heights that overflow or vanish.
    MemoryError
        Before a matrix of clusters is made that the memory does not hold.

    Notes
    -----
    Of equally close pairs the one with the smaller numbers is merged first, where a cluster has the number of
    its largest row; single linkage takes equally short edges between rows in the order of their numbers.
    The merges are the same for any number of threads.

    O(n^2 p) time.  Ward's, centroid, median and single linkage of rows need O(n p) memory, the others the
    square matrix of the clusters that are left when half of the rows are merged, about ``2 n^2`` bytes.

    A weight of 2 is the row twice: copies merge first, at height 0.  In Ward's, centroid and average linkage
    a weight may be any number; the others do not look at it, but for 0.  A factor of all weights changes no
    merge: Ward's heights are multiplied by its root.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [5.0], [6.5]])
    >>> model = er.AgglomerativeClustering(2, linkage="complete").fit(X)
    >>> model.labels_
    array([0, 0, 1, 1])
    >>> model.distances_
    array([1. , 1.5, 6.5])
    >>> model.cut(height=1.2)
    array([0, 0, 1, 2])
    """

    n_clusters_: int
    linkage_matrix_: Array
    children_: IndexArray
    distances_: Array
    leaves_: IndexArray
    threshold_: float | None
    free_merges_: int

    def __init__(
        self,
        n_clusters: int | None = 2,
        *,
        linkage: str = "ward",
        metric: str = "euclidean",
        distance_threshold: float | None = None,
        scaled_threshold: float | None = None,
        connectivity: Any = None,
    ) -> None:
        self._set(locals())

    def _group(self, X: Any, weight: Array) -> None:
        """Merge all rows into one tree, and cut it."""
        linkage, metric = check_rule_and_linkage(self)
        if metric == "precomputed":
            check_distances(X)
        self.leaves_ = np.flatnonzero(weight > 0.0)
        rows, weight = self._present(X), weight[self.leaves_]
        check_enough(self.n_clusters, len(rows))
        if self.n_clusters is not None:
            (refuse_few_places if metric == "precomputed" else refuse_too_few)(rows, self.n_clusters)
        given, exponent = rows_for(rows, metric, self.leaves_)
        weight, factor = weights_for(weight, linkage, self.leaves_)
        graph = graph_for(self.connectivity, len(X), self.leaves_)
        self.linkage_matrix_, self.free_merges_ = merge(given, linkage, metric, weight, graph)
        self.linkage_matrix_[:, 2] = HeightUnit(exponent, factor).of_rows(self.linkage_matrix_[:, 2])
        self.children_ = self.linkage_matrix_[:, :2].astype(np.intp)
        self.distances_ = self.linkage_matrix_[:, 2].copy()
        self.threshold_ = threshold_of(self, rows, metric)
        if self.threshold_ is None:
            labels = self.tree.clusters(int(self.n_clusters))
        else:
            labels = self.tree.below(self.threshold_)
        self.labels_ = self._all_rows(labels, len(X))
        self.n_clusters_ = int(labels.max()) + 1
        self.certificate_ = Certificate(Kind.EXACT, 0.0, self._unit(), self._claim())

    # -- the tree -------------------------------------------------------------------------------------

    @property
    def tree(self) -> MergeTree:
        """The merges as a tree, whose leaves are the rows `leaves_`."""
        return MergeTree(self.linkage_matrix_)

    def cut(self, n_clusters: int | None = None, *, height: float | None = None) -> IndexArray:
        """Return the labels of another cut of the same tree, without a new fit.

        Parameters
        ----------
        n_clusters : int, optional
            The clusters that are left after the first merges.
        height : float, optional
            The clusters whose merges, and all inside them, are at most so high.

        Returns
        -------
        labels : array of int, shape (n,)
            As `labels_`.
        """
        if (n_clusters is None) == (height is None):
            raise ValueError("cut takes n_clusters or height, one of the two")
        tree = self.tree
        if n_clusters is not None:
            if check_count("n_clusters", n_clusters, 1) > tree.n:
                raise ValueError(f"n_clusters = {n_clusters} is more than the {tree.n} rows of the tree")
            return self._all_rows(tree.clusters(n_clusters), len(self.labels_))
        return self._all_rows(tree.below(check_number("height", height, 0.0)), len(self.labels_))

    def cophenetic(self, X: Any) -> float:
        """Return the correlation of the distances of rows with the heights at which they meet.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            The rows of the fit, or their distances.

        Returns
        -------
        float
            1 where the tree says all about the distances; NaN where one of both does not vary.

        Raises
        ------
        MemoryError
            Where ``16 n (n - 1)`` bytes are not free.
        """
        rows = self._present(self._read(X, reset=False)).astype(np.float64)
        if len(rows) != self.tree.n:
            raise ValueError(f"the tree has {self.tree.n} leaves, and X has {len(rows)} rows for them")
        return cophenetic_correlation(rows_for(rows, self.metric, self.leaves_)[0], self.metric, self.tree)

    def dendrogram(self, X: Any = None, *, labels: Any = None, max_leaves: int = 40) -> Any:
        """Return the chart of the tree with its cut.

        Parameters
        ----------
        X : array or data frame, optional
            The rows of the fit: the title then tells their cophenetic correlation.
        labels : sequence, shape (n,), optional
            Names of the rows.  By default those of the index of a frame, `X` or that of the fit (which a
            model that comes from a file does not have); numbers where rows are counted.
        max_leaves : int, default 40
            A larger tree is shown from the top: the last ``max_leaves - 1`` merges, with what they join as
            wedges.

        Returns
        -------
        DendrogramDisplay
            ``dendrogram(X).plot(ax=None)`` draws it and returns the Plot.
        """
        from empirisk.plots.dendrogram import DendrogramDisplay

        check_is_fitted(self)
        check_count("max_leaves", max_leaves, 2)
        every = self._names_for(labels, X)
        name = [every[row] for row in self.leaves_]
        view = dendrogram(self.tree, self.labels_[self.leaves_], self._line(), name, max_leaves)
        similar = None if X is None else self.cophenetic(X)
        view["cophenetic"] = None if similar is None or np.isnan(similar) else similar
        return DendrogramDisplay({**view, "linkage": f"{self.linkage} linkage"})

    def _line(self) -> float | None:
        """The height of the cut: between two merges where it was by number and heights do not fall."""
        if self.threshold_ is not None:
            return self.threshold_
        if self.tree.inversions or self.n_clusters_ == 1 or self.tree.n == 1:
            return None
        k = len(self.distances_) - self.n_clusters_ + 1
        below = self.distances_[k - 1] if k > 0 else 0.0
        return float(0.5 * (below + self.distances_[k]))

    def _present(self, X: Any) -> Any:
        """Return the rows of positive weight, with the same columns of a matrix of distances."""
        if len(X) != len(self.leaves_) and len(self.leaves_) and self.leaves_[-1] >= len(X):
            raise ValueError(f"the fit had a row {self.leaves_[-1]}, and X has {len(X)} rows")
        if self.metric == "precomputed":
            return X if len(self.leaves_) == len(X) else X[np.ix_(self.leaves_, self.leaves_)]
        return X[self.leaves_]

    def _all_rows(self, labels: IndexArray, n: int) -> IndexArray:
        out = np.full(n, -1, dtype=np.intp)
        out[self.leaves_] = labels
        return out

    # -- the certificate ------------------------------------------------------------------------------

    def _unit(self) -> float:
        """The largest height, in which differences of heights are measured."""
        return float(np.max(self.distances_, initial=0.0)) or 1.0

    def _claim(self) -> str:
        merges = len(self.distances_)
        if not merges:
            return "one row is one cluster, and nothing was merged"
        said = f"each of the {merges:,} merges joins a closest pair of clusters ({self.linkage} linkage)"
        if self.connectivity is not None:
            said = said.replace("clusters (", "clusters that the graph connects (")
        if self.free_merges_:
            said += (
                f", but for the last {self.free_merges_:,}: the graph has {self.free_merges_ + 1:,} "
                "components, which were joined without it"
            )
        falls = self.tree.inversions
        if falls:
            said += f", and {falls} of them {'is' if falls == 1 else 'are'} lower than the one before"
        return f"{said}; no partition is claimed to be the best of its size"

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Make the merges again from these rows, or look at some of many."""
        X = self._read(X, reset=False)
        return verify_merges(self, X, check_weights(sample_weight, len(X)))
