"""The question for a problem: its rows, its classes, and the answer in words.

Albert and Anderson, Biometrika 71 (1984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from empirisk.problems.linear_objective import LinearObjective
from empirisk.problems.separation.plain import plain_problem
from empirisk.problems.separation.rows import SignedRows
from empirisk.problems.separation.search import Found, decide_rows, overlap_proved
from empirisk.problems.separation.words import listing
from empirisk.typing import Array, IndexArray

__all__ = ["Separation", "find_separation"]


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
        """Whether the rows can be separated, at least weakly, so that no finite minimiser exists."""
        return self.kind in ("complete", "quasi")


def find_separation(
    problem: LinearObjective, names: Sequence[str] | None = None, classes: Sequence[object] | None = None
) -> Separation:
    """Decide whether a logistic or multinomial problem without a penalty has a finite minimiser.

    Parameters
    ----------
    problem : LinearObjective
        Loss of labels -1/+1 (logistic, probit, cloglog), of shares, or ``"softmax"`` (codes); rows of weight
        0 are absent.
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
    problem = plain_problem(problem)
    rows = _signed_rows(problem)
    present = np.unique(rows.group)
    p = problem.data.n_cols
    labels = [f"x{j}" for j in range(p)] if names is None else [str(v) for v in names]
    if len(rows.index) == 0:
        return Separation("none", None, None, (), "no rows with weight: nothing to separate")
    if rows.n_groups > len(present) and problem.intercept:
        return _missing_class(problem, rows, present)
    if rows.n_groups == 2:
        found = decide_rows(rows)
        merged: IndexArray = np.arange(2)
    else:
        found, merged = _decide_classes(rows)
    return _report(problem, rows, found, merged, labels, classes)


def _signed_rows(problem: LinearObjective) -> SignedRows:
    if problem.loss.escape != "classes":
        raise ValueError(f"separation is a question about classes; the loss is {problem.loss.name!r}")
    data = problem.data
    index = np.flatnonzero(data.weight > 0.0)
    y = np.asarray(data.y)[index]
    group = y.astype(np.intp) if problem.loss.vector else (y > 0).astype(np.intp)
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


def _decide_classes(rows: SignedRows) -> tuple[Found, IndexArray]:
    """Merge classes that overlap in pairs, then decide between the merged groups."""
    C = rows.n_groups
    merged = np.arange(C)
    present = set(np.unique(rows.group).tolist())
    budget = 4 * C
    for a, b in sorted(combinations(range(C), 2), key=lambda pair: pair[1] - pair[0]):
        if merged[a] == merged[b] or budget == 0 or not {a, b} <= present:
            continue
        budget -= 1
        if overlap_proved(rows.take({a: 0, b: 1})):
            merged[merged == merged[b]] = merged[a]
    merged = np.unique(merged, return_inverse=True)[1]
    count = int(merged.max()) + 1
    if count == 1:
        return Found("none"), merged
    found = decide_rows(rows.take({k: int(merged[k]) for k in range(C)}))
    if found.kind == "complete" and count < C:
        # Rows of merged classes lie on the boundary between their own classes.
        found = replace(found, kind="quasi", n_boundary=_in_merged(rows, merged))
    return found, merged


def _in_merged(rows: SignedRows, merged: IndexArray) -> int:
    shared = np.bincount(merged) > 1
    return int(shared[merged[rows.group]].sum())


def _missing_class(problem: LinearObjective, rows: SignedRows, present: IndexArray) -> Separation:
    """Return a class without rows: the intercept alone runs off."""
    direction = np.zeros((problem.data.n_cols + 1, rows.n_groups))
    direction[-1, present] = 1.0
    if rows.n_groups == 2:
        direction = direction - direction[:, :1]
    binary = not problem.loss.vector
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


# -- report -----------------------------------------------------------------------------------------


def _report(
    problem: LinearObjective,
    rows: SignedRows,
    found: Found,
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
    if not problem.loss.vector:
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
    found: Found,
    used: tuple[int, ...],
    labels: list[str],
    merged: IndexArray,
    classes: Sequence[object] | None,
) -> str:
    by = listing([labels[j] for j in used]) if used else "the constant alone"
    groups = [[k for k in range(len(merged)) if merged[k] == g] for g in range(int(merged.max()) + 1)]
    if len(merged) > 2 and len(groups) == 2 and classes is not None:
        one, other = ([str(classes[k]) for k in g] for g in groups)
        who = f"{listing(one)} {'is' if len(one) == 1 else 'are'} separable from {listing(other)}"
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
