"""What the charts of spectral clustering draw: eigenvalues, and the graph over its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from empirisk.estimators.checks import pair_noun
from empirisk.estimators.clusters.base import Clusterer
from empirisk.estimators.clusters.cluster_map import cluster_map
from empirisk.reduction.plane import plane_of
from empirisk.typing import Array, IndexArray

__all__ = ["SpectralCharts", "eigengap_view", "graph_view", "map_view"]

# Edges that are drawn at most.
MOST = 6000


def eigengap_view(model: Any) -> dict[str, Any]:
    """Return what :class:`~empirisk.plots.eigengap.EigengapDisplay` draws of a fitted model."""
    values = [float(v) for v in model.eigenvalues_]
    by_gap = isinstance(model.n_clusters, str)
    estimated = not by_gap and model.next_eigenvalue_ is not None
    if estimated:
        values.append(max(values[-1], float(model.next_eigenvalue_)))
    interval = getattr(model, "n_clusters_interval_", None)
    return {
        "values": values,
        "estimated": estimated,
        "chosen": int(model.n_clusters_),
        "by_gap": by_gap,
        "laplacian": str(model.laplacian).replace("_", "-"),
        "interval": None if interval is None else list(interval),
        "resamples": len(getattr(model, "n_clusters_resampled_", ())),
    }


def places_of(X: Any, model: Any) -> Any:
    """Return what rows are drawn by: their columns, or their eigenvectors where pairs were given."""
    return model.embedding_ if pair_noun(model) else X


def map_view(X: Any, labels: Any, weight: Any, model: Any) -> dict[str, Any]:
    """Return the map of the clusters: numbers of pairs are no coordinates, and eigenvectors stand for them.

    Parameters
    ----------
    X : array or CSR array, shape (n, p)
    labels, weight : array, shape (n,)
    model : SpectralClustering
    """
    if not pair_noun(model):
        return dict(cluster_map(X, labels, weight, None, getattr(model, "feature_names_in_", None)))
    names = [f"eigenvector {j + 1}" for j in range(model.embedding_.shape[1])]
    told = {"of": "the variance of the eigenvectors"}
    if len(names) > 2:
        told["plane"] = "the two leading principal components of the eigenvectors"
    elif len(names) == 2:
        told["plane"] = "two eigenvectors"
    return {**cluster_map(model.embedding_, labels, weight, None, names), **told}


def graph_view(X: Any, model: Any) -> dict[str, Any]:
    """Return what :class:`~empirisk.plots.similarity_graph.SimilarityGraphDisplay` draws.

    Parameters
    ----------
    X : array or CSR array, shape (n, p)
        The rows of the fit.
    model : SpectralClustering
        Fitted on them.

    Notes
    -----
    The plane is that of the map of clusters.  Up to 6,000 edges are all drawn; of more, 3,000 cut ones
    at most, and of the others as many as are left, evenly spaced in the order of their rows.
    """
    weight, labels = np.ones(X.shape[0]), model.labels_
    view = map_view(X, labels, weight, model)
    X = places_of(X, model)
    upper = sp.coo_array(sp.triu(sp.csr_array(model.affinity_matrix_), 1))
    i, j = upper.coords
    cut = labels[i] != labels[j]
    few = _spaced(np.flatnonzero(cut), MOST // 2)
    order = np.concatenate([few, _spaced(np.flatnonzero(~cut), MOST - len(few))])
    at = plane_of(X, weight).place(X)
    if at.shape[1] == 1:
        at = np.column_stack([at[:, 0], labels])
    ends = np.hstack([at[i[order]], at[j[order]]]).tolist()
    total = float(upper.data.sum())
    return {
        **view,
        "edges": [[*map(float, e), bool(c)] for e, c in zip(ends, cut[order], strict=True)],
        "n_edges": len(i),
        "n_cut": int(cut.sum()),
        "cut_share": float(upper.data[cut].sum()) / total if total > 0.0 else 0.0,
    }


def _spaced(numbers: Any, most: int) -> Any:
    """Return at most so many of some numbers, evenly spaced."""
    size = len(numbers)
    return numbers if size <= most else numbers[np.arange(most) * size // most]


class SpectralCharts(Clusterer):
    """Base of spectral clustering: what it draws, of a fit and of its rows."""

    def _map(self, X: Any, labels: IndexArray, weight: Array) -> dict[str, Any]:
        """Return places of rows: their columns, or the eigenvectors where similarities were given."""
        return map_view(X, labels, weight, self)

    def plot_eigengap(self, *, ax: Any = None) -> Any:
        """Draw the eigenvalues, with the gap behind the number of clusters; returns the Plot.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from empirisk.plots.eigengap import EigengapDisplay

        check_is_fitted(self)
        return EigengapDisplay(eigengap_view(self)).plot(ax)

    def plot_graph(self, X: Any, *, ax: Any = None) -> Any:
        """Draw the map of the clusters with the edges of their graph, those that are cut in red.

        Parameters
        ----------
        X : array or data frame, shape (n, p)
            The rows of the fit, or their similarities where those were given.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        empirisk.plots.Plot

        Raises
        ------
        ValueError
            For another number of rows than in the fit.
        """
        from empirisk.plots.similarity_graph import SimilarityGraphDisplay

        check_is_fitted(self)
        given, X = X, self._read(X, reset=False)
        self._labels_of(given, X)
        return SimilarityGraphDisplay(graph_view(X, self)).plot(ax)
