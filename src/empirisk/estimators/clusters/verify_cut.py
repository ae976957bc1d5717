"""The certificate of spectral clusters, computed once more from the graph of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.estimators.clusters.base import first_seen
from empirisk.estimators.clusters.spectral_embedding import embedded, without
from empirisk.estimators.clusters.spectral_rows import settled
from empirisk.estimators.stated import disputed, misnumbered
from empirisk.graphs import LaplacianOperator, bridged, components, isolated, normalized_cut, ratio_cut
from empirisk.problems import SpectralProblem
from empirisk.results import Certificate
from empirisk.results.certificate import unconfirmed
from empirisk.typing import IndexArray

__all__ = ["FEW", "verify_cut"]

# Vertices up to which all eigenvalues are computed.
FEW = 1000


def verify_cut(model: Any, X: Any, W: Any, normalised: bool) -> Certificate:
    """Return the residual of the vectors on a graph, where all else that the fit states rests on them.

    Parameters
    ----------
    model : SpectralClustering
        A fitted one.
    X : array or CSR, shape (n, p)
        The rows, or their weights where these were given.
    W : array or CSR, shape (n, n)
        Checked weights of the graph of these rows.
    normalised : bool
        Whether the cut is the normalised one.
    """
    k = model.eigenvectors_.shape[1]
    odd = misnumbered(model, "labels_", k, low=-1) or disputed(
        model, {"n_clusters_": k, "affinity_matrix_": W}
    )
    if odd is not None:
        return odd
    inside = model.labels_ >= 0
    apart = isolated(W)
    if not np.array_equal(apart, np.flatnonzero(~inside)):
        return unconfirmed("other vertices are isolated in the graph of these rows")
    part, labels = without(W, apart), model.labels_[inside]
    count = components(part)[0]
    made: IndexArray = np.empty((0, 2), dtype=np.intp)
    most = model.max_clusters if isinstance(model.n_clusters, str) else model.n_clusters
    if count > most:
        part, made = bridged(X[inside], part, model.metric)
        made = np.flatnonzero(inside)[made]
    V = model.eigenvectors_[inside]
    skew = float(np.abs(V.T @ V - np.eye(k)).max())
    if not skew <= 1e-6:
        return unconfirmed(f"the eigenvectors are not orthonormal: they are off by {skew:.2g}")
    points = embedded(part, V, model.laplacian)
    if not settled(points, labels):
        return unconfirmed("the clusters are no fixed point of k-means on the vectors")
    problem = SpectralProblem(LaplacianOperator(part, normalised), k)
    certificate = problem.certify(V, None, 0.0, None)
    values = np.maximum(problem.evaluate(V).values, 0.0)
    slack = k * certificate.value + 10.0 * model.tol * problem.operator.bound
    known = values
    if part.shape[0] <= FEW:
        known = np.linalg.eigvalsh(problem.operator.dense())[: max(k, len(model.eigenvalues_))]
        if np.abs(values - known[:k]).max() > certificate.value:
            return unconfirmed("the eigenvalues of the fit are not the smallest ones of this graph")
    shown = known if len(known) == len(model.eigenvalues_) else model.eigenvalues_.copy()
    shown[:k] = known[:k]
    embedding = np.zeros(model.eigenvectors_.shape)
    embedding[inside] = points
    found = {
        "n_components_": count,
        "bridges_": made,
        "eigenvalues_": shown,
        "cut_": (normalized_cut if normalised else ratio_cut)(part, labels),
        "cut_bound_": float(values.sum()),
        "labels_": first_seen(model.labels_)[0],
        "embedding_": embedding,
    }
    spare = {"eigenvalues_": slack, "cut_bound_": slack}
    return disputed(model, found, slack=spare) or certificate
