"""Estimators that group rows into a given number of clusters, asked what they can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from empirisk.estimators.checks import pair_noun
from empirisk.partitions.rows import Rows
from empirisk.typing import IndexArray

__all__ = ["Grouping", "Partition", "groups_rows"]

PARAMETERS = ("n_clusters", "n_components")
PAIRS = {"weight": "affinity", "distance": "metric", "kernel value": "kernel"}


@dataclass(frozen=True)
class Partition:
    """Rows grouped into a number of clusters.

    Parameters
    ----------
    k : int
        The number that was asked for.
    codes : array of int, shape (n,)
        Clusters 0..found-1 of the rows.
    found : int
        Clusters that hold rows; at most k.
    model : estimator or None
        The fitted estimator; None where one fit served several k.
    """

    k: int
    codes: IndexArray
    found: int
    model: Any = None


def groups_rows(estimator: Any) -> bool:
    """Return whether an estimator says which rows belong together: it has ``fit_predict``.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> groups_rows(KMeans()), groups_rows(3)
    (True, False)
    """
    return hasattr(estimator, "fit_predict") and hasattr(estimator, "get_params")


class Grouping:
    """A recipe for partitions: an unfitted estimator, and the name of its number of clusters.

    Parameters
    ----------
    estimator : estimator
        With ``fit_predict`` and one of the parameters ``n_clusters`` and ``n_components``.
    numbered : bool, default True
        Whether the number of clusters must be a parameter.

    Raises
    ------
    TypeError
        For an estimator that does not group rows, or whose number of clusters cannot be set.
    ValueError
        For an estimator of a matrix of pairs, which cannot be drawn again as rows.

    Notes
    -----
    An estimator with ``cut(n_clusters)`` is fitted once for all numbers.
    """

    def __init__(self, estimator: Any, numbered: bool = True) -> None:
        name = type(estimator).__name__
        if isinstance(estimator, type):
            raise TypeError(f"estimator is the class {estimator.__name__}; give an object, with ()")
        if not groups_rows(estimator):
            raise TypeError(
                f"{name} does not group rows: an estimator with fit_predict is needed (KMeans, "
                "GaussianMixture, AgglomerativeClustering ...)"
            )
        noun = pair_noun(estimator)
        if noun:
            raise ValueError(
                f"{name} with {PAIRS[noun]}='precomputed' takes the {noun}s of all pairs of rows, and such "
                "a matrix cannot be resampled as rows: give the rows themselves, and an estimator that "
                f"computes the {noun}s from them"
            )
        names = estimator.get_params(deep=False)
        self.parameter = next((p for p in PARAMETERS if p in names), "")
        if numbered and not self.parameter:
            raise TypeError(
                f"{name} has neither of the parameters n_clusters and n_components, so that its number of "
                "clusters cannot be chosen; take an estimator that has one"
            )
        self.estimator = estimator
        self.name = name
        self._seeded = "random_state" in names
        self._fixed = self._seeded and names["random_state"] is not None
        self.weighted = has_fit_parameter(estimator, "sample_weight")
        self._cuts = hasattr(estimator, "cut") and bool(self.parameter)

    def check_weights(self, rows: Rows) -> None:
        """Refuse unequal weights where the estimator takes none."""
        if rows.given is not None and not self.weighted and np.ptp(rows.weight) > 0.0:
            raise ValueError(
                f"sample_weight is given and {self.name}.fit takes none; leave it out, or take an estimator "
                "with weights"
            )

    def fitted(self, rows: Rows, seed: int, k: int | None = None, keep: bool = True) -> Any:
        """Return the estimator fitted to the rows; `seed` is used where its own random_state is None.

        `keep` False draws a new seed even if the user fixed one: for rows that are drawn.
        """
        model = clone(self.estimator)
        if k is not None:
            model.set_params(**{self.parameter: int(k)})
        if self._seeded and not (self._fixed and keep):
            model.set_params(random_state=int(seed))
        weight = {} if rows.given is None or not self.weighted else {"sample_weight": rows.given}
        return model.fit(rows.X, **weight)

    def partition(self, rows: Rows, k: int | None, seed: int, keep: bool = True) -> Partition:
        """Return the rows grouped into k clusters, or into as many as the estimator finds."""
        model = self.fitted(rows, seed, k, keep)
        return _partition(k, labels_of(model, rows.X), model)

    def partitions(
        self, rows: Rows, ks: Any, seed: int, keep: bool = True, refused: dict[int, str] | None = None
    ) -> dict[int, Partition]:
        """Return a partition for each k; one cluster needs no fit.

        With `refused`, numbers that the estimator refuses are left out, and go there with its words.
        """
        out: dict[int, Partition] = {}
        model = None
        for k in ks:
            try:
                if k == 1:
                    out[k] = Partition(1, np.zeros(rows.n, dtype=np.intp), 1)
                elif self._cuts:
                    model = model or self.fitted(rows, seed, int(k), keep)
                    out[k] = _partition(k, model.cut(n_clusters=int(k)))
                else:
                    out[k] = self.partition(rows, k, seed, keep)
            except ValueError as error:
                if refused is None:
                    raise
                refused[k] = str(error)
        return out


def labels_of(model: Any, X: Any) -> Any:
    """Return the labels of the rows that a model was fitted to."""
    return model.labels_ if hasattr(model, "labels_") else model.predict(X)


def _partition(k: int | None, labels: Any, model: Any = None) -> Partition:
    values, codes = np.unique(np.asarray(labels), return_inverse=True)
    return Partition(k or len(values), np.asarray(codes.reshape(-1), dtype=np.intp), len(values), model)
