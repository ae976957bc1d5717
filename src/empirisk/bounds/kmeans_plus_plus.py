"""How far the clustering that k-means++ starts from is from the best one, in expectation.

Arthur and Vassilvitskii, Symposium on Discrete Algorithms (2007), theorem 1.1.
"""

from __future__ import annotations

import math

from empirisk.bounds.base import check_count

__all__ = ["kmeans_plus_plus"]


def kmeans_plus_plus(n_clusters: int) -> float:
    """``E Q <= 8 (log K + 2) Q_opt``: the factor, for the sum of squared distances Q after D^2 seeding.

    Parameters
    ----------
    n_clusters : int
        K.

    Returns
    -------
    float
        The factor. The expectation is over the seeding, for any points; Lloyd's steps afterwards only lower
        Q.

    Raises
    ------
    ValueError
        When K is not a whole number >= 1.

    Notes
    -----
    The next centre is drawn with probability proportional to the squared distance to the nearest centre so
    far. The factor 8 can be lowered to 5 (Makarychev, Reddy and Shan 2020). Cost O(1). Source: Arthur and
    Vassilvitskii, Symposium on Discrete Algorithms (2007), theorem 1.1.

    Examples
    --------
    >>> round(kmeans_plus_plus(10), 3)
    34.421
    """
    return 8.0 * (math.log(check_count(n_clusters, "n_clusters")) + 2.0)
