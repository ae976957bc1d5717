"""Vertices of a graph in groups: k-means of the rows of eigenvectors, whose cut is lowered then."""

from __future__ import annotations

import warnings

import numpy as np

from empirisk.estimators.clusters.k_means import KMeans
from empirisk.estimators.clusters.spectral_graph import RowGraph
from empirisk.estimators.linear.base import CertificateWarning
from empirisk.graphs.lowered_cut import lowered
from empirisk.typing import Array, IndexArray

__all__ = ["grouped"]


def grouped(graph: RowGraph, normalised: bool, points: Array, k: int, n_init: int, seed: int) -> IndexArray:
    """Return the group of each vertex: the best of several runs of k-means, lowered by the cut itself.

    Parameters
    ----------
    graph : RowGraph
        Its copies are weights of the points.
    normalised : bool
        Whether the cut is the normalised one.
    points : array, shape (g, d)
        Places of the vertices.
    k, n_init, seed : int
        Groups, runs, and what starts are drawn from.
    """
    if k == 1:
        return np.zeros(len(points), dtype=np.intp)
    size = int(np.frexp(np.abs(points).max())[1])
    if abs(size) > 250:  # weights of 1e300 have points whose squares vanish, and a factor changes no group
        points = np.ldexp(points, -size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)  # the cut counts, and no fixed point of k-means
        found = KMeans(k, n_init=n_init, random_state=seed).fit(points, sample_weight=graph.count)
    return lowered(graph.part, graph.size(normalised), np.asarray(found.labels_, dtype=np.intp), points)
