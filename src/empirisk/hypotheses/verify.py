"""Recompute the certificate of a hypothesis class's best member by writing out labellings."""

from __future__ import annotations

import math
from typing import Any, Protocol

import numpy as np

from empirisk.hypotheses.labels import check_weight
from empirisk.hypotheses.points import distinct, rounding
from empirisk.results import Certificate, Kind, unconfirmed

__all__ = ["verify_hypothesis"]

# Labels to write out at once, and in all.
AT_ONCE, BUDGET = 2_000_000, 20_000_000


class FittedClass(Protocol):
    """What is asked of a fitted hypothesis class: its best member, and all labellings of given points."""

    classes_: Any
    hypothesis_: Any
    training_error_: float

    @property
    def words(self) -> str: ...
    def restriction(self, X: Any, *, max_labellings: int) -> Any: ...


def verify_hypothesis(fitted: FittedClass, points: Any, y: Any, sample_weight: Any = None) -> Certificate:
    """The training error of the hypothesis, and a lower bound on that of every member of the class.

    Where all labellings of the points can be written out, their least error is the least of the class.  Else
    the points are taken in blocks: no member has less than the sum of the least errors on the blocks.
    """
    labels = np.asarray(y)
    strange = np.flatnonzero(~np.isin(labels, fitted.classes_))
    if len(strange):
        raise ValueError(
            f"y holds {labels[strange[0]]!r} in row {strange[0]}, which the fit did not have among "
            f"its labels {fitted.classes_.tolist()}"
        )
    positive = labels == fitted.classes_[-1]
    weight = check_weight(sample_weight, len(points))
    total = float(weight.sum())
    error = float(weight[fitted.hypothesis_(points) != positive].sum() / total)
    if not math.isclose(error, fitted.training_error_, rel_tol=1e-12, abs_tol=1e-15 * len(points)):
        why = f"the training error on these rows is {error:.6g}, stated was {fitted.training_error_:.6g}"
        return unconfirmed(why)
    kept = weight > 0.0
    unique, inverse = distinct(points[kept])
    ones = np.bincount(inverse, weight[kept] * positive[kept], len(unique)).astype(np.float64)
    zeros = np.bincount(inverse, weight[kept] * ~positive[kept], len(unique)).astype(np.float64)
    floor = rounding(ones - zeros, total)
    least, blocks = (0.0, 0) if error == 0.0 else _least(fitted, unique, ones, zeros)
    least /= total
    gap = max(0.0, error - least)
    if gap <= max(floor, len(unique) * math.ulp(1.0)):
        gap = 0.0
    how = (
        "an error is never negative"
        if not blocks
        else "all labellings of the points were compared"
        if blocks == 1
        else f"all labellings of {blocks} blocks of the points were compared"
    )
    claim = f"training error {error:.6g}, and no hypothesis of the {fitted.words} is below {least:.6g}: {how}"
    return Certificate(Kind.EXACT, gap, 1.0, claim, floor=floor)


def _least(fitted: FittedClass, points: Any, ones: Any, zeros: Any) -> tuple[float, int]:
    """Return a lower bound on the weight of the errors of every member, and the number of blocks behind
    it.
    """
    n, budget = len(points), BUDGET
    size = n
    while True:
        step, found, done = -(-n // size), 0.0, 0
        for start in range(step):
            block = slice(start, n, step)  # from everywhere: what is best on one is about best on the others
            few = points[block]
            if budget <= 0 and size > 1:  # no member is better than the best label of each point
                found += float(np.minimum(ones[block], zeros[block]).sum())
                continue
            try:
                made = fitted.restriction(few, max_labellings=max(2, AT_ONCE // len(few)))
            except ValueError:
                break  # too many labellings: smaller blocks
            budget -= made.size
            found += float(np.where(made, zeros[block], ones[block]).sum(axis=1).min())
            done += 1
        else:
            return found, max(done, 1)
        if size == 1:
            return float(np.minimum(ones, zeros).sum()), n
        size = max(1, size // 2)
