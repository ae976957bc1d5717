"""Names of the rows of a frame, which charts of single rows show: kept in memory, and never in a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from empirisk.data.as_before import as_before
from empirisk.estimators.clusters.base import Clusterer
from empirisk.typing import IndexArray

__all__ = ["NamesRows", "names_of", "words_of"]


class NamesRows(Clusterer):
    """A clusterer whose dendrogram has rows as leaves, and names them as the frame of the fit did.

    The names are a reference to the index of the frame.  Pickles, copies and files of skops leave them out:
    a model that comes from one shows numbers, unless rows or labels are given to the chart.
    """

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Group the rows, and remember the names that a frame gives them.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            As the class says.
        y : ignored
        sample_weight : array, shape (n,), optional
            Weights >= 0; a row of weight 0 is absent.

        Returns
        -------
        self
        """
        with as_before(self):
            super().fit(X, y, sample_weight)
            self._row_names = names_of(X)
        return self

    def _names_for(self, labels: Sequence[Any] | None, X: Any = None) -> list[str]:
        """Return a name for each row: as given, else of a frame of rows or of the fit, else its place."""
        n = len(self.labels_)
        found = (labels, names_of(X), getattr(self, "_row_names", None), range(n))
        return words_of(next(names for names in found if names is not None), n, "row of the fit")

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_row_names", None)
        return state


def names_of(X: Any) -> Any:
    """Return the index of a frame of pandas that names its rows, and None for all other tables."""
    index = getattr(X, "index", None) if hasattr(X, "columns") else None
    counts = index is None or type(index).__name__ == "RangeIndex"
    return None if counts else index


def words_of(names: Sequence[Any] | IndexArray, n: int, what: str) -> list[str]:
    """Return n names as words; the levels of an index that has several are joined."""
    if len(names) != n:
        raise ValueError(f"labels must be {n:,} names, one for each {what}, got {len(names):,}")
    return [", ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in names]
