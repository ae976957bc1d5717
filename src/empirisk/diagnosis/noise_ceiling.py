"""ER217: how much of the error no model can remove: an upper bound, and a bracket from repeated rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.paired import FACTOR, MIN_ROWS
from empirisk.selection.intervals.base import Floats

__all__ = ["CODE", "Ceiling", "ceiling", "loss_noise", "noise_ceiling"]

CODE = "ER217"
MIN_PAIRS = 20


@dataclass(frozen=True)
class Ceiling:
    """What is known about the noise.

    Parameters
    ----------
    upper : float
        One-sided 95 % upper limit: the noise is at most the risk of any model.
    low, high : float or None
        95 % bracket from repeated rows; None without enough of them.
    pairs : int
        Pairs of rows with equal columns.
    value : float
        Loss of the model, in the same unit.
    unit : str
        "error rate" or "squared error".
    """

    upper: float
    low: float | None
    high: float | None
    pairs: int
    value: float
    unit: str


def ceiling(ctx: Context) -> Ceiling:
    """Upper limit from the model, bracket from replicates; cached."""
    if "ceiling" not in ctx.cache:
        ctx.cache["ceiling"] = _ceiling(ctx)
    made: Ceiling = ctx.cache["ceiling"]
    return made


def _ceiling(ctx: Context) -> Ceiling:
    regression = ctx.classes is None
    losses = ctx.losses if regression else (ctx.oof.output("pred") != ctx.oof.y).astype(np.float64)
    upper = _upper(ctx, losses)
    if not regression and not losses.any():
        upper = 1.0 - 0.05 ** (1.0 / ctx.n)
    sets = _sets(ctx)
    pairs = _pairs(sets)
    low = high = None
    if regression and sum(rows.size - 1 for rows in sets) >= MIN_PAIRS:
        low, high = _variance(ctx.oof.y, sets)
    elif not regression and len(pairs) >= MIN_PAIRS:
        low, high = _bayes(*_disagreement(ctx.oof.y, pairs), ctx.oof.n_classes)
    unit = "squared error" if regression else "error rate"
    return Ceiling(upper, low, high, len(pairs), float(losses.mean()), unit)


def _sets(ctx: Context) -> list[NDArray[np.intp]]:
    if "replicates" not in ctx.cache:
        sets, y = replicates(ctx.equal_rows), ctx.oof.y
        # Repeats that agree in the target every time are copies of rows as likely as they are free of noise.
        ctx.cache["replicates"] = sets if any(np.ptp(y[rows]) > 0 for rows in sets) else []
    made: list[NDArray[np.intp]] = ctx.cache["replicates"]
    return made


def _upper(ctx: Context, losses: Floats) -> float:
    """One-sided 95 % upper limit of a mean of row losses (1.25 times the row error; by groups)."""
    if ctx.n < MIN_ROWS:
        raise NotRun(f"{ctx.n} rows are fewer than {MIN_ROWS}")
    units = losses if ctx.groups is None else np.bincount(ctx.groups, losses) * (ctx.groups.max() + 1) / ctx.n
    se = FACTOR * float(units.std(ddof=1)) / math.sqrt(units.size)
    return float(losses.mean()) + float(special.stdtrit(units.size - 1, 0.95)) * se


def loss_noise(ctx: Context) -> tuple[float, float, int]:
    """Lower and upper limit of the noise in the proper loss, and the pairs of repeated rows behind the lower.

    Squared error: the chi-square interval.  Classes: with D the share of disagreeing pairs,
    ``E[1 - sum eta^2]``, the noise of the Brier score is D (D/2 with two classes), and with two classes that
    of the log loss lies between ``2 log(2) D`` and ``log(2) sqrt(2 D)`` (the binary entropy divided by log 2
    lies between ``4 eta (1 - eta)`` and its square root).
    """
    upper = _upper(ctx, ctx.losses)
    sets = _sets(ctx)
    pairs = _pairs(sets)
    if ctx.loss_name == "squared error":
        repeats = sum(rows.size - 1 for rows in sets)
        if repeats < MIN_PAIRS:
            return 0.0, upper, 0
        low, high = _variance(ctx.oof.y, sets)
        return low, min(high, upper), repeats
    if len(pairs) < MIN_PAIRS or (ctx.loss_name == "log loss" and ctx.task != "binary"):
        return 0.0, upper, 0
    low, high = _disagreement(ctx.oof.y, pairs)
    if ctx.loss_name == "log loss":
        low, high = 2.0 * math.log(2.0) * min(low, 0.5), math.log(2.0) * math.sqrt(min(2.0 * high, 1.0))
    elif ctx.task == "binary":
        low, high = low / 2.0, high / 2.0
    return low, min(high, upper), len(pairs)


def _pairs(sets: list[NDArray[np.intp]]) -> list[tuple[int, int]]:
    """Disjoint pairs of equal rows."""
    return [(int(rows[2 * i]), int(rows[2 * i + 1])) for rows in sets for i in range(rows.size // 2)]


def replicates(codes: NDArray[Any]) -> list[NDArray[np.intp]]:
    """Rows that share a number (of :func:`identical_rows`), in sets of two or more.

    Examples
    --------
    >>> [s.tolist() for s in replicates(np.array([0, 1, 0]))]
    [[0, 2]]
    """
    order = np.argsort(codes, kind="stable")
    ends = np.flatnonzero(np.diff(codes[order])) + 1
    return [rows for rows in np.split(order, ends) if rows.size > 1]


def _variance(y: Floats, sets: list[NDArray[np.intp]]) -> tuple[float, float]:
    """Chi-square interval of the pooled variance within sets of equal rows (Gaussian noise)."""
    within = sum(float(((y[rows] - y[rows].mean()) ** 2).sum()) for rows in sets)
    df = sum(rows.size - 1 for rows in sets)
    return within / float(special.chdtri(df, 0.025)), within / float(special.chdtri(df, 0.975))


def _disagreement(y: NDArray[Any], pairs: list[tuple[int, int]]) -> tuple[float, float]:
    """Clopper-Pearson interval of the share of pairs that disagree.

    That share is an unbiased estimate of ``E[1 - sum_c eta_c^2]`` at any n.
    """
    m, k = len(pairs), sum(int(y[a] != y[b]) for a, b in pairs)
    low = 0.0 if k == 0 else float(special.betaincinv(k, m - k + 1, 0.025))
    high = 1.0 if k == m else float(special.betaincinv(k + 1, m - k, 0.975))
    return low, high


def _bayes(low: float, high: float, c: int) -> tuple[float, float]:
    """Limits of the Bayes error from limits of the disagreement D, with c classes.

    ``(c-1)/c (1 - sqrt(1 - c D/(c-1))) <= L* <= D`` (Cover and Hart 1967, where D is the error of 1-NN).
    """
    floor = (c - 1) / c * (1.0 - math.sqrt(max(0.0, 1.0 - c * low / (c - 1))))
    return floor, min(high, (c - 1) / c)


def noise_ceiling(ctx: Context) -> Answer:
    """Say how much of the error may be noise: at most the model's own upper limit.

    Without repeated rows there is no lower end: any sample of a smooth truth with noise is also one of a
    rough truth without.  The nearest-neighbour bracket of Cover and Hart is not used: at finite n its lower
    end was above the truth in 14 to 100 % of simulated samples with little noise.
    """
    c = ceiling(ctx)
    if c.low is None or c.high is None:
        sentence = (
            f"How much of the {c.unit} ({c.value:.3g}) is noise cannot be known from these rows: "
            f"between 0 and {c.upper:.3g}."
        )
        shown = f"one-sided 95 % upper limit of the model's out-of-fold {c.unit}; {c.pairs} repeated rows"
        advice = f"Measure some rows twice ({MIN_PAIRS} at least, 50 are better) to find out."
        return Answer(CODE, Outcome.INTERVAL, sentence, None, None, shown, advice)
    high = min(c.high, c.upper)
    sentence = (
        f"No model can have a lower {c.unit} than {c.low:.3g} (the noise lies between that and {high:.3g}); "
        f"this one is at {c.value:.3g}."
    )
    shown = (
        f"{c.pairs} pairs of rows with equal columns; wrong when they are copies, not repeated measurements"
    )
    return Answer(CODE, Outcome.INTERVAL, sentence, None, None, shown)
