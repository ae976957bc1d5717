"""Rows grouped by the sign of a column: a copy-me file for an estimator that groups rows.

Copy it to a file of src/empirisk/estimators/clusters/, rename the class, say in `_group` how rows are
grouped and in `_verify` how the claim is recomputed from the fitted numbers, and add one row to REGISTRY in
src/empirisk/estimators/clusters/__init__.py, one name to src/empirisk/__init__.pyi, and one use to USES in
tests/conformance/clusterers.py.  scikit-learn's own checks, weights, layouts, permutations, model files and
the certificate then run over it by themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.estimators.checks import check_number
from empirisk.estimators.clusters.base import Clusterer, first_seen
from empirisk.results import Certificate, Kind
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["SideOfZero"]


class SideOfZero(Clusterer):
    """Two clusters: the rows whose first column is below a level, and the others.

    Parameters
    ----------
    level : float, default 0.0
        What the first column is compared with.

    Attributes
    ----------
    labels_ : array of int, shape (n,)
        The cluster of each row; cluster 0 holds the first row.
    certificate_ : Certificate
        The rule is exact.

    Raises
    ------
    ValueError
        For a level that is no finite number.

    Notes
    -----
    O(n).

    Examples
    --------
    >>> import numpy as np
    >>> SideOfZero().fit(np.array([[1.0], [-2.0], [3.0]])).labels_
    array([0, 1, 0])
    """

    def __init__(self, level: float = 0.0) -> None:
        self._set(locals())

    def _group(self, X: Any, weight: Array) -> None:
        """Compare the first column with the level."""
        self._level = check_number("level", self.level, -np.inf)
        self.labels_, _ = first_seen(self._sides(X), weight)
        self.certificate_ = Certificate(Kind.EXACT, 0.0, 1.0, "every row is on its side, by comparison")

    def _sides(self, X: Any) -> IndexArray:
        return np.asarray(X[:, 0] < self._level, dtype=np.intp)

    def _verify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Compare once more, with the rows that are given here."""
        X = self._read(X, reset=False)
        if not np.array_equal(first_seen(self._sides(X))[0], self.labels_):
            return unconfirmed("the labels are not those of these rows")
        return self.certificate_
