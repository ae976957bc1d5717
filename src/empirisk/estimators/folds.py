"""Cross-validation folds that depend on the content of the rows, not on their order.

Rows are ranked by a hash of their bits and dealt out to the folds in turn.  Identical rows share a fold,
so that a repeated row cannot sit in training and validation at once, a weight of 2 equals the row twice,
and a permutation of the rows changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from empirisk.data.design import Design
from empirisk.typing import Array, IndexArray

__all__ = ["assign_folds", "deal_copies", "hold_out"]


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


def deal_copies(
    design: Design, y: Array, weight: Array, k: int, seed: int, stratify: bool
) -> tuple[Array, list[Array]]:
    """Copies of each row, and how many of them each fold holds out, so that discrete rows can be learnt.

    Whole weights are numbers of copies, which are dealt to the folds one by one, in the order of the
    rows' hashes: a table of few distinct rows keeps some copies of each in training.  With other weights
    every row is one copy.  Repetition and permutation of rows change nothing.

    Parameters
    ----------
    design, y, weight, k, seed, stratify
        As in :func:`assign_folds`.

    Raises
    ------
    ValueError
        With fewer than two copies.

    Examples
    --------
    >>> copies, held = deal_copies(Design(np.zeros((2, 1))), np.zeros(2), np.array([3.0, 1.0]), 2, 0, False)
    >>> copies.tolist(), [float(h.sum()) for h in held]
    ([3.0, 1.0], [2.0, 2.0])
    """
    whole = bool((weight == np.floor(weight)).all()) and weight.sum() < 2**52
    copies = (weight if whole else (weight > 0.0)).astype(np.int64)
    k = min(k, int(copies.sum()))
    if k < 2:
        raise ValueError(
            f'alpha="cv" needs at least 2 rows for cross-validation, got n_samples = {k}; give alpha as '
            "a number, or None"
        )
    keys = _row_hash(design, y, seed)
    order = np.lexsort((keys, y)) if stratify else np.argsort(keys, kind="stable")
    last = np.empty(len(weight), dtype=np.int64)
    last[order] = np.cumsum(copies[order])
    # Of the positions 0, ..., x - 1 those that leave the rest v when divided by k: (x - v + k - 1) // k.
    held: list[Array] = [
        ((last - v + k - 1) // k - (last - copies - v + k - 1) // k).astype(np.float64) for v in range(k)
    ]
    return copies.astype(np.float64), held


def hold_out(
    design: Design, y: Array, weight: Array, fraction: float, seed: int, stratify: bool
) -> NDArray[np.bool_]:
    """Which rows a share of `fraction` of the distinct rows is: to be kept from the fit, shape (n,).

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
    """A 64-bit hash of (x_i, y_i): a sum over the columns of mixed bit patterns, modulo 2^64."""
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
    """SplitMix64's finaliser of the bits, keyed by an odd multiplier (Steele, Lea & Flood 2014)."""
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64) * odd
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))
