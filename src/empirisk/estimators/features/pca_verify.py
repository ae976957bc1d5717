"""The certificate of principal components: what a residual proves, and its recomputation by plain NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.estimators.stated import disputed
from empirisk.reduction.spectrum import Spectrum
from empirisk.results.certificate import Certificate, Kind, unconfirmed
from empirisk.typing import Array

__all__ = ["certificate", "recomputed"]

ALL = 1500  # shorter side up to which a recomputation makes all eigenvalues
SINGLE = 1e-5  # of the components of a fit in float32, which are kept in float32


def certificate(found: Spectrum, scale: float, p: int, asked: int | None) -> Certificate:
    """Return the residual with what follows from it.

    Parameters
    ----------
    found : Spectrum
    scale : float
        Of a value of the spectrum in explained variance.
    p : int
        Columns.
    asked : int or None
        How many components were asked for by number.

    Notes
    -----
    For orthonormal V and ``R = C V - V diag(l)``, k eigenvalues of C are within ``||R||`` of the values, one
    each (Parlett 1998, theorem 11.5.1); with the gap ``g = l_k - l_(k+1)`` the sine of the largest angle to
    the leading eigenspace is at most ``||R|| / (g - ||R||)`` (Davis and Kahan 1970).
    """
    bound = max(found.residual, found.floor) * scale
    size, k = float(found.values[0]) * scale, len(found.values)
    claim = f"every explained variance is within {bound:.2g} of an eigenvalue"
    gap = (float(found.values[-1]) - found.rest) * scale
    if k == p:
        claim += ", and the components span all columns"
    elif gap > 2.0 * bound:
        angle = min(1.0, bound / (gap - bound))
        claim += (
            f", and the sine of the angle to the leading eigenspace is at most {angle:.2g} (gap {gap:.2g})"
        )
    else:
        claim += "; the gap to the next one is too small, or not known, to tell the spaces apart"
    if found.missed:
        claim += f"; {found.missed}"
    if asked is not None and k < asked:
        claim += f"; of the {asked} components asked for, {k} have variance above rounding"
    claim += f"; by the eigen-residual and {found.route}"
    return Certificate(Kind.EIGEN_RESIDUAL, found.residual * scale, size, claim, 0.0, found.floor * scale)


def recomputed(model: Any, X: Any, weight: Array) -> Certificate:
    """Return the certificate of a fitted model on rows, by NumPy's own products."""
    live = weight > 0.0
    total = float(weight[live].sum())
    if abs(total - model.total_weight_) > 1e-9 * total:
        return unconfirmed(f"the weights sum to {total:.6g}, those of the fit to {model.total_weight_:.6g}")
    X, share = X[np.flatnonzero(live)], weight[live] / (total - 1.0)
    mean = np.asarray((weight[live] / total) @ X, dtype=np.float64)
    single = X.dtype == np.float32
    V = np.asarray(model.components_, dtype=np.float64)
    values = np.asarray(model.explained_variance_, dtype=np.float64)
    if len(values) != len(V) or not (values > 0.0).all():
        return unconfirmed(f"explained_variance_ must hold {len(V)} numbers above 0, one a component")
    skew = float(np.abs(V @ V.T - np.eye(len(V))).max())
    if skew > (SINGLE if single else 1e-8):
        return unconfirmed(f"the components are not orthonormal: they are off by {skew:.2g}")
    off = float(np.abs(mean - model.mean_).max())
    spread = float(np.sqrt(values[0]))
    if off > 1e-6 * spread + 1e-12 * float(np.abs(mean).max()):
        return unconfirmed(f"the means that the model keeps are off by {off:.2g}")
    root = np.sqrt(share)
    size = float(np.max(values, initial=0.0)) or 1.0  # squares of variances may overflow
    residual = size * float(np.linalg.norm((_image(X, mean, root, V.T) - V.T * values) / size))
    floor = (SINGLE if single else 1e-14 * len(share)) * float(values[0])
    known, rest = _others(X, mean, root, values)
    if known is not None and np.abs(values - known).max() > residual + floor:
        return unconfirmed("the explained variances are not the largest eigenvalues")
    every, tol = _variance(X, mean, share), SINGLE if single else 1e-7
    if not isinstance(X, np.ndarray):
        tol += 1e-14 * float(share.sum() * (mean @ mean)) / every
    left = max(0.0, every - float(values.sum())) / max(1, X.shape[1] - len(V))
    found = {
        "n_components_": len(V),
        "explained_variance_ratio_": np.minimum(values / every, 1.0),
        "singular_values_": np.sqrt(values * (total - 1.0)),
        "noise_variance_": left if len(V) < X.shape[1] else 0.0,
    }
    differs = disputed(model, found, tol=tol, slack={"noise_variance_": tol * every})
    if differs is not None:
        return differs
    missed = "" if known is not None else "whether larger ones exist was not recomputed"
    again = Spectrum(values, V, rest, residual, floor, "plain products with the rows", None, missed)
    return certificate(again, 1.0, X.shape[1], None)


def _image(X: Any, mean: Array, root: Array, V: Array) -> Array:
    """``A'A V`` of the centred weighted rows A; sparse rows are not made dense."""
    if isinstance(X, np.ndarray):
        A = root[:, None] * (X - mean)
        return np.asarray(A.T @ (A @ V))
    W = root[:, None] ** 2 * (X @ V - mean @ V)
    return np.asarray(X.T @ W - np.outer(mean, W.sum(axis=0)))


def _variance(X: Any, mean: Array, share: Array) -> float:
    """Return the sum of the variances of all columns."""
    if isinstance(X, np.ndarray):
        return float(sum(share @ (X[:, j] - mean[j]) ** 2 for j in range(X.shape[1])))
    X = X.astype(np.float64)  # squares far from the origin cancel
    squares = np.asarray(share @ X.multiply(X)).ravel() - share.sum() * mean**2
    return float(np.maximum(squares, 0.0).sum())


def _others(X: Any, mean: Array, root: Array, values: Array) -> tuple[Array | None, float]:
    """Return the leading eigenvalues and the next, from all of them where the shorter side is short."""
    if min(X.shape) > ALL:
        return None, float("inf")
    dense = X if isinstance(X, np.ndarray) else X.toarray()
    size = np.linalg.svd(root[:, None] * (dense - mean), compute_uv=False) ** 2
    known = np.zeros(len(values))
    known[: len(size)] = size[: len(values)]
    return known, float(size[len(values)]) if len(values) < len(size) else 0.0
