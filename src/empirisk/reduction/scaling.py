"""Classical scaling: places for rows of which only the distances are known.

W. S. Torgerson, Multidimensional scaling: I. Theory and method, Psychometrika 17, 1952.  With
``B = -1/2 (I - 1 w') D^2 (I - w 1')`` for shares w of the rows, B holds the inner products of rows about
their mean if the distances are Euclidean, and its leading eigenvectors are their principal components.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from empirisk.data.threads import for_rows
from empirisk.typing import Array

__all__ = ["Scaling", "classical_scaling"]

SMALL = 1e-12  # an eigenvalue below this share of the largest is rounding, and places no row


@dataclass(frozen=True, eq=False)
class Scaling:
    """Places in a plane whose distances are near given ones.

    Parameters
    ----------
    points : array, shape (n, 2)
        About their weighted mean; of each axis, the place farthest from 0 is positive.
    shares : array, shape (2,)
        Of each axis, its eigenvalue over the sum of the sizes of all of them: for Euclidean distances its
        share of all squared distances.
    euclidean : bool
        Whether no eigenvalue is negative but for rounding, so that rows with these distances exist.
    """

    points: Array
    shares: Array
    euclidean: bool


def classical_scaling(D: Array, weight: Array) -> Scaling:
    """Return the plane that shows most of some distances.

    Parameters
    ----------
    D : array, shape (n, n)
        Symmetric distances >= 0.
    weight : array, shape (n,)
        Weights >= 0, not all of them 0; rows of weight 0 are placed, and move no axis.

    Notes
    -----
    O(n^3) time and 5 n x n numbers.

    Examples
    --------
    >>> D = np.abs(np.subtract.outer([0.0, 3.0, 4.0], [0.0, 3.0, 4.0]))
    >>> places = classical_scaling(D, np.ones(3))
    >>> np.abs(np.diff(places.points[:, 0])).round(6), places.shares.round(6)
    (array([3., 1.]), array([1., 0.]))
    """
    n = len(D)
    w = np.asarray(weight / weight.sum(), dtype=np.float64)
    unit = float(np.max(D, initial=0.0)) or 1.0
    B = np.square(np.asarray(D, dtype=np.float64) / unit)
    B = -0.5 * (B + B.T) / 2.0
    rows = B @ w
    B = B - rows[:, None] - rows[None, :] + w @ rows
    root = np.sqrt(w)
    with for_rows(n):
        values, vectors = linalg.eigh(root[:, None] * B * root)
    size = float(np.abs(values).max(initial=0.0))
    points, shares = np.zeros((n, 2)), np.zeros(2)
    for j in range(min(2, n)):
        value = float(values[-1 - j])
        if value > SMALL * size:
            # b_i' u / sqrt(value) places rows of weight 0, too.
            at = unit * (B @ (root * vectors[:, -1 - j])) / np.sqrt(value)
            points[:, j] = at * np.sign(at[np.abs(at).argmax()])
            shares[j] = value / float(np.abs(values).sum())
    return Scaling(points, shares, bool(values.min(initial=0.0) >= -1e-9 * size))
