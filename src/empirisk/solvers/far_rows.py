"""Rows far from their kinks count by their side alone.

A fit of a sample of m rows tells the residuals of all n up to some ``sqrt(p/m)`` of their size.  Rows farther
from their kink than that keep their side: their losses are one linear function, and the nearest rows remain.
When the optimum of these leaves every other row on its side, it is the optimum of all; rows that changed
sides join them, and it is solved again (Portnoy & Koenker 1997, Statistical Science 12, section 5).
"""

from __future__ import annotations

import math

import numpy as np

from empirisk.solvers.central_path import advance, relative_gap, start
from empirisk.solvers.crossover import crossover
from empirisk.solvers.kinked_rows import KinkedRows
from empirisk.typing import Array

__all__ = ["near_optimum", "worth_it"]

LARGE = 10_000  # rows from which it is worth the trouble
ROUNDS = 6  # of rows on the wrong side being taken back; then all rows are solved
ROUGH = 1e-3  # relative gap at which the fit of the sample will do
NEAR = 1e-4  # and at which the crossover of the nearest rows is tried
STEPS = 60  # of the interior point at most
AWAY = 1e6  # times the sizes at the start that scores may reach


def worth_it(rows: KinkedRows) -> bool:
    """Return whether the sample is a small part of the rows."""
    return rows.n >= LARGE and 4 * _sample_size(rows) <= rows.n


def _sample_size(rows: KinkedRows) -> int:
    return math.ceil(math.pow(rows.n * max(len(rows.ridge), 2), 2.0 / 3.0))


def near_optimum(rows: KinkedRows) -> Array | None:
    """Return the standardised parameters of the optimum of all rows, for a crossover to confirm; None when
    not found.
    """
    n, m = rows.n, _sample_size(rows)
    # The seed changes the way, not the answer.
    sample = np.sort(np.random.default_rng(0).choice(n, m, replace=False))
    none = np.zeros(len(rows.ridge))
    w = _walk(rows.take(sample, n / m, none), None, exact=False)
    keep, size = None, m
    for _ in range(ROUNDS):
        if w is None:
            return None
        r = rows.scores(w) - rows.at
        if keep is None:
            keep = np.zeros(n, dtype=bool)
            keep[np.argpartition(rows.nearest(r), size)[:size]] = True
        side = np.where(r > 0.0, rows.high, rows.low)
        far = rows.spread(~keep)
        w = _walk(rows.take(np.flatnonzero(keep), 1.0, rows.adjoint(np.where(far, side, 0.0))), w, exact=True)
        if w is None:
            return None
        after = rows.scores(w) - rows.at
        wrong = far & (after * r < 0.0)
        if not wrong.any():
            return w
        changed = rows.any_of(wrong)
        if int(changed.sum()) <= 0.2 * size:
            keep |= changed
        else:
            keep, size = None, 2 * size
            if 2 * size > n:
                return None
    return None


def _walk(rows: KinkedRows, w0: Array | None, *, exact: bool) -> Array | None:
    """Return the standardised parameters at the end of the central path, or on it; None when it has no
    end.
    """
    basis, point = start(rows, w0)
    far = AWAY * (float(np.abs(rows.at).max(initial=0.0)) + float(np.abs(point.z).max(initial=0.0)))
    for _ in range(STEPS):
        point = advance(rows, point, basis)
        gap = relative_gap(rows, point)
        if not (math.isfinite(gap) and float(np.abs(point.z).max(initial=0.0)) <= far):
            return None  # the rows at hand do not hold the parameters: their sum has no minimum
        if not exact and gap <= ROUGH:
            return point.w
        if exact and gap <= NEAR:
            found = crossover(rows, point.w, point.u)
            if found is not None:
                return found[0]
    return None
