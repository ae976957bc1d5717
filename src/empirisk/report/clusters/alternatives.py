"""What the groups would be under other decisions about scale, and by other methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.estimators.clusters.agglomerative import AgglomerativeClustering
from empirisk.estimators.clusters.gaussian_mixture import GaussianMixture
from empirisk.partitions.compare import PartitionComparison, compare_partitions
from empirisk.report.clusters.engine import Clustered, kmeans
from empirisk.report.clusters.matrix import numbers_only, ranked_rows, raw_rows

__all__ = ["METHODS", "Method", "Rescaled", "by_other_methods", "compared", "rescaled"]

Codes = NDArray[np.intp]
PERMUTATIONS = 199
FULL = 3.0  # rows for each entry of the covariance matrices; below that they are diagonal
RIDGE = 0.01


@dataclass(frozen=True)
class Rescaled:
    """The same method on rows that are scaled otherwise."""

    name: str
    label: str
    comparison: PartitionComparison


@dataclass(frozen=True)
class Method:
    """Groups of the drawn rows by one method.

    Parameters
    ----------
    name, label : str
    labels : int array
    model : estimator
        Fitted.
    note : str
        What a reader should know.
    """

    name: str
    label: str
    labels: Codes
    model: Any = field(repr=False, default=None)
    note: str = ""


def compared(a: Clustered, first: Codes, second: Codes) -> PartitionComparison:
    """Return how alike two groupings of the drawn rows are, with intervals and the range of chance."""
    p = a.prepared
    return compare_partitions(first, second, level=p.level, n_permutations=PERMUTATIONS, random_state=p.seed)


def rescaled(a: Clustered) -> list[Rescaled]:
    """Group the drawn rows with numbers in their own units, by ranks, and without the other columns."""
    p = a.prepared
    own = a.parts[p.drawn]
    several = sum(o.kind == "number" for o in p.matrix.origins) > 0
    rows = {
        "raw": ("numbers in their own units", raw_rows(p.matrix) if several else None),
        "ranks": ("numbers by their normal scores (ranks)", ranked_rows(p.matrix) if several else None),
        "numbers": ("numbers alone, without levels and truth values", numbers_only(p.matrix)),
    }
    out = []
    for name, (label, X) in rows.items():
        if X is not None and len(np.unique(X[p.drawn], axis=0)) >= a.split:
            found = kmeans(a.split, p.seed).fit(np.ascontiguousarray(X[p.drawn])).labels_
            out.append(Rescaled(name, label, compared(a, own, np.asarray(found, dtype=np.intp))))
    return out


def by_other_methods(a: Clustered) -> list[Method]:
    """Return the groups of the drawn rows by k-means, by a mixture of Gaussians and by a tree."""
    p = a.prepared
    out = [Method("kmeans", "k-means", a.parts[p.drawn], a.pipeline[-1])]
    for make in METHODS:
        found = make(a, p.matrix.X[p.drawn])
        if found is not None:
            out.append(found)
    return out


def _mixture(a: Clustered, X: NDArray[np.float64]) -> Method | None:
    """Return the groups of a mixture on the columns of numbers: a level has no Gaussian density."""
    matrix, seed = a.prepared.matrix, a.prepared.seed
    own = [j for j, o in enumerate(matrix.origins) if o.kind == "number" and X[:, j].std() > 0.0]
    if not own:
        return None
    Z = np.ascontiguousarray(X[:, own])
    kind = "full" if len(Z) >= FULL * a.split * len(own) ** 2 else "diagonal"
    notes = (
        []
        if len(own) == len(matrix.origins)
        else ["of the numbers alone, for levels have no Gaussian density"]
    )
    model = GaussianMixture(a.split, covariance=kind, random_state=seed)
    try:
        model.fit(Z)
    except ValueError:  # a part collapses on rows that are equal or lie in a plane, from every start
        model = GaussianMixture(a.split, covariance=kind, ridge=RIDGE, random_state=seed).fit(Z)
        notes.append(f"with a penalty on narrow parts (ridge {RIDGE}), for parts collapsed without it")
    return Method(
        "mixture", "mixture of Gaussians", np.asarray(model.labels_, dtype=np.intp), model, "; ".join(notes)
    )


def _tree(a: Clustered, X: NDArray[np.float64]) -> Method | None:
    model = AgglomerativeClustering(n_clusters=a.split, linkage="ward").fit(X)
    return Method("tree", "tree by Ward's method", np.asarray(model.labels_, dtype=np.intp), model)


METHODS: tuple[Callable[[Clustered, NDArray[np.float64]], Method | None], ...] = (_mixture, _tree)
