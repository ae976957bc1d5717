"""The certificate of spectral clusters, computed once more from the graph of the rows."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from empirisk.estimators.clusters.base import first_seen
from empirisk.estimators.clusters.spectral_embedding import REMEDY, embedded, proof_budget
from empirisk.estimators.clusters.spectral_graph import RowGraph
from empirisk.estimators.stated import disputed, misnumbered
from empirisk.graphs import normalized_cut, ratio_cut
from empirisk.graphs.lowered_cut import best_gain
from empirisk.problems import SpectralProblem
from empirisk.results import Certificate
from empirisk.results.certificate import unconfirmed
from empirisk.typing import Array, IndexArray

__all__ = ["FEW", "cut_bound", "cut_of", "verify_cut", "with_cut"]

# Vertices up to which all eigenvalues are computed.
FEW = 1000
# A move that lowers the cut by less than this share of it is rounding of a fit on another machine.
GAIN = 1e-6


def cut_of(graph: RowGraph, labels: IndexArray, normalised: bool) -> float:
    """Return the normalised cut of the vertices of a graph, or the ratio cut, copies counted."""
    return normalized_cut(graph.part, labels) if normalised else ratio_cut(graph.part, labels, graph.count)


def cut_bound(values: Array, certificate: Certificate) -> float:
    """Return what no cut into K parts is below: the sum of the smallest eigenvalues, less the error of each.

    An eigenvalue is within the residual of its value, and never below 0.

    Examples
    --------
    >>> from empirisk.results import Kind
    >>> cut_bound(np.array([0.0, 1e-17, 0.5]), Certificate(Kind.EIGEN_RESIDUAL, 1e-3, 2.0, ""))
    0.499
    """
    return float(np.maximum(values - certificate.value, 0.0).sum())


def with_cut(certificate: Certificate, cut: float, bound: float) -> Certificate:
    """Return a certificate that says, too, how far the cut is above its bound."""
    if cut <= 0.0:
        told = "the clusters cut no edge"
    else:
        times = f", {cut / bound:.4g} times cut_bound_ = {bound:.4g}" if bound > 0.0 else ""
        told = f"the clusters have cut_ = {cut:.4g}{times}, and no move of one row lowers it"
    return replace(certificate, claim=f"{certificate.claim}; {told}")


def verify_cut(model: Any, graph: RowGraph, normalised: bool, prove: bool = False) -> Certificate:
    """Return the residual of the vectors on a graph, where all else that the fit states rests on them.

    Parameters
    ----------
    model : SpectralClustering
        A fitted one.
    graph : RowGraph
        That of the rows.
    normalised : bool
        Whether the cut is the normalised one.
    prove : bool, default False
        Whether the proof that the eigenvalues are the smallest ones may cost more than in a fit.
    """
    k = model.eigenvectors_.shape[1]
    odd = misnumbered(model, "labels_", k, low=-1) or disputed(
        model, {"n_clusters_": k, "affinity_matrix_": graph.W}
    )
    if odd is not None:
        return odd
    inside = graph.inside
    if not np.array_equal(inside, np.flatnonzero(model.labels_ >= 0)):
        return unconfirmed("other vertices are isolated in the graph of these rows")
    labels = model.labels_[inside][graph.first]
    if not np.array_equal(labels[graph.place], model.labels_[inside]):
        return unconfirmed("equal rows are in different clusters")
    V = graph.of_places(model.eigenvectors_[inside])
    if np.abs(graph.of_rows(V) - model.eigenvectors_[inside]).max() > 1e-6:
        return unconfirmed("the eigenvectors differ on equal rows")
    skew = float(np.abs(V.T @ V - np.eye(k)).max())
    if not skew <= 1e-6:
        return unconfirmed(f"the eigenvectors are not orthonormal: they are off by {skew:.2g}")
    points = embedded(graph.part, V, model.laplacian, graph.count)
    gain = best_gain(graph.part, graph.size(normalised), labels)
    if gain > GAIN:
        return unconfirmed(f"a move of one row lowers the cut of the clusters by {100.0 * gain:.2g} %")
    problem = SpectralProblem(graph.operator(normalised), k)
    spectrum = problem.evaluate(V)
    certificate = problem.certify(V, spectrum, 0.0, None)
    values = np.maximum(spectrum.values, 0.0)
    if not model.cut_bound_ <= model.cut_:
        return unconfirmed(
            f"cut_bound_ = {model.cut_bound_:.4g} is above cut_ = {model.cut_:.4g}: no cut is below a bound"
        )
    slack = k * certificate.value + 10.0 * model.tol * problem.operator.bound
    known = values
    if graph.part.shape[0] <= FEW:
        known = np.linalg.eigvalsh(problem.operator.dense())[: max(k, len(model.eigenvalues_))]
        if np.abs(values - known[:k]).max() > certificate.value:
            return unconfirmed("the eigenvalues of the fit are not the smallest ones of this graph")
    shown = known if len(known) == len(model.eigenvalues_) else model.eigenvalues_.copy()
    shown[:k] = known[:k]
    embedding = np.zeros(model.eigenvectors_.shape)
    embedding[inside] = points[graph.place]
    cut, bound = cut_of(graph, labels, normalised), cut_bound(values, certificate)
    found = {
        "n_components_": graph.n_components,
        "bridges_": graph.bridges,
        "eigenvalues_": shown,
        "cut_": cut,
        "cut_bound_": bound,
        "labels_": first_seen(model.labels_)[0],
        "embedding_": embedding,
    }
    spare = {"eigenvalues_": slack, "cut_bound_": slack}
    odd = disputed(model, found, slack=spare)
    if odd is not None:
        return odd
    budget = math.inf if prove else proof_budget(graph.operator(normalised), k, model.n_iter_)
    told = problem.proved(certificate, spectrum, model.next_eigenvalue_, budget, REMEDY)
    return with_cut(told, cut, bound)
