"""Medoids: rows that stand for their groups, by exchanges that lower the sum of distances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import chain, combinations, islice

import numpy as np

from empirisk import _loops
from empirisk.data.brief import Brief
from empirisk.typing import Array, IndexArray

__all__ = ["Medoids", "best_exchange", "best_subset", "build_medoids", "drawn_medoids", "exchange_medoids"]

# Numbers that one call of a loop reads at most, so that Python looks for an interrupt in between.
_CALL = 1 << 22
BLOCK = 32  # candidates of an exchange, as the loop takes them together
# Gains below this share of the sum are rounding: an exchange for less might go round in circles.
ROUNDING = 2.0**-43
# Distances that the search over all sets of K rows may read.
_ENUMERATED = 4_000_000


@dataclass(frozen=True, repr=False)
class Medoids(Brief):
    """Rows that stand for groups.

    Attributes
    ----------
    rows : array of int, shape (K,)
    total : float
        ``sum_i s_i min_k d(x_i, x_(rows k))``.
    gain : float
        The most that one exchange of a medoid with another row lowers the total by; 0 where none does.
    n_exchanges : int
    n_passes : int
        How many times all rows were candidates.
    """

    rows: IndexArray
    total: float
    gain: float
    n_exchanges: int
    n_passes: int


def build_medoids(distances: Array, weight: Array, n_clusters: int) -> IndexArray:
    """Return K rows by the greedy rule BUILD of PAM.

    The first has the least sum of distances, each further one lowers ``sum_i s_i min_k d(x_i, x_k)`` the
    most; the first row of several.  What a row gains falls as medoids are added, so that its last gain bounds
    the next one, and few rows have to be looked at after the second step.

    Parameters
    ----------
    distances : array, shape (n, n)
        Symmetric.
    weight : array, shape (n,)
        Weights > 0.
    n_clusters : int
        K, from 1 to n.

    Notes
    -----
    O(n^2) for the first two rows, O(K n^2) for all at worst.

    References
    ----------
    L. Kaufman and P. Rousseeuw, Finding groups in data, Wiley, 1990, chapter 2.
    """
    n = len(distances)
    found = [int(np.argmax(_gains(distances, weight, None, np.arange(n))))]
    nearest = distances[found[0]].astype(np.float64)
    bound = np.full(n, np.inf)
    for _ in range(1, n_clusters):
        bound[found[-1]] = -np.inf
        row = _lazy_best(distances, weight, nearest, bound)
        found.append(row)
        nearest = np.minimum(nearest, distances[row])
    return np.array(found, dtype=np.int64)


def _lazy_best(distances: Array, weight: Array, nearest: Array, bound: Array) -> int:
    """Return the row of the largest gain; `bound` holds upper bounds of the gains, and is lowered."""
    order = np.argsort(-bound, kind="stable")
    best, row = -math.inf, -1
    begin, width = 0, 64 if np.isfinite(bound).any() else len(bound)
    while begin < len(order) and bound[order[begin]] >= best:
        rows = np.sort(order[begin : begin + width])
        rows = rows[bound[rows] > -np.inf]
        begin += width
        if not len(rows):
            continue
        gain = _gains(distances, weight, nearest, rows)
        bound[rows] = gain
        top = int(np.argmax(gain))
        if gain[top] > best or (gain[top] == best and rows[top] < row):
            best, row = float(gain[top]), int(rows[top])
    return row


def _gains(distances: Array, weight: Array, nearest: Array | None, rows: IndexArray) -> Array:
    step = max(1, _CALL // len(distances))
    all_rows = np.asarray(rows, dtype=np.int64)
    parts = (all_rows[begin : begin + step] for begin in range(0, len(rows), step))
    return np.concatenate([_loops.medoid_gains(distances, weight, nearest, part) for part in parts])


def drawn_medoids(
    distances: Array, weight: Array, n_clusters: int, rng: np.random.Generator, *, spread: bool
) -> IndexArray:
    """Return K drawn rows: with their weights as chances, or each with weight times distance as chance.

    Parameters
    ----------
    distances, weight, n_clusters
        As in :func:`build_medoids`.
    rng : Generator
    spread : bool
        Draw the first row by its weight, each further one with chances in proportion to its weight times its
        distance from the nearest row so far (k-means++ with distances in place of squares).
    """
    if not spread:
        return np.asarray(rng.choice(len(weight), n_clusters, replace=False, p=weight / weight.sum()))
    found = [int(rng.choice(len(weight), p=weight / weight.sum()))]
    nearest = distances[found[0]].astype(np.float64)
    while len(found) < n_clusters:
        chance = weight * nearest
        chance[found] = 0.0
        if not chance.any():
            chance = np.where(np.isin(np.arange(len(weight)), found), 0.0, weight)
        found.append(int(rng.choice(len(weight), p=chance / chance.sum())))
        nearest = np.minimum(nearest, distances[found[-1]])
    return np.array(found, dtype=np.int64)


def exchange_medoids(distances: Array, weight: Array, start: IndexArray, *, max_passes: int = 100) -> Medoids:
    """Exchange medoids with rows until no exchange lowers the sum of distances to the nearest medoid.

    FasterPAM: the gain of a row c in the place of medoid k is ``A_c + B_(c, k)``, with
    ``A_c = sum_i s_i max(0, d_i - d(i, c))`` over all rows and
    ``B_(c, k) = sum_(i of k) s_i (min(d_i, d(i, c)) - min(e_i, d(i, c)))``, d_i and e_i the distances from
    the nearest and the second nearest medoid, so that one reading of a row's distances serves all K.  Rows
    are tried in blocks of 32 in their order, and the best exchange of a block is made at once.

    Parameters
    ----------
    distances : array, shape (n, n), C order
        Symmetric.
    weight : array, shape (n,)
        Weights > 0.
    start : array of int, shape (K,)
        Different rows.
    max_passes : int, default 100
        How many times all rows are tried at most.

    Returns
    -------
    Medoids

    Notes
    -----
    O(n^2) a pass, and no pass has been seen to need K: 2 to 4 passes from BUILD.  Gains below
    ``2^-43`` of the sum count as rounding.

    References
    ----------
    E. Schubert and P. Rousseeuw, Fast and eager k-medoids clustering: O(k) runtime improvement of the PAM,
    CLARA, and CLARANS algorithms, Information Systems 101, 2021.

    Examples
    --------
    >>> x = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0])
    >>> found = exchange_medoids(abs(x[:, None] - x), np.ones(6), np.array([0, 1]))
    >>> sorted(found.rows.tolist()), found.total, found.gain
    ([1, 4], 4.0, 0.0)
    """
    n = len(distances)
    rows = np.array(start, dtype=np.int64)
    near, apart = np.empty(2 * n, dtype=np.int32), np.empty(2 * n)
    _loops.medoid_assign(distances, weight, rows, near, apart)
    position, unchanged, exchanges, gain, seen = 0, 0, 0, 0.0, 0
    while unchanged < n and seen < max_passes * n:
        least = ROUNDING * float(weight @ apart[:n])
        # Whole blocks, so that what is found does not depend on how much a call reads.
        step, before = int(min(max(1, _CALL // n // BLOCK) * BLOCK, n, max_passes * n - seen)), position
        position, unchanged, exchanges, gain = _loops.medoid_exchange(
            distances, weight, rows, near, apart, (position, unchanged, exchanges, gain), least, step
        )
        seen += step if unchanged < n else (position - before - 1) % n + 1
    if unchanged < n:
        gain = best_exchange(distances, weight, rows)
    return Medoids(rows, float(weight @ apart[:n]), max(0.0, gain), int(exchanges), max(1, -(-seen // n)))


def best_exchange(distances: Array, weight: Array, medoids: IndexArray) -> float:
    """Return the most that one exchange lowers the sum of distances by, in plain NumPy; 0 where none does."""
    n, k = len(distances), len(medoids)
    to_medoids = np.asarray(distances[medoids], dtype=np.float64)
    near = to_medoids.argmin(axis=0)
    ordered = np.sort(to_medoids, axis=0)
    first, second = ordered[0], ordered[1] if k > 1 else np.full(n, np.inf)
    own = np.zeros((n, k))
    own[np.arange(n), near] = weight
    best, step = 0.0, max(1, (1 << 21) // n)
    for begin in range(0, n, step):
        d = np.asarray(distances[begin : begin + step], dtype=np.float64)
        nearer = np.minimum(d, first)
        gain = ((first - nearer) @ weight)[:, None] + (nearer - np.minimum(d, second)) @ own
        gain[np.isin(np.arange(begin, begin + len(d)), medoids)] = 0.0
        best = max(best, float(gain.max()))
    return best


def best_subset(distances: Array, weight: Array, n_clusters: int) -> Medoids | None:
    """Return the best of all sets of K rows, or None where there are too many to try."""
    n = len(distances)
    count = math.comb(n, n_clusters)
    if count * n * n_clusters > _ENUMERATED:
        return None
    sets = combinations(range(n), n_clusters)
    step = max(1, (1 << 19) // (n * n_clusters))
    best, rows = math.inf, np.zeros(0, dtype=np.int64)
    while some := list(islice(sets, step)):
        each = np.fromiter(chain.from_iterable(some), dtype=np.int64).reshape(-1, n_clusters)
        total = distances[each].min(axis=1).astype(np.float64) @ weight
        at = int(np.argmin(total))
        if total[at] < best:
            best, rows = float(total[at]), each[at]
    return Medoids(rows, best, 0.0, 0, 0)
