"""Covariances of classes: shrunk, factored by Cholesky, and refused by name where they are singular.

Shrinkage: Ledoit and Wolf, Journal of Multivariate Analysis 88 (2004); oracle approximating shrinkage (OAS):
Chen, Wiesel, Eldar and Hero, IEEE Transactions on Signal Processing 58 (2010), equation 23.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla

from empirisk.data.row_blocks import Block, RowBlocks
from empirisk.estimators.checks import is_number
from empirisk.estimators.discriminant.class_moments import ClassMoments, class_parts
from empirisk.estimators.scales import TINY, too_small
from empirisk.typing import Array

__all__ = ["Factor", "check_shrinkage", "fourth_moments", "ledoit_wolf", "oas", "shrunk"]

EPS = float(np.finfo(float).eps)
ADVICE = 'drop one of them, or shrink: shrinkage="ledoit_wolf"'


def check_shrinkage(shrinkage: Any) -> None:
    """Refuse what is neither None, a share from 0 to 1, "ledoit_wolf" nor "oas"."""
    words = isinstance(shrinkage, str) and shrinkage in ("ledoit_wolf", "oas")
    if shrinkage is None or words or is_number(shrinkage, 0.0, 1.0):
        return
    raise ValueError(
        f'shrinkage must be None, a number from 0 to 1, "ledoit_wolf" or "oas", got {shrinkage!r}'
    )


def shrunk(C: Array, share: float) -> Array:
    """``(1 - share) C + share mu I`` with mu the mean of the variances.

    Examples
    --------
    >>> shrunk(np.array([[1.0, 1.0], [1.0, 3.0]]), 0.5)
    array([[1.5, 0.5],
           [0.5, 2.5]])
    """
    out = (1.0 - share) * C
    out[np.diag_indices(len(C))] += share * float(np.trace(C)) / len(C)
    return np.asarray(out)


def oas(C: Array, freedom: float) -> float:
    """The share of shrinkage that is best for Gaussian rows, by the fixed point of the oracle.

    ``((1 - 2/p) tr(C^2) + tr(C)^2) / ((n + 1 - 2/p) (tr(C^2) - tr(C)^2 / p))``, at most 1.

    Parameters
    ----------
    C : array, shape (p, p)
        Unbiased covariance.
    freedom : float
        n, the degrees of freedom of C.

    Examples
    --------
    >>> oas(np.eye(3), 10.0)
    1.0
    """
    C = C / (float(np.trace(C)) or 1.0)  # units drop out, and squares neither overflow nor vanish
    p, square, trace = len(C), float((C * C).sum()), float(np.trace(C))
    over = (1.0 - 2.0 / p) * square + trace * trace
    under = (freedom + 1.0 - 2.0 / p) * (square - trace * trace / p)
    return 1.0 if over >= under else over / under


def ledoit_wolf(scatter: Array, weight: float, fourth: float) -> float:
    """The share of shrinkage that is best in the limit for rows of any law.

    Parameters
    ----------
    scatter : array, shape (p, p)
        ``sum_i s_i z_i z_i'`` of rows about their means.
    weight : float
        S, the sum of the weights.
    fourth : float
        ``sum_i s_i (||z_i||^2 / u)^2``, with u the mean of ``||z||^2``: free of units, whose fourth powers
        would overflow or vanish.

    Examples
    --------
    >>> z = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 0.5], [0.0, -0.5]])
    >>> round(ledoit_wolf(z.T @ z, 4.0, 2.125 / 0.625**2), 6)
    0.944444
    """
    C = scatter / (float(np.trace(scatter)) or 1.0)
    p, square, trace = len(C), float((C * C).sum()), float(np.trace(C))
    apart = square - trace * trace / p
    noise = (fourth / weight - square) / weight
    return 1.0 if noise >= apart else max(noise, 0.0) / apart


def fourth_moments(rows: RowBlocks, moments: ClassMoments) -> Array:
    """``sum_{i in k} s_i (||x_i - m_k||^2 / u_k)^2`` of each class, shape (K,): one more pass over the rows.

    u is the mean square, of each class or of all where their scatter is pooled.
    """
    K = len(moments.weight)
    weight = moments.weight if moments.scatter.ndim == 3 else moments.weight.sum()
    unit = np.broadcast_to(np.trace(moments.scatter, axis1=-2, axis2=-1) / np.maximum(weight, 1e-300), (K,))
    unit = np.sqrt(np.where(unit > 0.0, unit, 1.0))

    def of(block: Block) -> Array:
        out = np.zeros(K)
        for k, X, s in class_parts(block, K):
            z = (X - moments.mean[k]) / unit[k]
            out[k] += float((s * np.einsum("ij,ij->i", z, z) ** 2).sum())
        return out

    return np.asarray(rows.map_sum(of))


@dataclass(frozen=True, eq=False)
class Factor:
    """A covariance ``C = D L L' D`` with D the standard deviations, and L lower triangular.

    Parameters
    ----------
    scale : array, shape (p,)
        The diagonal of D: columns of 1e-12 and of 1e12 are treated alike.
    lower : array, shape (p, p)
        L, the Cholesky factor of the correlations.
    condition : float
        Condition number of the correlations.
    """

    scale: Array
    lower: Array
    condition: float

    @classmethod
    def of(cls, C: Array, of_what: str, freedom: float, size: Array, column: Callable[[int], str]) -> Factor:
        """Factor a covariance, or refuse it with the columns at fault.

        Parameters
        ----------
        C : array, shape (p, p)
        of_what : str
            What messages call it: "the covariance of class 'a'".
        freedom : float
            Degrees of freedom of C.
        size : array, shape (p,)
            Largest absolute means of the columns, whose rounding is no variance.
        column : callable
            What messages call column j.
        """
        variance = np.diag(C)
        if not np.isfinite(C).all():
            j = int(np.flatnonzero(~np.isfinite(C).all(axis=0))[0])
            raise ValueError(f"{column(j)} of X holds numbers whose squares overflow; rescale it")
        for j in np.flatnonzero(too_small(variance, size))[:1]:
            raise ValueError(f"{column(j)} of X holds numbers whose squares are rounded to 0; rescale it")
        constant = np.flatnonzero(variance <= np.maximum((8.0 * EPS * size) ** 2, TINY))
        if len(constant):
            raise ValueError(
                f"{of_what} is singular: {column(constant[0])} does not vary in it ({len(constant)} such in "
                'all); drop it, or shrink: shrinkage="ledoit_wolf"'
            )
        scale = np.sqrt(variance)
        R = C / scale[:, None] / scale
        R = 0.5 * (R + R.T)
        values, vectors = sla.eigh(R)
        if values[0] <= 32.0 * EPS * len(C) * values[-1]:
            raise ValueError(f"{of_what} is singular: {_tied(vectors[:, 0], freedom, column)}")
        return cls(scale, np.linalg.cholesky(R), float(values[-1] / values[0]))

    def whiten(self, D: Array) -> Array:
        """``L^-1 D^-1 d`` of each row d, shape (m, p): rows of unit covariance."""
        return np.asarray(sla.solve_triangular(self.lower, (D / self.scale).T, lower=True).T)

    def unwhiten(self, Z: Array) -> Array:
        """``D^-1 L'^-1 z`` of each row z, shape (m, p); after :meth:`whiten` it is ``C^-1 d``."""
        return np.asarray(sla.solve_triangular(self.lower, Z.T, lower=True, trans="T").T / self.scale)

    @property
    def log_determinant(self) -> float:
        """The logarithm of the determinant of C."""
        return 2.0 * float(np.log(self.scale).sum() + np.log(np.diag(self.lower)).sum())


def _tied(vector: Array, freedom: float, column: Callable[[int], str]) -> str:
    """Return in words why correlations are singular, from their null vector."""
    p = len(vector)
    if freedom < p:
        return (
            f"{freedom:g} degrees of freedom are fewer than its {p} columns; add rows, or shrink: "
            'shrinkage="ledoit_wolf"'
        )
    big = np.flatnonzero(np.abs(vector) > 1e-3 * np.abs(vector).max())
    named = ", ".join(column(j) for j in big[:6]) + (f" and {len(big) - 6} more" if len(big) > 6 else "")
    return f"a combination of {named} does not vary in it; {ADVICE}"
