"""Complete and quasi-complete separation: does an unpenalised logistic fit have a finite minimiser?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from empirisk.problems.separation_core import decide, sparse_direction
from empirisk.problems.separation_rows import SignedRows
from empirisk.typing import Array, IndexArray

if TYPE_CHECKING:
    from empirisk.problems.linear import LinearProblem

__all__ = ["Separation", "find_separation"]

_MAX_WORK = 2e11  # flops of one factorisation beyond which the question is left open
_MAX_ENTRIES = 40_000_000  # numbers in the dense working matrix
_SPARSE_ENTRIES = 3_000_000  # beyond this the direction of few columns is not sought


@dataclass(frozen=True, eq=False)
class Separation:
    """Whether the classes are linearly separable, with the direction that proves it.

    Parameters
    ----------
    kind : str
        ``"none"``: proved, the classes overlap and a finite minimiser exists.  ``"complete"``: a linear
        rule puts every row strictly on its own side.  ``"quasi"``: some rows can only lie on the
        boundary.  ``"unknown"``: too large or numerically undecided; the sentence says which.
    direction : array or None
        Separating direction in the problem's own columns and layout of :class:`LinearProblem` (intercept
        last), checked on every row.
    standardised : array or None
        The same per standard deviation of each column.
    columns : tuple of int
        Columns that the direction uses.
    sentence : str
        What the user reads.
    n_boundary : int
        Rows on the boundary.
    """

    kind: str
    direction: Array | None
    standardised: Array | None
    columns: tuple[int, ...]
    sentence: str
    n_boundary: int = 0

    @property
    def separable(self) -> bool:
        """Whether no finite minimiser exists."""
        return self.kind in ("complete", "quasi")


def find_separation(
    problem: LinearProblem, names: Sequence[str] | None = None, classes: Sequence[object] | None = None
) -> Separation:
    """Decide whether a logistic or multinomial problem without a penalty has a finite minimiser.

    Parameters
    ----------
    problem : LinearProblem
        Loss ``"logistic"`` (labels -1/+1) or ``"softmax"`` (codes); rows of weight 0 are absent.
    names : sequence of str, optional
        Column names for the sentence; ``x0, x1, ...`` otherwise.
    classes : sequence, optional
        Class labels for the sentence, in the order of the codes.

    Returns
    -------
    Separation

    Notes
    -----
    There is no minimiser exactly when some direction d has ``(x_i, 1).(d_{y_i} - d_k) >= 0`` for all rows
    and classes, with one inequality strict (Albert and Anderson 1984), a linear programme (Konis 2007).
    A few hundred rows usually prove overlap, and overlap of some rows that span the columns is overlap of
    all; otherwise the rows that a candidate direction violates are added and the smaller programme solved
    again.  With several classes, two that overlap have equal coefficients in every such direction and are
    merged.  "None" rests on strictly positive multipliers, "complete" and "quasi" on the direction itself,
    checked on every row with a bound on rounding.  One pass over the rows per round, a few rounds.

    References
    ----------
    A. Albert, J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression
    models", Biometrika 71 (1984).  K. Konis, "Linear programming algorithms for detecting separated data in
    binary logistic regression models", thesis, Oxford (2007).

    Examples
    --------
    >>> import numpy as np
    >>> from empirisk.data import ArrayBlocks, Design
    >>> from empirisk.losses import Logistic
    >>> from empirisk.penalties import Zero
    >>> from empirisk.problems import LinearProblem
    >>> X, y = np.array([[1.0], [2.0], [3.0]]), np.array([-1.0, -1.0, 1.0])
    >>> problem = LinearProblem(Logistic(), Zero(), ArrayBlocks(Design(X), y, np.ones(3)))
    >>> find_separation(problem, ["dose"]).kind
    'complete'
    """
    rows = _signed_rows(problem)
    present = np.unique(rows.group)
    p = problem.data.n_cols
    labels = [f"x{j}" for j in range(p)] if names is None else [str(v) for v in names]
    if len(rows.index) == 0:
        return Separation("none", None, None, (), "no rows with weight: nothing to separate")
    if rows.n_groups > len(present) and problem.intercept:
        return _missing_class(problem, rows, present)
    if rows.n_groups == 2:
        found = _decide_rows(rows)
        merged = np.arange(2)
    else:
        found, merged = _decide_classes(rows)
    return _report(problem, rows, found, merged, labels, classes)


@dataclass(frozen=True, eq=False)
class _Found:
    """Kind, direction of the groups (standardised) and rows on the boundary."""

    kind: str
    direction: Array | None = None
    n_boundary: int = 0
    reason: str = ""


def _signed_rows(problem: LinearProblem) -> SignedRows:
    if problem.loss.name not in ("logistic", "softmax"):
        raise ValueError(f"separation is a question about classes; the loss is {problem.loss.name!r}")
    data = problem.data
    index = np.flatnonzero(data.weight > 0.0)
    y = np.asarray(data.y)[index]
    group = (y > 0).astype(np.intp) if problem.loss.name == "logistic" else y.astype(np.intp)
    n_groups = max(problem.n_outputs, 2) if problem.n_outputs else 2
    mean, variance = problem.moments
    eps = float(np.finfo(problem.design.dtype).eps)
    live = variance > (4.0 * eps * np.abs(mean)) ** 2
    return SignedRows(
        problem.design,
        index,
        group,
        n_groups,
        problem.intercept,
        mean,
        np.sqrt(np.where(live, variance, 0.0)),
    )


# -- several classes --------------------------------------------------------------------------------


def _decide_classes(rows: SignedRows) -> tuple[_Found, IndexArray]:
    """Merge classes that overlap in pairs, then decide between the merged groups."""
    C = rows.n_groups
    merged = np.arange(C)
    present = set(np.unique(rows.group).tolist())
    budget = 4 * C
    for a, b in sorted(combinations(range(C), 2), key=lambda pair: pair[1] - pair[0]):
        if merged[a] == merged[b] or budget == 0 or not {a, b} <= present:
            continue
        budget -= 1
        if _overlap_proved(rows.take({a: 0, b: 1})):
            merged[merged == merged[b]] = merged[a]
    merged = np.unique(merged, return_inverse=True)[1]
    count = int(merged.max()) + 1
    if count == 1:
        return _Found("none"), merged
    found = _decide_rows(rows.take({k: int(merged[k]) for k in range(C)}))
    if found.kind == "complete" and count < C:
        # Rows of merged classes lie on the boundary between their own classes.
        found = replace(found, kind="quasi", n_boundary=_in_merged(rows, merged))
    return found, merged


def _in_merged(rows: SignedRows, merged: IndexArray) -> int:
    shared = np.bincount(merged) > 1
    return int(shared[merged[rows.group]].sum())


def _missing_class(problem: LinearProblem, rows: SignedRows, present: IndexArray) -> Separation:
    """A class without rows: the intercept alone runs off."""
    direction = np.zeros((problem.data.n_cols + 1, rows.n_groups))
    direction[-1, present] = 1.0
    if rows.n_groups == 2:
        direction = direction - direction[:, :1]
    binary = problem.loss.name == "logistic"
    shown = direction[:, 1] if binary else direction
    kind = "complete" if len(present) == 1 else "quasi"
    return Separation(
        kind,
        shown,
        shown,
        (),
        "no finite minimiser: only one class has rows with weight, so that the intercept grows without end"
        if len(present) == 1
        else "no finite minimiser: a class has no rows with weight, so that its intercept falls without end",
        0 if len(present) == 1 else len(rows.index),
    )


# -- groups -----------------------------------------------------------------------------------------


def _decide_rows(rows: SignedRows) -> _Found:
    """Decide on a growing set of rows; see :func:`find_separation`."""
    n, q = len(rows.index), rows.n_unknowns
    if q == 0:
        return _Found("none")
    rng = np.random.default_rng(0)
    chosen = _first_rows(rows, rng)
    single: _Found | None = None
    looked = False
    while _affordable(rows, len(chosen)):
        A = rows.dense(chosen)
        core = decide(A)
        if core.overlap:
            moved = _moved_by(rows, core.null_space) if len(chosen) < n else chosen[:0]
            if len(moved) == 0:
                return _Found("none")
            chosen = _grow(chosen, moved)
            continue
        if not looked:
            looked, single = True, _single_column(rows, chosen)
            if single is not None and single.kind == "complete":
                return single
        if core.direction is None or core.strict is None:
            wanted = rng.permutation(n)
        else:
            found, wanted = _check(rows, A, chosen, core.direction, core.strict)
            if found is not None:
                return found
        grown = _grow(chosen, wanted)
        if len(grown) == len(chosen):
            return single or _Found("unknown", reason="rounding leaves the question open")
        chosen = grown
    if not looked:
        single = _single_column(rows, chosen)
    return single or _Found("unknown", reason="the problem is too large for this check")


def _overlap_proved(rows: SignedRows, rounds: int = 5) -> bool:
    """Whether a few rounds without linear programmes prove that two groups overlap."""
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
    """Rows at random, as many of each group as there are up to an equal share."""
    size = 400 + 6 * rows.n_unknowns // (rows.n_groups - 1)
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
    """Rows that directions without effect on the chosen rows do move, the most moved first."""
    moved = np.zeros(len(rows.index))
    for d in null_space.T[:50]:
        value, bound = rows.margins(rows.unpack(d))
        excess = np.abs(value) - 1e4 * bound
        moved = np.maximum(moved, np.where(excess > 0.0, np.abs(value), 0.0).max(axis=1))
    order = np.argsort(-moved, kind="stable")
    return order[moved[order] > 0.0]


def _check(
    rows: SignedRows, A: Array, chosen: IndexArray, direction: Array, strict: np.ndarray
) -> tuple[_Found | None, IndexArray]:
    """The candidate on every row: confirmed, or the rows that it violates (worst first)."""
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
            return _Found(kind, D, int(on_boundary.sum())), bad
        if len(violated) == 0:
            new = bad[~np.isin(bad, chosen)]
            violated = new[np.argsort(low[new], kind="stable")]
    return None, violated


def _single_column(rows: SignedRows, chosen: IndexArray) -> _Found | None:
    """One column alone that separates two groups: only comparisons of the entries, no arithmetic.

    Columns that do not separate the chosen rows are not looked at again.
    """
    if rows.n_groups != 2:
        return None
    sparse = rows.design.sparse
    few = rows.design.rows(rows.index[chosen]).X
    few = few.tocsc() if sparse else few
    X = rows.design.csc if sparse else rows.design.X
    g = rows.group
    best: _Found | None = None
    for j in np.flatnonzero(rows.scale > 0.0):
        part = few[:, [j]].toarray()[:, 0] if sparse else few[:, j]
        if _one_column(rows, int(j), part[g[chosen] == 0], part[g[chosen] == 1]) is None:
            continue
        column = (X[:, [j]].toarray()[:, 0] if sparse else X[:, j])[rows.index]
        found = _one_column(rows, int(j), column[g == 0], column[g == 1])
        if found is not None and (best is None or found.n_boundary < best.n_boundary):
            best = found
    return best


def _one_column(rows: SignedRows, j: int, a: Array, b: Array) -> _Found | None:
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
        return _Found("quasi" if n_boundary else "complete", D, n_boundary)
    return None


# -- report -----------------------------------------------------------------------------------------


def _report(
    problem: LinearProblem,
    rows: SignedRows,
    found: _Found,
    merged: IndexArray,
    labels: list[str],
    classes: Sequence[object] | None,
) -> Separation:
    if found.kind == "none":
        return Separation("none", None, None, (), "the classes overlap: a finite minimiser exists")
    if found.kind == "unknown" or found.direction is None:
        return Separation(
            "unknown", None, None, (), f"whether the classes are separable is not decided: {found.reason}"
        )
    D = found.direction
    original = rows.original(D)
    used = tuple(int(j) for j in np.flatnonzero(np.abs(D[:-1]).max(axis=1) > 0.0))
    if problem.loss.name == "logistic":
        shown, standardised = original[:, 1], D[:, 1]
    else:
        shown, standardised = original[:, merged], D[:, merged]
    if not problem.intercept:
        shown, standardised = shown[:-1], standardised[:-1]
    return Separation(
        found.kind,
        shown,
        standardised,
        used,
        _sentence(found, used, labels, merged, classes),
        found.n_boundary,
    )


def _sentence(
    found: _Found,
    used: tuple[int, ...],
    labels: list[str],
    merged: IndexArray,
    classes: Sequence[object] | None,
) -> str:
    by = _listing([labels[j] for j in used]) if used else "the constant alone"
    groups = [[k for k in range(len(merged)) if merged[k] == g] for g in range(int(merged.max()) + 1)]
    if len(merged) > 2 and len(groups) == 2 and classes is not None:
        one, other = ([str(classes[k]) for k in g] for g in groups)
        who = f"{_listing(one)} {'is' if len(one) == 1 else 'are'} separable from {_listing(other)}"
    else:
        who = "the classes are separable"
    if found.kind == "complete":
        rule = "a linear rule puts every row of one class on its own side"
    else:
        rule = (
            "a linear rule puts every row of one class on its own side or on the boundary, "
            f"where {found.n_boundary} rows lie"
        )
    return f"no finite minimiser: {who} by {by} ({rule})"


def _listing(words: list[str], most: int = 6) -> str:
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more columns"]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]
