"""ER217: how much of the error no model can remove: an upper limit, and what repeated rows add."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from empirisk.diagnosis.answer import Answer, NotRun, Outcome
from empirisk.diagnosis.base import Context
from empirisk.diagnosis.paired import FACTOR, MIN_ROWS
from empirisk.diagnosis.replicates import MIN_PAIRS, Repeats, disagreement, pair_variance, repeats
from empirisk.evaluation.intervals.base import Floats
from empirisk.evaluation.ratio import effective, linearised
from empirisk.inference.limits import cubic_limits
from empirisk.wording import number

__all__ = ["CODE", "Ceiling", "ceiling", "loss_noise", "noise_ceiling"]

CODE = "ER217"
CONTRADICTION = (
    "repeated rows say that the noise is at least {low:.3g}, the rows out of fold that it is at most "
    "{upper:.3g}"
)


@dataclass(frozen=True)
class Ceiling:
    """What is known about the noise, in the unit of `value`.

    Parameters
    ----------
    upper : float
        One-sided 95 % upper limit: the noise is at most the risk of any model.
    low, high : float or None
        Limits from repeated rows (97.5 % each); None without enough of them.  `high` needs declared ones:
        rows that happen to be equal prove something about themselves, and the others may have no noise or
        only noise.
    repeats : Repeats
        The pairs behind them.
    value : float
        Loss of the model.
    unit : str
        "error rate" or "squared error".
    """

    upper: float
    low: float | None
    high: float | None
    repeats: Repeats
    value: float
    unit: str

    @property
    def contradicts(self) -> bool:
        """Whether repeated rows and rows out of fold exclude each other: rows then depend on each other."""
        return self.low is not None and self.low > self.upper


def ceiling(ctx: Context) -> Ceiling:
    """Return the upper limit from the model, limits from repeated rows; cached."""
    if "ceiling" not in ctx.cache:
        ctx.cache["ceiling"] = _ceiling(ctx)
    made: Ceiling = ctx.cache["ceiling"]
    return made


def _ceiling(ctx: Context) -> Ceiling:
    regression = ctx.classes is None
    losses = ctx.losses if regression else (ctx.oof.output("pred") != ctx.oof.y).astype(np.float64)
    upper = _upper(ctx, losses)
    if not regression and not losses.any():
        upper = 1.0 - 0.05 ** (1.0 / effective(ctx.weights, ctx.n))
    found = repeats(ctx)
    low = high = None
    if len(found.pairs) >= MIN_PAIRS:
        if regression:
            low, high = pair_variance(ctx.oof.y, found.pairs)
        else:
            low, high = _bayes(*disagreement(ctx.oof.y, found.pairs), ctx.oof.n_classes)
        low, high = found.share * low, high if found.declared else None
    unit = "squared error" if regression else "error rate"
    return Ceiling(upper, low, high, found, ctx.mean(losses), unit)


def _upper(ctx: Context, losses: Floats) -> float:
    """Return the one-sided 95 % upper limit of a mean of row losses (1.25 times the row error, Hall's; by
    groups).
    """
    if ctx.n < MIN_ROWS:
        raise NotRun(f"{ctx.n} rows are fewer than {MIN_ROWS}")
    units, worth = linearised(losses, ctx.weights), effective(ctx.weights, ctx.n)
    if ctx.groups is not None:
        units = np.bincount(ctx.groups, units) * (ctx.groups.max() + 1) / ctx.n
    n, spread = units.size, float(units.std(ddof=1))
    if spread == 0.0:
        return ctx.mean(losses)
    free = max(1.0, min(float(n), worth) - 1.0)
    t, se = float(special.stdtrit(free, 0.95)), FACTOR * spread / math.sqrt(n)
    skew = float(np.mean((units - units.mean()) ** 3)) / spread**3
    value = ctx.mean(losses)
    return max(value + t * se, cubic_limits(value, se, skew / math.sqrt(n), t)[1])


def _bayes(low: float, high: float, c: int) -> tuple[float, float]:
    """Return the limits of the Bayes error from limits of the disagreement D, with c classes.

    ``(c-1)/c (1 - sqrt(1 - c D/(c-1))) <= L* <= D`` (Cover and Hart 1967, where D is the error of 1-NN); the
    lower end is convex in D, so that it holds for means over different x.
    """
    floor = (c - 1) / c * (1.0 - math.sqrt(max(0.0, 1.0 - c * low / (c - 1))))
    return floor, min(high, (c - 1) / c)


def loss_noise(ctx: Context) -> tuple[float, float, str]:
    """Return the lower and upper limit of the noise in the proper loss, and the repeated rows behind them in
    words.

    Squared error: see :func:`pair_variance`.  Classes: with D the disagreement of pairs, the noise of the
    Brier score is D (D/2 with two classes), and with two classes that of the log loss lies between
    ``2 log(2) D`` and ``log(2) sqrt(2 D)`` (the binary entropy divided by log 2 lies between
    ``4 eta (1 - eta)`` and its square root).  Equal rows that nobody declared to be repeats count with their
    share of the rows, and give no upper limit.

    Raises
    ------
    NotRun
        Too few rows, or repeated rows and rows out of fold that exclude each other.
    """
    upper = _upper(ctx, ctx.losses)
    found = repeats(ctx)
    if len(found.pairs) < MIN_PAIRS or (ctx.loss_name == "log loss" and ctx.task != "binary"):
        return 0.0, upper, ""
    if ctx.loss_name == "squared error":
        low, high = pair_variance(ctx.oof.y, found.pairs)
    else:
        low, high = disagreement(ctx.oof.y, found.pairs)
    if ctx.loss_name == "log loss":
        low, high = 2.0 * math.log(2.0) * min(low, 0.5), math.log(2.0) * math.sqrt(min(2.0 * high, 1.0))
    elif ctx.task == "binary":
        low, high = low / 2.0, high / 2.0
    low = found.share * low
    if low > upper:
        raise NotRun(f"{CONTRADICTION.format(low=low, upper=upper)}; the rows depend on each other")
    return low, min(high, upper) if found.declared else upper, found.words


def noise_ceiling(ctx: Context) -> Answer:
    """Say how much of the error may be noise: at most the model's upper limit, at least what repeats show.

    Rows that happen to be equal bound the noise from below, as far as they go: whatever the others are,
    ``noise >= share of the equal rows * noise of the equal rows``.  Repeats that the user declared to be
    measurements of rows drawn at random (``replicates=``) bracket it.  Without either there is no lower end:
    any sample of a smooth truth with noise is also one of a rough truth without.  The nearest-neighbour
    bracket of Cover and Hart is a limit for infinitely many rows and is not used: at finite n its lower end
    was above the truth in 14 to 100 % of simulated samples with little noise.
    """
    c = ceiling(ctx)
    advice = (
        f"Measure some rows drawn at random twice ({MIN_PAIRS} at least, 50 are better), and say which with "
        "replicates= to find out."
    )
    shown = f"one-sided 95 % upper limit of the model's out-of-fold {c.unit}; {c.repeats.words}"
    if c.contradicts:
        said = CONTRADICTION.format(low=c.low, upper=c.upper)
        sentence = f"How much of the {c.unit} is noise cannot be told: {said}; the rows depend on each other."
        return Answer(CODE, Outcome.CANNOT_TELL, sentence, None, None, shown, advice)
    if c.low is not None and c.high is not None:
        sentence = (
            f"No model can have a lower {c.unit} than {number(c.low)} (the noise lies between that and "
            f"{number(min(c.high, c.upper))}); this one is at {number(c.value)}."
        )
        shown = f"{c.repeats.words}; wrong when they are copies, or not of rows drawn at random"
        return Answer(CODE, Outcome.INTERVAL, sentence, None, None, shown)
    if c.low:
        sentence = (
            f"No model can have a lower {c.unit} than {number(c.low)} on rows like these (equal rows with "
            f"different targets; the noise lies between that and {number(c.upper)}); this one is at "
            f"{number(c.value)}."
        )
        part = f"{100 * c.repeats.share:.1f} % of the rows"
        shown = f"{shown}, which count as {part} and prove nothing about the rest"
        return Answer(CODE, Outcome.INTERVAL, sentence, None, None, shown, advice)
    sentence = (
        f"How much of the {c.unit} ({number(c.value)}) is noise cannot be known from these rows: "
        f"between 0 and {number(c.upper)}."
    )
    return Answer(CODE, Outcome.INTERVAL, sentence, None, None, shown, advice)
