"""Clusters around medoids: rows that have the least sum of distances to the others."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from empirisk.clustering.medoids import (
    ROUNDING,
    Medoids,
    best_exchange,
    best_subset,
    build_medoids,
    drawn_medoids,
    exchange_medoids,
)
from empirisk.data.caller_line import caller_level
from empirisk.data.seeds import check_seed
from empirisk.estimators.checks import check_choice, check_count, check_weights
from empirisk.estimators.clusters.base import Clusterer, first_seen, refuse_overflow
from empirisk.estimators.clusters.distance_matrix import distance_matrix, distances_to
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.estimators.stated import misnumbered
from empirisk.neighbors.metrics import Metric, metric_of
from empirisk.results import Certificate, Kind
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array, IndexArray
from empirisk.wording import counted

__all__ = ["KMedoids"]

DRAWN = 10  # starts of an initialisation that draws, where n_init is "auto"
LARGEST = 1e280  # sums of 1e28 such distances are float64


class KMedoids(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """K rows, the medoids, with the least sum of distances from all rows to the nearest of them.

    ``min over rows m_1, ..., m_K of  sum_i s_i min_k d(x_i, x_(m_k))``

    Parameters
    ----------
    n_clusters : int, default 8
        K, from 1 to the number of different rows.
    metric : str, Metric or callable, default "euclidean"
        A name of :data:`empirisk.neighbors.METRICS`, an object, or a symmetric function of two rows; with
        ``"precomputed"`` X is the matrix of distances, symmetric and without negative entries.
    method : {"fasterpam"}, default "fasterpam"
        How medoids are exchanged with rows: :func:`empirisk.clustering.exchange_medoids`.
    init : {"build", "random", "k-medoids++"} or array of K row numbers, default "build"
        Where the exchanges begin: the greedy rule of PAM, drawn rows, or rows drawn with chances in
        proportion to their distance from those before.
    n_init : int or "auto", default "auto"
        Starts, of which the best is kept; "auto" is 10 where rows are drawn and 1 elsewhere.
    max_iter : int, default 100
        How many times each start tries all rows at most.
    random_state : int, Generator, RandomState or None, default None
        Seed of the draws; None means 0.

    Attributes
    ----------
    medoid_indices_ : array of int, shape (K,)
        Rows that are the medoids.
    cluster_centers_ : array, shape (K, p)
        Those rows; not with precomputed distances.
    labels_ : array of int, shape (n,)
        The nearest medoid of each row, the first of several; cluster 0 holds the first row.
    inertia_ : float
        The weighted sum of distances to the nearest medoid.
    n_iter_ : int
        Passes of the best start.
    metric_ : Metric
        The metric as an object.
    starts_ : array, shape (n_init,)
        The sum that each start reached.
    certificate_ : Certificate
        EXACT for K = 1 and wherever all sets of K rows could be tried; else the most that one exchange of a
        medoid with a row lowers the sum by, which says nothing about sets that differ in two rows.

    Raises
    ------
    ValueError
        For parameters out of range, rows that the metric is not defined for, and fewer different rows than K.
    MemoryError
        When the n x n matrix of distances does not fit; float32 rows need half of it.

    Notes
    -----
    O(n^2 p) for the distances and O(n^2) a pass, whatever K is; 8 n^2 bytes (4 n^2 in float32).  A weight is
    a factor on a row's distances, so that 2 is the row twice.  Euclidean distances below 1e-162, whose
    squares vanish, are 0 beside larger ones.

    References
    ----------
    E. Schubert and P. Rousseeuw, Fast and eager k-medoids clustering: O(k) runtime improvement of the PAM,
    CLARA, and CLARANS algorithms, Information Systems 101, 2021.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [30.0]])
    >>> model = er.KMedoids(3, metric="manhattan").fit(X)
    >>> model.medoid_indices_, model.labels_, model.inertia_
    (array([1, 3, 5]), array([0, 0, 0, 1, 1, 2]), 3.0)
    >>> model.certificate_.kind
    <Kind.EXACT: 'an exact finite computation'>
    """

    _takes_sparse = True
    medoid_indices_: IndexArray
    cluster_centers_: Array

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: Any = "euclidean",
        method: str = "fasterpam",
        init: Any = "build",
        n_init: Any = "auto",
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def _group(self, X: Any, weight: Array) -> None:
        k = check_count("n_clusters", self.n_clusters, 1)
        check_choice("method", self.method, {"fasterpam": None})
        passes = check_count("max_iter", self.max_iter, 1)
        metric = metric_of(self.metric)
        metric.check(X, True)
        live = np.flatnonzero(weight > 0.0)
        starts = self._n_starts()
        if k > len(live):
            raise ValueError(
                f"n_clusters = {k} is more than n_samples = {len(live)}, the rows of positive weight: give "
                f"n_clusters <= {len(live)}"
            )
        given = metric.precomputed
        rows = X if len(live) == X.shape[0] else (X[np.ix_(live, live)] if given else X[live])
        distances, unit = _summable(distance_matrix(rows, metric))
        mass = np.ldexp(weight[live], -int(np.frexp(weight.max())[1]))
        found, self.starts_ = self._best_start(distances, mass, k, starts, passes, live)
        exact = k == 1 or (best := best_subset(distances, mass, k)) is not None
        if k > 1 and exact and best is not None and best.total < found.total:
            found = best
        self._keep(X, weight, metric, live[found.rows])
        scale = float(weight.max() / mass.max()) * unit
        self.starts_ = self.starts_ * scale
        self.n_iter_ = max(1, found.n_passes)
        self._rounding = max(ROUNDING, 4.0 * float(np.finfo(distances.dtype).eps))
        self.certificate_ = self._certificate(found.gain * scale, exact, mass)

    def _n_starts(self) -> int:
        drawn = isinstance(self.init, str) and self.init != "build"
        if isinstance(self.n_init, str) and self.n_init == "auto":
            return DRAWN if drawn else 1
        count = check_count("n_init", self.n_init, 1)
        return count if drawn else 1

    def _best_start(
        self, distances: Array, mass: Array, k: int, starts: int, passes: int, live: IndexArray
    ) -> tuple[Medoids, Array]:
        """Return the best of the starts, the first of several, and what each reached."""
        rng = np.random.default_rng(check_seed(self.random_state))
        found = []
        for _ in range(starts):
            if not isinstance(self.init, str):
                start = _given_rows(self.init, k, live)
            elif check_choice("init", self.init, {"build": True, "random": False, "k-medoids++": False}):
                start = build_medoids(distances, mass, k)
            else:
                start = drawn_medoids(distances, mass, k, rng, spread=self.init == "k-medoids++")
            found.append(exchange_medoids(distances, mass, start, max_passes=passes))
        return min(found, key=lambda one: one.total), np.array([one.total for one in found])

    def _keep(self, X: Any, weight: Array, metric: Metric, medoids: IndexArray) -> None:
        """Number the medoids, and keep them with the labels of all rows."""
        medoids = np.sort(medoids)
        apart = np.asarray(X[:, medoids]) if metric.precomputed else distances_to(X, X[medoids], metric)
        for _ in range(len(medoids) + 1):
            # Rows between two medoids go to the lower number, which depends on where the first rows went.
            labels = apart.argmin(axis=1)
            order = first_seen(labels, weight)[1]
            if len(order) < len(medoids) or not np.isin(np.arange(len(medoids)), labels).all():
                different = len(np.unique(labels))
                raise ValueError(
                    f"n_clusters = {len(medoids)}, but the rows of positive weight are at "
                    f"{counted(different, 'different place')} (distance 0 is the same place): give "
                    f"n_clusters <= {different}"
                )
            if np.array_equal(order, np.arange(len(medoids))):
                break
            medoids, apart = medoids[order], apart[:, order]
        self.metric_ = metric
        self.medoid_indices_ = medoids.astype(np.intp)
        self.labels_ = labels.astype(np.intp)
        with np.errstate(over="ignore"):
            self.inertia_ = float((weight * apart[np.arange(len(labels)), labels]).sum())
        refuse_overflow(self)
        self.__dict__.pop("cluster_centers_", None)
        if not metric.precomputed:
            centres = X[medoids]
            self.cluster_centers_ = centres if isinstance(centres, np.ndarray) else centres.toarray()

    def _certificate(self, gain: float, exact: bool, mass: Array) -> Certificate:
        total, k = self.inertia_, len(self.medoid_indices_)
        floor = self._rounding * total
        if exact:
            claim = f"the sum of distances {total:.6g} is the least of all sets of {k} of {len(mass)} rows"
            return Certificate(Kind.EXACT, 0.0, total, claim, floor=floor)
        claim = f"no exchange of a medoid with a row lowers the sum of distances {total:.6g}"
        if gain > floor:
            claim = f"an exchange of a medoid with a row would lower the sum {total:.6g} by {gain:.3g}"
            warnings.warn(
                f"ER001: stopped after max_iter = {self.max_iter} passes: {claim}; raise max_iter",
                CertificateWarning,
                stacklevel=caller_level(),
            )
        if len(self.starts_) > 1:
            low, high = float(self.starts_.min()), float(self.starts_.max())
            best = int((self.starts_ <= low * (1.0 + 1e-9)).sum())
            claim += f", {best} of {len(self.starts_)} starts reached it, the worst {high:.6g}"
        claim += "; sets that differ in two rows were not compared"
        return Certificate(Kind.STATIONARITY, gain, total, claim, floor=floor)

    def predict(self, X: Any) -> IndexArray:
        """Return the nearest medoid of each row, the first of several.

        Parameters
        ----------
        X : array, data frame or CSR, shape (m, p)
            Rows; with precomputed distances those from the n rows of the fit, (m, n).

        Returns
        -------
        array of int, shape (m,)
        """
        return np.asarray(self._apart(X).argmin(axis=1), dtype=np.intp)

    def transform(self, X: Any) -> Array:
        """Return the distances from the medoids, shape (m, K).

        Parameters
        ----------
        X : array, data frame or CSR, shape (m, p)
            Rows; with precomputed distances those from the n rows of the fit, (m, n).

        Returns
        -------
        array, shape (m, K)
            float32 where the rows are.
        """
        apart = self._apart(X)
        dtype = getattr(X, "dtype", None)
        return apart.astype(np.float32) if dtype == np.float32 else apart

    @property
    def _n_features_out(self) -> int:
        return len(self.medoid_indices_)

    def _apart(self, X: Any) -> Array:
        check_is_fitted(self)
        X = self._read(X, reset=False)
        self.metric_.check(X, False)
        if self.metric_.precomputed:
            return np.asarray(X[:, self.medoid_indices_], dtype=np.float64)
        return distances_to(X, self.cluster_centers_, self.metric_)

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Look for a better exchange, or a better set, in plain NumPy."""
        X = self._read(X, reset=False)
        weight = check_weights(sample_weight, X.shape[0])
        given, medoids = self.metric_.precomputed, self.medoid_indices_
        if X.shape[0] != len(self.labels_):
            return unconfirmed(f"the fit had {len(self.labels_)} rows, these are {X.shape[0]}")
        if (odd := misnumbered(self, "medoid_indices_", X.shape[0])) is not None:
            return odd
        if not given and not np.array_equal(_dense(X[medoids]), self.cluster_centers_):
            return unconfirmed("the medoids are not those of these rows")
        apart = np.asarray(X[:, medoids]) if given else distances_to(X, X[medoids], self.metric_)
        total = float(weight @ apart.min(axis=1))
        if not np.array_equal(apart.argmin(axis=1), self.labels_):
            return unconfirmed("the labels are not those of the nearest medoids")
        if abs(total - self.inertia_) > self._rounding * max(total, self.inertia_):
            return unconfirmed(f"the sum of distances is {total:.6g}, not {self.inertia_:.6g}")
        live = np.flatnonzero(weight > 0.0)
        rows = X if len(live) == X.shape[0] else (X[np.ix_(live, live)] if given else X[live])
        distances, unit = _summable(distance_matrix(rows, self.metric_))
        own = np.searchsorted(live, medoids)
        exact = self.certificate_.kind is Kind.EXACT and len(medoids) > 1
        better = best_subset(distances, weight[live], len(medoids)) if exact else None
        gain = best_exchange(distances, weight[live], own) * unit
        gain = max(gain, total - better.total * unit) if better is not None else gain
        if gain > self._rounding * total and gain > self.certificate_.value * (1.0 + 1e-6):
            return unconfirmed(f"other medoids lower the sum of distances {total:.6g} by {gain:.3g}")
        return self.certificate_


def _dense(X: Any) -> Array:
    return X if isinstance(X, np.ndarray) else np.asarray(X.toarray())


def _summable(distances: Array) -> tuple[Array, float]:
    """Return distances whose sums are float64, and the power of two by which they were divided."""
    top = float(distances.max(initial=0.0))
    if top < LARGEST:
        return distances, 1.0
    unit = 2.0 ** (int(np.frexp(top)[1]) - 1)
    return distances / unit, unit


def _given_rows(init: Any, k: int, live: IndexArray) -> IndexArray:
    """Return given row numbers as places among the rows of positive weight."""
    try:
        rows = np.asarray(init)
    except ValueError:
        rows = np.zeros(0)
    if rows.ndim != 1 or rows.dtype.kind not in "iu" or len(rows) != k or len(np.unique(rows)) != k:
        raise ValueError(
            f"init must be 'build', 'random', 'k-medoids++' or {k} different row numbers, got {init!r}"
        )
    wrong = rows[~np.isin(rows, live)]
    if len(wrong):
        raise ValueError(f"init names row {int(wrong[0])}, which does not exist or has the weight 0")
    return np.searchsorted(live, rows)
