"""The search: a growing set of rows, decided exactly, until the answer holds for all rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from empirisk.data.design import Design
from empirisk.problems.separation.core import decide, sparse_direction
from empirisk.problems.separation.rows import SignedRows
from empirisk.typing import Array, IndexArray

__all__ = ["Found", "decide_rows", "overlap_proved"]

_MAX_WORK = 2e11  # flops of one factorisation beyond which the question is left open
_MAX_ENTRIES = 40_000_000  # numbers in the dense working matrix
_CANDIDATES = 200  # columns whose every row is looked at in the search for one that separates alone
_SPARSE_ENTRIES = 300_000  # beyond this the direction of few columns is not sought


@dataclass(frozen=True, eq=False)
class Found:
    """Kind, direction of the groups (standardised) and rows on the boundary."""

    kind: str
    direction: Array | None = None
    n_boundary: int = 0
    reason: str = ""


def decide_rows(rows: SignedRows) -> Found:
    """Decide on a growing set of rows; see :func:`find_separation`."""
    n, q = len(rows.index), rows.n_unknowns
    if q == 0:
        return Found("none")
    rng = np.random.default_rng(0)
    chosen = _first_rows(rows, rng)
    single: Found | None = None
    looked = False
    while _affordable(rows, len(chosen)):
        A = rows.dense(chosen)
        core = decide(A)
        if core.overlap:
            moved = _moved_by(rows, core.null_space) if len(chosen) < n else chosen[:0]
            if len(moved) == 0:
                return Found("none")
            grown = _grow(chosen, moved)
            if len(grown) == len(chosen):
                break
            chosen = grown
            continue
        if not looked:
            looked, single = True, _single_column(rows, chosen)
            if single is not None and single.kind == "complete":
                return single
        if core.direction is None or core.strict is None:
            wanted: IndexArray = rng.permutation(n)
        else:
            found, wanted = _check(rows, A, chosen, core.direction, core.strict)
            if found is not None:
                return found
        grown = _grow(chosen, wanted)
        if len(grown) == len(chosen):
            break
        chosen = grown
    if not looked:
        single = _single_column(rows, chosen)
    large = not _affordable(rows, len(chosen))
    reason = "the problem is too large for this check" if large else "rounding leaves the question open"
    return single or Found("unknown", reason=reason)


def overlap_proved(rows: SignedRows, rounds: int = 5) -> bool:
    """Return whether a few rounds without linear programmes prove that two groups overlap."""
    chosen = _first_rows(rows, np.random.default_rng(0))
    for _ in range(rounds):
        if not _affordable(rows, len(chosen)):
            return False
        core = decide(rows.dense(chosen), programme=False)
        if core.overlap:
            wanted = _moved_by(rows, core.null_space)
            if len(wanted) == 0:
                return True
        elif core.direction is not None:
            value, _ = rows.margins(rows.unpack(core.direction))
            low = value.min(axis=1)
            wanted = np.flatnonzero(low < 0.0)
            wanted = wanted[np.argsort(low[wanted], kind="stable")]
        else:
            return False
        grown = _grow(chosen, wanted)
        if len(grown) == len(chosen):
            return False
        chosen = grown
    return False


def _affordable(rows: SignedRows, m: int) -> bool:
    m, q = m * (rows.n_groups - 1), rows.n_unknowns
    return m * q <= _MAX_ENTRIES and float(max(m, q)) * min(m, q) ** 2 <= _MAX_WORK


def _first_rows(rows: SignedRows, rng: np.random.Generator) -> IndexArray:
    """Return the rows at random, as many of each group as there are up to an equal share."""
    size = 400 + 4 * rows.n_unknowns // (rows.n_groups - 1)
    share = -(-size // rows.n_groups)
    picked = []
    for g in range(rows.n_groups):
        mine = np.flatnonzero(rows.group == g)
        picked.append(mine if len(mine) <= share else rng.choice(mine, share, replace=False))
    return np.sort(np.concatenate(picked))


def _grow(chosen: IndexArray, wanted: IndexArray) -> IndexArray:
    """Add the first of the wanted rows that are new, up to as many as there are already."""
    new = wanted[~np.isin(wanted, chosen)][: max(len(chosen), 200)]
    return np.sort(np.concatenate([chosen, new]))


def _moved_by(rows: SignedRows, null_space: Array) -> IndexArray:
    """Return the rows that directions without effect on the chosen rows do move, the most moved first."""
    moved = np.zeros(len(rows.index))
    for d in null_space.T[:50]:
        value, bound = rows.margins(rows.unpack(d))
        excess = np.abs(value) - 1e4 * bound
        moved = np.maximum(moved, np.where(excess > 0.0, np.abs(value), 0.0).max(axis=1))
    order = np.argsort(-moved, kind="stable")
    return order[moved[order] > 0.0]


def _check(
    rows: SignedRows, A: Array, chosen: IndexArray, direction: Array, strict: np.ndarray
) -> tuple[Found | None, IndexArray]:
    """Return the candidate on every row: confirmed, or the rows that it violates (worst first)."""
    candidates = [direction]
    if A.size <= _SPARSE_ENTRIES:
        column = np.where(rows.active == len(rows.scale), -1, rows.active)
        sparse = sparse_direction(A, strict, np.tile(column, rows.n_groups - 1))
        candidates = ([sparse] if sparse is not None else []) + candidates
    violated: IndexArray = np.zeros(0, dtype=np.intp)
    for d in candidates:
        D = rows.unpack(d / np.abs(d).max())
        value, bound = rows.margins(D)
        low = (value + bound).min(axis=1)
        bad = np.flatnonzero(low < 0.0)
        on_boundary = (value <= bound).any(axis=1)
        if len(bad) == 0 and strict.all() and on_boundary.any():
            bad = np.flatnonzero(on_boundary)  # perhaps strict in another direction: ask again with them
            bad = bad[~np.isin(bad, chosen)]
        if len(bad) == 0 and (value > bound).any():
            kind = "quasi" if on_boundary.any() else "complete"
            return Found(kind, D, int(on_boundary.sum())), bad
        if len(violated) == 0:
            new = bad[~np.isin(bad, chosen)]
            violated = new[np.argsort(low[new], kind="stable")]
    return None, violated


def _single_column(rows: SignedRows, chosen: IndexArray) -> Found | None:
    """Return one column alone that separates two groups: only comparisons of the entries, no arithmetic.

    Columns that do not separate the chosen rows are not looked at again.
    """
    if rows.n_groups != 2:
        return None
    X = rows.design.csc if rows.design.sparse else rows.design.X
    best: Found | None = None
    for j in _ordered_columns(rows, chosen)[:_CANDIDATES]:
        column = (X[:, [j]].toarray()[:, 0] if rows.design.sparse else X[:, j])[rows.index]
        found = _one_column(rows, int(j), column[rows.group == 0], column[rows.group == 1])
        if found is not None and (best is None or found.n_boundary < best.n_boundary):
            best = found
    return best


def _ordered_columns(rows: SignedRows, chosen: IndexArray) -> IndexArray:
    """Return the columns in which the groups of the chosen rows do not interleave."""
    few = rows.design.rows(rows.index[chosen])
    group = rows.group[chosen]
    low, high = _ranges(few, group)
    if rows.intercept:
        apart = (high[0] <= low[1]) | (high[1] <= low[0])
    else:
        apart = ((high[0] <= 0.0) & (low[1] >= 0.0)) | ((high[1] <= 0.0) & (low[0] >= 0.0))
    return np.flatnonzero(apart & (rows.scale > 0.0))


def _ranges(design: Design, group: IndexArray) -> tuple[Array, Array]:
    """Return the smallest and largest entry of each column in each of two groups, shape (2, p)."""
    p = design.shape[1]
    low, high = np.full((2, p), np.inf), np.full((2, p), -np.inf)
    if not design.sparse:
        for g in (0, 1):
            part = design.X[group == g]
            low[g], high[g] = part.min(axis=0, initial=np.inf), part.max(axis=0, initial=-np.inf)
        return low, high
    column = np.repeat(np.arange(p), np.diff(design.csc.indptr))
    entry = design.csc.data.astype(np.float64)
    mine = group[design.csc.indices]
    np.minimum.at(low, (mine, column), entry)
    np.maximum.at(high, (mine, column), entry)
    stored = np.zeros((2, p))
    np.add.at(stored, (mine, column), 1.0)
    hidden = stored < np.bincount(group, minlength=2)[:, None]  # a zero that is not stored
    return np.where(hidden, np.minimum(low, 0.0), low), np.where(hidden, np.maximum(high, 0.0), high)


def _one_column(rows: SignedRows, j: int, a: Array, b: Array) -> Found | None:
    for sign in (1.0, -1.0):
        low, high = np.max(sign * a, initial=-np.inf), np.min(sign * b, initial=np.inf)
        if rows.intercept:
            cut = high if np.isinf(low) else low if np.isinf(high) else 0.5 * (float(low) + float(high))
        else:
            cut = 0.0
        if not (low <= cut <= high):
            continue
        # Between neighbouring numbers there is no room for the cut, yet the sides differ.
        touching = not (rows.intercept and low < high)
        n_boundary = int(np.sum(sign * a == cut) + np.sum(sign * b == cut)) if touching else 0
        if n_boundary == len(a) + len(b):
            continue
        D = np.zeros((len(rows.scale) + 1, 2))
        D[j, 1] = sign
        D[-1, 1] = (sign * rows.mean[j] - cut) / rows.scale[j] if rows.intercept else 0.0
        return Found("quasi" if n_boundary else "complete", D, n_boundary)
    return None
