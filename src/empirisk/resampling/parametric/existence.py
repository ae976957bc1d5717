"""Whether the quadratic risk of an estimator exists: what is known of the tails, and what samples show.

Where a row lies beyond t with a chance like ``t^-r``, so that it has moments of orders below r alone, b + 1
rows do so together with a chance like ``t^(-r (b + 1))``.  An estimator that b far rows do not move, and b +
1 do, has a square with a mean only where ``2 < r (b + 1)``.  Of other estimators the squared errors that were
seen tell: the shape of a generalised Pareto law fitted to the largest ones, as for draws of samplers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from empirisk.evaluation.intervals.base import Floats
from empirisk.resampling.parametric.estimators import Many
from empirisk.samplers.tails import HEAVY, tail_shape

__all__ = ["Tails", "heavy", "lacking", "tails_of"]


@dataclass(frozen=True)
class Tails:
    """What is known of the tails of a row.

    Parameters
    ----------
    order : float
        Moments of this order and of larger ones are infinite; those of smaller ones may be, too.
    both : bool
        Whether both tails are as heavy as that.
    """

    order: float = math.inf
    both: bool = True


def tails_of(model: str | Callable[..., Any], theta: Any, draws: bool) -> Tails:
    """Return what is known of the tails of a model at a parameter: nothing of one that ``draws`` rows itself.

    Examples
    --------
    >>> tails_of("cauchy", 0.0, False)
    Tails(order=1.0, both=True)
    """
    if isinstance(model, str):
        return Tails(1.0) if model == "cauchy" else Tails()
    if draws:
        return Tails()
    law = model(theta)
    order = getattr(law, "moment_order", None)
    if order is not None:
        return Tails(float(order))
    with np.errstate(all="ignore"):
        mean, variance = (np.asarray(f(), dtype=np.float64) for f in (law.mean, law.var))
    if not np.isfinite(mean).all():
        return Tails(1.0, False)
    return Tails(math.inf if np.isfinite(variance).all() else 2.0, False)


def lacking(estimator: Any, tails: Tails, n: int, power: int) -> str:
    """Return why ``E |T|^power`` is infinite for samples of n rows, or nothing where that is not known.

    Examples
    --------
    >>> from empirisk.resampling.parametric.estimators import ESTIMATORS
    >>> lacking(ESTIMATORS["median"], Tails(1.0), 9, 2)
    ''
    >>> lacking(ESTIMATORS["mean"], Tails(1.0), 9, 2)
    'a row has no moment of order 1, and one far row moves the estimate as far'
    """
    if not isinstance(estimator, Many) or (estimator.one_sided and not tails.both):
        return ""
    rows = estimator.resists(n) + 1
    if power < tails.order * rows:
        return ""
    many = "one far row moves" if rows == 1 else f"{rows} far rows move"
    return f"a row has no moment of order {tails.order:g}, and {many} the estimate as far"


def heavy(values: Floats) -> str:
    """Return why no interval of a mean is made from values with such tails, or nothing where it can be.

    Examples
    --------
    >>> heavy(np.random.default_rng(0).normal(size=2000) ** 2)
    ''
    """
    shape = tail_shape(values)
    if not shape > HEAVY:
        return ""
    what = "the risk may be infinite" if shape > 1.0 else "their variance is infinite"
    return (
        f"the largest squared errors have a tail of Pareto shape {shape:.2f}, and no Monte-Carlo error is "
        f"believed above {HEAVY} (from 0.5 on there is no variance, from 1 on no mean): {what}"
    )
