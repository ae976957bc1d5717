"""Leading eigenpairs of a covariance, with what is proved about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.typing import Array

__all__ = ["Spectrum", "signed"]


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Eigenpairs of ``C`` over the squared unit, in the order of falling eigenvalues.

    Parameters
    ----------
    values : array, shape (k,)
        Eigenvalues above the rounding of their route, k at most as many as wanted.
    axes : array, shape (k, p)
        Orthonormal; of each, the entry of largest size is positive.
    rest : float
        The next eigenvalue, or an upper bound on it; infinity where nothing is known.
    residual : float
        Frobenius norm of ``C V - V diag(values)``.
    floor : float
        Bound on the rounding errors of C itself.
    route : str
        How the eigenpairs were found.
    every : array or None
        All eigenvalues that the route made, falling; None where it made the leading ones alone.
    missed : str
        What is known about larger eigenvalues that were not found; "" where all were made.
    passes : int
        Products with the covariance; 1 for the routes that make it or its like.
    """

    values: Array
    axes: Array
    rest: float
    residual: float
    floor: float
    route: str
    every: Array | None = None
    missed: str = ""
    passes: int = 1


def signed(axes: Array) -> Array:
    """Return the directions with the sign that makes the entry of largest size positive.

    Examples
    --------
    >>> signed(np.array([[0.6, -0.8], [0.8, 0.6]]))
    array([[-0.6,  0.8],
           [ 0.8,  0.6]])
    """
    largest = np.array([np.abs(axis).argmax() for axis in axes], dtype=np.intp)
    sign = np.where(axes[np.arange(len(axes)), largest] < 0.0, -1.0, 1.0)
    return np.asarray(axes * sign[:, None])
