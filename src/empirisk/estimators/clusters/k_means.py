"""K-means: rows around K centres, by Lloyd's steps from careful seeds."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from empirisk.clustering.affordable_bound import affordable_bound
from empirisk.clustering.assign import assigned
from empirisk.clustering.lloyd import ALGORITHMS, Lloyd
from empirisk.clustering.lower_bound import InertiaBound, inertia_lower_bound
from empirisk.clustering.restarts import run_restarts
from empirisk.clustering.seedings import seeding_of
from empirisk.clustering.units import in_unit, refuse_extreme, unit_exponent
from empirisk.data.as_before import as_before
from empirisk.data.caller_line import caller_level
from empirisk.data.memory import refuse_memory
from empirisk.data.row_blocks import RowBlocks, check_blocks
from empirisk.data.seeds import check_seed
from empirisk.data.weight_unit import WeightUnit
from empirisk.estimators.checks import check_count, check_number, check_weights
from empirisk.estimators.clusters.base import Clusterer, refuse_overflow
from empirisk.estimators.clusters.k_means_blocks import fit_blocks
from empirisk.estimators.clusters.numbered_centers import numbered
from empirisk.estimators.clusters.on_a_line import fit_line, is_line, verify_line
from empirisk.estimators.clusters.verify_centers import bound_in_words, refuse_other_rows, verify_centers
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.problems.kmeans import fixed_point_certificate
from empirisk.results import Certificate, Kind
from empirisk.typing import Array, IndexArray

__all__ = ["KMeans"]

# Starts where several are worth it, so that their spread can be seen.
STARTS = 4


class KMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """K centres with a small ``J(c) = (1/S) sum_i s_i min_k ||x_i - c_k||^2``.

    Lloyd's steps from each of several seedings; the best is kept.  It is a fixed point of the steps: the
    minimum of J is hard to find, and to know (see :meth:`lower_bound`).

    Parameters
    ----------
    n_clusters : int, default 8
        K >= 1, at most the number of distinct rows of positive weight.
    init : {"k-means++", "k-means||", "farthest-first", "random"}, Seeding or array, default "k-means++"
        How the starts are chosen (:data:`empirisk.clustering.SEEDINGS`), or centres to start from,
        shape (K, p).
    n_init : int or "auto", default "auto"
        Starts; ``"auto"`` is 4, and 1 for given centres.  A start is given up after step t >= 5 where neither
        ten more steps as good as the last nor twice what the best completed start gained after its step t
        would bring it below the end of that one.
    algorithm : {"auto", "bounds", "lloyd"}, default "auto"
        ``"lloyd"`` compares each row with all centres at each step, ``"bounds"`` leaves out those that the
        triangle inequality excludes; ``"auto"`` begins with the one and takes the other when few rows move.
        The bits are the same.  One column is solved to the optimum with ``"auto"``, by
        :func:`empirisk.clustering.best_line_clusters`, unless centres are given or K n exceeds 5e7.
    tol : float, default 1e-8
        Steps end when the certificate is within it: moving the centres to the means of their rows would
        lower J by at most ``tol`` times the total variance.  With 0 they end when no row moves.
    max_iter : int, default 300
        Steps of a start at most.
    random_state : int, Generator, RandomState or None, default None
        What draws the starts; None is 0.

    Attributes
    ----------
    cluster_centers_ : array, shape (K, p)
        The centres, in the number format of the rows.
    labels_ : array of int, shape (n,)
        The nearest centre of each row, what ``predict`` says of them; cluster 0 holds the first row, and so
        on.
    inertia_ : float
        ``sum_i s_i ||x_i - c_label||^2``.
    n_iter_ : int
        Steps of the best start.
    objectives_ : array, shape (n_init,)
        Inertia of each start where it was left.
    given_up_ : array of bool, shape (n_init,)
        Which starts were given up.
    inertia_bound_ : float or None
        Less inertia than this no K clusters of these rows have, by their principal axes or the
        eigenvalues of the scatter; the certificate names it where J is within twice of it.  None where it
        would have cost more than a tenth of the fit, for sparse rows and for blocks.
    certificate_ : Certificate
        STATIONARITY: how much the next step would lower J at least; EXACT for one column, for one cluster,
        and where J is 0.
    n_features_in_ : int

    Raises
    ------
    ValueError
        For parameters out of range, and more clusters than there are distinct rows, with their number.
    MemoryError
        When what the fit keeps for each row does not fit.

    Notes
    -----
    O(n K p) a step, or O(n p) where bounds exclude most centres; beside X 40 bytes a row, and with bounds
    about K/8 more.  A cluster that loses its rows takes the row of positive weight that is farthest from its
    centre (of equal ones the first), the next such cluster the farthest row then.  Weights are repetitions,
    whole or not.

    References
    ----------
    Lloyd, IEEE Transactions on Information Theory 28(2), 1982; Arthur and Vassilvitskii, SODA 2007; Ding,
    Zhao, Shen, Musuvathi and Mytkowicz, ICML 2015.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0]])
    >>> model = er.KMeans(2).fit(X)
    >>> model.labels_, model.cluster_centers_.tolist(), model.inertia_
    (array([0, 0, 1, 1]), [[0.0, 0.5], [9.0, 8.5]], 1.0)
    >>> model.certificate_.kind.name
    'STATIONARITY'
    """

    cluster_centers_: Array
    inertia_: float
    n_iter_: int
    objectives_: Array
    given_up_: NDArray[np.bool_]
    inertia_bound_: float | None
    _axes: int | None
    _takes_sparse = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        algorithm: str = "auto",
        tol: float = 1e-8,
        max_iter: int = 300,
        random_state: Any = None,
    ) -> None:
        self._set(locals())

    def _group(self, X: Any, weight: Array) -> None:
        """Run all starts, and keep the best."""
        k, tol, max_iter = self._checked()
        seeding = seeding_of(self.init)
        n_init = self._starts(seeding.draws)
        refuse_extreme(X)
        if self.algorithm == "auto" and seeding.draws and is_line(X, k):
            return self._group_line(X, weight, k)
        unit = unit_exponent(X, *([seeding.values] if hasattr(seeding, "values") else []))
        rows, s = in_unit(X, unit), WeightUnit.of(weight).multiple
        self._forecast(X.shape[0], k)
        lloyd = Lloyd(rows, s, self.algorithm)
        scale = lloyd.scale()
        rng = np.random.default_rng(check_seed(self.random_state))
        if hasattr(seeding, "values") and unit:
            seeding = seeding_of(np.ldexp(np.asarray(seeding.values, dtype=np.float64), -unit))
        found = run_restarts(lloyd, seeding, k, n_init, rng, tol * scale, max_iter)
        centers, labels, squares, step, n_iter = numbered(lloyd, found, tol * scale, max_iter)
        inertia = float((squares if s is None else s * squares).sum()) / lloyd.total
        found = found.ending(inertia)
        low, self._axes = affordable_bound(rows, s, k, found.passes) or (None, None)
        factor = seeding.factor(k)
        further = found.sentence + (
            f"; the seeds alone are within {factor:.4g} of the minimum in expectation" if factor else ""
        )
        further += bound_in_words(inertia, low, self._axes)
        eps = float(np.finfo(X.dtype).eps)
        self.certificate_ = fixed_point_certificate(step, inertia, scale, centers, eps, further)
        total_weight = float(weight.sum())
        self.labels_ = labels
        self.cluster_centers_ = np.ldexp(centers, unit).astype(X.dtype)
        self.inertia_ = float(np.ldexp(inertia, 2 * unit)) * total_weight
        refuse_overflow(self)
        self.inertia_bound_ = None if low is None else float(np.ldexp(low, 2 * unit)) * total_weight
        with np.errstate(over="ignore"):
            self.objectives_ = np.ldexp(found.objectives, 2 * unit) * total_weight
        self.given_up_ = found.given_up
        self.n_iter_ = n_iter
        self._n_features_out = k
        self._warn(tol, max_iter)

    def _group_line(self, X: Any, weight: Array, k: int) -> None:
        """Take the optimum of one column."""
        found = fit_line(X, weight, k)
        self.certificate_, self.labels_ = found.certificate, found.labels
        self.cluster_centers_, self.inertia_ = found.centers, found.inertia
        self.objectives_, self.given_up_ = np.array([found.inertia]), np.zeros(1, dtype=bool)
        self.inertia_bound_, self.n_iter_ = None, 1
        self._n_features_out = k

    def _warn(self, tol: float, max_iter: int) -> None:
        c = self.certificate_
        if c.kind is Kind.STATIONARITY and not c.within(tol) and not c.at_floor:
            said = f"ER001: k-means stopped after max_iter={max_iter} steps: {c.claim}"
            warnings.warn(f"{said}; raise max_iter or tol", CertificateWarning, stacklevel=caller_level())

    def _checked(self) -> tuple[int, float, int]:
        if self.algorithm not in ALGORITHMS:
            listed = ", ".join(map(repr, ALGORITHMS))
            raise ValueError(f"algorithm must be one of {listed}, got {self.algorithm!r}")
        k = check_count("n_clusters", self.n_clusters, 1)
        return k, check_number("tol", self.tol, 0.0), check_count("max_iter", self.max_iter, 1)

    def _starts(self, draws: bool) -> int:
        if isinstance(self.n_init, str) and self.n_init == "auto":
            return STARTS if draws else 1
        if isinstance(self.n_init, str):
            raise ValueError(f"n_init must be an integer >= 1 or 'auto', got {self.n_init!r}")
        return check_count("n_init", self.n_init, 1)

    def _forecast(self, n: int, k: int) -> None:
        forecast = n * (60.0 + k / 8.0) + 16.0 * k * self.n_features_in_
        refuse_memory(
            f"k-means with {k} clusters of {n} rows",
            forecast,
            "fit a sample of the rows, or blocks of them with fit_blocks",
        )

    def fit_blocks(self, rows: RowBlocks) -> Self:
        """Fit rows that are read block by block, such as views of a memory map.

        What a fit in memory finds from the same seeds, but for rounding; no array has a number for each row,
        so that there are no ``labels_``: ``predict`` says them, block by block.  Starts are drawn by
        k-means|| where `init` is ``"k-means||"`` or ``"k-means++"``, which would read the rows K times.

        Parameters
        ----------
        rows : RowBlocks
            Such as :meth:`empirisk.data.BlockList.cut` of a memory map; targets are not looked at.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np, empirisk as er
        >>> X = np.array([[0.0], [1.0], [8.0], [9.0]])
        >>> rows = er.data.BlockList.cut(X, np.zeros(4), rows=3)
        >>> er.KMeans(2).fit_blocks(rows).cluster_centers_.ravel()
        array([0.5, 8.5])
        """
        check_blocks(rows)
        k, tol, max_iter = self._checked()
        seeding = seeding_of(self.init)
        with as_before(self):
            found = fit_blocks(
                rows, seeding, k, self._starts(seeding.draws), tol, max_iter, check_seed(self.random_state)
            )
            self.__dict__.pop("labels_", None)
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = rows.n_cols
            self.cluster_centers_, self.certificate_ = found.centers, found.certificate
            self.inertia_, self.objectives_, self.inertia_bound_ = found.inertia, found.objectives, None
            self.given_up_, self.n_iter_ = np.zeros(len(found.objectives), dtype=bool), found.n_iter
            self._n_features_out = k
            self._warn(tol, max_iter)
        return self

    def predict(self, X: Any) -> IndexArray:
        """Return the nearest centre of each row, of equally near ones the first.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
        """
        check_is_fitted(self)
        return self._nearest(self._read(X, reset=False))[0]

    def transform(self, X: Any) -> Array:
        """Return the Euclidean distance of each row to each centre, shape (m, K).

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        unit = unit_exponent(X, self.cluster_centers_)
        rows, centers = in_unit(X, unit), in_unit(self.cluster_centers_, unit)
        refuse_memory("the distances to all centres", 8.0 * X.shape[0] * len(centers), "take fewer rows")
        out = np.empty((X.shape[0], len(centers)), dtype=X.dtype)
        for k in range(len(centers)):
            out[:, k] = np.sqrt(assigned(rows, centers[k : k + 1])[1])
        return np.ldexp(out, unit)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return ``-sum_i s_i min_k ||x_i - c_k||^2``: the larger, the nearer are the rows to the centres.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (m, p)
        y : ignored
        sample_weight : array, shape (m,), optional
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        weight = check_weights(sample_weight, X.shape[0])
        return -float((weight * self._nearest(X)[1]).sum())

    def lower_bound(self, X: Any, sample_weight: Any = None, *, method: str = "auto") -> InertiaBound:
        """Return a proved lower bound of the inertia of any K clusters of these rows: how good these can be.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            The rows of the fit.
        sample_weight : array, shape (n,), optional
            Their weights.
        method : {"auto", "axes", "semidefinite"}, default "auto"
            As :func:`empirisk.clustering.inertia_lower_bound`, which says what they cost.

        Returns
        -------
        InertiaBound
            ``bound.sentence(model.inertia_)`` says it in words.

        Raises
        ------
        ValueError
            For other rows than those of the fit.
        """
        check_is_fitted(self)
        X = self._read(X, reset=False)
        rows = X if isinstance(X, np.ndarray) else X.toarray()
        weight = check_weights(sample_weight, X.shape[0])
        refuse_other_rows(self, weight, self._nearest(X)[1])
        k = len(self.cluster_centers_)
        return inertia_lower_bound(rows, k, weight, method=method, upper=self.inertia_)

    def _nearest(self, X: Any) -> tuple[IndexArray, Array]:
        unit = unit_exponent(X, self.cluster_centers_)
        labels, squares = assigned(in_unit(X, unit), in_unit(self.cluster_centers_, unit))
        return labels, np.ldexp(squares, 2 * unit)

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        X = self._read(X, reset=False)
        weight = check_weights(sample_weight, X.shape[0])
        if not hasattr(self, "labels_"):
            return verify_centers(self, self._nearest(X)[0], X, weight)
        if (
            self.certificate_.kind is Kind.EXACT
            and self.algorithm == "auto"
            and is_line(X, len(self.cluster_centers_))
        ):
            return verify_line(self, X, weight)
        return verify_centers(self, self.labels_, X, weight)
