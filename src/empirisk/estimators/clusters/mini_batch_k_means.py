"""K-means by batches of rows, for tables that are read in pieces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from empirisk.clustering.assign import assigned, cluster_sums, middle
from empirisk.clustering.lloyd import Lloyd
from empirisk.clustering.mini_batches import CountedCenters, Plateau
from empirisk.clustering.restarts import run_restarts
from empirisk.clustering.row_batches import block_order, shuffled, stretches
from empirisk.clustering.seedings import Seeding, seeding_of
from empirisk.clustering.units import in_unit, refuse_extreme, unit_exponent
from empirisk.data.as_before import as_before
from empirisk.data.row_blocks import RowBlocks, check_blocks
from empirisk.data.seeds import check_seed
from empirisk.data.weight_unit import WeightUnit
from empirisk.estimators.checks import check_count, check_number, check_weights
from empirisk.estimators.clusters.base import first_seen
from empirisk.estimators.clusters.k_means import KMeans
from empirisk.estimators.clusters.verify_centers import verify_centers
from empirisk.problems.kmeans import KMeansProblem, fixed_point_certificate
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, IndexArray

__all__ = ["MiniBatchKMeans"]

SAMPLE_STEPS = 20  # of each start on the drawn rows


class MiniBatchKMeans(KMeans):
    """K centres with a small ``J(c) = (1/S) sum_i s_i min_k ||x_i - c_k||^2``, from batches of rows.

    A batch moves each centre to the mean of all rows that it was given so far:
    ``N_k <- N_k + B_k, c_k <- c_k + (B_k / N_k) (m_k - c_k)``, with ``B_k`` and ``m_k`` the weight and the
    mean of the rows of the batch that are nearest to it.

    Parameters
    ----------
    n_clusters : int, default 8
        K >= 1, at most the number of distinct rows of positive weight.
    init : {"k-means++", "k-means||", "farthest-first", "random"}, Seeding or array, default "k-means++"
        How seeds are chosen among ``max(3 batch_size, 3 K)`` drawn rows, or centres to start from, (K, p).
    n_init : int or "auto", default "auto"
        Starts on the drawn rows, each of at most 20 steps of Lloyd's there, of which the best is where the
        batches begin; ``"auto"`` is 4, and 1 where nothing is drawn.
    batch_size : int, default 1024
        Rows of a batch; ``partial_fit`` takes all rows that it is given as one.
    max_iter : int, default 20
        Passes over the rows at most; the rows of a pass are shuffled, and each is in one batch.
    max_no_improvement : int, default 10
        Passes end when a smoothed J of the batches has had no new low for so many batches.
    reassignment_ratio : float, default 0.01
        Every ``10 K`` rows, and at most every ten batches, centres with less than this share of the largest
        N are put onto rows of the batch, drawn in proportion to weight times squared distance, with the
        least N of the others; 0 leaves them.
    final_steps : int, default 1
        Lloyd's steps on all rows at the end of ``fit``; 0 leaves the centres where the batches ended.
    random_state : int, Generator, RandomState or None, default None
        What draws seeds and batches; None is 0.

    Attributes
    ----------
    cluster_centers_ : array, shape (K, p)
        The centres, in the number format of the rows.
    counts_ : array, shape (K,)
        N: the weights of the rows that each centre is the mean of.
    labels_ : array of int, shape (n,)
        The nearest centre of each row; cluster 0 holds the first row, and so on.  After ``partial_fit`` of
        its rows, by the numbers of the first call; none after a fit of row blocks.
    inertia_ : float
        ``sum_i s_i ||x_i - c_label||^2``.
    n_iter_, n_steps_ : int
        Passes begun, and batches taken.
    certificate_ : Certificate
        STATIONARITY on all rows: how much Lloyd's next step would lower J at least.  It need not be small:
        batches end near a fixed point, and seldom at one.  NONE after ``partial_fit``, whose earlier rows
        are gone.
    n_features_in_ : int

    Raises
    ------
    ValueError
        For parameters out of range, and more clusters than there are distinct rows.

    Notes
    -----
    O(b K p) a batch, and for the certificate one pass over all rows; beside X 20 bytes a row.  ``fit`` also
    takes row blocks (an object with ``map_sum``): batches are stretches of a block then, in its order, and
    nothing has a number for each row.  Every row of a pass is in one batch, so that the factor by which a
    batch stands for all rows is the same for all and cancels; weights are not divided by those of their
    batch.

    References
    ----------
    L. Bottou and Y. Bengio, Convergence properties of the k-means algorithms, Advances in Neural Information
    Processing Systems 7, 1995.  D. Sculley, Web-scale k-means clustering, WWW 2010.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0]])
    >>> model = er.MiniBatchKMeans(2).fit(X)
    >>> model.labels_, model.cluster_centers_.tolist(), model.counts_
    (array([0, 0, 1, 1]), [[0.0, 0.5], [9.0, 8.5]], array([2., 2.]))
    >>> model.partial_fit([[0.0, 3.5]]).cluster_centers_.tolist()
    [[0.0, 1.5], [9.0, 8.5]]
    """

    counts_: Array
    n_steps_: int
    _unit: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        batch_size: int = 1024,
        max_iter: int = 20,
        max_no_improvement: int = 10,
        reassignment_ratio: float = 0.01,
        final_steps: int = 1,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Group the rows, from seeds of their own.

        Parameters
        ----------
        X : array, data frame, sparse matrix or row blocks, shape (n, p)
            float32 stays float32; row blocks bring their weights.
        y : ignored
        sample_weight : array, shape (n,), optional
            Weights >= 0; a row of weight 0 is absent, but for its label.

        Returns
        -------
        self
        """
        return self.fit_blocks(X) if hasattr(X, "map_sum") else super().fit(X, y, sample_weight)

    def fit_blocks(self, rows: RowBlocks) -> Self:
        """Fit rows that are read block by block, with batches that are stretches of a block, in its order.

        Parameters
        ----------
        rows : RowBlocks
            Such as :meth:`empirisk.data.BlockList.cut` of a memory map; targets are not looked at.

        Returns
        -------
        self
        """
        check_blocks(rows)
        with as_before(self):
            for name in ("feature_names_in_", "labels_"):
                self.__dict__.pop(name, None)
            self.n_features_in_ = rows.n_cols
            self._group_blocks(rows)
        return self

    def _group(self, X: Any, weight: Array) -> None:
        k, batch = self._settings()
        rng = np.random.default_rng(check_seed(self.random_state))
        refuse_extreme(X)
        self._unit = unit_exponent(X)
        rows, unit = in_unit(X, self._unit), WeightUnit.of(weight)
        s = np.ones(X.shape[0]) if unit.multiple is None else unit.multiple
        live = np.flatnonzero(s > 0.0)
        held = self._seeds(rows, s, live, rng)
        self._walk(held, shuffled(rows, s, live, batch, rng, self.max_iter), len(live), rng)
        lloyd = Lloyd(rows, unit.multiple, "lloyd")
        run = lloyd.run(held.centers, 0.0, self.final_steps)
        centers, labels, squares = _numbered(rows, run.centers, s)
        self._certify(lloyd, centers, labels, squares)
        self.labels_, total = labels, float(weight.sum())
        self.inertia_ = float(np.ldexp((s * squares).sum() / s.sum(), 2 * self._unit)) * total
        counts = np.bincount(labels, weights=s, minlength=k)
        self._keep(centers, counts * unit.unit, X.dtype)

    def _group_blocks(self, data: RowBlocks) -> None:
        """Take stretches of the blocks in their order, and measure the end on all of them."""
        _, batch = self._settings()
        rng = np.random.default_rng(check_seed(self.random_state))
        count = int(data.n_rows or 0)
        drawn, factor = data.draw(rng, min(count, max(3 * batch, 3 * self.n_clusters)))
        X: Any = drawn.design.X
        self._unit = 0
        if unit_exponent(X):
            raise ValueError("the squares of these numbers over- or underflow: rescale the row blocks")
        weight = np.asarray(drawn.weight * factor, dtype=np.float64)
        held = self._seeds(X, weight, np.flatnonzero(weight > 0.0), rng)
        pieces = (piece for _ in range(self.max_iter) for piece in stretches(data, batch))
        self._walk(held, pieces, count, rng)
        problem = KMeansProblem(data, held.centers)
        found, e = held.centers, problem.evaluate(held.centers)
        for _ in range(self.final_steps):
            found = e.means
            e = problem.evaluate(found)
        order = block_order(data, found)
        eps = float(np.finfo(np.float64).eps)
        self.certificate_ = fixed_point_certificate(
            e.step, e.loss, problem.scale(), found, eps, self._further()
        )
        self.inertia_ = e.loss * float(e.mass.sum())
        self._keep(found[order], e.mass[order], X.dtype)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take some more rows as one batch; the first ones choose the seeds.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (b, p)
            Rows; in the first call at least K different ones.
        y : ignored
        sample_weight : array, shape (b,), optional
            Weights >= 0, in the unit of the calls before.

        Returns
        -------
        self
        """
        with as_before(self):
            first = not hasattr(self, "counts_")
            X = self._read(X, reset=first)
            weight = check_weights(sample_weight, X.shape[0])
            self._settings()
            refuse_extreme(X)
            rng = np.random.default_rng([check_seed(self.random_state), getattr(self, "n_steps_", 0)])
            if first:
                self._unit, self.n_steps_, self.n_iter_ = unit_exponent(X), 0, 0
                held = self._seeds(in_unit(X, self._unit), weight, np.flatnonzero(weight > 0.0), rng)
            else:
                centers = np.ldexp(self.cluster_centers_.astype(np.float64), -self._unit)
                held = CountedCenters(centers, self.counts_.copy())
            rows = in_unit(X, self._unit)
            square = held.take(rows, weight)
            if self.n_steps_ % 10 == 9 and self.reassignment_ratio > 0.0:
                held.replace(rows, weight, square, self.reassignment_ratio, rng)
            if first:
                order = first_seen(assigned(rows, held.centers)[0], weight)[1]
                order = np.append(order, np.setdiff1d(np.arange(len(held.centers)), order))
                held = CountedCenters(held.centers[order], held.counts[order])
            if not np.isfinite(held.centers).all():
                raise ValueError(
                    "these rows are so much larger than the first that squares overflow: rescale"
                )
            self.labels_, squares = assigned(rows, held.centers)
            self.inertia_ = float(np.ldexp((weight * squares).sum(), 2 * self._unit))
            self.n_steps_, self.n_iter_ = self.n_steps_ + 1, self.n_iter_ + 1
            dtype = X.dtype if first else self.cluster_centers_.dtype
            self._keep(held.centers, held.counts, dtype)
            self.certificate_ = Certificate(
                Kind.NONE, np.inf, 1.0, f"none: {self.n_steps_} batches were taken, whose rows were not kept"
            )
        return self

    def _seeds(self, rows: Any, s: Array, live: IndexArray, rng: np.random.Generator) -> CountedCenters:
        """Return where the best start on some drawn rows ends, or on all where too few of those differ."""
        seeding: Seeding = seeding_of(self.init)
        k, most = self.n_clusters, max(3 * self.batch_size, 3 * self.n_clusters)
        if hasattr(seeding, "values"):
            given = np.ldexp(np.asarray(seeding.values, dtype=np.float64), -self._unit)
            return CountedCenters(seeding_of(given).centers(rows[live], s[live], k, rng), np.zeros(k))
        n_init = self._starts(seeding.draws)
        some = np.sort(rng.choice(live, most, replace=False)) if len(live) > most else live
        for chosen in (some, live):
            lloyd = Lloyd(rows[chosen], s[chosen], "lloyd")
            try:
                found = run_restarts(lloyd, seeding, k, n_init, rng, 1e-3 * lloyd.scale(), SAMPLE_STEPS)
                return CountedCenters(found.best.centers.copy(), np.zeros(k))
            except ValueError:
                if len(chosen) == len(live):
                    raise
        raise AssertionError("the second choice is all rows, and returns or raises")

    def _walk(
        self, held: CountedCenters, batches: Iterator[tuple[Any, Array]], n: int, rng: np.random.Generator
    ) -> None:
        """Take batches until they bring no new low, or there are no more."""
        plateau = Plateau(min(1.0, 2.0 * self.batch_size / (n + 1)), self.max_no_improvement)
        steps, rows_seen, waited, rows_waited = 0, 0, 0, 0
        for X, s in batches:
            square = held.take(X, s)
            steps, rows_seen = steps + 1, rows_seen + X.shape[0]
            waited, rows_waited = waited + 1, rows_waited + X.shape[0]
            if self.reassignment_ratio > 0.0 and waited >= 10 and rows_waited >= 10 * len(held.counts):
                held.replace(X, s, square, self.reassignment_ratio, rng)
                waited, rows_waited = 0, 0
            if plateau.reached(float(s @ square) / max(float(s.sum()), 1e-300)):
                break
        self.n_steps_, self.n_iter_ = steps, max(1, -(-rows_seen // max(n, 1)))

    def _certify(self, lloyd: Lloyd, centers: Array, labels: IndexArray, squares: Array) -> None:
        shift = middle(lloyd.X, centers)
        total, mass = cluster_sums(lloyd.X, lloyd.weight, labels.astype(np.int32), shift, len(centers))
        live = mass > 0.0
        ways = total[live] / mass[live, None] - (centers[live] - (0.0 if shift is None else shift))
        step = float((mass[live] * (ways**2).sum(axis=1)).sum() / lloyd.total)
        inertia = float((squares if lloyd.weight is None else lloyd.weight * squares).sum()) / lloyd.total
        eps = float(np.finfo(lloyd.X.dtype).eps)
        self.certificate_ = fixed_point_certificate(
            step, inertia, lloyd.scale(), centers, eps, self._further()
        )

    def _further(self) -> str:
        return f"; {self.n_steps_} batches were taken"

    def _keep(self, centers: Array, counts: Array, dtype: Any) -> None:
        self.cluster_centers_ = np.ldexp(centers, self._unit).astype(dtype)
        self.counts_ = np.asarray(counts, dtype=np.float64)
        self._n_features_out = len(centers)

    def _settings(self) -> tuple[int, int]:
        """Check the parameters; returns K and the rows of a batch."""
        check_count("max_iter", self.max_iter, 1)
        check_count("max_no_improvement", self.max_no_improvement, 1)
        check_count("final_steps", self.final_steps, 0)
        check_number("reassignment_ratio", self.reassignment_ratio, 0.0, 1.0)
        return check_count("n_clusters", self.n_clusters, 1), check_count("batch_size", self.batch_size, 1)

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        X = self._read(X, reset=False)
        weight = check_weights(sample_weight, X.shape[0])
        labels = getattr(self, "labels_", None)
        labels = self._nearest(X)[0] if labels is None else labels
        return verify_centers(self, labels, X, weight)


def _numbered(X: Any, centers: Array, s: Array) -> tuple[Array, IndexArray, Array]:
    """Number centres by their first rows; tied rows go to the lower number, so that it is asked again."""
    labels, squares = assigned(X, centers)
    for _ in range(len(centers) + 1):
        old = first_seen(labels, s)[1]
        order = np.append(old, np.setdiff1d(np.arange(len(centers)), old))
        if np.array_equal(order, np.arange(len(centers))):
            break
        centers = np.ascontiguousarray(centers[order])
        labels, squares = assigned(X, centers)
    return centers, labels, squares
