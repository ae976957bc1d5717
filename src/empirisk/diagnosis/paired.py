"""Would a concrete alternative have a lower risk, by an amount that matters?  Three answers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.diagnosis.answer import Outcome
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.ratio import effective, linearised
from empirisk.typing import Array
from empirisk.wording import counted

__all__ = ["CLEAR_ROWS", "FACTOR", "MIN_CLASS", "MIN_GROUPS", "MIN_ROWS", "Paired", "one_figure", "paired"]

FACTOR = 1.25  # the plain row error fires in up to 8.4 % of the samples at the boundary, this one in 4.9 %
MIN_ROWS = 50
MIN_GROUPS = 30
MIN_CLASS = 10
CLEAR_ROWS = 100  # with fewer, "clear" is not said unless a caller knows better
WRONG_CLEAR = 0.05  # chance of "clear" where the gain is worth telling
POWER = 0.8  # for which the needed rows are forecast


@dataclass(frozen=True)
class Paired:
    """A paired comparison of two risks on the same out-of-fold rows.

    Parameters
    ----------
    gain : float
        Mean of ``d_i = loss_A(i) - loss_B(i)``: positive when the alternative B is better.
    se : float
        Standard error of `gain` that decisions use.
    margin : float
        The smallest gain that matters, in units of the loss.
    p_fire, p_clear : float
        p-values of "gain > margin" and of "gain < margin"; NaN when `refused`.
    low, high : float
        Two-sided 95 % interval of the gain.
    n : int
        Rows, or groups when there are groups; the effective number of rows when they have weights.
    rows_needed : int
        Rows that show a gain of twice the margin with power 80 %.
    refused : str
        Why there is no answer at all, empty otherwise.
    may_clear : bool
        Whether there are enough rows for "clear".
    """

    gain: float
    se: float
    margin: float
    p_fire: float
    p_clear: float
    low: float
    high: float
    n: int
    rows_needed: int
    refused: str = ""
    may_clear: bool = True

    def outcome(self, level: float = 0.05) -> Outcome:
        """Return FIRES, CLEAR or CANNOT_TELL; `level` bounds the false alarms."""
        if self.refused:
            return Outcome.CANNOT_TELL
        if self.p_fire <= level:
            return Outcome.FIRES
        return Outcome.CLEAR if self.may_clear and self.p_clear <= WRONG_CLEAR else Outcome.CANNOT_TELL


def paired(
    loss_a: Floats,
    loss_b: Floats,
    margin: float,
    groups: NDArray[np.intp] | None = None,
    *,
    rarest: int | None = None,
    interval_factor: float = FACTOR,
    clear_rows: int = CLEAR_ROWS,
    weights: Floats | None = None,
) -> Paired:
    """Compare two vectors of out-of-fold row losses.

    ``d_i = loss_A(i) - loss_B(i)``, ``se = 1.25 sd(d)/sqrt(n)``, ``t = (mean d - margin)/se``,
    ``p_fire = P(T_{n-1} >= t)``, ``p_clear = P(T_{n-1} <= t)``.  With groups, d is summed within each.

    Parameters
    ----------
    loss_a, loss_b : arrays of shape (n,)
        Losses of the model and of the alternative, same rows, same folds.
    margin : float
        Smallest gain that matters (may be 0 or negative).
    groups : int array of shape (n,), optional
        Which rows belong together.
    rarest : int, optional
        Rows of the rarest class; below 10 there is no answer.
    interval_factor : float, default 1.25
        Factor of the standard error for `low` and `high`; 1.5 for 1-NN, unpruned trees and unpenalised models
        with fewer than ten rows for each column.
    clear_rows : int, default 100
        Rows below which CLEAR is never said.
    weights : array of shape (n,), optional
        How many rows of the population each row stands for: the gain is a weighted mean, the error that of
        the linearised ratio, and the effective number of rows takes the place of n where rows are counted.

    Returns
    -------
    Paired

    Notes
    -----
    The out-of-fold central limit theorem of Bayle, Bayle, Janson and Mackey (2020, arXiv 2007.12671) gives
    ``sd(d)/sqrt(n)``; in simulations that is slightly too small for unstable learners, and 1.25 times it
    keeps false alarms below 5 % and wrong clearings below 6.3 % at the boundary.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> a = rng.normal(1.0, 0.3, 400)
    >>> paired(a, a - 0.1 + rng.normal(0.0, 0.3, 400), margin=0.02).outcome()
    <Outcome.FIRES: 'fires'>
    >>> paired(a[:40], a[:40] - 1.0, margin=0.02).refused
    '40 rows are fewer than 50'
    """
    rows = loss_a.size
    d: Array = loss_a - loss_b
    if not np.isfinite(d).all():
        raise ValueError(f"the loss is not finite in row {int(np.flatnonzero(~np.isfinite(d))[0])}.")
    d, worth = linearised(d, weights), effective(weights, rows)
    gain = float(d.mean())
    if groups is not None:  # sums by group, scaled so that their mean is the mean per row
        _, codes = np.unique(groups, return_inverse=True)
        d = np.asarray(np.bincount(codes, weights=d), dtype=np.float64)
        d *= d.size / rows
    n, counted_as = d.size, round(worth) if groups is None else min(d.size, round(worth))
    spread = float(d.std(ddof=1)) if n > 1 else math.nan
    se = FACTOR * spread / math.sqrt(n)
    refused = _refusal(counted_as, round(worth), groups is not None, rarest, weights is not None)
    p_fire = p_clear = math.nan
    if not refused:
        p_fire, p_clear = _tails(gain - margin, se, counted_as - 1)
    half = float(special.stdtrit(max(counted_as - 1, 1), 0.975)) * interval_factor * spread / math.sqrt(n)
    needed = rows_to_settle(spread, margin) * rows / n
    return Paired(
        gain, se, margin, p_fire, p_clear, gain - half, gain + half, counted_as,
        one_figure(needed), refused, worth >= clear_rows,
    )  # fmt: skip


def rows_to_settle(spread: float, gain: float) -> float:
    """``1.25^2 (z_.95 + z_.80)^2 sd^2 / gain^2``: rows that show this much above the margin, power 80 %."""
    if not (spread > 0.0 and gain > 0.0):
        return math.nan
    z = float(special.ndtri(1.0 - 0.05) + special.ndtri(POWER))
    return (z * FACTOR * spread / gain) ** 2


def one_figure(value: float) -> int:
    """Return one significant figure, rounded up: a row count from a pilot is no better known than that.

    Examples
    --------
    >>> one_figure(441.0), one_figure(1000.0), one_figure(float("nan"))
    (500, 1000, 0)
    """
    if not (0.0 < value < 1e15):
        return 0
    unit = 10.0 ** math.floor(math.log10(value))
    return int(math.ceil(value / unit - 1e-9) * unit)


def _tails(distance: float, se: float, df: int) -> tuple[float, float]:
    """Return p-values of "more" and "less"; a difference without spread is decided by its sign."""
    if se > 0.0:
        t = distance / se
        return float(special.stdtr(df, -t)), float(special.stdtr(df, t))
    return (0.0, 1.0) if distance > 0.0 else (1.0, 0.0) if distance < 0.0 else (1.0, 1.0)


def _refusal(units: int, rows: int, grouped: bool, rarest: int | None, weighted: bool) -> str:
    if rows < MIN_ROWS:
        return f"{rows} {'effective ' if weighted else ''}rows are fewer than {MIN_ROWS}"
    if grouped and units < MIN_GROUPS:
        return f"{units} groups are fewer than {MIN_GROUPS}"
    if rarest is not None and rarest < MIN_CLASS:
        return f"the rarest class has {counted(rarest, 'row')}, fewer than {MIN_CLASS}"
    return ""
