"""Cross-validation folds that depend on the content of the rows, not on their order.

Rows are ranked by a hash of their bits and dealt out to the folds in turn.  Identical rows share a fold,
so that a repeated row cannot sit in training and validation at once, a row is left out with all its weight
and all its copies, and neither a permutation of the rows nor the scale of the weights changes anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.design import Design
from empirisk.typing import Array, IndexArray

__all__ = [
    "assign_folds",
    "copies",
    "deal_rows",
    "equal_rows_are_cases",
    "hold_out",
    "left_together",
    "uniform_of_rows",
    "weight_of_copies",
]

# Equal rows are copies unless there are so many times more rows than different rows are possible.
FEW = 5


def assign_folds(design: Design, y: Array, weight: Array, k: int, seed: int, stratify: bool) -> IndexArray:
    """Fold number 0..k-1 of each row, -1 for rows of weight 0.

    Parameters
    ----------
    design, y, weight
        The rows; ``y`` of shape (n,) or (n, m).
    k : int
        Number of folds wanted; never more than distinct rows.
    seed : int
        Chooses the hash.
    stratify : bool
        Deal out each value of y by itself.

    Raises
    ------
    ValueError
        With fewer than two distinct rows.
    """
    live = weight > 0.0
    keys = _row_hash(design, y, seed)
    fold = np.full(len(weight), -1, dtype=np.intp)
    distinct, first, group = np.unique(keys[live], return_index=True, return_inverse=True)
    if len(distinct) < 2:
        raise ValueError(
            'alpha="cv" needs at least 2 distinct rows for cross-validation, got n_samples = '
            f"{int(live.sum())} with {len(distinct)} distinct; give alpha as a number"
        )
    # `distinct` is sorted by hash, which is as good as random order.
    if stratify:
        label = y.reshape(len(y), -1)[live, 0][first]  # further columns are offsets
        order = np.argsort(label, kind="stable")
        rank = np.empty(len(distinct), dtype=np.intp)
        rank[order] = np.arange(len(distinct))
    else:
        rank = np.arange(len(distinct), dtype=np.intp)
    fold[live] = (rank % min(k, len(distinct)))[group]
    return fold


def deal_rows(
    design: Design, y: Array, weight: Array, k: int, seed: int, stratify: bool
) -> tuple[IndexArray, Array]:
    """Fold number of each row as :func:`assign_folds`, and the weight of what is left out together with it.

    A row is left out with all its weight and all its copies, so the scale of the weights and a permutation of
    the rows change nothing.  Only where few different rows are possible (the product of the numbers of values
    of all columns and of y is below a fifth of the rows) are equal rows different cases, dealt one by one: no
    cell of such a table could be predicted by a model that has never seen it.  Neither could the only row.

    Parameters
    ----------
    design, y, weight, k, seed, stratify
        As in :func:`assign_folds`.

    Raises
    ------
    ValueError
        With fewer than two rows.

    Examples
    --------
    >>> X, y = np.array([[0.0], [0.0], [1.0]]), np.zeros(3)
    >>> fold, together = deal_rows(Design(X), y, np.array([1.0, 3.0, 2.0]), 2, 0, False)
    >>> bool(fold[0] == fold[1]), bool(fold[0] == fold[2]), together.tolist()
    (True, False, [4.0, 4.0, 2.0])
    """
    keys = _row_hash(design, y, seed)
    live = weight > 0.0
    if _different_cases(design, y, len(np.unique(keys[live])), float(live.sum())):
        fold = np.full(len(weight), -1, dtype=np.intp)
        order = np.lexsort((weight, keys, y) if stratify else (weight, keys))
        order = order[live[order]]
        fold[order] = np.arange(len(order)) % min(k, len(order))
        return fold, weight
    return assign_folds(design, y, weight, k, seed, stratify), weight_of_copies(design, y, weight)


def copies(design: Design, y: Array) -> tuple[IndexArray, IndexArray]:
    """Return the number of the first row of each kind, and which kind each row is, equal rows being one kind.

    Examples
    --------
    >>> first, kind = copies(Design(np.array([[0.0], [1.0], [0.0]])), np.zeros(3))
    >>> bool(kind[0] == kind[2]), sorted(first.tolist())
    (True, [0, 1])
    """
    _, first, kind = np.unique(_row_hash(design, y, 0), return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[kind]


def left_together(design: Design, y: Array, times: Array) -> IndexArray:
    """Return the kind of each row, shape (n,): those of one kind are left out together.

    Copies are of one kind, but where equal rows are different cases, as :func:`deal_rows` says.

    Parameters
    ----------
    design, y
        The rows; ``y`` of shape (n,) or (n, m).
    times : array, shape (n,)
        How often each row is there.

    Examples
    --------
    >>> kind = left_together(Design(np.array([[0.0], [1.0], [0.0]])), np.array([1.5, 2.5, 1.5]), np.ones(3))
    >>> kind.tolist()
    [0, 1, 0]
    """
    kind = copies(design, y)[1]
    return np.arange(len(kind)) if equal_rows_are_cases(design, y, times) else kind


def equal_rows_are_cases(design: Design, y: Array, times: Array) -> bool:
    """Return whether equal rows are different cases, and no copies, as :func:`deal_rows` says.

    Parameters
    ----------
    design, y, times
        As in :func:`left_together`.

    Examples
    --------
    >>> coin, toss = Design(np.zeros((100, 1))), np.arange(100.0) % 2.0
    >>> equal_rows_are_cases(coin, toss, np.ones(100)), equal_rows_are_cases(coin, toss, np.full(100, 0.01))
    (True, False)
    """
    return _different_cases(design, y, len(copies(design, y)[0]), float(times.sum()))


def _different_cases(design: Design, y: Array, cells: int, count: float) -> bool:
    """Return whether equal ones of `count` rows with `cells` different ones are different cases."""
    few = FEW * cells <= count and FEW * _possible_rows(design, y) <= count
    return few or (cells == 1 and count > 1)


def weight_of_copies(design: Design, y: Array, weight: Array) -> Array:
    """Total weight of the rows that equal each row, itself included: what leaving out that row leaves out.

    Examples
    --------
    >>> weight_of_copies(Design(np.array([[0.0], [0.0], [1.0]])), np.zeros(3), np.ones(3)).tolist()
    [2.0, 2.0, 1.0]
    """
    _, group = np.unique(_row_hash(design, y, 0), return_inverse=True)
    return np.asarray(np.bincount(group, weights=weight)[group])


def uniform_of_rows(X: Any, seed: int) -> Array:
    """Return a number in [0, 1) for each row, by a hash of its content: as good as random, and the same for a
    copy.

    Examples
    --------
    >>> u = uniform_of_rows(np.array([[1.0], [2.0], [1.0]]), 0)
    >>> bool(u[0] == u[2]), bool(0.0 <= u.min() < u.max() < 1.0)
    (True, True)
    """
    keys = _row_hash(Design(X), np.zeros(X.shape[0]), seed)
    return np.asarray((keys >> np.uint64(11)) * 2.0**-53)


def _possible_rows(design: Design, y: Array) -> float:
    """Return the product of the numbers of different values of the columns and of y."""
    X = design.X.toarray() if design.sparse else design.X
    columns = [*np.asarray(X).T, *y.reshape(len(y), -1).T]
    return float(np.prod([float(len(np.unique(column))) for column in columns]))


def hold_out(
    design: Design, y: Array, weight: Array, fraction: float, seed: int, stratify: bool
) -> NDArray[np.bool_]:
    """Return which rows a share of `fraction` of the distinct rows is: to be kept from the fit, shape
    (n,).

    Rows of weight 0 are nowhere.  At least one distinct row stays in the fit, of every class when stratified;
    and where that allows it, at least one is held out when the fraction is not 0.

    Parameters
    ----------
    design, y, weight, seed, stratify
        As in :func:`assign_folds`.
    fraction : float
        In [0, 1).

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> out = hold_out(Design(X), np.arange(10.0) % 2, np.ones(10), 0.4, 0, True)
    >>> int(out[::2].sum()), int(out[1::2].sum())
    (2, 2)
    """
    live = np.flatnonzero(weight > 0.0)
    keys = _row_hash(design, y, seed)[live]
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    label = y.reshape(len(y), -1)[live, 0][first] if stratify else np.zeros(len(first))
    held, carried = np.zeros(len(first), dtype=bool), 0.0
    for value in np.unique(label):
        members = np.flatnonzero(label == value)  # in the order of their hash
        wanted = fraction * len(members) + carried
        taken = min(round(max(wanted, 0.0)), len(members) - 1)
        carried = wanted - taken
        held[members[:taken]] = True
    values, count = np.unique(label, return_counts=True)
    if fraction > 0.0 and not held.any() and count.max() > 1:
        held[int(np.argmax(label == values[np.argmax(count)]))] = True
    out = np.zeros(len(weight), dtype=bool)
    out[live] = held[group]
    return out


def _row_hash(design: Design, y: Array, seed: int) -> Any:
    """Return a 64-bit hash of (x_i, y_i): a sum over the columns of mixed bit patterns, modulo 2^64."""
    n, p = design.shape
    rng = np.random.default_rng(seed)
    odd = rng.integers(0, 2**63, size=p + y.reshape(n, -1).shape[1], dtype=np.uint64) * np.uint64(
        2
    ) + np.uint64(1)
    h = np.zeros(n, dtype=np.uint64)
    if design.sparse:
        X = design.X.tocsr()
        row = np.repeat(np.arange(n), np.diff(X.indptr))
        stored = X.data != 0.0
        np.add.at(h, row[stored], _mix(X.data[stored], odd[X.indices[stored]]))
    else:
        for j in range(p):
            column = design.X[:, j]
            h += np.where(column != 0.0, _mix(column, odd[j]), np.uint64(0))
    for j, column in enumerate(y.reshape(n, -1).T):
        h += _mix(column, odd[p + j])
    return h


def _mix(values: Array, odd: Any) -> Any:
    """Mix the bits by SplitMix64's finaliser, keyed by an odd multiplier (Steele, Lea and Flood 2014)."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64) * odd
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
