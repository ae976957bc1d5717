"""Whether residuals are exchangeable over an order of the rows: drift, dependence of neighbours, loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from empirisk.diagnosis.permutation import PermutationTest, permutation_test
from empirisk.typing import Array

__all__ = ["OrderTest", "order_of", "order_test"]

MOST_ROWS = 20_000  # beyond, stretches of neighbouring rows stand for all
# Neighbours stay neighbours within a stretch, and all parts of the table are seen.
_STRETCHES = 20
_BLOCK = 4_000_000  # numbers that are held at once: 32 MB


@dataclass(frozen=True)
class OrderTest:
    """How the residuals depend on the order.

    Parameters
    ----------
    p : float
        Of the three statistics together.
    kind : str
        ``"drift"``, ``"neighbours"`` or ``"loss"``: the statistic with the smallest p-value.
    drift, neighbours, loss : float
        Rank correlation of order and residual (the largest over the classes), correlation of residuals that
        follow each other, and rank correlation of order and loss.
    n : int
        Rows (or groups) tested.
    """

    p: float
    kind: str
    drift: float
    neighbours: float
    loss: float
    n: int


def order_test(residual: Array, loss: Array, order: Array, rng: np.random.Generator) -> OrderTest:
    """Permutation test of drift, dependence of neighbours and changing loss.

    ``|sum (t - mean t) rank(e)|``, ``|sum e_i e_{i+1}|``, ``|sum (t - mean t) rank(l)|``.

    Parameters
    ----------
    residual : array, shape (n,) or (n, q)
        Signed out-of-fold residuals (one column a class), from folds dealt at random.
    loss : array, shape (n,)
        Out-of-fold losses.
    order : array, shape (n,)
        Row numbers, times: only their ranks count.
    rng : Generator
        Of the permutations.

    Returns
    -------
    OrderTest

    Notes
    -----
    Up to 1999 permutations, which move whole rows, so that all three statistics see the same ones.  Beyond
    20,000 rows the test looks at 20 stretches of 1,000 rows that follow each other, spread evenly over the
    order. O(n q B).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> e = rng.normal(size=200) + np.linspace(-1, 1, 200)
    >>> found = order_test(e, e**2, np.arange(200), rng)
    >>> found.kind, found.p < 0.01
    ('drift', True)
    """
    rows = _stretches(np.argsort(order, kind="stable"))
    e = np.asarray(residual, dtype=np.float64).reshape(len(order), -1)[rows]
    e = e - e.mean(axis=0)
    ranks = np.column_stack([rankdata(column) for column in (*e.T, np.asarray(loss)[rows])])
    ranks = _unit(ranks)
    t = _unit(rankdata(np.asarray(order)[rows])[:, None])[:, 0]
    n, q = e.shape
    total = max(float((e * e).sum()), np.finfo(float).tiny)

    def statistics(permuted: NDArray[Any]) -> Array:
        moved = e[permuted]  # (k, n, q)
        lag = np.einsum("kiq,kiq->k", moved[:, :-1], moved[:, 1:]) / total
        along = np.einsum("kic,i->kc", ranks[permuted], t)
        return np.column_stack([np.sqrt((along[:, :q] ** 2).sum(axis=1)), np.abs(lag), np.abs(along[:, q])])

    def draw(k: int) -> Array:
        step = max(1, _BLOCK // (n * (q + 1)))
        blocks = [min(step, k - start) for start in range(0, k, step)]
        return np.vstack([statistics(rng.permuted(np.tile(np.arange(n), (b, 1)), axis=1)) for b in blocks])

    test: PermutationTest = permutation_test(statistics(np.arange(n)[None, :])[0], draw)
    along = t @ ranks
    strongest = float(along[:q][np.abs(along[:q]).argmax()])
    lag = float((e[:-1] * e[1:]).sum() / total)
    kind = ("drift", "neighbours", "loss")[int(test.each.argmin())]
    return OrderTest(test.p, kind, strongest, lag, float(along[q]), n)


def _stretches(rows: NDArray[Any]) -> NDArray[Any]:
    if len(rows) <= MOST_ROWS:
        return rows
    length = MOST_ROWS // _STRETCHES
    starts = np.linspace(0, len(rows) - length, _STRETCHES).astype(np.intp)
    return np.asarray(rows[(starts[:, None] + np.arange(length)).ravel()])


def _unit(columns: Array) -> Array:
    """Return the columns centred and of norm 1; constant ones are 0."""
    centred = columns - columns.mean(axis=0)
    norm = np.sqrt((centred**2).sum(axis=0))
    return np.asarray(centred / np.where(norm > 0.0, norm, 1.0))


def order_of(values: Any, name: str = "order") -> Array:
    """Numbers, dates or ISO date strings as floats that sort alike; NaN where missing.

    Raises
    ------
    ValueError
        Text that holds no dates.

    Examples
    --------
    >>> order_of(["2024-01-02", "2023-05-01"]).argsort().tolist()
    [1, 0]
    """
    array = np.asarray(values)
    if array.dtype.kind in "biuf":
        return array.astype(np.float64)
    try:
        moments = array.astype("datetime64[us]")
    except (TypeError, ValueError):
        raise ValueError(
            f"{name} holds values that are neither numbers nor dates (like 2024-01-31); give a column that "
            "sorts."
        ) from None
    return np.where(np.isnat(moments), np.nan, moments.astype(np.int64).astype(np.float64))
