"""The rows near a row, as an estimator: nearest ones, all within a radius, and their graphs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from empirisk.data.as_before import as_before
from empirisk.estimators.checks import check_count, check_flag, check_number
from empirisk.estimators.neighbors.graphs import graph_of
from empirisk.estimators.neighbors.neighbors_base import NeighborsBase
from empirisk.results import Certificate

__all__ = ["NearestNeighbors"]


class NearestNeighbors(NeighborsBase):
    """The training rows that are nearest to a row, or within a radius of it; found exactly.

    ``N_k(x)`` are the first k rows in the order of ``(d(x, x_i), i)``; ``N(x, r) = {i : d(x, x_i) <= r}``.

    Parameters
    ----------
    n_neighbors : int, default 5
        k, where a search does not say another number.
    radius : float, default 1.0
        r, where a search does not say another one; >= 0.
    metric : str, Metric or callable, default "euclidean"
        A name of :data:`empirisk.neighbors.METRICS`, an object, or a function of two rows.
    algorithm : {"auto", "brute", "kd_tree"}, default "auto"
        Compare each query with all rows, or search a k-d tree, which there is for dense rows and Minkowski
        distances; ``"auto"`` takes what a measured rule expects to be sooner.  The answers have the same
        bits, and the certificate says how they were found.

    Attributes
    ----------
    n_neighbors_, radius_ : int, float
        k and r of searches that do not say others.
    metric_ : Metric
        The metric as an object.
    n_samples_fit_ : int
        Rows that are kept.
    certificate_ : Certificate
        The search is exact.

    Raises
    ------
    ValueError
        For parameters out of range, and rows that the metric is not defined for.  A search refuses more
        neighbours than there are rows.

    Notes
    -----
    Cost as :class:`empirisk.KNeighborsClassifier`; what is found has the same bits with every algorithm, for
    any number of threads.  Training rows that ask (``X=None``) do not find themselves, but their copies.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> near = er.NearestNeighbors(2).fit(np.array([[0.0], [1.0], [3.0], [1.0]]))
    >>> near.kneighbors([[1.2]])
    (array([[0.2, 0.2]]), array([[1, 3]]))
    >>> near.radius_neighbors(radius=1.0, return_distance=False)[0]
    array([1, 3])
    """

    radius_: float

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        radius: float = 1.0,
        metric: Any = "euclidean",
        algorithm: str = "auto",
    ) -> None:
        self._set(locals())

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keep the rows.

        Parameters
        ----------
        X : array, data frame or sparse matrix, shape (n, p)
            Rows; with precomputed distances their matrix, (n, n).
        y : None
            Ignored.

        Returns
        -------
        self
        """
        k, radius = check_count("n_neighbors", self.n_neighbors, 1), check_number("radius", self.radius, 0.0)
        with as_before(self):
            self._keep(self._checked(X, True))
            self.n_neighbors_, self.radius_ = k, radius
        return self

    def radius_neighbors(
        self, X: Any = None, radius: float | None = None, return_distance: bool = True
    ) -> tuple[NDArray[Any], NDArray[Any]] | NDArray[Any]:
        """Return distances and numbers of all training rows within a radius, by distance and then by number.

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p), optional
            New rows; by default the training rows, each without itself.
        radius : float, optional
            That of the fit by default; a row at just this distance is within.
        return_distance : bool, default True
            False returns the numbers alone.

        Returns
        -------
        distances, numbers : object arrays, shape (m,)
            An array for each row, as long as there are rows within.
        """
        both = check_flag("return_distance", return_distance)
        starts, rows, distance = self._within(X, self._radius(radius))
        numbers = _split(rows, starts)
        return (_split(distance, starts), numbers) if both else numbers

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> sp.csr_array:
        """Return the graph that joins each row with its nearest training rows, shape (m, n).

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p), optional
            New rows; by default the training rows, each without itself.
        n_neighbors : int, optional
            That of the fit by default.
        mode : {"connectivity", "distance"}, default "connectivity"
            Whether an edge holds 1, or the distance of its rows; edges of distance 0 are stored.
        """
        distance, rows = self._nearest(X, self._count(n_neighbors))
        starts = np.arange(len(rows) + 1) * rows.shape[1]
        return graph_of(starts, rows.ravel(), distance.ravel(), self.n_samples_fit_, mode)

    def radius_neighbors_graph(
        self, X: Any = None, radius: float | None = None, mode: str = "connectivity"
    ) -> sp.csr_array:
        """Return the graph that joins each row with all training rows within a radius, shape (m, n).

        Parameters
        ----------
        X : array or sparse matrix, shape (m, p), optional
            New rows; by default the training rows, each without itself.
        radius : float, optional
            That of the fit by default.
        mode : {"connectivity", "distance"}, default "connectivity"
            Whether an edge holds 1, or the distance of its rows; edges of distance 0 are stored.
        """
        starts, rows, distance = self._within(X, self._radius(radius))
        return graph_of(starts, rows, distance, self.n_samples_fit_, mode)

    def _radius(self, given: float | None) -> float:
        check_is_fitted(self)
        return self.radius_ if given is None else check_number("radius", given, 0.0)

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Return whether the rows are those that the model keeps, and the search is exact."""
        return self._verify_search(X, min(self.n_neighbors_, self.n_samples_fit_))


def _split(values: NDArray[Any], starts: NDArray[Any]) -> NDArray[Any]:
    """Return an object array of the stretches between the starts."""
    out = np.empty(len(starts) - 1, dtype=object)
    for i, (begin, end) in enumerate(pairwise(starts)):
        out[i] = values[begin:end]
    return out
