"""What a partition of a graph costs: the weight between its parts, alone or by their sizes or volumes."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from empirisk.graphs.adjacency import adjacency, degrees
from empirisk.typing import Array, IndexArray

__all__ = ["cut", "normalized_cut", "ratio_cut", "volume"]


def volume(W: Any, members: Any) -> float:
    """Return ``vol(A) = sum_{i in A} d_i``, the sum of the degrees of some vertices.

    Parameters
    ----------
    W : array or sparse matrix, shape (n, n)
        Symmetric weights >= 0.
    members : array of int, or of bool of shape (n,)
        The vertices of A, by number or by flag.

    Examples
    --------
    >>> volume([[0, 2, 0], [2, 0, 1], [0, 1, 0]], [0, 1])
    5.0
    """
    return float(degrees(W)[np.asarray(members)].sum())


def cut(W: Any, labels: Any) -> float:
    """Return ``sum_k sum_{i in C_k, l not in C_k} W_il``, the weight that leaves the parts of a partition.

    An edge between two parts leaves both, and counts twice: the weight of the edges that are cut, and the
    value of :func:`minimum_cut`, is half of this.

    Parameters
    ----------
    W : array or sparse matrix, shape (n, n)
        Symmetric weights >= 0.
    labels : array of int, shape (n,)
        The part of each vertex.

    Notes
    -----
    Lyon notes, section II.6; the factor 1/2 of von Luxburg 2007, section 5, is not there.

    Examples
    --------
    >>> cut([[0, 2, 0], [2, 0, 1], [0, 1, 0]], [0, 0, 1])
    2.0
    """
    return float(_leaving(W, labels)[0].sum())


def ratio_cut(W: Any, labels: Any, sample_weight: Any = None) -> float:
    """Return ``sum_k (1 / |C_k|) sum_{i in C_k, l not in C_k} W_il``, each part by its number of vertices.

    It is ``tr(H'LH)`` for the indicators ``H_ik = 1[i in C_k] / |C_k|^(1/2)``, whose columns are orthonormal.

    Parameters
    ----------
    W : array or sparse matrix, shape (n, n)
        Symmetric weights >= 0.
    labels : array of int, shape (n,)
        The part of each vertex.
    sample_weight : array, shape (n,), optional
        How many rows each vertex stands for; ``|C_k|`` is their sum.

    Notes
    -----
    Lyon notes, section II.7, where there is no factor 1/2 either.

    Examples
    --------
    >>> ratio_cut([[0, 2, 0], [2, 0, 1], [0, 1, 0]], [0, 0, 1])
    1.5
    """
    leaving, part = _leaving(W, labels)
    return float((leaving / np.bincount(part, sample_weight)).sum())


def normalized_cut(W: Any, labels: Any) -> float:
    """Return ``sum_k (1 / vol(C_k)) sum_{i in C_k, l not in C_k} W_il``, each part by its volume.

    It is ``tr(H'LH)`` for the indicators ``H_ik = 1[i in C_k] / vol(C_k)^(1/2)``, for which ``H'DH = I``.

    Parameters
    ----------
    W : array or sparse matrix, shape (n, n)
        Symmetric weights >= 0.
    labels : array of int, shape (n,)
        The part of each vertex.

    Notes
    -----
    A part of volume 0, which are isolated vertices alone, has nothing that leaves it and adds 0.  Lyon notes,
    section II.7, where there is no factor 1/2 either.

    Examples
    --------
    >>> normalized_cut([[0, 2, 0], [2, 0, 1], [0, 1, 0]], [0, 0, 1])
    1.2
    """
    leaving, part = _leaving(W, labels)
    size = np.bincount(part, weights=degrees(W))
    return float(np.divide(leaving, size, out=np.zeros_like(leaving), where=size > 0.0).sum())


def _leaving(W: Any, labels: Any) -> tuple[Array, IndexArray]:
    """Return the weight that leaves each part, and the number of the part of each vertex."""
    W = adjacency(W)
    labels = np.asarray(labels)
    if labels.shape != (W.shape[0],):
        raise ValueError(f"labels must hold one part a vertex, shape ({W.shape[0]},), got {labels.shape}")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        vertex = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise ValueError(f"labels holds {labels[vertex]:g} at vertex {vertex}, which names no part")
    part = np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)
    count = int(part.max()) + 1
    edges = sp.coo_array(W)
    i, j = edges.coords
    between = part[i] != part[j]
    leaving = np.bincount(part[i[between]], weights=edges.data[between], minlength=count)
    return leaving.astype(np.float64), part  # without an edge between parts NumPy counts in integers
