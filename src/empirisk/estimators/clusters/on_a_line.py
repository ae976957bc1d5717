"""K-means of one column, solved to the optimum and certified as such."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.clustering.assign import assigned
from empirisk.clustering.one_dimensional import best_line_clusters
from empirisk.clustering.seedings.base import too_many
from empirisk.clustering.units import in_unit, unit_exponent
from empirisk.estimators.clusters.base import first_seen
from empirisk.estimators.stated import disputed, misnumbered
from empirisk.results import Certificate, Kind
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["LineFit", "fit_line", "is_line", "verify_line"]

# K n up to which the dynamic program is taken by itself: 8 s and 200 MB at most.
MOST = 50_000_000


@dataclass(frozen=True)
class LineFit:
    """What the fit of one column found, in the form of the attributes of an estimator."""

    centers: Array
    labels: IndexArray
    inertia: float
    certificate: Certificate


def is_line(X: Any, n_clusters: int) -> bool:
    """Return whether rows are one column, and few enough for the dynamic program."""
    return bool(X.shape[1] == 1 and n_clusters * X.shape[0] <= MOST)


def fit_line(X: Any, weight: Array, n_clusters: int) -> LineFit:
    """Return optimal clusters of one column, numbered by their first rows.

    Parameters
    ----------
    X : array or CSR matrix, shape (n, 1)
    weight : array, shape (n,)
        Weights >= 0, not all 0.
    n_clusters : int
        K.

    Raises
    ------
    ValueError
        Where K is more than the number of different values of positive weight.
    """
    best = best_line_clusters(_column(X), n_clusters, weight)
    if len(best.centers) < n_clusters:
        raise too_many(n_clusters, len(best.centers))
    order = first_seen(best.labels, weight)[1]
    centers = best.centers[order].astype(X.dtype)[:, None]
    labels, squares = _nearest(X, centers)
    inertia = float(weight @ squares)
    low = best.inertia - best.rounding
    return LineFit(centers, labels, inertia, _certificate(X, weight, inertia, low, n_clusters))


def verify_line(model: Any, X: Any, weight: Array) -> Certificate:
    """Return what centres and labels are worth against the optimum of these rows, computed again."""
    centers, labels = model.cluster_centers_, model.labels_
    if len(labels) != X.shape[0]:
        return unconfirmed(f"the fit has labels of {len(labels)} rows, and here are {X.shape[0]}")
    if (odd := misnumbered(model, "labels_", len(centers))) is not None:
        return odd
    own = in_unit(_column(X)[:, None], unit := unit_exponent(X, centers)).astype(np.float64)
    at = in_unit(centers, unit).astype(np.float64)
    square = (own - at.ravel()) ** 2
    mine = square[np.arange(len(labels)), labels]
    slack = 64.0 * float(np.finfo(X.dtype).eps) * (own.ravel() ** 2 + float((at**2).max()))
    wrong = int((mine - square.min(axis=1) > slack).sum())
    if wrong:
        return unconfirmed(f"{wrong} of {len(labels)} rows are nearer to another centre than to their own")
    best = best_line_clusters(_column(X), len(centers), weight)
    inertia = float(weight @ np.ldexp(mine, 2 * unit))
    rounding = float(weight @ np.ldexp(slack, 2 * unit))
    differs = disputed(model, {"inertia_": inertia}, slack={"inertia_": rounding})
    if differs is not None:
        return differs
    return _certificate(X, weight, inertia, best.inertia - best.rounding, len(centers))


def _column(X: Any) -> Array:
    return np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64).ravel()


def _nearest(X: Any, centers: Array) -> tuple[IndexArray, Array]:
    unit = unit_exponent(X, centers)
    labels, squares = assigned(in_unit(X, unit), in_unit(centers, unit))
    return labels, np.ldexp(squares, 2 * unit)


def _certificate(X: Any, weight: Array, inertia: float, low: float, n_clusters: int) -> Certificate:
    """Return how far J of the stored centres can be above the least J, on the scale of J of one centre."""
    total = float(weight.sum())
    one = best_line_clusters(_column(X), 1, weight).inertia / total
    gap = max(0.0, inertia - low) / total
    claim = (
        f"no clusters of one column are better: J - min J <= {gap:.2g} with J = {inertia / total:.6g}, "
        f"by a dynamic program over the sorted rows"
    )
    if n_clusters == 1:
        claim = f"one centre is the mean of the rows: J - min J <= {gap:.2g} with J = {inertia / total:.6g}"
    return Certificate(Kind.EXACT, gap, one if one > 0.0 else 1.0, claim)
