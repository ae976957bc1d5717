"""What every clusterer shares: reading rows, numbers of clusters, and a failed fit that changes nothing."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import ClusterMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.data.design import Design
from empirisk.data.plain_numbers import numbers_only
from empirisk.data.sparse_cells import canonical
from empirisk.data.validated import validated
from empirisk.estimators.checks import check_finite, check_weights, naming_lone_weight, pair_noun
from empirisk.estimators.clusters.cluster_map import cluster_map, scaled_map
from empirisk.estimators.clusters.merged_rows import check_distances
from empirisk.estimators.estimator import Estimator
from empirisk.neighbors.metrics.precomputed import without_rounding
from empirisk.results import Certificate
from empirisk.typing import Array, IndexArray

__all__ = ["Clusterer", "first_seen", "refuse_overflow"]


class Clusterer(ClusterMixin, Estimator):
    """Base of the estimators that group rows.

    A subclass gives ``_group(X, weight)``, which sets ``labels_``, ``certificate_`` and the other attributes
    that end in an underscore, and ``_verify(X, y, sample_weight)``, which recomputes the certificate with
    plain NumPy.  Clusters are numbered by :func:`first_seen`, whatever found them.
    """

    n_features_in_: int
    labels_: IndexArray
    certificate_: Certificate
    # Whether rows may come as a sparse matrix, which then is CSR, sorted and without repeated cells.
    _takes_sparse: ClassVar[bool] = False

    def _group(self, X: Any, weight: Array) -> None:
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Group the rows.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            float32 stays float32, other numbers become float64; a sparse matrix where the class says so.
        y : ignored
        sample_weight : array, shape (n,), optional
            Weights >= 0; a row of weight 0 is absent, but for its label, and a weight of 2 is the row twice.

        Returns
        -------
        self
        """
        with as_before(self), naming_lone_weight(sample_weight):
            X = self._read(X, reset=True)
            self._group(X, check_weights(sample_weight, X.shape[0]))
            refuse_overflow(self)
        return self

    def _read(self, X: Any, reset: bool) -> Any:
        """Return the rows as a C-ordered array or canonical CSR; NaN and infinity are refused by place."""
        with numbers_only(X):
            X = validated(
                self,
                canonical(X) if sp.issparse(X) else X,
                reset=reset,
                dtype=[np.float64, np.float32],
                order="C",
                ensure_all_finite=False,
                accept_sparse="csr" if self._takes_sparse and pair_noun(self) != "distance" else False,
            )
        check_finite(Design(X), getattr(self, "feature_names_in_", None), pair_noun(self))
        return without_rounding(X, reset) if pair_noun(self) == "distance" else X

    def plot(self, X: Any, sample_weight: Any = None, *, ax: Any = None) -> Any:
        """Draw the map of the clusters: rows in a plane, coloured by cluster, with any centres.

        The plane is that of the two columns, or of the two leading principal components of these rows, or of
        classical scaling where distances are given; the title says which share of the variance it shows.  Up
        to 2,000 rows are all drawn; of more, each cluster gives the same share, evenly spaced in the order of
        its rows, but 10 at least.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            The rows of the fit; where the class can ``predict``, any rows.
        sample_weight : array, shape (n,), optional
            Weights of the rows in the plane.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        empirisk.plots.Plot
            Its ``figure`` can be saved.

        Raises
        ------
        ValueError
            For rows that are not those of the fit where the class cannot ``predict``, and for distances to
            the rows of the fit alone, which tell no places.
        """
        return self._chart(X, sample_weight).plot(ax)

    def _chart(self, X: Any, sample_weight: Any = None) -> Any:
        """Return the Display of the map of the clusters, before it is drawn."""
        from empirisk.plots.cluster_map import ClusterMapDisplay

        check_is_fitted(self)
        given, X = X, self._read(X, reset=False)
        weight = check_weights(sample_weight, X.shape[0])
        return ClusterMapDisplay(self._map(X, self._labels_of(given, X), weight))

    def _map(self, X: Any, labels: IndexArray, weight: Array) -> dict[str, Any]:
        """Return places of rows in a plane; of given distances, those of classical scaling."""
        if self.__sklearn_tags__().input_tags.pairwise:
            check_distances(X)
            return dict(scaled_map(X, labels, weight, getattr(self, "medoid_indices_", None)))
        centres = getattr(self, "cluster_centers_", getattr(self, "means_", None))
        return dict(cluster_map(X, labels, weight, centres, getattr(self, "feature_names_in_", None)))

    def _labels_of(self, given: Any, X: Any) -> IndexArray:
        """Return the clusters of rows: by ``predict`` where there is one, else those of the fit."""
        if hasattr(self, "predict"):
            return np.asarray(self.predict(given))
        if X.shape[0] != len(self.labels_):
            raise ValueError(
                f"X has {X.shape[0]} rows, the fit had {len(self.labels_)}: {type(self).__name__} does not "
                "predict clusters of new rows, so give the rows of the fit"
            )
        return self.labels_

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        raise NotImplementedError

    def _headline(self) -> str:
        """The claim of the certificate; nothing before the fit."""
        return self.certificate_.claim if hasattr(self, "certificate_") else ""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse and pair_noun(self) != "distance"
        tags.input_tags.pairwise = pair_noun(self) == "distance"
        return tags


def refuse_overflow(est: Any) -> None:
    """Refuse a fit whose sum of squares or distances is no float64."""
    if not np.isfinite(getattr(est, "inertia_", 0.0)):
        raise ValueError("inertia_ overflows float64: rescale X, or divide sample_weight by a constant")


def first_seen(labels: Any, weight: Array | None = None) -> tuple[IndexArray, IndexArray]:
    """Return labels that number the clusters in the order of their first rows, and the old number of each.

    Cluster 0 holds the first row, cluster 1 the first row that is not in it, and so on, so that numbers do
    not depend on how clusters were found.  Rows of weight 0 take no part in the order; clusters of such rows
    alone come last, and so do old numbers that no row has.

    Parameters
    ----------
    labels : array of int, shape (n,)
        Numbers 0, 1, ..., and -1 for rows of no cluster, which stays.
    weight : array, shape (n,), optional
        Weights >= 0.

    Returns
    -------
    labels : array of int, shape (n,)
    old : array of int
        ``old[k]`` is the given number of cluster k, so that ``centres[old]`` are in the new order.

    Examples
    --------
    >>> first_seen([2, 2, 0, 1, -1])
    (array([ 0,  0,  1,  2, -1]), array([2, 0, 1]))
    """
    labels = np.asarray(labels, dtype=np.intp)
    inside = labels >= 0
    count = int(labels.max(initial=-1)) + 1
    first = np.full(count, 2 * len(labels), dtype=np.intp)
    place = np.arange(len(labels))
    if weight is not None:
        place = np.where(weight > 0.0, place, place + len(labels))
    np.minimum.at(first, labels[inside], place[inside])
    old = np.argsort(first, kind="stable").astype(np.intp)
    new = np.empty(count, dtype=np.intp)
    new[old] = np.arange(count)
    out = np.full(len(labels), -1, dtype=np.intp)
    out[inside] = new[labels[inside]]
    return out, old
