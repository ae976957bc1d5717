"""Covariance matrices of least-squares coefficients that do not trust equal, independent noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.estimators.information import Information
from empirisk.typing import Array

__all__ = ["RobustCovariance", "cluster_covariance", "hc3_covariance"]

_DETERMINES = 1.0 - 1e-10  # leverage at which a row alone determines a coefficient


@dataclass(frozen=True, eq=False)
class RobustCovariance:
    """A covariance matrix, the degrees of freedom of each t, and what it rests on.

    Parameters
    ----------
    matrix : array, shape (q, q)
        Covariance of the terms, the intercept first.
    df : array, shape (q,)
        Degrees of freedom.
    note : str
        In words.
    """

    matrix: Array
    df: Array
    note: str


def hc3_covariance(info: Information, residual: Array, weight: Array, df: float) -> RobustCovariance:
    """``(X'X)^-1 X' diag(e_i^2 / (1 - h_i)^2) X (X'X)^-1``, h the leverages.

    Valid when the noise variance differs between rows; close to a jackknife.

    References
    ----------
    J. G. MacKinnon, H. White, "Some heteroskedasticity-consistent covariance matrix estimators with
    improved finite sample properties", Journal of Econometrics 29 (1985).
    """
    r = info.half.shape[1]
    meat = np.zeros((r, r))
    worst = 0.0
    for part, E in info.coordinates():
        s, e = np.asarray(weight[part], dtype=np.float64), residual[part]
        leverage = (E * E).sum(axis=1)
        live = s > 0.0
        worst = max(worst, float(np.max(leverage[live], initial=0.0)))
        if worst > _DETERMINES:
            break
        scaled = np.where(live, e / (1.0 - leverage), 0.0)
        meat += (E.T * (s * scaled * scaled)) @ E
    if worst > _DETERMINES:
        meat = np.full_like(meat, np.nan)
    note = (
        "standard errors are heteroscedasticity-robust (HC3): the noise may differ between rows, "
        "but rows must be independent"
        if worst <= _DETERMINES
        else "HC3 is undefined: some row has leverage 1 (it alone determines a coefficient)"
    )
    H = info.half
    return RobustCovariance(H @ meat @ H.T, np.full(len(H), df), note)


def cluster_covariance(info: Information, residual: Array, weight: Array, groups: Any) -> RobustCovariance:
    """CR2: ``sum_g X_g' A_g e_g e_g' A_g X_g`` between inverses, ``A_g = (I - H_gg)^(-1/2)``.

    Unbiased when the noise is equal and independent, and valid for any dependence within groups; the
    degrees of freedom are Satterthwaite's, one number for each coefficient.

    Notes
    -----
    O(n p) plus ``O(n_g^3)`` or ``O(n_g p^2)`` for each group, whichever is less.

    References
    ----------
    R. M. Bell, D. F. McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
    samples", Survey Methodology 28 (2002).
    """
    groups = np.asarray(groups)
    n = info.design.shape[0]
    if groups.shape != (n,):
        raise ValueError(f"groups must have one entry per row, shape ({n},), got {groups.shape}")
    live = np.asarray(weight) > 0.0
    root = np.sqrt(np.asarray(weight, dtype=np.float64))
    E = np.vstack([block for _, block in info.coordinates()]) * root[:, None]
    _, code = np.unique(groups[live], return_inverse=True)
    count = int(code.max()) + 1 if len(code) else 0
    if count < 2:
        raise ValueError(f"groups must name at least 2 groups among rows with weight, got {count}")
    E, e = E[live], (root * residual)[live]
    order = np.argsort(code, kind="stable")
    ends = np.cumsum(np.bincount(code, minlength=count))[:-1]
    H, r = info.half, info.half.shape[1]
    scores = np.empty((count, r))
    pieces = []
    for g, rows in enumerate(np.split(order, ends)):
        Eg, root_inverse = E[rows], _shrink(E[rows])
        pieces.append(root_inverse)  # E_g' A_g = pieces @ E_g'
        scores[g] = root_inverse @ (Eg.T @ e[rows])
    matrix = H @ (scores.T @ scores) @ H.T
    blocks = [E[rows] for rows in np.split(order, ends)]
    df = np.array([_satterthwaite(h, blocks, pieces) for h in H])
    note = (
        f"standard errors allow any dependence within the {count} groups (CR2, Satterthwaite degrees of "
        "freedom); groups must be independent of each other"
    )
    return RobustCovariance(matrix, df, note)


def _shrink(Eg: Array) -> Array:
    """``T`` with ``E_g' (I - E_g E_g')^(-1/2) = T E_g'``; directions of leverage 1 drop out."""
    value, vector = np.linalg.eigh(Eg.T @ Eg)
    free = value < _DETERMINES
    factor = np.where(free, 1.0 / np.sqrt(np.where(free, 1.0 - value, 1.0)), 0.0)
    return np.asarray((vector * factor) @ vector.T)


def _satterthwaite(h: Array, blocks: list[Array], pieces: list[Array]) -> float:
    """``tr(G)^2 / ||G||_F^2``, ``G_ab = a_a' (I - H)_ab a_b``, ``a_g = A_g E_g h``."""
    u = np.array([Eg.T @ (Eg @ (T @ h)) for Eg, T in zip(blocks, pieces, strict=True)])
    d = np.array([float(np.sum((Eg @ (T @ h)) ** 2)) for Eg, T in zip(blocks, pieces, strict=True)])
    length = (u * u).sum(axis=1)
    trace = float(d.sum() - length.sum())
    square = float((d * d).sum() - 2.0 * (d @ length) + ((u.T @ u) ** 2).sum())
    return trace**2 / square if square > 0.0 else np.nan
