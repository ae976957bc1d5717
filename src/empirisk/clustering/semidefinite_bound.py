"""A lower bound on the k-means optimum by semidefinite programming, valid wherever its solver stops."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from empirisk.data.table import read_dense
from empirisk.data.threads import for_rows
from empirisk.typing import Array

__all__ = ["bound_of_multipliers", "semidefinite_bound", "semidefinite_costs"]

_EPS = 2.0**-52
_RELAX = 1.6  # over-relaxation of the alternating steps, between 1 and 2
_EVERY = 20  # steps between two evaluations of the bound


def semidefinite_costs(X: Array, weight: Array) -> tuple[Array, Array]:
    """Return ``C_ij = sqrt(s_i s_j) ||x_i - x_j||^2 / 2`` and the unit vector along ``sqrt(s)``."""
    root = np.sqrt(weight)
    cost = 0.5 * np.outer(root, root) * cdist(X, X, "sqeuclidean")
    return cost, root / np.linalg.norm(root)


def bound_of_multipliers(cost: Array, unit: Array, n_clusters: int, multipliers: Array) -> float:
    """Return a lower bound on the k-means optimum from any symmetric matrix N >= 0.

    With q the unit vector, ``M = C - N`` and P the projection away from q,

        ``g(N) = q'M q + sum of the K - 1 smallest eigenvalues of P M P away from q``.

    Proof.  A clustering with the sums of weights ``S_k`` has ``inertia = <C, Y>`` with
    ``Y_ij = sqrt(s_i s_j) / S_k`` for i and j in cluster k and 0 else.  Y >= 0, Y q = q, tr Y = K, and Y is a
    projection.  So ``<C, Y> >= <C - N, Y> = q'M q + <P M P, Y - q q'>``, where ``Y - q q'`` lives away from
    q, has eigenvalues in [0, 1] and the trace K - 1; the least product with such a matrix is the sum of the
    K - 1 smallest eigenvalues (Fan).  N = 0 gives the spectral bound of Zha et al.

    Parameters
    ----------
    cost, unit
        Of :func:`semidefinite_costs`.
    n_clusters : int
        K, at most n.
    multipliers : array, shape (n, n)
        N >= 0, symmetric.

    Returns
    -------
    float
        g(N) less ``n K eps ||M||_F``, for what rounding can do to the eigenvalues.

    Examples
    --------
    >>> cost, unit = semidefinite_costs(np.array([[0.0], [1.0], [5.0]]), np.ones(3))
    >>> round(bound_of_multipliers(cost, unit, 1, np.zeros((3, 3))), 12)
    14.0
    """
    n = len(cost)
    M = cost - multipliers
    along = M @ unit
    middle = float(unit @ along)
    size = float(np.linalg.norm(M))
    away = _away(M, unit, along, middle + 2.0 * size)
    with for_rows(n):
        smallest = np.sort(np.linalg.eigvalsh(away))[: n_clusters - 1]
    return middle + float(smallest.sum()) - n * n_clusters * _EPS * size


def semidefinite_bound(
    X: Any,
    n_clusters: int,
    weight: Any,
    *,
    max_steps: int = 400,
    tol: float = 1e-4,
    upper: float = math.inf,
) -> float:
    """Return a lower bound on the k-means optimum near the optimum of the semidefinite program.

    ``min <C, Y>`` over Y >= 0 entry by entry, positive semidefinite, ``Y q = q``, ``tr Y = K``.  Steps of
    the alternating direction method of multipliers go between the matrices ``q q' + Y'``, Y' away from q with
    eigenvalues in [0, 1] and trace K - 1, and those without negative entries; the multipliers of the latter
    are N of :func:`bound_of_multipliers`, which proves the bound whatever the steps have reached.

    Parameters
    ----------
    X : array, data frame, list of rows or sparse matrix, shape (n, p)
        Finite rows; sparse ones are made dense.
    n_clusters : int
        K, from 1 to n.
    weight : array, shape (n,)
        Weights > 0.
    max_steps : int, default 400
        Each costs the eigenvectors of an n x n matrix.
    tol : float, default 1e-4
        The steps end when twenty of them raise the bound by less than this share of it, or when it is within
        this share of `upper`.
    upper : float, optional
        The inertia of a clustering.

    Returns
    -------
    float
        In the unit of the inertia; it may be negative where the steps have not reached anything.

    References
    ----------
    J. Peng and Y. Wei, Approximating k-means-type clustering via semidefinite programming, SIAM Journal on
    Optimization 18(1), 2007.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [5.0], [6.0]])
    >>> round(semidefinite_bound(X, 2, np.ones(4)), 6)
    1.0
    """
    X = read_dense(X)
    cost, unit = semidefinite_costs(X, np.asarray(weight, dtype=np.float64))
    total = float(unit @ cost @ unit)
    if total <= 0.0 or n_clusters >= len(X):
        return 0.0
    if n_clusters == 1:
        return float(total * (1.0 - 4.0 * len(X) * _EPS))
    steps = _Steps(cost / total, unit, n_clusters)
    best, before = -math.inf, -math.inf
    for count in range(1, max_steps + 1):
        steps.move()
        if count % _EVERY and count < max_steps:
            continue
        best = max(best, bound_of_multipliers(steps.cost, unit, n_clusters, steps.multipliers))
        if total * best >= (1.0 - tol) * upper or 0.0 < best < (1.0 + tol) * before:
            break
        before = best
    return float(total * best * (1.0 - (X.shape[1] + 8) * _EPS))


class _Steps:
    """The alternating steps, with a step size that balances both residuals (Boyd et al., 2011, 3.4.1)."""

    def __init__(self, cost: Array, unit: Array, n_clusters: int) -> None:
        self.cost, self.unit, self.free = cost, unit, n_clusters - 1
        self.rho, self.count = 1.0, 0
        self.positive = np.outer(unit, unit)
        self.dual = np.zeros_like(cost)

    @property
    def multipliers(self) -> Array:
        """N >= 0 of the entries that must not be negative."""
        return -self.rho * self.dual

    def move(self) -> None:
        """Project onto both sets in turn."""
        balanced = self._balanced(self.positive - self.dual - self.cost / self.rho)
        mixed = _RELAX * balanced + (1.0 - _RELAX) * self.positive + self.dual
        positive = np.maximum(mixed, 0.0)
        self.dual = np.minimum(mixed, 0.0)
        apart = float(np.linalg.norm(balanced - positive))
        moved = self.rho * float(np.linalg.norm(positive - self.positive))
        self.positive = positive
        self.count += 1
        if self.count % 10 == 0 and not 0.2 * moved <= apart <= 5.0 * moved:
            factor = 2.0 if apart > moved else 0.5
            self.rho *= factor
            self.dual /= factor

    def _balanced(self, A: Array) -> Array:
        """Return the nearest matrix with ``Y q = q``, eigenvalues in [0, 1] and trace K."""
        along = A @ self.unit
        middle = float(self.unit @ along)
        low = middle - 2.0 * float(np.linalg.norm(A)) - 1.0
        with for_rows(len(A)):
            values, vectors = np.linalg.eigh(_away(A, self.unit, along, low))
        values = np.clip(values[1:] - _level(values[1:], self.free), 0.0, 1.0)
        kept = values > 0.0
        vectors = vectors[:, 1:][:, kept]
        return np.asarray((vectors * values[kept]) @ vectors.T + np.outer(self.unit, self.unit))


def _away(M: Array, unit: Array, along: Array, value: float) -> Array:
    """Return ``P M P + value q q'`` for ``along = M q``, exactly symmetric."""
    middle = float(unit @ along)
    side = np.outer(unit, along)
    return M - side - side.T + (middle + value) * np.outer(unit, unit)


def _level(values: Array, count: int) -> float:
    """Return t with ``sum min(1, max(0, value - t)) = count``, by bisection."""
    low, high = float(values.min()) - 1.0, float(values.max())
    for _ in range(80):
        middle = 0.5 * (low + high)
        if float(np.clip(values - middle, 0.0, 1.0).sum()) > count:
            low = middle
        else:
            high = middle
    return high
