"""A plane that puts all rows but a few on the side of their class."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

from empirisk.data.design import Design
from empirisk.typing import Array

__all__ = ["rows_to_remove"]

_MOST_ROWS = 2000  # of one integer programme
_SECONDS = 20.0
_ROUNDS = 10  # each adds the rows that the plane fails on
_ROUNDING = 1e-7  # the tolerance of the solver of programmes


def rows_to_remove(
    design: Design,
    positive: NDArray[Any],
    intercept: bool = True,
    most: int | None = None,
    rng: np.random.Generator | None = None,
) -> NDArray[Any] | None:
    """Return the rows without which two classes are separated: few, though not always the fewest.

    A plane with the smallest sum of slacks, ``min sum s_i`` with ``t_i (x_i'b + c) >= 1 - s_i``, ``s >= 0``
    and ``t = 1`` for positive rows, -1 for others; rows with more than half the largest slack are set aside,
    and again, until no slack is left.

    Parameters
    ----------
    design : Design
        n rows, p columns.
    positive : boolean array, shape (n,)
        The class of each row.
    intercept : bool, default True
        Whether the plane may miss the origin.
    most : int, optional
        The search ends when more rows would have to go.
    rng : Generator, optional
        Beyond 2,000 rows the plane comes from 2,000 of them drawn at random (with `most`, 200 + 5 p are tried
        first, which nearly always settles it); all rows are put to it.

    Returns
    -------
    int array or None
        Row numbers; None when more than `most` were needed or a programme was not solved.

    Notes
    -----
    An answer is a proof (the plane separates all other rows); that no shorter one exists is not proved.  At
    most ten linear programmes of at most 2,000 rows.

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> rows_to_remove(Design(X), np.array([0, 1, 0, 0, 0, 0, 1, 1, 1, 1], dtype=bool)).tolist()
    [1]
    """
    n, p = design.shape
    generator = np.random.default_rng(0) if rng is None else rng
    few = 200 + 5 * p
    if most is not None and n > 2 * few and _plane(design, positive, intercept, most, few, generator) is None:
        return None  # a part that no plane separates: the whole is not separated either
    b = _plane(design, positive, intercept, most, _MOST_ROWS, generator)
    if b is None:
        return None
    margin = np.where(positive, 1.0, -1.0) * (np.asarray(design.X @ b[:-1]) + b[-1])
    wrong = np.flatnonzero(margin <= _ROUNDING * np.abs(margin).max(initial=0.0))
    return None if most is not None and len(wrong) > most else wrong


def _plane(
    design: Design,
    positive: NDArray[Any],
    intercept: bool,
    most: int | None,
    size: int,
    generator: np.random.Generator,
) -> Array | None:
    """Return the coefficients and intercept of a plane that separates `size` rows but for a share of `most`,
    or None.
    """
    n = design.shape[0]
    sample = np.arange(n) if n <= size else np.sort(generator.choice(n, size, replace=False))
    mean, variance = design.moments(np.ones(n))
    live = np.flatnonzero(variance > 0.0)
    scale = np.sqrt(variance[live])
    part = design.rows(sample).columns(live).astype(np.float64)
    shift = mean[live] if intercept else np.zeros(len(live))
    Z = np.column_stack([(part - shift) / scale, np.full(len(sample), float(intercept))])
    side = Z * np.where(positive[sample], 1.0, -1.0)[:, None]
    kept = np.arange(len(sample))
    few = len(sample) if most is None else int(1.5 * most * len(sample) / n) + 2
    for _ in range(_ROUNDS):
        plane = _programme(side[kept])
        if plane is None:
            return None
        slack = 1.0 - side[kept] @ plane
        if slack.max() <= _ROUNDING:
            b = np.zeros(design.shape[1] + 1)
            b[live] = plane[:-1] / scale
            b[-1] = intercept * plane[-1] - float(shift @ b[live])
            return b
        kept = kept[slack < 0.5 * slack.max()]
        if len(sample) - len(kept) > few:
            return None
    return None


def _programme(side: Array) -> Array | None:
    m, q = side.shape
    left: Any = sp.hstack([sp.csr_array(-side), -sp.eye_array(m)], format="csc")
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * q + [(0.0, None)] * m
    cost = np.concatenate([np.zeros(q), np.ones(m)])
    options: Any = {"time_limit": _SECONDS}
    out = linprog(cost, A_ub=left, b_ub=-np.ones(m), bounds=bounds, method="highs", options=options)
    return np.asarray(out.x[:q]) if out.status == 0 and out.x is not None else None
