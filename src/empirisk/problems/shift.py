"""Moving a linear problem to near its rows: which columns and targets lie far from 0, and the moved rows."""

from __future__ import annotations

import numpy as np

from empirisk.data.design import Design
from empirisk.data.row_blocks import ArrayBlocks
from empirisk.problems.facts import Facts, Shift
from empirisk.problems.origin import FAR, Origin
from empirisk.typing import Array

__all__ = ["find_shift"]

# Rows that are looked at before the moments of more than that many are asked for.
SAMPLE = 512


def find_shift(facts: Facts, held: bool) -> Shift | None:
    """Return where the rows should be measured from, and the moved rows; None when they lie near 0 already.

    Sparse columns stay where they are, because their zeros would not.

    Parameters
    ----------
    facts : Facts
        Those of the rows as they are; what is found is kept there.
    held : bool
        Whether a penalty holds every coefficient: without one, columns that are constant up to rounding are
        made 0, since they are no information.
    """
    if held not in facts.shifts:
        facts.shifts[held] = None if facts.settled else _find(facts, held)
    return facts.shifts[held]


def _find(facts: Facts, held: bool) -> Shift | None:
    data = facts.data
    if not facts.intercept or data.total_weight == 0.0:
        return None
    columns, target = _columns(facts), facts.target_origin
    if columns is None and target is None:
        return None
    design, y = data.design, data.y
    c: Array = np.zeros(data.n_cols)
    t: Array = np.zeros(y.shape[1:])
    if columns is not None:
        c = columns
        dead = np.zeros(len(c), dtype=bool) if held else _dead(facts, c)
        design = Design(_moved(design.X, c, dead))
    if target is not None:
        t = target
        y = y - t
    near = Facts(facts.loss, ArrayBlocks(design, y, data.weight), True, facts.n_outputs, settled=True)
    if not np.any(y):  # a perfect null model: what counts as small is told by the targets themselves
        near.target_square = facts.target_square
    if columns is None:
        near.known_moments = facts.known_moments
    return Shift(Origin(c, t), near)


def _columns(facts: Facts) -> Array | None:
    """Return means of the columns that are far from 0, in the precision of X; None when there are none."""
    design, weight = facts.data.design, facts.data.weight
    n, p = design.shape
    if design.sparse or p == 0:
        return None
    if facts.known_moments is None and n > 4 * SAMPLE:
        some = np.arange(0, n, n // SAMPLE)
        if np.any(weight[some]) and not _far(*Design(design.X[some]).moments(weight[some]), 0.1 * FAR).any():
            return None
    mean, variance = facts.moments
    far = _far(mean, variance, FAR)
    if not far.any():
        return None
    return np.where(far, mean, 0.0).astype(design.dtype).astype(np.float64)


def _far(mean: Array, variance: Array, many: float) -> Array:
    return np.asarray(np.abs(mean) > many * np.sqrt(variance))


def _dead(facts: Facts, c: Array) -> Array:
    """Return which columns are constant up to rounding."""
    eps = float(np.finfo(facts.data.design.dtype).eps)
    return np.asarray((c != 0.0) & (np.sqrt(facts.moments[1]) <= 8.0 * eps * np.abs(c)))


def _moved(X: Array, c: Array, dead: Array) -> Array:
    """``X - c`` in the precision of X where that is exact, else in float64."""
    order = "F" if X.flags.f_contiguous and not X.flags.c_contiguous else "C"
    out = np.subtract(X, c, dtype=np.float64, order=order)  # type: ignore[call-overload]
    out[:, dead] = 0.0
    if X.dtype != np.float64:
        short = out.astype(X.dtype)
        return short if np.array_equal(short, out) else np.asarray(out)
    return np.asarray(out)
