"""An index of the partition that an estimator finds, as a statistic that the bootstrap can take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from empirisk.data.seeds import Seed, check_seed
from empirisk.partitions.grouping import Grouping
from empirisk.partitions.indices import index_of
from empirisk.partitions.rows import read_rows

__all__ = ["Regrouped"]


@dataclass(frozen=True)
class Regrouped:
    """``T(X) = index(X, labels that the estimator finds in X)``, for ``er.bootstrap(T, X)``.

    Each resample is grouped anew, so that the interval holds what the search for the groups adds, and not
    only the rows.

    Parameters
    ----------
    estimator : estimator
        Unfitted, with ``fit_predict``.
    index : str or index object, default ``"silhouette"``
        A row of ``er.partitions.indices``.
    random_state : int, Generator, RandomState or None, default None
        Seed of every fit.

    Notes
    -----
    A row that is drawn twice lies at distance 0 from itself: resamples look a little more grouped than rows
    do. BCa limits (the default of the bootstrap) correct part of it; the delete-d jackknife of
    :func:`choose_k` draws no row twice.

    Examples
    --------
    >>> import numpy as np, empirisk as er
    >>> from sklearn.cluster import KMeans
    >>> rng = np.random.default_rng(0)
    >>> X = 9.0 * np.eye(3, 2)[np.arange(30) % 3] + rng.normal(size=(30, 2))
    >>> T = Regrouped(KMeans(3, n_init=1))
    >>> b = er.bootstrap(T, X, n_resamples=200, random_state=0)
    >>> b.low < T(X) < b.high
    True
    """

    estimator: Any
    index: Any = "silhouette"
    random_state: Seed = None

    def __post_init__(self) -> None:
        Grouping(self.estimator, numbered=False)
        index_of(self.index)

    @property
    def __name__(self) -> str:
        return str(index_of(self.index).label)

    def __call__(self, X: Any) -> float:
        """Return the index of the partition that is found in these rows."""
        rows = read_rows(X)
        found = Grouping(self.estimator, numbered=False).partition(rows, None, check_seed(self.random_state))
        return float(index_of(self.index).value(rows, found.codes))
