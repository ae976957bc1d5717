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

_MOST_ROWS = 2000
_SECONDS = 20.0
_ROUNDS = 3


def rows_to_remove(
    design: Design, positive: NDArray[Any], intercept: bool = True, rng: np.random.Generator | None = None
) -> NDArray[Any] | None:
    """Rows without which two classes are separated: few, though not always the fewest.

    The plane minimises a weighted sum of slacks, ``min sum v_i s_i`` with ``t_i (x_i'b + c) >= 1 - s_i``, ``s >= 0``
    and ``t = 1`` for positive rows, -1 for others, first with weights 1, then twice with ``1/(s_i + 0.01)``, which
    prefers few large slacks; the rows on the wrong side of the best plane are the answer.

    Parameters
    ----------
    design : Design
        n rows, p columns.
    positive : boolean array, shape (n,)
        The class of each row.
    intercept : bool, default True
        Whether the plane may miss the origin.
    rng : Generator, optional
        Beyond 2,000 rows the plane comes from 2,000 of them drawn at random; all rows are put to it.

    Returns
    -------
    int array or None
        Row numbers; None when the programme was not solved.

    Notes
    -----
    An answer is a proof (the plane separates the other rows); that a longer answer could not be shorter is not
    proved.  Three linear programmes of at most 2,000 rows.

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> rows_to_remove(Design(X), np.array([0, 1, 0, 0, 0, 0, 1, 1, 1, 1], dtype=bool)).tolist()
    [1]
    """
    X, n = design.X, design.shape[0]
    sample: NDArray[Any] = np.arange(n)
    if n > _MOST_ROWS:
        generator = np.random.default_rng(0) if rng is None else rng
        sample = np.sort(generator.choice(n, _MOST_ROWS, replace=False))
    mean, variance = design.moments(np.ones(n))
    live = np.flatnonzero(variance > 0.0)
    scale = np.sqrt(variance[live])
    part = design.rows(sample).columns(live).astype(np.float64)
    shift = mean[live] if intercept else np.zeros(len(live))
    sign = np.where(positive, 1.0, -1.0)
    Z = np.column_stack([(part - shift) / scale, np.full(len(sample), float(intercept))])
    weight = np.ones(len(sample))
    best: NDArray[Any] | None = None
    for _ in range(_ROUNDS):
        plane = _programme(Z * sign[sample][:, None], weight)
        if plane is None:
            return best
        b = np.zeros(design.shape[1])
        b[live] = plane[:-1] / scale
        margin = sign * (np.asarray(X @ b) - float(shift @ b[live]) + intercept * plane[-1])
        wrong = np.flatnonzero(margin <= 1e-9 * np.abs(margin).max(initial=0.0))
        best = wrong if best is None or len(wrong) < len(best) else best
        weight = 1.0 / (np.maximum(0.0, 1.0 - margin[sample]) + 0.01)
    return best


def _programme(side: Array, weight: Array) -> Array | None:
    m, q = side.shape
    left: Any = sp.hstack([sp.csr_array(-side), -sp.eye_array(m)], format="csc")
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * q + [(0.0, None)] * m
    cost = np.concatenate([np.zeros(q), weight])
    options: Any = {"time_limit": _SECONDS}
    out = linprog(cost, A_ub=left, b_ub=-np.ones(m), bounds=bounds, method="highs", options=options)
    return np.asarray(out.x[:q]) if out.status == 0 and out.x is not None else None
