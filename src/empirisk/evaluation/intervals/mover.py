"""Balanced accuracy: the mean of recalls, with limits combined by MOVER."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from empirisk.evaluation.intervals.base import MODEL, accept, normal_quantile, refuse
from empirisk.inference.limits import wilson_limits
from empirisk.results import Estimate
from empirisk.wording import counted

METHOD = "MOVER with Wilson limits of each class"


def mover_limits(recalls: ArrayLike, counts: ArrayLike, level: float) -> tuple[float, float]:
    """``mean p - sqrt(sum (p_c - l_c)^2)/C`` and ``mean p + sqrt(sum (u_c - p_c)^2)/C``, Wilson l and u."""
    p, n = np.asarray(recalls, dtype=np.float64), np.asarray(counts, dtype=np.float64)
    z = normal_quantile(level)
    limits = np.array([wilson_limits(float(pc), float(nc), z) for pc, nc in zip(p, n, strict=True)])
    down = math.sqrt(float(np.sum((p - limits[:, 0]) ** 2))) / p.size
    up = math.sqrt(float(np.sum((limits[:, 1] - p) ** 2))) / p.size
    return max(0.0, float(p.mean()) - down), min(1.0, float(p.mean()) + up)


def min_class(n_classes: int) -> int:
    """Return the rows that each class needs: 5 with two classes, 10 with more (89 % coverage at 7 rows
    there).
    """
    return 5 if n_classes <= 2 else 10


def balanced_accuracy_interval(
    hits: ArrayLike, counts: ArrayLike, level: float = 0.95, *, target: str = MODEL
) -> Estimate:
    """Return the mean of the recalls ``hits_c / counts_c`` over the classes that occur, with MOVER limits.

    Parameters
    ----------
    hits, counts : array of shape (C,)
        Correct rows and rows of each class.
    level : float, default 0.95
        Nominal coverage.
    target : str
        What the score is about.

    Notes
    -----
    Covers 93.3 to 96 %. Source: Zou and Donner (2008). Cost O(C).

    Examples
    --------
    >>> str(balanced_accuracy_interval([45, 30], [50, 50]))
    '0.75 [0.66, 0.82]'
    """
    counts = np.asarray(counts, dtype=np.float64)
    present = counts > 0
    recalls = np.asarray(hits, dtype=np.float64)[present] / counts[present]
    n, method, classes = int(counts.sum()), METHOD, counts.size
    value = float(recalls.mean()) if present.any() else math.nan
    if not present.all():
        absent = int((~present).sum())
        have, their = ("has", "its") if absent == 1 else ("have", "their")
        reason = f"{absent} of {classes} classes {have} no row here, so {their} recall is unknown"
        return refuse(value, level, n, method, reason, target)
    need = min_class(classes)
    if counts.min() < need:
        reason = f"the smallest class has {counted(int(counts.min()), 'row')}; at least {need} are needed"
        return refuse(value, level, n, method, reason, target)
    return accept(value, mover_limits(recalls, counts, level), level, n, method, target=target)
