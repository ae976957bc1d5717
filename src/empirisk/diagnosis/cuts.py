"""Whether classes are cut out of one column: above a limit the one, below it the other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Cuts", "exact_cuts"]

LEAST = 20  # rows of every class: fewer are separated by many a good column
_WIDER = 5.0  # times the mean distance: a cut at random through dense values is wider in 4 % of the tables
_NEAR = 10  # distinct values on either side of a cut whose distances are compared with that at the cut


@dataclass(frozen=True)
class Cuts:
    """Classes as intervals of a column.

    Parameters
    ----------
    limits : tuple of float
        Increasing; halfway between the neighbours on both sides.
    order : tuple of int
        Codes of the classes from the lowest interval to the highest.
    log10_chance : float
        Decimal logarithm of the chance that labels dealt at random would be cut like this.
    """

    limits: tuple[float, ...]
    order: tuple[int, ...]
    log10_chance: float


def exact_cuts(x: NDArray[np.float64], codes: NDArray[np.intp]) -> Cuts | None:
    """Cuts of x that give the classes without a single error, where the values stand close on both sides.

    Labels dealt at random over n rows are cut exactly with chance ``K! / (n! / (n_1! ... n_K!))``.  Classes
    that a wide gap separates (two kinds of things that differ in x) are no formula of x: at every cut the
    neighbours may lie apart at most five times as far as the ten distinct values on either side do on
    average.

    Parameters
    ----------
    x : array of shape (n,)
        Rows without a value are left out.
    codes : int array of shape (n,)

    Returns
    -------
    Cuts or None

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> exact_cuts(x, (x > 0.3).astype(int)).order
    (0, 1)
    >>> exact_cuts(x, (x + np.where(x > 0.3, 5.0, 0.0) > 0.3).astype(int)).order
    (0, 1)
    >>> exact_cuts(x + np.where(x > 0.3, 5.0, 0.0), (x > 0.3).astype(int)) is None
    True
    """
    known = np.isfinite(x)
    x, codes = x[known], codes[known]
    counts = np.bincount(codes)
    counts = counts[counts > 0]
    if counts.size < 2 or counts.min() < LEAST:
        return None
    order = np.argsort(x, kind="stable")
    x, codes = x[order], codes[order]
    turns = np.flatnonzero(codes[1:] != codes[:-1])
    if turns.size != counts.size - 1 or np.any(x[turns] == x[turns + 1]):
        return None
    values = np.unique(x)
    steps = np.diff(values)
    for at in np.searchsorted(values, x[turns]):
        around = np.delete(steps[max(0, at - _NEAR) : at + _NEAR + 1], min(at, _NEAR))
        if around.size < _NEAR or steps[at] > _WIDER * around.mean():
            return None
    chance = math.lgamma(counts.size + 1.0) - math.lgamma(x.size + 1.0)
    chance += sum(math.lgamma(c + 1.0) for c in counts)
    limits = 0.5 * (x[turns] + x[turns + 1])
    kinds = codes[np.append(0, turns + 1)]
    return Cuts(tuple(float(v) for v in limits), tuple(int(c) for c in kinds), chance / math.log(10.0))
