"""Clusters of rows as parts of a similarity graph through which little weight is cut."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from empirisk.clustering.units import refuse_extreme
from empirisk.data.seeds import Seed, check_seed
from empirisk.data.sparse_cells import is_sparse
from empirisk.data.threads import one_thread
from empirisk.estimators.checks import check_choice, check_count, check_number, check_weights
from empirisk.estimators.clusters.base import first_seen
from empirisk.estimators.clusters.eigengap import choice, resampled
from empirisk.estimators.clusters.places import refuse_too_few
from empirisk.estimators.clusters.spectral_charts import SpectralCharts
from empirisk.estimators.clusters.spectral_embedding import Eigenvectors, embedded, smallest
from empirisk.estimators.clusters.spectral_graph import RowGraph, row_graph, rows_of
from empirisk.estimators.clusters.spectral_rows import grouped
from empirisk.estimators.clusters.verify_cut import cut_bound, verify_cut, with_cut
from empirisk.graphs.lowered_cut import cut_over
from empirisk.results import Certificate
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array, IndexArray
from empirisk.wording import counted

__all__ = ["SpectralClustering"]

VERSIONS = {"unnormalised": False, "random_walk": True, "symmetric": True}
AFFINITIES = ("knn", "mutual_knn", "epsilon", "gaussian", "precomputed")


class SpectralClustering(SpectralCharts):
    """k-means on the rows of ``min tr(H'LH)``, the relaxed ratio or normalised cut, lowered by moves of rows.

    With the weights W of a graph of the rows, ``D = diag(W 1)`` and ``L = D - W``, the ratio cut is the least
    ``tr(H'LH)`` over indicators with ``H'H = I``, and the normalised cut that with ``H'DH = I``.  Without the
    condition that H is an indicator both are solved by the K smallest eigenvalues of L, or of
    ``L u = lambda D u``; their vectors are read by rows, and k-means groups the rows.  Then the cut itself is
    lowered: by the best split point between every two clusters, and by moves of rows, until none lowers it.

    Parameters
    ----------
    n_clusters : int or "eigengap", default 8
        K; ``"eigengap"`` takes the K from 1 to `max_clusters` with the largest gap between the K-th
        eigenvalue and the next one, and says what other parts of the rows would have taken.
    laplacian : {"random_walk", "unnormalised", "symmetric"}, default "random_walk"
        ``L_w = D^-1 L`` (normalised cut), L (ratio cut), or ``L_s = D^-1/2 L D^-1/2`` with rows of the
        vectors scaled to length 1.
    affinity : {"knn", "mutual_knn", "epsilon", "gaussian", "precomputed"}, default "knn"
        The graph: a row of :data:`empirisk.graphs.REGISTRY`, or X itself is W, symmetric and >= 0, dense or
        sparse.
    n_neighbors : int, default 10
        Of the graphs of neighbours; a number above that of the other rows is refused.
    radius : float or None, default None
        Of ``"epsilon"``; None is the smallest one at which every row is joined with a different one.
    weights : {"binary", "gaussian"}, default "binary"
        What edges weigh, as in :class:`empirisk.graphs.NearestNeighborGraph`.
    bandwidth : float or "auto", default "auto"
        Width of the Gaussian.
    metric : str, Metric or callable, default "euclidean"
        Distance of rows: a name of :data:`empirisk.neighbors.METRICS`, such as ``"manhattan"`` or
        ``"precomputed"`` (X is the matrix of distances then), an object, or a function of two rows.
    max_clusters : int, default 10
        Largest K of ``"eigengap"``.
    n_resamples : int, default 20
        Parts of four fifths of the rows, drawn without replacement, whose K ``"eigengap"`` compares; a row
        that counts several times is drawn with its copies.
    n_init : int, default 10
        Starts of k-means.
    tol : float, default 1e-6
        Residual of the eigenvectors over the bound of the spectrum.
    max_iter : int, default 500
        Steps of the eigenvalue solver.
    random_state : int, Generator, RandomState or None, default None
        Of the starts of k-means and the resamples; None is 0.

    Attributes
    ----------
    labels_ : array of int, shape (n,)
        The cluster of each row; cluster 0 holds the first row.  An isolated vertex, without an edge to
        another one, is in no cluster: -1; nor is a row of weight 0.
    n_clusters_ : int
        K.
    n_clusters_resampled_ : array of int
        The K of the resamples, rising; of ``"eigengap"`` alone.
    n_clusters_interval_ : tuple of int
        The central 90 % of them: what other draws of fewer rows would have said, which is a measure of
        stability and no confidence interval of a true K.
    affinity_matrix_ : array or csr_matrix, shape (n, n)
        W.
    n_iter_ : int
        Steps of the eigenvalue solver.
    eigenvalues_ : array
        The K smallest of the Laplacian; of ``"eigengap"`` all that were compared.
    eigenvectors_ : array, shape (n, K)
        Orthonormal vectors of L, or of L_s; 0 for isolated vertices.  The entry of largest size is > 0.
        Those of a row that counts s times are ``s^(1/2)`` times those of one of its copies.
    embedding_ : array, shape (n, K)
        The points that k-means groups, and along which clusters are split.
    next_eigenvalue_ : float or None
        What further vectors found above the K-th eigenvalue; the next one is at most this.
    n_components_ : int
        Connected components, isolated vertices not counted.
    bridges_ : array of int, shape (m, 2)
        Edges that were added because the graph had more components than clusters: the shortest ones that
        connect it.  No eigenvalue tells components apart, and cut weights do not say which ones are near.
    cut_ : float
        The ratio cut (``"unnormalised"``), or the normalised cut, of the clusters.
    cut_bound_ : float
        The sum of the K smallest eigenvalues, less the residual of each that is above it: no partition into K
        parts has a smaller cut, as far as these are the smallest.
    certificate_ : Certificate
        The residual of the eigenvectors, whether their eigenvalues are proved to be the smallest ones (where
        that takes a quarter of the fit at most; see :meth:`prove`), and how many times `cut_bound_` the cut
        is.

    Raises
    ------
    ValueError
        For more neighbours than there are other rows; for weights of rows that differ in a graph of
        neighbours, or lie between 0 and 1 or above 1e8 in the others; for a given W with more components than
        clusters; for fewer vertices with an edge than clusters; for an asymmetric or negative W.
    MemoryError
        Where the weights of ``"gaussian"`` do not fit.

    Notes
    -----
    The graph by exact neighbours; an iteration of the eigenvalue solver is O(edges * K + n K^2), and a
    hierarchy of smaller graphs keeps iterations few (see ``docs/maths/spectral.md``).  Components are found
    by graph search and give the eigenvalue 0 exactly.  No theorem bounds the cut of the clusters: what
    certifies it is the ratio to `cut_bound_`.  Split points and moves are O(K edges) a round.

    Equal rows are one vertex, whose edges weigh the sum of theirs: no cut parts them, and it does not matter
    which of them took a place among the neighbours of a row.  `cut_` and `cut_bound_` are those of partitions
    that keep them together.  A row of weight 2 is the row twice where copies are vertices like others
    (``"epsilon"``, ``"gaussian"``, ``"precomputed"``).  In graphs of neighbours copies would take several of
    the k places: rows count alike there, or 0.
    Ng, Jordan and Weiss 2001 (``"symmetric"``); Shi and Malik 2000 (``"random_walk"``); von Luxburg 2007,
    Statistics and Computing 17.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> angle = np.linspace(0.0, 6.28, 40, endpoint=False)
    >>> ring = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = er.SpectralClustering(2, n_neighbors=4).fit(np.vstack([ring, 3.0 * ring]))
    >>> model.labels_[:40].max(), model.labels_[40:].min(), model.cut_
    (np.int64(0), np.int64(1), 0.0)
    """

    _takes_sparse: ClassVar[bool] = True

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        laplacian: str = "random_walk",
        affinity: str = "knn",
        n_neighbors: int = 10,
        radius: float | None = None,
        weights: str = "binary",
        bandwidth: float | str = "auto",
        metric: Any = "euclidean",
        max_clusters: int = 10,
        n_resamples: int = 20,
        n_init: int = 10,
        tol: float = 1e-6,
        max_iter: int = 500,
        random_state: Seed = None,
    ) -> None:
        self._set(locals())

    def _group(self, X: Any, weight: Array) -> None:
        normalised, tol, max_iter = self._checked(X)
        seed = check_seed(self.random_state)
        live = rows_of(self, X, np.flatnonzero(weight > 0.0))
        if self.affinity != "precomputed" and not isinstance(self.n_clusters, str):
            refuse_too_few(live, self.n_clusters)
        if self.affinity in ("gaussian", "epsilon"):  # squares of distances are compared with a number
            refuse_extreme(live)
        graph = row_graph(self, X, weight, self._most_clusters)
        inside, n = graph.inside, X.shape[0]
        self._check_size(len(graph.count), int((weight > 0.0).sum()) - len(inside))
        with one_thread():
            found, values = self._search(X, weight, graph, normalised, tol, max_iter, seed)
        points = embedded(graph.part, found.vectors, self.laplacian, graph.count)
        part = grouped(graph, normalised, points, self.n_clusters_, self.n_init, seed)
        labels = np.full(n, -1, dtype=np.intp)
        labels[inside] = part[graph.place]
        self.labels_, _ = first_seen(labels)
        self.n_components_, self.bridges_ = graph.n_components, graph.bridges
        self.affinity_matrix_ = sp.csr_matrix(graph.W) if is_sparse(graph.W) else graph.W  # for model files
        self.eigenvalues_ = values
        self.next_eigenvalue_ = found.following
        self.eigenvectors_ = _spread(graph.of_rows(found.vectors), inside, n)
        self.embedding_ = _spread(points[graph.place], inside, n)
        self.n_iter_ = found.n_iter
        self.cut_ = cut_over(graph.part, graph.size(normalised), part)
        self.cut_bound_ = cut_bound(found.values, found.certificate)
        self.certificate_ = with_cut(found.certificate, self.cut_, self.cut_bound_)

    def _checked(self, X: Any) -> tuple[bool, float, int]:
        """Return the checked parameters of the search."""
        if X.shape[0] < 2:
            raise ValueError(f"SpectralClustering needs two rows at least, got {X.shape[0]} sample")
        normalised: bool = check_choice("laplacian", self.laplacian, VERSIONS)
        check_choice("affinity", self.affinity, dict.fromkeys(AFFINITIES))
        check_count("n_init", self.n_init, 1)
        check_count("n_neighbors", self.n_neighbors, 1)
        check_count("n_resamples", self.n_resamples, 0)
        if self.n_clusters != "eigengap":
            if isinstance(self.n_clusters, str) or self.n_clusters is None:
                raise ValueError(f"n_clusters must be an integer >= 1 or 'eigengap', got {self.n_clusters!r}")
            check_count("n_clusters", self.n_clusters, 1)
        check_count("max_clusters", self.max_clusters, 2)
        tol = check_number("tol", self.tol, 0.0, closed=False)
        return normalised, tol, check_count("max_iter", self.max_iter, 1)

    def _check_size(self, vertices: int, apart: int) -> None:
        """Refuse fewer vertices with an edge than clusters."""
        need = 1 if isinstance(self.n_clusters, str) else self.n_clusters
        if vertices < need:
            raise ValueError(
                f"{counted(vertices, 'row')} with an edge to another row and {apart} without one are too few "
                f"for {counted(need, 'cluster')}: join more rows (n_neighbors, radius, bandwidth), or ask "
                "for fewer clusters"
            )

    @property
    def _most_clusters(self) -> int:
        """The largest number of clusters that a fit may find."""
        return self.max_clusters if isinstance(self.n_clusters, str) else int(self.n_clusters)

    def _search(
        self, X: Any, weight: Array, graph: RowGraph, normalised: bool, tol: float, max_iter: int, seed: int
    ) -> tuple[Eigenvectors, Array]:
        """Return the eigenvectors, and the eigenvalues that are shown; sets the number of clusters."""
        self.__dict__.pop("n_clusters_resampled_", None)
        self.__dict__.pop("n_clusters_interval_", None)
        operator = graph.operator(normalised)
        if self.n_clusters == "eigengap":
            gap = choice(operator, self.max_clusters, tol, max_iter)
            self.n_clusters_ = gap.chosen
            self._resample(X, weight, normalised, tol, max_iter, seed)
        else:
            self.n_clusters_ = int(self.n_clusters)
        found = smallest(operator, self.n_clusters_, tol, max_iter, prove=True)
        return found, gap.values if self.n_clusters == "eigengap" else found.values

    def _resample(
        self, X: Any, weight: Array, normalised: bool, tol: float, max_iter: int, seed: int
    ) -> None:
        """Set what the eigengap says on parts of the rows; a given W has no rows to draw."""
        live = np.flatnonzero(weight > 0.0)
        if self.n_resamples == 0 or self.affinity == "precomputed" or len(live) < 10:
            return

        def choose(drawn: IndexArray) -> int:
            rows = live[drawn]
            graph = row_graph(self, rows_of(self, X, rows), weight[rows], self.max_clusters, True)
            return choice(graph.operator(normalised), self.max_clusters, tol, max_iter).chosen

        chosen = resampled(choose, len(live), self.n_resamples, seed)
        self.n_clusters_resampled_ = chosen
        cut = int(0.05 * len(chosen))
        self.n_clusters_interval_ = int(chosen[cut]), int(chosen[len(chosen) - 1 - cut])

    def prove(self, X: Any, sample_weight: Any = None) -> Certificate:
        """Return the certificate with a proof that the eigenvalues are the smallest ones, whatever it costs.

        A fit and ``verify`` prove it where the proof takes a quarter of the fit at most, by a forecast.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            The rows of the fit, or their similarities where those were given.
        sample_weight : array, shape (n,), optional
            Their weights.

        Returns
        -------
        Certificate
            As of ``verify``; it says why where there is no proof (no gap, no memory).  The factor that is
            made has O(n log n) entries for rows in 2 columns and O(n^2) in many.

        Examples
        --------
        >>> X = np.random.default_rng(0).normal(size=(1500, 6))
        >>> model = SpectralClustering(3).fit(X)
        >>> "is not proved" in model.certificate_.claim, "is not proved" in model.prove(X).claim
        (True, False)
        """
        check_is_fitted(self)
        return self._verified(X, sample_weight, True)

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Return the residual of the vectors on the graph of these rows, where the clusters rest on them."""
        return self._verified(X, sample_weight, False)

    def _verified(self, X: Any, sample_weight: Any, prove: bool) -> Certificate:
        """Return the certificate of the graph of these rows, with a proof at any cost if asked for."""
        X = self._read(X, reset=False)
        if X.shape[0] != len(self.labels_):
            return unconfirmed(f"the fit had {len(self.labels_)} rows, and these are {X.shape[0]}")
        weight = check_weights(sample_weight, X.shape[0])
        graph = row_graph(self, X, weight, self._most_clusters)
        with one_thread():
            return verify_cut(self, graph, VERSIONS[self.laplacian], prove)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise |= self.affinity == "precomputed"
        return tags


def _spread(values: Array, inside: IndexArray, n: int) -> Array:
    """Return rows for all vertices, 0 for those that are not inside."""
    out = np.zeros((n, values.shape[1]))
    out[inside] = values
    return out
