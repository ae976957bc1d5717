"""Cluster-robust covariance matrices: CR0, CR1 and CR2 with Satterthwaite degrees of freedom.

Bell and McCaffrey, Survey Methodology 28 (2002).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from empirisk.data.named_rows import refuse_name
from empirisk.inference.fit import Fit
from empirisk.inference.heteroscedastic import DETERMINES
from empirisk.typing import Array

__all__ = ["cluster_covariance", "cluster_rows"]


def cluster_rows(groups: Any, weight: Array) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the rows with weight, and which of those each group holds; refuses wrong shapes and a single
    group.
    """
    refuse_name("groups", groups)
    groups = np.asarray(groups)
    n = len(weight)
    if groups.shape != (n,):
        raise ValueError(f"groups must have one entry per row, shape ({n},), got {groups.shape}")
    missing = (
        np.array([v is None or v != v for v in groups]) if groups.dtype.kind in "fO" else np.zeros(n, bool)
    )
    if missing.any():
        raise ValueError(f"groups is missing in row {np.argmax(missing)}; drop the row or name its group")
    live = weight > 0.0
    _, code = np.unique(
        groups[live].astype(str) if groups.dtype.kind == "O" else groups[live], return_inverse=True
    )
    count = int(code.max()) + 1 if len(code) else 0
    if count < 2:
        raise ValueError(f"groups must name at least 2 groups among rows with weight, got {count}")
    order = np.argsort(code, kind="stable")
    return live, np.split(order, np.cumsum(np.bincount(code, minlength=count))[:-1])


def cluster_covariance(fit: Fit, kind: str, groups: Any) -> tuple[Array, Array, str]:
    """``K^-1 (sum_g u_g u_g') K^-1``, ``u_g = X_g' A_g e_g``, with the degrees of freedom of each t.

    ``A_g`` is I (CR0, and CR1 with the factor ``G/(G-1) (S-1)/(S-rank)``: Stata's), or
    ``(I - H_gg)^(-1/2)`` (CR2): unbiased when the noise is equal and independent, and valid for any
    dependence within groups; its degrees of freedom are Satterthwaite's, one number for each coefficient.

    Parameters
    ----------
    fit : Fit
        n rows, q terms.
    kind : {"CR0", "CR1", "CR2"}
    groups : array, shape (n,)
        Group of each row.

    Returns
    -------
    matrix : array, shape (q, q)
    df : array, shape (q,)
    note : str

    Notes
    -----
    O(n p) plus ``O(n_g^3)`` or ``O(n_g p^2)`` for each group, whichever is less.

    References
    ----------
    R. M. Bell, D. F. McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
    samples", Survey Methodology 28 (2002).  J. E. Pustejovsky, E. Tipton, "Small-sample methods for
    cluster-robust variance estimation", Journal of Business & Economic Statistics 36 (2018), for GLMs.
    """
    live, parts = cluster_rows(groups, fit.weight)
    root = np.sqrt(fit.weight)
    E = (np.vstack([block for _, block in fit.rows()]) * root[:, None])[live]
    e = (root * fit.pearson)[live]
    blocks = [E[rows] for rows in parts]
    H, G = fit.info.half, len(parts)
    allow = f"standard errors allow any dependence within the {G} groups ({kind}"
    if kind != "CR2":
        scores = np.array([Eg.T @ e[rows] for Eg, rows in zip(blocks, parts, strict=True)])
        # The fit makes residuals too small; this is Stata's average correction, exact only for equal groups.
        factor = G / (G - 1.0) * (fit.total - 1.0) / fit.df if kind == "CR1" else 1.0
        note = (
            f"{allow}, t with {G - 1} degrees of freedom); groups must be many, and independent of each other"
        )
        return factor * (H @ (scores.T @ scores) @ H.T), np.full(len(H), G - 1.0), note
    pieces = [_shrink(Eg) for Eg in blocks]  # E_g' A_g = piece @ E_g'
    scores = np.array([T @ (Eg.T @ e[rows]) for T, Eg, rows in zip(pieces, blocks, parts, strict=True)])
    df = np.array([_satterthwaite(h, blocks, pieces) for h in H])
    note = f"{allow}, Satterthwaite degrees of freedom); groups must be independent of each other"
    return H @ (scores.T @ scores) @ H.T, df, note


def _shrink(Eg: Array) -> Array:
    """``T`` with ``E_g' (I - E_g E_g')^(-1/2) = T E_g'``; directions of leverage 1 drop out."""
    value, vector = np.linalg.eigh(Eg.T @ Eg)
    free = value < DETERMINES
    factor = np.where(free, 1.0 / np.sqrt(np.where(free, 1.0 - value, 1.0)), 0.0)
    return np.asarray((vector * factor) @ vector.T)


def _satterthwaite(h: Array, blocks: list[Array], pieces: list[Array]) -> float:
    """``tr(G)^2 / ||G||_F^2``, ``G_ab = a_a' (I - H)_ab a_b``, ``a_g = A_g E_g h``: the degrees of freedom of
    a chi squared law with the same mean and variance as the variance estimate (Satterthwaite).
    """
    u = np.array([Eg.T @ (Eg @ (T @ h)) for Eg, T in zip(blocks, pieces, strict=True)])
    d = np.array([float(np.sum((Eg @ (T @ h)) ** 2)) for Eg, T in zip(blocks, pieces, strict=True)])
    length = (u * u).sum(axis=1)
    trace = float(d.sum() - length.sum())
    square = float((d * d).sum() - 2.0 * (d @ length) + ((u.T @ u) ** 2).sum())
    return trace**2 / square if square > 0.0 else np.nan
